"""Where the files of each revision are: its text, what is extracted from it, and its Python package.

The current revision's text stands at the top of the checkout. An earlier revision is frozen: its text stands beside its
extracts, and no later change of the current one touches it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PACKAGES = Path("src", "modelcontext", "revisions")
_BUILD = Path("build")


@dataclass(frozen=True, slots=True)
class RevisionFiles:
    """The files of one revision, relative to the checkout: its ``text`` and its Python ``package``; ``output`` is
    where ``spec build`` writes the HTML.
    """

    name: str
    text: Path
    package: Path
    output: Path

    @property
    def folder(self) -> Path:
        """The folder of what is extracted from the text."""
        return Path("spec", self.name)

    @property
    def algorithms(self) -> Path:
        """The extracted algorithms."""
        return self.folder / "algorithms.json"

    @property
    def idl(self) -> Path:
        """The extracted IDL."""
        return self.folder / "modelcontext.webidl"

    @property
    def ceilings(self) -> Path:
        """How often each comment tag may occur."""
        return self.folder / "tags.toml"

    @property
    def packaged_idl(self) -> Path:
        """The extracted IDL once more, where the installed package has it."""
        return self.package / "modelcontext.webidl"

    @property
    def dictionaries(self) -> Path:
        """The Python classes of the dictionaries."""
        return self.package / "dictionaries.py"

    @property
    def cache(self) -> Path:
        """The folder that keeps the built text."""
        return _BUILD / "specification" / self.name


def frozen(name: str) -> RevisionFiles:
    """The files of an earlier revision; its package has a name that Python can import."""
    package = ("r" if name[0].isdigit() else "") + name.replace("-", "_")
    return RevisionFiles(name, Path("spec", name, "index.bs"), _PACKAGES / package, _BUILD / name / "index.html")


def _find_frozen() -> Iterator[RevisionFiles]:
    """The revisions whose packages stand beside the current one's."""
    packages = Path(__file__).resolve().parents[2] / "revisions"
    for package in sorted(path.parent.name for path in packages.glob("*/__init__.py")):
        if package != CURRENT.package.name:
            yield frozen(re.sub(r"\Ar(?=\d)", "", package).replace("_", "-"))


CURRENT = RevisionFiles("current", Path("index.bs"), _PACKAGES / "current", _BUILD / "index.html")
R2026_03 = frozen("2026-03")

#: Every revision by its name, the current one first.
REVISIONS = {revision.name: revision for revision in (CURRENT, *_find_frozen())}
