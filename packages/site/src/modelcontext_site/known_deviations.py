"""The known deviations of products: each cause once, with all that shows it.

The causes are in the expectations about programs, litmus tests and tests, in the profiles, and in the findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.expectations import KnownCause, load_expectations, vocabulary
from modelcontext.judging.litmus.expectations import known_deviations
from modelcontext.judging.profiles import DEVIATIONS, Quirk, load_deviations
from modelcontext.judging.wpt import expectations as of_tests
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext_filing.defects import read_defects
from modelcontext_site.addresses import slug

if TYPE_CHECKING:
    from modelcontext.judging.profiles import NamedDeviation
    from modelcontext_builds.record import BuildRecord, Since
    from modelcontext_filing.defects import Defect

#: The products of this project, whose deviations are limits of a page or of the simulated browser.
OURS: Final = ("page", "simulated")
#: The side that has to change, in words.
SIDES: Final = {
    "product": "the product",
    "spec": "the specification",
    "neither": "neither side",
    "test": "the test",
}


@dataclass
class SiteDeviation:
    """A deviation of one product, with one cause.

    ``programs`` has what the product shows in each program, ``tests`` the subtests that fail in each file. ``patch`` is the
    change of the text under which the product would conform, and ``patched`` has the steps that it changes.
    """

    product: str
    name: str
    step: str
    revision: str
    side: str
    words: str
    link: str | None = None
    patch: str = ""
    patched: Sequence[str] = ()
    reproducers: list[str] = field(default_factory=list)
    programs: dict[str, str] = field(default_factory=dict)
    litmus: list[str] = field(default_factory=list)
    tests: dict[str, list[str]] = field(default_factory=dict)
    defects: list[Defect] = field(default_factory=list)

    @property
    def page(self) -> str:
        """The path of its page."""
        return f"deviations/{self.product}/{self.name}.html"

    @property
    def side_in_words(self) -> str:
        """The side that has to change."""
        return SIDES[self.side]

    @property
    def is_ours(self) -> bool:
        """True if the product is one of this project."""
        return self.product in OURS

    def since(self, builds: BuildRecord) -> Since | None:
        """Return the first build that shows it, in any of its programs."""
        prefix = "" if self.revision == CURRENT.name else f"{self.revision}/"
        found = [builds.since(self.product, f"{prefix}{name}") for name in (*self.programs, *self.reproducers)]
        known = [since for since in found if since is not None]
        return min(known, key=lambda since: builds.builds.index(since.build), default=None)


class KnownDeviations:
    """The deviations of all products."""

    def __init__(self, deviations: Iterable[SiteDeviation]) -> None:
        self.all = list(deviations)
        self._at: dict[str, list[SiteDeviation]] = {}
        self._changing: dict[str, list[SiteDeviation]] = {}
        self._of_program: dict[str, list[SiteDeviation]] = {}
        for one in self.all:
            if one.revision == CURRENT.name:
                for step in dict.fromkeys([one.step, *(defect.step for defect in one.defects)]):
                    self._at.setdefault(step, []).append(one)
                for step in one.patched:
                    self._changing.setdefault(step, []).append(one)
                for name in one.programs:
                    self._of_program.setdefault(f"program {name}", []).append(one)
                for name in one.litmus:
                    self._of_program.setdefault(f"litmus test {name}", []).append(one)
                for name in one.tests:
                    self._of_program.setdefault(f"test {name}", []).append(one)

    def at(self, step: str) -> list[SiteDeviation]:
        """Return those at a step of the current text, those of our own products last."""
        return sorted(self._at.get(step, ()), key=lambda one: one.is_ours)

    def changing(self, step: str) -> list[SiteDeviation]:
        """Return those at another step whose patches change a step of the current text, too."""
        return [one for one in self._changing.get(step, ()) if one not in self._at.get(step, ())]

    def shown_by(self, kind: str, name: str) -> list[SiteDeviation]:
        """Return those that a test of a kind shows."""
        return self._of_program.get(f"{kind} {name}", [])


def read_deviations(root: Path) -> list[SiteDeviation]:
    """Return the deviations of a checkout, by product.

    Raises:
        ExpectationError: if a file of expectations is wrong.
        FindingsError: if a defect or a finding cannot be read.
    """
    found: dict[tuple[str, str], SiteDeviation] = {}
    for name, product in DEVIATIONS.items():
        named = load_deviations(name)
        for quirk in named.quirks:
            one = _of_quirk(product, quirk, named.revision.name)
            found[product, one.name] = one
    for revision in FILES.values():
        folder = root / revision.expectations
        for path in sorted(folder.glob("*.toml")):
            _read_expectations(path, revision.name, found)
    for product, defects in read_defects(root).items():
        for defect in defects:
            _deviation_of(product, defect, found).defects.append(defect)
    return sorted(found.values(), key=lambda one: (one.is_ours, one.product))


def _of_quirk(product: str, quirk: NamedDeviation, revision: str) -> SiteDeviation:
    one = SiteDeviation(product, quirk.name, quirk.step, revision, quirk.wrong, quirk.reason)
    one.reproducers += _program_in(quirk.reproducer)
    if isinstance(quirk, Quirk):
        one.patch, one.patched = quirk.patch, list(dict.fromkeys(quirk.steps))
    return one


def _program_in(path: str) -> Iterator[str]:
    """Yield the name of the program at a path below the folder of tests, if it is one."""
    folder, _, name = path.removeprefix("../").removesuffix(".toml").partition("/")
    if folder in {files.programs.name for files in FILES.values()}:
        yield name


def _read_expectations(path: Path, revision: str, found: dict[tuple[str, str], SiteDeviation]) -> None:
    """Add the deviations in a file of expectations: its name has the kind of the tests, unless they are programs."""
    kind, _, product = path.stem.partition("-")
    if kind == "wpt":
        # The suite of an earlier revision has its expectations in a file with its name.
        product = next((product.removesuffix(f"-{one}") for one in FILES if product.endswith(f"-{one}")), product)
        for (test, subtest), known in of_tests.load_expectations(path, vocabulary(product, *FILES)).items():
            own = next((one for one in FILES if f"-{one}/" in test), CURRENT.name)
            deviation = _cause(product, known, own, found)
            deviation.tests.setdefault(test.lstrip("/"), []).append(subtest or "the file itself")
            names = _program_in(known.reproducer or "")
            deviation.reproducers += [name for name in names if name not in deviation.reproducers]
    elif kind == "litmus":
        for name, causes in known_deviations(path, vocabulary(product, revision)).items():
            for cause in causes:
                _cause(product, cause, revision, found).litmus.append(name)
    else:
        for name, expected in load_expectations(path, vocabulary(path.stem, revision)).items():
            _cause(path.stem, expected, revision, found).programs[name] = expected.observed


def _cause(
    product: str, cause: KnownCause, revision: str, found: dict[tuple[str, str], SiteDeviation]
) -> SiteDeviation:
    """Return the deviation with a cause, which is made if it is new."""
    name = cause.quirk.name if cause.quirk is not None else slug(cause.note)
    while (one := found.get((product, name))) is not None and cause.quirk is None and one.step != cause.step:
        name += f"-at-{cause.step.partition(' ')[0]}"
    if one is None:
        one = SiteDeviation(product, name, cause.step, revision, cause.reason, cause.note)
        found[product, name] = one
    one.link = one.link or cause.link
    return one


def _deviation_of(product: str, defect: Defect, found: dict[tuple[str, str], SiteDeviation]) -> SiteDeviation:
    """Return the deviation with the cause of a defect, which is made if no profile and no expectation has it."""
    name = defect.quirk.name if defect.quirk is not None else defect.name
    if (product, name) not in found:
        side = {"text": "spec", "tests": "test", "other": "spec"}.get(defect.changes, defect.changes)
        revision = next(one for one, of in DEVIATIONS.items() if of == product)
        made = SiteDeviation(product, name, defect.step, load_deviations(revision).revision.name, side, defect.title)
        found[product, name] = made
    return found[product, name]


def by_product(deviations: Iterable[SiteDeviation]) -> Mapping[str, list[SiteDeviation]]:
    """Return deviations by their product."""
    groups: dict[str, list[SiteDeviation]] = {}
    for one in deviations:
        groups.setdefault(one.product, []).append(one)
    return groups
