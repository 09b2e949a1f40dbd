"""The check of the pages of defects: each shows its defect in its product, and an allowed outcome in the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.judging.profiles import DEVIATIONS, load_deviations
from modelcontext.running.products import make_target
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_filing.defects import Defect, read_defects
from modelcontext_filing.plain.plain_page import PlainPage, as_logs
from modelcontext_filing.plain.view import PlainError
from modelcontext_filing.report import Demonstration, page_of, shown_by
from modelcontext_filing.watching import watch

if TYPE_CHECKING:
    from modelcontext_filing.plain.plain_page import Lines
    from modelcontext_filing.watching import Watched

#: The number of times that a page may show another outcome: races do not show every time, and a busy machine is slow.
ATTEMPTS: Final = 4
#: The defects about what the browser under product `page` decides and not the model: whether a frame is sandboxed, a callback
#: of a document that is gone runs, and an event that a script dispatches is trusted.
_OF_THE_BROWSER: Final = frozenset(
    {"sandboxed-frame-is-allowed", "callback-of-a-gone-document", "toolchange-is-not-trusted"}
)


def check_pages(
    root: Path,
    products: Sequence[str] | None = None,
    on_shown: Callable[[Defect, str], None] = lambda _defect, _version: None,
) -> Iterator[str]:
    """Open the page of every defect in its product and in product ``page``, and yield a message for each wrong result.

    Args:
        root: the checkout.
        products: the products whose defects are checked; all that browsers are, if it is None.
        on_shown: is told each defect that its product shows, and the version of the product.

    Raises:
        UnavailableError: if a product cannot be launched.
    """
    revisions = {product: load_deviations(name).revision.name for name, product in DEVIATIONS.items()}
    for product, defects in read_defects(root).items():
        if products is not None and product not in products:
            continue
        pages = dict(_pages(root, defects))
        versions, wrong = _seen_in(pages, product, _shows_the_defect)
        for name, version in versions.items():
            on_shown(pages[name][0], version)
        # A race that the product does not lose in any of these loads is still a defect.
        missing = [name for name in wrong if not pages[name][0].shows]
        yield from (f"{product}/{name}: the page does not show the defect in {product}" for name in missing)
        if revisions[product] == CURRENT.name:
            harmless = {
                name: one for name, one in pages.items() if one[0].loses != "crash" and name not in _OF_THE_BROWSER
            }
            _, wrong = _seen_in(harmless, "page", _shows_what_is_allowed)
            yield from (f"{product}/{name}: the page does not show an allowed outcome in the model" for name in wrong)


_Case = tuple[Defect, Demonstration, PlainPage]


def _pages(root: Path, defects: Sequence[Defect]) -> Iterator[tuple[str, _Case]]:
    for defect in defects:
        shown = shown_by(root, defect)
        if shown is not None:
            try:
                yield defect.name, (defect, shown, page_of(defect, shown, "The product"))
            except PlainError:
                continue


def _seen_in(
    cases: Mapping[str, _Case], product: str, is_right: Callable[[_Case, Watched], bool]
) -> tuple[dict[str, str], list[str]]:
    """Return the version in which each page showed what is right, and the names of those that did not in several attempts."""
    versions: dict[str, str] = {}
    left = list(cases)
    for _ in range(ATTEMPTS):
        seen = watch(make_target(product), [cases[name][2].text for name in left])
        right = {name: one for name, one in zip(left, seen, strict=True) if is_right(cases[name], one)}
        versions |= {name: one.version for name, one in right.items()}
        left = [name for name in left if name not in right]
        if not left:
            break
    return versions, left


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
