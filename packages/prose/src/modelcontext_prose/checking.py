"""The check that text, IDL, bindings, and the extracted and generated files agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from modelcontext.ground.checkout import path_in
from modelcontext.spec.revisions.registry import CURRENT, RevisionFiles
from modelcontext.spec.specification.code.comments import read_sources_with_tags
from modelcontext.spec.specification.text.extraction import PLATFORM_IDL, extract
from modelcontext.spec.specification.text.locations import SourceLines
from modelcontext.spec.specification.text.problems import Place, Problem
from modelcontext_prose.bindings import check_bindings
from modelcontext_prose.generation import generate
from modelcontext_prose.tags import check_tags

_PACKAGE: Final = Path("src", "modelcontext")


@dataclass(frozen=True, slots=True)
class CheckedRevision:
    """The outcome of a check: its findings, and counts of the things it compared."""

    problems: list[Problem]
    algorithms: int
    steps: int
    tags: dict[str, int]


def check(root: Path, revision: RevisionFiles = CURRENT) -> CheckedRevision:
    """Compare all files of a revision in the checkout ``root``.

    The tags of the code that all revisions share count for the current one.

    Raises:
        SpecificationError: if the text cannot be built or read, or a Python file cannot be read.
    """
    extraction = extract(root, revision)
    algorithms = extraction.specification.algorithms
    text = SourceLines(revision.text, root, algorithms)
    problems = extraction.problems(root, text)
    generation = generate(root, revision)
    problems += [*generation.problems, *generation.outdated]
    platform_idl = path_in(root, PLATFORM_IDL).read_text(encoding="utf-8")
    for member in check_bindings(extraction.specification.idl, platform_idl, algorithms):
        place = text.algorithm(member.id) or Place(revision.idl)
        problems.append(Problem("bindings", place, member.message, algorithm=member.id))
    with_tags = read_sources_with_tags(_python_files(root, revision))
    tag_problems, tags = check_tags(root, with_tags, extraction.specification.issues, revision)
    return CheckedRevision(
        [*problems, *tag_problems],
        algorithms=len(algorithms),
        steps=sum(len(algorithm.steps) for algorithm in algorithms),
        tags=tags,
    )


def _python_files(root: Path, revision: RevisionFiles) -> list[Path]:
    if not revision.is_current:
        return sorted(path_in(root, revision.package).rglob("*.py"))
    others = [path.parent for path in path_in(root, CURRENT.package.parent).glob("*/__init__.py")]
    others.remove(path_in(root, CURRENT.package))
    files = sorted(path_in(root, _PACKAGE).rglob("*.py"))
    return [path for path in files if not any(path.is_relative_to(other) for other in others)]
