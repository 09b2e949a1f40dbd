"""The explorations of programs by the revisions themselves: the outcomes, and the reached steps; each is made once and kept.

``build/explored`` has a file under the digest of this package. In the file the program's content names the exploration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import PACKAGE, path_in
from modelcontext.ground.keeping import digest, keep, read_kept
from modelcontext.judging.conformance.pools import in_turn
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import BOUND, allowed_outcomes
from modelcontext.programs.tracing.probes import Collector
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

_KEPT: Final = Path("build", "explored")


@dataclass(frozen=True, slots=True)
class KeptExploration:
    """The exploration of a program: its outcomes in canonical text, and the steps and sides that it reached."""

    is_complete: bool
    outcomes: frozenset[str]
    reached: frozenset[str]


def explore(program: Program, revision: Revision | None = None, bound: int = BOUND) -> KeptExploration:
    """Explore a program, by its revision itself unless another one is given, whatever text stands in for it.

    Raises:
        RunawayError: if the program schedules itself forever.
    """
    collector = Collector(revision or REVISIONS.own(program.revision))
    found = allowed_outcomes(program, bound=bound, revision=collector.revision)
    return KeptExploration(found.complete, frozenset(found.outcomes), collector.keys)


class Explorations:
    """The kept explorations of a checkout; :meth:`keep` writes those that were added."""

    def __init__(self, root: Path) -> None:
        self._path = path_in(root, _KEPT) / f"{digest(PACKAGE)}.json"
        self._read = _read(self._path)
        self._added: dict[str, KeptExploration] = {}

    def find(self, program: Program) -> KeptExploration | None:
        """Return the exploration of a program, or None if it is not known."""
        return self._added.get(key := _key(program)) or self._read.get(key)

    def add(self, program: Program, explored: KeptExploration) -> None:
        """Add an exploration that was just made."""
        self._added[_key(program)] = explored

    def explored(self, program: Program) -> KeptExploration:
        """Return the exploration of a program, which is made if it is not known.

        Raises:
            RunawayError: if the program schedules itself forever.
        """
        found = self.find(program)
        if found is None:
            found = explore(program)
            self.add(program, found)
        return found

    def explore_all(
        self, programs: Sequence[Program], pool: Executor, workers: int, advance: Callable[[int], None]
    ) -> None:
        """Explore the programs that are not known, in the processes of a pool, and keep what was found.

        A program that the model cannot explore stays unknown: whoever asks for its outcomes learns why.
        """
        unknown = [program for program in programs if self.find(program) is None]
        advance(len(programs) - len(unknown))
        try:
            for program, found in zip(unknown, in_turn(_explored_if_possible, unknown, pool, workers), strict=True):
                if found is not None:
                    self.add(program, found)
                advance(1)
        finally:
            self.keep()

    def keep(self) -> None:
        """Write the explorations, with those that other processes have written meanwhile; remove those of other states."""
        if not self._added:
            return
        known = {**_read(self._path), **self._added}
        data = {key: [one.is_complete, sorted(one.outcomes), sorted(one.reached)] for key, one in known.items()}
        keep(self._path, data)


def _explored_if_possible(program: Program) -> KeptExploration | None:
    try:
        return explore(program)
    except (SpecAssertionError, Exception):
        return None  # The error shows where the outcomes are needed.


def _read(path: Path) -> Mapping[str, KeptExploration]:
    try:
        return {
            key: KeptExploration(bool(is_complete), frozenset(outcomes), frozenset(reached))
            for key, (is_complete, outcomes, reached) in (read_kept(path) or {}).items()
        }
    except (ValueError, TypeError, AttributeError):
        return {}  # Another program has written the file.


def _key(program: Program) -> str:
    return hashlib.sha256(program.dumps_json().encode()).hexdigest()[:32]
