"""The explorations of programs by the revisions themselves: the outcomes, and the reached steps; each is made once and kept.

``build/explored`` has a file under a digest of all that an exploration depends on beside its program: every file of this
package, Python and the libraries. In the file the program's content names the exploration. A change of any of them is
another digest or another content, so that nobody is told what an earlier state has allowed.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import PACKAGE, path_in
from modelcontext.ground.files import WriteError, write_whole
from modelcontext.programs.program.exploration import BOUND, allowed_outcomes
from modelcontext.programs.tracing.probes import Collector
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

_KEPT: Final = Path("build", "explored")
#: The folder in the package of the project's files that installed packages carry; no exploration reads them.
_CARRIED: Final = "project"
#: The name of a library that is always required; one for an extra has a marker after a semicolon.
_REQUIRED: Final = re.compile(r"[\w.-]+(?=[^;]*$)")


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

    def keep(self) -> None:
        """Write the explorations, with those that other processes have written meanwhile; remove those of other states."""
        if not self._added:
            return
        known = {**_read(self._path), **self._added}
        data = {key: [one.is_complete, sorted(one.outcomes), sorted(one.reached)] for key, one in known.items()}
        # Without a place to keep them, the next command makes them again.
        with suppress(OSError, WriteError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            for outdated in self._path.parent.glob("*.json"):
                if outdated != self._path:
                    outdated.unlink(missing_ok=True)
            write_whole(self._path, json.dumps(data) + "\n")


def _read(path: Path) -> Mapping[str, KeptExploration]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {
            key: KeptExploration(bool(is_complete), frozenset(outcomes), frozenset(reached))
            for key, (is_complete, outcomes, reached) in kept.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}  # None was made yet, or the file was cut.


def _key(program: Program) -> str:
    return hashlib.sha256(program.dumps_json().encode()).hexdigest()[:32]


def sources(package: Path) -> Iterator[Path]:
    """Yield the files of the package that an exploration may depend on."""
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix != ".pyc" and path.relative_to(package).parts[0] != _CARRIED:
            yield path


@cache
def digest(package: Path) -> str:
    """Return the digest of all that explorations depend on beside their programs."""
    found = hashlib.sha256(sys.version.encode())
    for requirement in requires("modelcontext") or ():
        if (match := _REQUIRED.match(requirement)) is not None:
            found.update(f"{match[0]} {version(match[0])}\0".encode())
    for path in sources(package):
        content = path.read_bytes()
        found.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()[:32]
