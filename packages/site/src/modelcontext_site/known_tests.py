"""The programs, litmus tests and suite of a checkout, each with the steps that it reaches and its allowed outcomes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.files import read_text
from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.litmus.language import CATALOGUE, in_order, read_catalogue
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.metadata import page_help, page_title
from modelcontext.judging.wpt.wrappers import wrapped_script
from modelcontext.programs.program.outcome import loads
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.judging.conformance.corpus import Case
    from modelcontext.judging.conformance.explored import Explorations
    from modelcontext.judging.coverage import Reach
    from modelcontext.judging.litmus.language import Litmus
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome

#: The folder of the suite, below the folder of all tests.
SUITE: Final = "webmcp"
TESTS: Final = Path("wpt_tests")
#: The folders of pages, by the kind of test.
FOLDERS: Final = {"program": "programs", "litmus test": "litmus", "test": "tests"}


@dataclass(frozen=True)
class KnownTest:
    """A program, a litmus test or a test of the suite.

    ``outcomes`` are those that the text allows a program; they are all of them if the exploration ``is_complete``. A test of
    the suite has none. ``algorithms`` are those that the file says it is about.
    """

    kind: str
    name: str
    path: Path
    program: Program | None = None
    litmus: Litmus | None = None
    text: str = ""
    title: str = ""
    algorithms: Sequence[str] = ()
    reached: frozenset[str] = frozenset()
    outcomes: Sequence[Outcome] = ()
    is_complete: bool = True

    @property
    def page(self) -> str:
        """The path of its page."""
        return f"{FOLDERS[self.kind]}/{self.name}.html"

    @property
    def example(self) -> str:
        """Its name in the playground."""
        return f"{FOLDERS[self.kind]}/{self.name}"

    @cached_property
    def operations(self) -> int:
        """The number of operations of a program."""
        return sum(1 for _ in self.program.walk()) if self.program is not None else 0


class KnownTests:
    """All tests, with those that reach each step."""

    def __init__(self, tests: Iterable[KnownTest]) -> None:
        self.all = list(tests)
        self.by_page: Mapping[str, KnownTest] = {test.page: test for test in self.all}
        self._reaching: dict[str, list[KnownTest]] = {}
        self._about: dict[str, list[KnownTest]] = {}
        for test in self.all:
            for key in test.reached:
                self._reaching.setdefault(key, []).append(test)
            for algorithm in test.algorithms:
                self._about.setdefault(algorithm, []).append(test)

    def of_kind(self, kind: str) -> list[KnownTest]:
        """Return the tests of a kind."""
        return [test for test in self.all if test.kind == kind]

    def program(self, name: str) -> KnownTest | None:
        """Return the program of a name, if there is one."""
        return self.by_page.get(f"{FOLDERS['program']}/{name}.html")

    def reaching(self, step: str) -> list[KnownTest]:
        """Return the tests that reach a step, as ``algorithm number``."""
        return self._reaching.get(step, [])

    def about(self, algorithm: str) -> list[KnownTest]:
        """Return the tests that say that they are about an algorithm."""
        return self._about.get(algorithm, [])

    def smallest(self, step: str, wanted: Container[str] = ()) -> KnownTest | None:
        """Return the smallest program that reaches a step.

        One of the ``wanted`` names comes before all others: a product shows there that it does not follow the step. Then come
        those that are about the step's algorithm.
        """
        algorithm = step.partition(" ")[0]
        programs = [test for test in self.reaching(step) if test.program is not None]
        return min(
            programs,
            key=lambda test: (
                test.name not in wanted,
                algorithm not in test.algorithms,
                test.operations,
                len(test.text),
                test.name,
            ),
            default=None,
        )


def read_known_tests(
    root: Path, explorations: Explorations, recorded: Iterable[Reach] = (), done: Callable[[], None] = lambda: None
) -> Iterator[KnownTest]:
    """Yield the tests of the current revision; what was explored is kept.

    Args:
        root: the checkout.
        explorations: those that are kept.
        recorded: the reach of tests of the suite.
        done: is called after each program.

    Raises:
        ProgramError: if a program is not valid.
        RunawayError: if a program does not end.
    """
    try:
        for case in read_corpus(root / CURRENT.programs):
            yield of_program(case, root, explorations)
            done()
        for litmus in read_catalogue(root / CATALOGUE):
            yield of_litmus(litmus, root, explorations)
            done()
    finally:
        explorations.keep()
    yield from suite_of(root, {reach.name.lstrip("/"): reach.keys for reach in recorded})


def of_program(case: Case, root: Path, explorations: Explorations) -> KnownTest:
    """Return a program with its outcomes and the steps that it reaches."""
    return _explored(KnownTest("program", case.name, case.path, case.program), root, explorations)


def of_litmus(litmus: Litmus, root: Path, explorations: Explorations) -> KnownTest:
    """Return a litmus test with its outcomes and the steps that it reaches."""
    test = KnownTest("litmus test", litmus.name, litmus.path, litmus.program, litmus)
    return _explored(test, root, explorations)


def _explored(test: KnownTest, root: Path, explorations: Explorations) -> KnownTest:
    assert test.program is not None
    found = explorations.explored(test.program)
    return replace(
        test,
        path=test.path.relative_to(root),
        text=read_text(test.path),
        title=test.program.title,
        algorithms=test.program.algorithms,
        reached=found.reached,
        outcomes=in_order([loads(text) for text in found.outcomes]),
        is_complete=found.is_complete,
    )


def suite_of(root: Path, reached: Mapping[str, frozenset[str]] | None = None) -> Iterator[KnownTest]:
    """Yield the tests of the suite; ``reached`` has the steps that some of them reach."""
    for one in find_tests(root / TESTS, [SUITE]):
        name = one.path.lstrip("/")
        path = root / TESTS / name.partition("?")[0]
        if not path.is_file():
            path = root / TESTS / (wrapped_script(f"/{name}") or "").lstrip("/")
        text = read_text(path)
        yield KnownTest(
            "test",
            name,
            path.relative_to(root),
            text=text,
            title=page_title(text) or name,
            algorithms=page_help(text),
            reached=(reached or {}).get(name, frozenset()),
        )
