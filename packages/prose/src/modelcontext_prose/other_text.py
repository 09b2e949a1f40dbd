"""Another text than the project's own, as a user names it: a file, a folder, a file at a commit, a patch; with its glosses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.checkout import path_in, project_root
from modelcontext.ground.keeping import keep, read_kept
from modelcontext.ground.words import counted
from modelcontext.platform.webidl.idl import Definitions
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import Algorithm, SpecificationError
from modelcontext_prose.glosses import Gloss, is_gloss, read_gloss, with_glosses
from modelcontext_prose.linking import LinkedText, link_files, link_text
from modelcontext_prose.made_text import KEPT, MadeText, kept_file
from modelcontext_prose.patches.language import Patch, parse_patch
from modelcontext_prose.patches.patching import with_patches
from speclint.text.content import read_content
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision


@dataclass(frozen=True)
class OtherText:
    """A text that stands in for a revision: its source with its glosses, the path that names it, and its glosses.

    ``lines`` has the number in the file of each line of the source, if there are glosses. ``before`` is the text before
    the patches. ``kept_in`` is the folder that keeps what is made of the text.
    """

    content: str
    path: Path
    glosses: tuple[Gloss | Patch, ...] = ()
    lines: tuple[int, ...] = ()
    before: OtherText | None = None
    kept_in: Path | None = None

    @cached_property
    def linked(self) -> LinkedText:
        """The linked text.

        Raises:
            SpecificationError: if the text cannot be read.
        """
        try:
            return _linked(self)
        except TextError as error:
            raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None
        except SpecificationError as error:
            # What is wrong is in the IDL of the text, which has no lines of its own.
            raise SpecificationError(error.message, error.path or self.path, error.line) from None

    @cached_property
    def made(self) -> MadeText:
        """The files made of the text, and what is said of it: what is kept, or is made now.

        Raises:
            SpecificationError: if the text cannot be read.
        """
        if self.kept_in is None:
            return MadeText.from_compiled(self.linked.compiled)
        file = kept_file(self.kept_in, self.content, self.path, self.lines)
        found = MadeText.from_data(read_kept(file))
        if found is None:
            found = MadeText.from_compiled(self.linked.compiled)
            keep(file, found.to_data())
        return found

    def __getstate__(self) -> Mapping[str, object]:
        # Another process links the text itself: modules do not travel.
        return {name: value for name, value in self.__dict__.items() if name != "linked"}

    @property
    def unpatched(self) -> OtherText:
        """The text without its patches, or the text itself if it has none."""
        return self.before or self

    @property
    def words(self) -> str:
        """The line that names the text in reports."""
        whole = counted(len(self.made.algorithms), "algorithm")
        words = f"text {self.path}: {self.made.understood} of {whole} have a meaning"
        return words + (f", with {' and '.join(gloss.words for gloss in self.glosses)}" if self.glosses else "")

    def revision(self) -> Revision:
        """Return the revision of the text."""
        return link_files(self.made.package, self.made.files, Definitions.from_data(self.made.definitions))

    def files(self) -> Mapping[str, bytes]:
        """Return the files of the revision's package, by their names."""
        python = {f"{name}.py": text.encode() for name, text in self.made.files.items()}
        return {**python, "definitions.json": json.dumps({"definitions": self.made.definitions}).encode()}

    def algorithms(self) -> list[Algorithm]:
        """Return the algorithms of the text, in its order."""
        return [*self.made.algorithms]

    def warnings(self) -> Iterator[str]:
        """Yield what a user should know of the text before its outcomes."""
        for place, name in self.made.never_run:
            line = self.lines[place - 1] if self.lines else place
            yield f"{self.path}:{line}: the model does not run the {name}: it does not implement this hook of another standard"

    def unclear(self) -> Iterator[str]:
        """Yield the steps that are not understood, or have two readings, with their places."""
        yield from self.made.unclear


@lru_cache(maxsize=4)
def _linked(text: OtherText) -> LinkedText:
    return link_text(text.content, text.path, lines=text.lines)


def read_other_text(name: str, glosses: Sequence[Path] = (), root: Path | None = None) -> OtherText:
    """Read a text, and change it as glosses say.

    Args:
        name: a file, a folder with an index.bs, ``REV:path`` in the git repository of the working directory, or a patch of the
            project's own text.
        glosses: the files of the glosses.
        root: the checkout with the project's own text.

    Raises:
        SpecificationError: if the text or a gloss cannot be read, or a gloss does not fit.
    """
    if is_gloss(Path(name)):
        own = path_in(root or project_root(), CURRENT.text)
        return read_other_text(str(own), (Path(name), *glosses))
    path, content = _content(name)
    kept_in = path_in(root or project_root(), KEPT)
    read = tuple(map(read_gloss, glosses))
    if not read:
        return OtherText(content, path, kept_in=kept_in)
    try:
        changed, lines = with_glosses(content, path, read)
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None
    return OtherText(changed, path, read, lines, kept_in=kept_in)


def patched_text(path: Path, patches: Sequence[str]) -> OtherText:
    """Read the text in a file, and change it by patches.

    Raises:
        SpecificationError: if the text cannot be read, or a patch is none or does not fit.
    """
    _, content = _content(str(path))
    # The project's own text has a name of its own, wherever the checkout is.
    path = Path(path.name)
    parsed = [parse_patch(one, Path("the patch")) for one in patches]
    try:
        patched = with_patches(content, path, parsed)
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None
    kept_in = path_in(project_root(), KEPT)
    before = OtherText(content, path, kept_in=kept_in)
    return OtherText(patched.content, path, tuple(parsed), patched.lines, before, kept_in)


def _content(name: str) -> tuple[Path, str]:
    path = Path(name)
    if path.is_dir():
        path /= "index.bs"
    try:
        return path, read_content(path)
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None
