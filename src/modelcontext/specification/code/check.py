"""Checking that text, step comments, IDL, bindings and extracted files agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.checkout import path_in
from modelcontext.revisions.registry import CURRENT, RevisionFiles
from modelcontext.specification.code.bindings import check_bindings
from modelcontext.specification.code.comments import AlgorithmFunction, PythonSource, read_source
from modelcontext.specification.code.decisions import check_decisions
from modelcontext.specification.code.quotation import Misquotation, compare_steps
from modelcontext.specification.code.tags import check_tags
from modelcontext.specification.code.yields import check_yields
from modelcontext.specification.text.extraction import PLATFORM_IDL, Extraction, extract
from modelcontext.specification.text.locations import SourceLines
from modelcontext.specification.text.problems import Place, Problem

if TYPE_CHECKING:
    from modelcontext.specification.text.algorithms import Algorithm

PACKAGE = Path("src", "modelcontext")
#: Where the verbs of the host are declared, and which of them touch what is shared.
VERBS = PACKAGE / "host" / "verbs.py"
_DIFF_LINES = 12


@dataclass(frozen=True, slots=True)
class CheckedRevision:
    """The outcome of a check: what was found, and what was compared."""

    problems: list[Problem]
    algorithms: int
    steps: int
    tags: dict[str, int]


def check(root: Path, revision: RevisionFiles = CURRENT) -> CheckedRevision:
    """Compare everything that belongs to a revision in the checkout ``root``.

    What belongs to no revision, such as the platform that all of them stand on, belongs to the current one.

    Raises SpecificationError if the text cannot be built or read, or a Python file cannot be read.
    """
    extraction = extract(root, revision)
    algorithms = extraction.specification.algorithms
    text = SourceLines(revision.text, root, algorithms)
    sources = [read_source(path) for path in _python_files(root, revision)]
    own = [source for source in sources if source.path.parent == path_in(root, revision.package)]
    problems = [*check_extracts(root, extraction, text)]
    problems += _check_functions(root, own, algorithms, text, revision.package)
    for source in own:
        problems += _check_parallel(root, source, algorithms, text)
    platform_idl = path_in(root, PLATFORM_IDL).read_text(encoding="utf-8")
    for member in check_bindings(extraction.specification.idl, platform_idl, algorithms):
        place = text.algorithm(member.id) or Place(revision.idl)
        problems.append(Problem("bindings", place, member.message, algorithm=member.id))
    problems += _check_decisions(root, own, text)
    tag_problems, tags = check_tags(root, sources, extraction.specification.issues, revision)
    return CheckedRevision(
        [*problems, *tag_problems],
        algorithms=len(algorithms),
        steps=sum(len(algorithm.steps) for algorithm in algorithms),
        tags=tags,
    )


def _python_files(root: Path, revision: RevisionFiles) -> list[Path]:
    if revision != CURRENT:
        return sorted(path_in(root, revision.package).rglob("*.py"))
    others = [path.parent for path in path_in(root, CURRENT.package.parent).glob("*/__init__.py")]
    others.remove(path_in(root, CURRENT.package))
    files = sorted(path_in(root, PACKAGE).rglob("*.py"))
    return [path for path in files if not any(path.is_relative_to(other) for other in others)]


def check_extracts(root: Path, extraction: Extraction, text: SourceLines) -> Iterator[Problem]:
    """Yield a problem for each committed extract that is not what the text gives."""
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
        origin = text.line_that_is(new[same]) if same < len(new) and path.suffix == ".webidl" else None
        yield Problem(
            "extracts",
            Place(path, same + 1),
            f"the file is not what {text.name} gives: run `modelcontext spec extract` and look at what changes",
            text=origin,
            details=_diff(old, new),
        )


def _diff(old: list[str], new: list[str]) -> tuple[str, ...]:
    lines = list(unified_diff(old, new, lineterm="", n=0))[2:]
    if len(lines) > _DIFF_LINES:
        lines = [*lines[:_DIFF_LINES], f"… {len(lines) - _DIFF_LINES} more lines"]
    return tuple(lines)


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
                message = f"it stands below {latest.name}, and the text has it above: keep the order of the text"
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
            message = f"{found[0][0]} implements this algorithm already"
            yield Problem("functions", place, message, algorithm.id, text=origin)
        for place, function in found[:1]:
            yield from _check_signature(place, function, algorithm, origin)
            for difference in compare_steps(algorithm.steps, function.steps):
                yield _step_problem(place, function, difference, text)


def _check_parallel(
    root: Path, source: PythonSource, algorithms: list[Algorithm], text: SourceLines
) -> Iterator[Problem]:
    """Check that what runs in parallel by the text is a generator or a strand in the code, and nothing else is."""
    path = source.path.relative_to(root)
    in_parallel = {algorithm.id: algorithm.in_parallel for algorithm in algorithms}
    for function in source.functions:
        origin = text.algorithm(function.id)
        if in_parallel.get(function.id, function.is_generator) != function.is_generator:
            message = (
                "its steps run in parallel, and the function is no generator"
                if in_parallel[function.id]
                else "it is a generator, and the text does not assert that its steps run in parallel"
            )
            yield Problem("parallel", Place(path, function.line), message, function.id, text=origin)
        for step in function.steps:
            following = next((line.strip() for line in source.lines[step.last_line :] if _is_code(line)), "")
            if step.text == "In parallel:" and not following.startswith("@in_parallel"):
                message = "what follows is not decorated with @in_parallel"
                place = Place(path, step.line)
                origin = text.step(function.id, step.number)
                yield Problem("parallel", place, message, function.id, step.number, origin)


def _check_decisions(root: Path, sources: Sequence[PythonSource], text: SourceLines) -> Iterator[Problem]:
    """Check that the code decides what its steps say, and lets others come between where it touches what is shared."""
    found = [(source, "decisions", problem) for source in sources for problem in check_decisions(source)]
    misplaced = check_yields(sources, read_source(path_in(root, VERBS)))
    for source, check, problem in (*found, *((source, "yields", problem) for source, problem in misplaced)):
        place = Place(source.path.relative_to(root), problem.line)
        algorithm = next((one for one in source.functions if one.line == problem.function), None)
        steps = [step for step in algorithm.steps if step.line <= problem.line] if algorithm else []
        if algorithm is None or not steps:
            yield Problem(check, place, problem.message, algorithm.id if algorithm else None)
        else:
            number = steps[-1].number
            yield Problem(check, place, problem.message, algorithm.id, number, text.step(algorithm.id, number))


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _check_signature(
    place: Place, function: AlgorithmFunction, algorithm: Algorithm, origin: Place | None
) -> Iterator[Problem]:
    if function.name != algorithm.function:
        message = f"the function is named {function.name}: name it {algorithm.function}, as the text does"
        yield Problem("functions", place, message, algorithm.id, text=origin)
    expected = tuple(parameter.identifier for parameter in algorithm.parameters)
    if function.parameters != expected:
        message = f"it takes ({', '.join(function.parameters)}), and the text ({', '.join(expected)})"
        yield Problem("functions", place, message, algorithm.id, text=origin)


def _step_problem(place: Place, function: AlgorithmFunction, difference: Misquotation, text: SourceLines) -> Problem:
    step, quoted = difference.step, difference.quoted
    line = quoted.line if quoted else function.line
    number = step.number if step else quoted.number if quoted else ""
    origin = text.step(function.id, number) if step else text.algorithm(function.id)
    message = {
        "missing": "no comment quotes this step; it belongs below this line",
        "extra": "the text has no such step",
        "moved": "the step is quoted at another place than the text has it",
        "reworded": "the comment is not what the text says",
        "renumbered": f"the comment gives it the number {quoted.number if quoted else ''}",
    }[difference.kind]
    details = []
    if step:
        details.append(f"text:    {step.number}. {step.text}")
    if quoted and difference.kind != "missing":
        details.append(f"comment: {quoted.number}. {quoted.text}")
    return Problem("steps", Place(place.path, line), message, function.id, number, origin, tuple(details))
