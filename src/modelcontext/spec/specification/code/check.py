"""The check that text, step comments, IDL, bindings and extracted files agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.checkout import path_in
from modelcontext.spec.revisions.registry import CURRENT, RevisionFiles
from modelcontext.spec.specification.code.bindings import check_bindings
from modelcontext.spec.specification.code.comments import (
    AlgorithmFunction,
    PythonSource,
    read_source,
    read_sources_with_tags,
)
from modelcontext.spec.specification.code.decisions import check_decisions
from modelcontext.spec.specification.code.quotation import Misquotation, compare_steps
from modelcontext.spec.specification.code.tags import check_tags
from modelcontext.spec.specification.code.yields import check_yields
from modelcontext.spec.specification.text.extraction import PLATFORM_IDL, Extraction, extract
from modelcontext.spec.specification.text.locations import SourceLines
from modelcontext.spec.specification.text.problems import Place, Problem

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.algorithms import Algorithm

PACKAGE = Path("src", "modelcontext")
#: The declarations of the host's verbs, which say which of them touch shared state.
VERBS = PACKAGE / "spec" / "verbs" / "verbs.py"
_DIFF_LINES = 12


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
    own = [read_source(path) for path in sorted(path_in(root, revision.package).glob("*.py"))]
    problems = [*check_extracts(root, extraction, text)]
    problems += _check_functions(root, own, algorithms, text, revision.package)
    for source in own:
        problems += _check_parallel(root, source, algorithms, text)
    platform_idl = path_in(root, PLATFORM_IDL).read_text(encoding="utf-8")
    for member in check_bindings(extraction.specification.idl, platform_idl, algorithms):
        place = text.algorithm(member.id) or Place(revision.idl)
        problems.append(Problem("bindings", place, member.message, algorithm=member.id))
    problems += _check_decisions(root, own, text)
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
    files = sorted(path_in(root, PACKAGE).rglob("*.py"))
    return [path for path in files if not any(path.is_relative_to(other) for other in others)]


def check_extracts(root: Path, extraction: Extraction, text: SourceLines) -> Iterator[Problem]:
    """Yield a problem for each committed extract that differs from the text."""
    for path, fresh in extraction.files.items():
        try:
            committed = path_in(root, path).read_text(encoding="utf-8")
        except FileNotFoundError:
            yield Problem("extracts", Place(path), "the file is missing: run `modelcontext spec extract`")
            continue
        if committed == fresh:
            continue
        old, new = committed.splitlines(), fresh.splitlines()
        same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        origin = text.find_line(new[same]) if same < len(new) and path.suffix == ".webidl" else None
        lines = list(unified_diff(old, new, lineterm="", n=0))[2:]
        if len(lines) > _DIFF_LINES:
            lines = [*lines[:_DIFF_LINES], f"… {len(lines) - _DIFF_LINES} more lines"]
        message = f"the file differs from {text.name}: run `modelcontext spec extract` and look at the changes"
        yield Problem("extracts", Place(path, same + 1), message, text=origin, details=tuple(lines))


def _check_functions(
    root: Path, sources: list[PythonSource], algorithms: list[Algorithm], text: SourceLines, package: Path
) -> Iterator[Problem]:
    positions = {algorithm.id: position for position, algorithm in enumerate(algorithms)}
    functions: dict[str, list[tuple[Place, AlgorithmFunction]]] = {}
    for source in sources:
        path = source.path.relative_to(root)
        latest: AlgorithmFunction | None = None
        for function in source.functions:
            place = Place(path, function.line)
            functions.setdefault(function.id, []).append((place, function))
            if function.id not in positions:
                message = f"{text.name} has no algorithm with the id {function.id}"
                yield Problem("functions", place, message, algorithm=function.id)
            elif latest is not None and positions[function.id] < positions[latest.id]:
                message = (
                    f"the function is below {latest.name}, but in the text it is above: keep the order of the text"
                )
                yield Problem("functions", place, message, function.id, text=text.algorithm(function.id))
            else:
                latest = function
    for algorithm in algorithms:
        origin = text.algorithm(algorithm.id)
        found = functions.get(algorithm.id, [])
        if not found:
            message = f'no function in {package.as_posix()} is decorated with @algorithm("{algorithm.id}")'
            yield Problem("functions", origin or Place(text.path), message, algorithm.id)
        for place, _ in found[1:]:
            message = f"{found[0][0]} already implements this algorithm"
            yield Problem("functions", place, message, algorithm.id, text=origin)
        for place, function in found[:1]:
            yield from _check_signature(place, function, algorithm, origin)
            for difference in compare_steps(algorithm.steps, function.steps):
                yield _step_problem(place, function, difference, text)


def _check_parallel(
    root: Path, source: PythonSource, algorithms: list[Algorithm], text: SourceLines
) -> Iterator[Problem]:
    """Yield the functions that run in parallel in the text or in the code only.

    In the code, steps in parallel are a generator, or a function with ``@in_parallel``.
    """
    path = source.path.relative_to(root)
    in_parallel = {algorithm.id: algorithm.in_parallel for algorithm in algorithms}
    for function in source.functions:
        origin = text.algorithm(function.id)
        if in_parallel.get(function.id, function.is_generator) != function.is_generator:
            message = (
                "its steps run in parallel, but the function is not a generator"
                if in_parallel[function.id]
                else "the function is a generator, but the text does not assert that its steps run in parallel"
            )
            yield Problem("parallel", Place(path, function.line), message, function.id, text=origin)
        for step in function.steps:
            lines = (line.strip() for line in source.lines[step.last_line :])
            following = next((line for line in lines if line and not line.startswith("#")), "")
            if step.text == "In parallel:" and not following.startswith("@in_parallel"):
                message = "the function below this step is not decorated with @in_parallel"
                origin = text.step(function.id, step.number)
                yield Problem("parallel", Place(path, step.line), message, function.id, step.number, origin)


def _check_decisions(root: Path, sources: Sequence[PythonSource], text: SourceLines) -> Iterator[Problem]:
    """Yield the decisions without a step, the steps without code, and the misplaced yields."""
    found = [(source, "decisions", problem) for source in sources for problem in check_decisions(source)]
    misplaced = check_yields(sources, read_source(path_in(root, VERBS)))
    for source, check, problem in (*found, *((source, "yields", problem) for source, problem in misplaced)):
        place = Place(source.path.relative_to(root), problem.line)
        id_ = number = None
        for algorithm in source.functions:
            if algorithm.line == problem.function:
                id_ = algorithm.id
                number = next((step.number for step in reversed(algorithm.steps) if step.line <= problem.line), None)
        yield Problem(check, place, problem.message, id_, number, text.step(id_, number) if id_ and number else None)


def _check_signature(
    place: Place, function: AlgorithmFunction, algorithm: Algorithm, origin: Place | None
) -> Iterator[Problem]:
    if function.name != algorithm.function:
        message = f"the function is named {function.name}: name it {algorithm.function}, as the text does"
        yield Problem("functions", place, message, algorithm.id, text=origin)
    expected = tuple(parameter.identifier for parameter in algorithm.parameters)
    if function.parameters != expected:
        message = (
            f"the function takes ({', '.join(function.parameters)}): take ({', '.join(expected)}), as the text does"
        )
        yield Problem("functions", place, message, algorithm.id, text=origin)


def _step_problem(place: Place, function: AlgorithmFunction, difference: Misquotation, text: SourceLines) -> Problem:
    step, quoted = difference.step, difference.quoted
    line = quoted.line if quoted else function.line
    number = step.number if step else quoted.number if quoted else ""
    origin = text.step(function.id, number) if step else text.algorithm(function.id)
    message = {
        "missing": "no comment quotes this step; it belongs below this line",
        "extra": "the text has no such step",
        "moved": "the comment is at another place than the step in the text",
        "reworded": "the comment differs from the text",
        "renumbered": f"the comment gives it the number {quoted.number if quoted else ''}",
    }[difference.kind]
    details = []
    if step:
        details.append(f"text:    {step.number}. {step.text}")
    if quoted and difference.kind != "missing":
        details.append(f"comment: {quoted.number}. {quoted.text}")
    return Problem("steps", Place(place.path, line), message, function.id, number, origin, tuple(details))
