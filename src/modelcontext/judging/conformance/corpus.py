"""The corpus: the programs of the checkout, by section."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.registry import FILES

#: The corpora of all revisions.
CORPORA = tuple(files.programs for files in FILES.values())


@dataclass(frozen=True)
class Case:
    """A program under its name in expectations and reports, which is its path without the ending."""

    name: str
    path: Path
    program: Program

    @property
    def section(self) -> str:
        """The folder of the program."""
        return self.name.rpartition("/")[0]


def read_corpus(folder: Path) -> list[Case]:
    """Read every program below the folder, in the order of their names. Raises :class:`ProgramError`."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".toml", ".json"))
    if not paths:
        raise ProgramError(str(folder), "", "there is no program in this folder")
    return [read_case(path, folder) for path in paths]


def read_case(path: Path, folder: Path | None = None) -> Case:
    """Read one program; its name is the path below the folder. Raises :class:`ProgramError`."""
    relative = path.relative_to(folder) if folder is not None else path
    return Case(relative.with_suffix("").as_posix(), path, load(path))
