"""The reach of one test: measured for a program in the model, read from a file for a test that ran elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.files import ReadError, read_json
from modelcontext.ground.problems import UserError
from modelcontext.judging.conformance.corpus import CORPORA, read_corpus
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import Explorations
    from modelcontext.programs.program.language import Program

#: The most bytes of a recording.
_MOST_RECORDED: Final = 128 * 1024 * 1024

#: The kinds of tests, in the order of reports.
KINDS: Final = ("programs", "litmus", "wpt")


class ReachError(UserError, ValueError):
    """An error in a file that should have the reach of tests; the message says which file and why."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The reach of one test: steps as ``algorithm number``, sides of conditions as ``algorithm number place yes``."""

    kind: str
    name: str
    keys: frozenset[str]


def programs_of(root: Path, revision: str) -> Iterator[tuple[str, str, Program]]:
    """Yield the programs and litmus tests of a revision in a checkout, each with its kind and name."""
    for folder in CORPORA:
        for case in read_corpus(root / folder):
            if case.program.revision == revision:
                yield "programs", case.name, case.program
    for litmus in read_catalogue(root / CATALOGUE):
        if litmus.program.revision == revision:
            yield "litmus", litmus.name, litmus.program


def measured(programs: Iterable[tuple[str, str, Program]], explorations: Explorations) -> Iterator[Reach]:
    """Yield the reach of programs, each given with its kind and name, under every schedule; keep what was explored.

    Raises:
        RunawayError: if a program does not end.
    """
    try:
        for kind, name, program in programs:
            yield Reach(kind, name, explorations.explored(program).reached)
    finally:
        explorations.keep()


def read_recorded(path: Path, revision: str) -> Iterator[Reach]:
    """Yield the reach of tests from a file that was recorded elsewhere.

    The file is a JSON object with ``revision`` and ``tests``. The latter is an object with the path of each test, and the
    list of the steps and sides that it reached.

    Raises:
        ReachError: if the file cannot be read, has another form, or was recorded with another text.
    """
    try:
        content = read_json(path, most=_MOST_RECORDED)
        recorded = content["revision"]
        tests = {str(name): frozenset(map(str, keys)) for name, keys in content["tests"].items()}
    except ReadError as error:
        raise ReachError(str(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReachError(
            f"{path} is not a recording of tests ({error!r}): make one in a checkout, with"
            " `python -m tools.lab reach --output FILE`"
        ) from None
    if recorded != revision:
        raise ReachError(f"{path} was recorded with the revision {recorded}, not {revision}: record it again")
    found = inventory(REVISIONS[revision].package)
    known = {*map(str, found.steps), *found.sides}
    for name, keys in tests.items():
        if keys - known:
            raise ReachError(
                f"{path} was recorded with another text, in which {name} reached {min(keys - known)!r}: record it again"
            )
        yield Reach("wpt", name, keys)
