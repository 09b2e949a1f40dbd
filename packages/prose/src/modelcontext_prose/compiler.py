"""The compilation of a text: from its source to the files of a revision."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.emit.program import Program
from modelcontext_prose.files import Files
from speclint.prose.reading import read_prose
from speclint.text.content import read_content
from speclint.text.source import read_text
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles

_UPSTREAM: Final = re.compile(r"^!Upstream:.*?href=\"([^\"]+)\"", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled text: its program, and the files of its revision's package by the names of their modules."""

    program: Program
    package: str
    files: Mapping[str, str]


def compile_revision(root: Path, revision: RevisionFiles) -> Compiled:
    """Compile the text of a revision in the checkout ``root``.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    marks = read_marks(path_in(root, revision.marks))
    try:
        content = read_content(path_in(root, revision.text))
        # A frozen text is not that of the address any more.
        address = _address_in(content) if revision.is_current else ""
        return compile_text(content, revision.text, revision.module, marks, address)
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None


def compile_text(
    content: str,
    path: Path,
    package: str,
    marks: Mapping[tuple[str, str], tuple[str, ...]],
    address: str = "",
    *,
    lines: Sequence[int] | None = None,
) -> Compiled:
    """Return the files of a text's revision.

    Args:
        content: the source of the text.
        path: the path that names the text.
        package: the Python package that the files are to be in.
        marks: notes on steps, by algorithm and number.
        address: the address of the text, without a fragment.
        lines: the numbers in the file of the lines of the text; with them what raises names its line, and lookups are checked.

    Raises:
        TextError: if the text cannot be read.
    """
    text = read_prose(read_text(content, path))
    where = address or path.as_posix()
    program = Program(text, where, marks, lines=lines)
    if program.has_untyped_items:
        program = Program(text, where, marks, program.inferred(), lines=lines)
    return Compiled(program, package, Files(program, content, package, path.as_posix()).texts)


def _address_in(content: str) -> str:
    """Return the address of the text that a text restates, or nothing."""
    match = _UPSTREAM.search(content)
    return match[1] if match else ""


def read_marks(path: Path) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return the comments on steps that name Issues, by algorithm and number of the step; a missing file has none."""
    if not path.is_file():
        return {}
    found = {}
    for place, notes in tomllib.loads(path.read_text(encoding="utf-8")).items():
        algorithm, _, number = place.partition(" ")
        found[algorithm, number] = tuple(f"SPEC-BUG(#{issue}): {words}" for issue, words in notes.items())
    return found
