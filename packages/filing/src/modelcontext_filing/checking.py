"""The check of the pages of defects: each shows its defect in its product, and an allowed outcome in the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.judging.profiles import DEVIATIONS, load_deviations
from modelcontext.running.products import make_target
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_filing.defects import Defect, read_defects
from modelcontext_filing.plain.plain_page import PlainPage, as_logs
from modelcontext_filing.plain.view import PlainError
from modelcontext_filing.report import Demonstration, page_of, shown_by
from modelcontext_filing.watching import Watched, watch

if TYPE_CHECKING:
    from modelcontext_filing.plain.plain_page import Lines

#: The number of times that a page may show another outcome: races do not show every time, and a busy machine is slow.
ATTEMPTS: Final = 4
#: What the browser under product `page` decides and not the model: by the names of deviations.
_OF_THE_BROWSER: Final = frozenset({"sandboxed-src", "no-callbacks-of-gone-documents"})


def check_pages(root: Path, products: Sequence[str] | None = None) -> Iterator[str]:
    """Open the page of every defect in its product and in product ``page``, and yield a message for each wrong result.

    Args:
        root: the checkout.
        products: the products whose defects are checked; all that browsers are, if it is None.

    Raises:
        UnavailableError: if a product cannot be launched.
    """
    revisions = {product: load_deviations(name).revision.name for name, product in DEVIATIONS.items()}
    for product, defects in read_defects(root).items():
        if products is not None and product not in products:
            continue
        pages = dict(_pages(root, defects))
        wrong = _not_yet(pages, product, _shows_the_defect)
        yield from (f"{product}/{name}: the page does not show the defect in {product}" for name in wrong)
        if revisions[product] == CURRENT.name:
            harmless = {
                name: one for name, one in pages.items() if one[0].loses != "crash" and not _is_of_the_browser(one[0])
            }
            wrong = _not_yet(harmless, "page", _shows_what_is_allowed)
            yield from (f"{product}/{name}: the page does not show an allowed outcome in the model" for name in wrong)


def _is_of_the_browser(defect: Defect) -> bool:
    return defect.quirk is not None and defect.quirk.name in _OF_THE_BROWSER


_Case = tuple[Defect, Demonstration, PlainPage]


def _pages(root: Path, defects: Sequence[Defect]) -> Iterator[tuple[str, _Case]]:
    for defect in defects:
        shown = shown_by(root, defect)
        if shown is not None:
            try:
                yield defect.name, (defect, shown, page_of(defect, shown, "The product"))
            except PlainError:
                continue


def _not_yet(cases: Mapping[str, _Case], product: str, is_right: object) -> list[str]:
    """Return the names of the pages that show nothing right in several attempts."""
    assert callable(is_right)
    left = list(cases)
    for _ in range(ATTEMPTS):
        seen = watch(make_target(product), [cases[name][2].text for name in left])
        left = [name for name, watched in zip(left, seen, strict=True) if not is_right(cases[name], watched)]
        if not left:
            break
    return left


def _shows_the_defect(case: _Case, watched: Watched) -> bool:
    defect, shown, page = case
    if defect.loses == "crash" or watched.ending:
        return defect.loses == "crash" and watched.ending.startswith("crash")
    if any(line.startswith("Uncaught") for line in watched.lines):
        return False
    return not _is_one_of(as_logs(shown.program, watched.lines), page.shown[0])


def _shows_what_is_allowed(case: _Case, watched: Watched) -> bool:
    _, shown, page = case
    return not watched.ending and _is_one_of(as_logs(shown.program, watched.lines), page.shown[0])


def _is_one_of(logs: Lines, allowed: Sequence[Lines]) -> bool:
    return any(_without_empty(logs) == _without_empty(one) for one in allowed)


def _without_empty(logs: Lines) -> dict[str, list[str]]:
    return {name: list(log) for name, log in logs.items() if log}
