"""The registry of revisions: the packages in this folder, and where each has its files in a checkout.

A revision is there when its package is; everything else that belongs to it has a place that follows from its name. The
current revision's text stands at the top of the checkout. An earlier one is frozen: no later change of the current one
touches it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from modelcontext import revisions

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision


@dataclass(frozen=True, slots=True)
class RevisionFiles:
    """The files of the revision ``name``, relative to the checkout."""

    name: str

    @property
    def is_current(self) -> bool:
        """Whether it is the revision that still changes."""
        return self.name == "current"

    @property
    def module(self) -> str:
        """The name of its Python package, which is one that Python can import."""
        return f"{revisions.__name__}.{'r' if self.name[0].isdigit() else ''}{self.name.replace('-', '_')}"

    @property
    def package(self) -> Path:
        """Its Python package: the code, and what is extracted from the text."""
        return Path("src", *self.module.split("."))

    @property
    def installed(self) -> Path:
        """The folder of its Python package, wherever this package is."""
        return Path(revisions.__path__[0], self.package.name)

    @property
    def algorithms(self) -> Path:
        """The extracted algorithms."""
        return self.package / "algorithms.json"

    @property
    def idl(self) -> Path:
        """The extracted IDL."""
        return self.package / "modelcontext.webidl"

    @property
    def dictionaries(self) -> Path:
        """The Python classes of the dictionaries, which are extracted as well."""
        return self.package / "dictionaries.py"

    @property
    def weights(self) -> Path:
        """How often each fragment of generated programs is drawn."""
        return self.package / "weights.json"

    @property
    def folder(self) -> Path:
        """The folder of what is written by hand about the text, and of the text of a frozen revision."""
        return Path("spec", self.name)

    @property
    def text(self) -> Path:
        """The text."""
        return Path("index.bs") if self.is_current else self.folder / "index.bs"

    @property
    def ceilings(self) -> Path:
        """How often each comment tag may occur."""
        return self.folder / "tags.toml"

    @property
    def floors(self) -> Path:
        """How much each kind of tests reaches at least."""
        return self.folder / "coverage.toml"

    @property
    def unreachable(self) -> Path:
        """Which steps no page can reach, and why."""
        return self.folder / "unreachable.toml"

    @property
    def output(self) -> Path:
        """Where ``spec build`` writes the HTML."""
        return Path("build", "" if self.is_current else self.name, "index.html")

    @property
    def cache(self) -> Path:
        """The folder that keeps the built text."""
        return Path("build", "specification", self.name)

    @property
    def programs(self) -> Path:
        """The folder of its programs."""
        return self._tests("programs")

    @property
    def expectations(self) -> Path:
        """The folder that says where products differ in its programs."""
        return self._tests("expectations")

    @property
    def suite(self) -> Path:
        """The folder of its tests in the format of web-platform-tests."""
        return self._tests("webmcp")

    def _tests(self, name: str) -> Path:
        return Path("wpt_tests", self.named(name))

    def named(self, name: str) -> str:
        """Return the name of this revision's own among things that the current revision calls ``name``."""
        return name if self.is_current else f"{name}-{self.name}"


def _names() -> list[str]:
    packages = [module.name for module in iter_modules(revisions.__path__) if module.ispkg]
    names = [name[1:] if name[0] == "r" and name[1:2].isdigit() else name for name in packages]
    return sorted((name.replace("_", "-") for name in names), key=lambda name: (name != "current", name))


#: The files of every revision by its name, the current one first.
FILES = {name: RevisionFiles(name) for name in _names()}
CURRENT = FILES["current"]


def revision(name: str) -> Revision:
    """Return the revision of that name; its package is imported when it is first asked for. KeyError if there is none."""
    found: Revision = import_module(FILES[name].module).REVISION
    return found
