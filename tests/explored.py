"""The exploration of the whole corpus, made once for all tests and kept for the runs that follow.

``build/explored`` has it under a digest of all that it depends on: every file of the package, the programs, Python and the
libraries. A change of any of them is another digest, so that no test can see what an earlier state has allowed.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import requires, version
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load
from modelcontext.programs.tracing.probes import Collector
from modelcontext.spec.revisions.registry import REVISIONS
from tests.sharing import made_once

#: The programs of the current revision.
PROGRAMS: Final = Path("wpt_tests/programs")
_PACKAGE: Final = Path("src/modelcontext")


@dataclass(frozen=True)
class Explored:
    """The exploration of a program: its outcomes in canonical text, and the steps and sides that it reached."""

    is_complete: bool
    outcomes: frozenset[str]
    reached: frozenset[str]


def sources(root: Path) -> Iterator[Path]:
    """Yield the files of a checkout that an exploration may depend on."""
    for folder in (_PACKAGE, PROGRAMS):
        yield from (path for path in sorted((root / folder).rglob("*")) if path.is_file() and path.suffix != ".pyc")


def digest(root: Path) -> str:
    """Return the digest of all that the exploration of a checkout's corpus depends on."""
    found = hashlib.sha256(sys.version.encode())
    for requirement in map(Requirement, requires("modelcontext") or ()):
        if requirement.marker is None:
            found.update(f"{requirement.name} {version(requirement.name)}\0".encode())
    for path in sources(root):
        content = path.read_bytes()
        found.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()[:32]


def explored_corpus(root: Path) -> Mapping[str, Explored]:
    """Return the exploration of each program of the corpus, by name."""
    folder = made_once(root / "build/explored" / digest(root), lambda folder: _explore(root, folder))
    kept = json.loads((folder / "programs.json").read_text(encoding="utf-8"))
    return {
        name: Explored(is_complete, frozenset(outcomes), frozenset(reached))
        for name, (is_complete, outcomes, reached) in kept.items()
    }


def _explore(root: Path, folder: Path) -> None:
    """Explore the corpus under probes, and write what was found to a folder."""
    found = {}
    for path in sorted((root / PROGRAMS).rglob("*.toml")):
        collector = Collector(REVISIONS["current"])
        exploration = allowed_outcomes(load(path), revision=collector.revision)
        name = path.relative_to(root / PROGRAMS).with_suffix("").as_posix()
        found[name] = (exploration.complete, sorted(exploration.outcomes), sorted(collector.keys))
    (folder / "programs.json").write_text(json.dumps(found), encoding="utf-8")
