"""The generated files of a revision in a checkout: writing them, and holding the committed ones to the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.spec.prose.compiler import Compiled, address_in, compile_text, read_marks
from modelcontext.spec.specification import SpecificationError
from modelcontext.spec.specification.text.problems import Place, Problem
from speclint.text.source import read_content
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles

_DIFF_LINES: Final = 12
#: The module that `spec extract` writes.
_EXTRACTED: Final = "dictionaries"


def compile_revision(root: Path, revision: RevisionFiles) -> Compiled:
    """Compile the text of a revision in the checkout ``root``.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    marks = read_marks(path_in(root, revision.marks))
    try:
        content = read_content(path_in(root, revision.text))
        return compile_text(content, revision.text, revision.module, marks, address_in(content))
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None


def generated(root: Path, revision: RevisionFiles) -> Mapping[Path, str]:
    """Return the content of each generated file of a revision, by its path in the checkout.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    files = compile_revision(root, revision).files
    return {revision.package / f"{name}.py": text for name, text in files.items() if name != _EXTRACTED}


def check_generated(root: Path, revision: RevisionFiles) -> Iterator[Problem]:
    """Yield each file of a revision's package that is not as its text has it.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    files = generated(root, revision)
    for path, fresh in files.items():
        committed = path_in(root, path)
        if not committed.is_file():
            yield Problem("generated", Place(path), "the file is missing: run `modelcontext spec generate`")
            continue
        old, new = committed.read_text(encoding="utf-8").splitlines(), fresh.splitlines()
        if old != new:
            same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
            lines = list(unified_diff(old, new, lineterm="", n=0))[2:]
            more = [f"… {len(lines) - _DIFF_LINES} more lines"] if len(lines) > _DIFF_LINES else []
            shown = [*lines[:_DIFF_LINES], *more]
            message = f"the file differs from {revision.text}: run `modelcontext spec generate` and look at the changes"
            yield Problem("generated", Place(path, same + 1), message, details=tuple(shown))
    for found in sorted(path_in(root, revision.package).glob("*.py")):
        path = revision.package / found.name
        if path not in files and found.stem != _EXTRACTED:
            yield Problem("generated", Place(path), f"nothing in {revision.text} makes this file: remove it")


def without_meaning(root: Path, revision: RevisionFiles) -> Iterator[Problem]:
    """Yield each step of a revision's text that has no meaning.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    for one in compile_revision(root, revision).program.refusals:
        place = Place(revision.text, one.place.line)
        yield Problem("meaning", place, one.message, algorithm=one.algorithm, step=one.step.number)
