"""The generated files of a revision in a checkout: what they are to be, and whether the committed ones are that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import path_in
from modelcontext.spec.specification.text.committed import check_committed
from modelcontext.spec.specification.text.locations import SourceLines
from modelcontext.spec.specification.text.problems import Place, Problem
from modelcontext_prose.compiler import compile_revision
from modelcontext_prose.files import MARK

if TYPE_CHECKING:
    from modelcontext.spec.revisions.registry import RevisionFiles
    from modelcontext_prose.emit.program import Program

#: The module that `spec extract` writes.
_EXTRACTED: Final = "dictionaries"


@dataclass(frozen=True, slots=True)
class Generation:
    """The files that a text makes, by their paths in the checkout, and the problems for which none is to be written.

    ``outdated`` has a problem for each file of the checkout that differs. A generated file that the text makes no longer
    is one of them, and is in ``superfluous``, too.
    """

    files: dict[Path, str]
    problems: list[Problem]
    outdated: list[Problem]
    superfluous: list[Path]


def generate(root: Path, revision: RevisionFiles) -> Generation:
    """Compile the text of a revision in the checkout ``root``, and compare its files with the committed ones.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    compiled = compile_revision(root, revision)
    files = {revision.package / f"{name}.py": text for name, text in compiled.files.items() if name != _EXTRACTED}
    problems = list(_without_one_meaning(compiled.program, revision.text))
    text = SourceLines(revision.text, root, [])
    outdated = list(check_committed(root, files, text, "generated", "modelcontext spec generate"))
    superfluous = []
    for found in sorted(path_in(root, revision.package).glob("*.py")):
        path = revision.package / found.name
        if path in files or found.stem == _EXTRACTED:
            continue
        if MARK in found.read_text(encoding="utf-8", errors="replace"):
            superfluous.append(path)
            message = f"nothing in {text.name} makes this file any more: run `modelcontext spec generate`"
            outdated.append(Problem("generated", Place(path), message))
        else:
            problems.append(Problem("generated", Place(path), f"nothing in {text.name} makes this file: move it away"))
    return Generation(files, problems, outdated, superfluous)


def _without_one_meaning(program: Program, text: Path) -> Iterator[Problem]:
    for one in program.refusals:
        yield Problem("meaning", Place(text, one.place.line), one.message, one.algorithm, one.step.number)
    for algorithm, step in program.ambiguous:
        message = "this step has two possible meanings: `modelcontext spec lint --rule two-readings` shows both"
        yield Problem("meaning", Place(text, step.place.line), message, algorithm, step.number)
