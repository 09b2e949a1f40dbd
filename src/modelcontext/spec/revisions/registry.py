"""The registry of revisions: the packages in this folder, and the places of their files in a checkout.

A revision exists if its package does. The places of all its other files follow from its name. The text of the current
revision stands at the top of the checkout. Earlier revisions are frozen: no later change of the current one touches them.

Another text can stand in for a revision while a command runs. Whoever asks for the revision by its name then gets that of
the other text; expectations, promoted outcomes and floors stay those of the revision itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final, Protocol

from modelcontext.spec import revisions

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision


class RevisionFiles:
    """The files of one revision, relative to the checkout.

    Attributes:
        name: its name.
        module: the importable name of its Python package; ``package`` is the folder of the code and of the extracted files.
        algorithms, idl, dictionaries: the extracted algorithms and IDL, and the Python classes of the dictionaries.
        weights: the frequencies of the fragments of generated programs.
        published: the steps of the published text beside those of the current text; an earlier revision has no such file.
        beside: those that a person has looked up.
        folder: the handwritten files about the text, and the text of a frozen revision.
        text: the text of the specification.
        ceilings: the largest number of each comment tag.
        floors, unreachable: the least coverage of each kind of tests, and the code that no program can reach, with reasons.
        marks: the Issues that steps show, in a few words.
        issues: what is known of the Issues of the text beside their words; an earlier revision has no such file.
        output: the path of the HTML that ``spec build`` writes; ``cache`` is the folder that keeps it.
        programs, expectations: the folders of its programs, and of the products' deviations in these.
        suite: the folder of its tests in the format of web-platform-tests.
        page: the name of the product that is its model in a page.
    """

    def __init__(self, name: str) -> None:
        module = f"{revisions.__name__}.{'r' if name[0].isdigit() else ''}{name.replace('-', '_')}"
        package, folder, tests = Path("src", *module.split(".")), Path("spec", name), Path("wpt_tests")
        suffix, own = ("", Path()) if name == "current" else (f"-{name}", Path(name))
        self.name: Final = name
        self.module: Final = module
        self.package: Final = package
        self.algorithms: Final = package / "algorithms.json"
        self.idl: Final = package / "modelcontext.webidl"
        self.definitions: Final = package / "definitions.json"
        self.dictionaries: Final = package / "dictionaries.py"
        self.weights: Final = package / "weights.json"
        self.published: Final = package / "published.json"
        self.folder: Final = folder
        self.text: Final = folder / "index.bs" if suffix else Path("index.bs")
        self.ceilings: Final = folder / "tags.toml"
        self.floors: Final = folder / "coverage.toml"
        self.unreachable: Final = folder / "unreachable.toml"
        self.marks: Final = folder / "marks.toml"
        self.issues: Final = folder / "issues.toml"
        self.beside: Final = folder / "beside.toml"
        self.output: Final = Path("build") / own / "index.html"
        self.cache: Final = Path("build", "specification", name)
        self.programs: Final = tests / f"programs{suffix}"
        self.expectations: Final = tests / f"expectations{suffix}"
        self.suite: Final = tests / f"webmcp{suffix}"
        self.page: Final = f"page{suffix}"

    @property
    def is_current(self) -> bool:
        """True for the current revision, which still changes."""
        return self.name == "current"

    @property
    def installed(self) -> Path:
        """The folder of its Python package, in this installation."""
        return Path(revisions.__path__[0], self.package.name)


@cache
def files_of(name: str) -> RevisionFiles:
    """Return the places of the files of a revision, which need not exist."""
    return RevisionFiles(name)


def _names() -> list[str]:
    names = [revisions.name_of(module.name) for module in iter_modules(revisions.__path__) if module.ispkg]
    return sorted(names, key=lambda name: (name != "current", name))


#: The files of every revision by its name, the current one first.
FILES = {name: files_of(name) for name in _names()}
CURRENT = FILES["current"]


class StandIn(Protocol):
    """Another text that stands in for a revision; it can be sent to other processes."""

    @property
    def content(self) -> str:
        """The source of the text, with its glosses."""

    @property
    def words(self) -> str:
        """The line that names the text in reports."""

    def revision(self) -> Revision:
        """Return the revision of the text."""

    def files(self) -> Mapping[str, bytes]:
        """Return the files of the revision's package, by their names, for a Python that runs elsewhere."""

    def algorithms(self) -> Sequence[object]:
        """Return the algorithms of the text, as :func:`modelcontext.spec.specification.load_algorithms` does."""


class PatchedText(StandIn, Protocol):
    """The text of a revision as patches change it."""

    @property
    def unpatched(self) -> StandIn:
        """The text before the change."""

    def unclear(self) -> Iterable[str]:
        """Return the steps that are not understood, or have two readings, with their places."""


def from_the_compiler(name: str) -> Any:
    """Return what the compiler of prose offers by a name: ``read`` for other texts, ``patch`` for patched ones.

    Raises:
        ModuleNotFoundError: if the compiler is not installed.
    """
    from importlib.metadata import distribution  # It takes long to import, and few verbs need it.

    [entry_point] = distribution("modelcontext-prose").entry_points.select(group="modelcontext.texts", name=name)
    return entry_point.load()


class _Revisions(Mapping[str, "Revision"]):
    """The revisions by name; each package is imported at its first use. ``stand_ins`` are other texts by that name."""

    def __init__(self) -> None:
        self.stand_ins: Mapping[str, StandIn] = {}

    def __getitem__(self, name: str) -> Revision:
        return self.stand_ins[name].revision() if name in self.stand_ins else self.own(name)

    def own(self, name: str) -> Revision:
        """Return the revision itself, also if another text stands in for it."""
        found: Revision = import_module(FILES[name].module).REVISION
        return found

    @property
    def in_memory(self) -> Mapping[str, bytes]:
        """The files of the texts that stand in, by their paths below this package's root."""
        return {
            f"{one.revision().package.replace('.', '/')}/{name}": content
            for one in self.stand_ins.values()
            for name, content in one.files().items()
        }

    @contextmanager
    def standing_in(self, name: str, text: StandIn) -> Iterator[None]:
        """Let another text stand in for a revision."""
        before = self.stand_ins
        self.stand_ins = {**before, name: text}
        try:
            yield
        finally:
            self.stand_ins = before

    def __iter__(self) -> Iterator[str]:
        return iter(FILES)

    def __len__(self) -> int:
        return len(FILES)


REVISIONS = _Revisions()
