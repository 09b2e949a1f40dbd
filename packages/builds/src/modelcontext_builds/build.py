"""The builds in the cache: what each has, and the text of its time.

A build is a folder with the browser's program and ``build.json``, which says what a page of the build has shown when it was
installed. The text follows from that, not from the number of the version: a build whose API is an attribute of Navigator
is held against the revision 2026-03, the others against the current one. Where a listed schema is a string, so is the input
of ``executeTool``, and a patch makes the current text say so.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import project_root
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS, from_the_compiler

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import PatchedText

#: The environment variable that names the folder of builds.
VARIABLE: Final = "MODELCONTEXT_BUILDS"
#: The file of what a build has, and the browser's program, in the folder of a build.
RECORD: Final = "build.json"
PROGRAM: Final = "browser"
#: The text of builds that take the input of a tool as JSON text.
INPUTS_AS_TEXT: Final = Path(__file__).with_name("inputs-as-text.patch")


@dataclass(frozen=True)
class Build:
    """A build of a browser, and what it has.

    Attributes:
        name: the name of its product, such as ``chromium:153``.
        version: the version that the browser reports.
        accessor: the object with the attribute ``modelContext``: ``document`` or ``navigator``.
        members: the members of ModelContext.
        takes_text: whether the input of ``executeTool``, and a listed schema, is JSON text.
    """

    name: str
    version: str
    accessor: str
    members: tuple[str, ...]
    takes_text: bool

    @property
    def browser(self) -> str:
        """The browser."""
        return self.name.partition(":")[0]

    @property
    def major(self) -> str:
        """The first part of the version."""
        return self.version.partition(".")[0]

    @property
    def title(self) -> str:
        """The browser and the first part of the version."""
        return f"{self.browser.capitalize()} {self.major}"

    @property
    def revision(self) -> str:
        """The revision whose programs it runs."""
        return CURRENT.name if self.accessor == "document" else "2026-03"

    @property
    def number(self) -> tuple[int, ...]:
        """The version, for sorting."""
        return numbers(self.version)

    def text(self) -> AbstractContextManager[None]:
        """Let the text of its time be the current one, for as long as programs for it are judged."""
        if self.has_own_text:
            return REVISIONS.standing_in(CURRENT.name, text_of_inputs())
        return nullcontext()

    @property
    def has_own_text(self) -> bool:
        """True if a patch makes the text of its time."""
        return self.takes_text and self.revision == CURRENT.name

    def save(self, folder: Path) -> None:
        """Write what it has."""
        (folder / RECORD).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version."""
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


@cache
def text_of_inputs() -> PatchedText:
    """Return the current text with inputs and schemas as JSON text."""
    patch = INPUTS_AS_TEXT.read_text(encoding="utf-8")
    text: PatchedText = from_the_compiler("patch")(project_root() / CURRENT.text, [patch])
    return text


def cache_folder() -> Path:
    """Return the folder of builds, which need not exist."""
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "modelcontext", "builds").absolute()


def folder_of(name: str) -> Path:
    """Return the folder of a build, which need not exist."""
    return cache_folder() / name.replace(":", "-")


def installed() -> list[Build]:
    """Return the builds in the cache, oldest first."""
    return sorted(_read(), key=lambda build: build.number)


def _read() -> Iterator[Build]:
    for path in cache_folder().glob(f"*/{RECORD}"):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            yield Build(**{**data, "members": tuple(data["members"])})
        except (OSError, ValueError, TypeError, KeyError):
            # A build that was damaged, or is of another version of this package, has to be installed again.
            continue
