"""``spec check`` finds decisions without a step, and steps without code, in every algorithm of every revision."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelcontext.spec.specification.code.comments import AlgorithmFunction, PythonSource, parse_source, read_source
from modelcontext.spec.specification.code.decisions import check_decisions

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "modelcontext"
SOURCES = {
    folder.name: [read_source(path) for path in sorted(folder.glob("*.py"))]
    for folder in sorted((PACKAGE / "spec" / "revisions").iterdir())
    if (folder / "model.py").is_file()
}
#: Every algorithm of every revision.
ALGORITHMS = [
    pytest.param(source, function, id=f"{revision}-{function.name}")
    for revision, sources in SOURCES.items()
    for source in sources
    for function in source.functions
]
UNQUOTED = ["if True:", "for _ in ():", "try:", "return", "continue", "raise", "x = 1 if True else 2", "x = 1 or 2"]


def with_lines(source: PythonSource, at: int, *lines: str) -> PythonSource:
    """Return the file with these lines before the line ``at``."""
    changed = [*source.lines[: at - 1], *lines, *source.lines[at - 1 :]]
    return parse_source(source.path, "\n".join(changed) + "\n")


def statements_of(source: PythonSource, function: AlgorithmFunction) -> Iterator[ast.stmt]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.stmt) and function.line < node.lineno <= function.last_line:
            yield node


def places(source: PythonSource, function: AlgorithmFunction) -> set[tuple[int, int]]:
    """Return each line and column of a function at which a statement could stand."""
    found = set()
    for node in statements_of(source, function):
        line = source.lines[node.lineno - 1]
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        if line.startswith(("@", "def ")) or line.strip().startswith("elif"):
            continue
        found.add((min([node.lineno, *(mark.lineno for mark in decorators)]), node.col_offset))
        found.add(((node.end_lineno or node.lineno) + 1, node.col_offset))
    return found


def inserted(text: str, column: int) -> list[str]:
    indent = " " * column
    lines = [indent + text]
    if text.endswith(":"):
        lines.append(f"{indent}    pass")
    if text == "try:":
        lines += [f"{indent}except ValueError:", f"{indent}    pass"]
    return lines


def test_revisions_have_a_step_for_each_decision() -> None:
    assert [
        undecided for sources in SOURCES.values() for source in sources for undecided in check_decisions(source)
    ] == []


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(("source", "function"), ALGORITHMS)
def test_decision_without_a_step_is_found_at_any_place(source: PythonSource, function: AlgorithmFunction) -> None:
    alone = parse_source(source.path, "\n".join(source.lines[function.line - 1 : function.last_line]) + "\n")
    unseen = [
        f"line {line}: {text}"
        for line, column in sorted(places(alone, alone.functions[0]))
        for text in UNQUOTED
        if next(check_decisions(with_lines(alone, line, *inserted(text, column))), None) is None
    ]
    assert unseen == []


def without(source: PythonSource, node: ast.stmt) -> PythonSource:
    """Return the file without a statement, but with the statements in it."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    begin = min([node.lineno, *(mark.lineno for mark in decorators)]) - 1
    end = node.end_lineno or node.lineno
    kept = [" " * node.col_offset + "pass"]
    if isinstance(node, ast.If | ast.For | ast.FunctionDef):
        head = next(number for number in range(begin, end) if source.lines[number].endswith(":"))
        kept = [line.removeprefix("    ") for line in source.lines[head + 1 : end]]
    return parse_source(source.path, "\n".join([*source.lines[:begin], *kept, *source.lines[end:]]) + "\n")


@pytest.mark.parametrize(("source", "function"), ALGORITHMS)
def test_step_without_its_code_is_found(source: PythonSource, function: AlgorithmFunction) -> None:
    alone = parse_source(source.path, "\n".join(source.lines[function.line - 1 : function.last_line]) + "\n")
    last_lines = {step.last_line for step in alone.functions[0].steps}
    tried = 0
    for node in statements_of(alone, alone.functions[0]):
        above = (
            node.decorator_list[0] if isinstance(node, ast.FunctionDef) and node.decorator_list else node
        ).lineno - 1
        while alone.lines[above - 1].strip() == "yield":
            above -= 1
        keeps_its_place = isinstance(node, ast.Try) or (isinstance(node, ast.If) and node.orelse)
        following = alone.lines[node.end_lineno or node.lineno].strip() if node.end_lineno != len(alone.lines) else ""
        is_all = not following or following.startswith("#")
        if above in last_lines and is_all and not keeps_its_place and not alone.lines[above].strip().startswith("elif"):
            tried += 1
            assert list(check_decisions(without(alone, node))), alone.lines[above - 1]
    assert tried


GOOD = """
@algorithm("steps")
def steps(names):
    # 1. Let found be an empty list.
    found = []

    # 2. While names is not empty:
    while names:
        # 2.1. If names[0] is null, then break.
        if names[0] is None:
            break

        # 2.2. If names[0] is good, then append it to found; otherwise return failure.
        if names[0].good:
            found.append(names[0])
        else:
            return None

    # 3. If found is empty:
    if not found:
        # 3.1. Return null.
        return None

    # 4. Otherwise, if the name of any item of found is bad, then throw an exception.
    elif any(item.bad for item in found):
        raise Throw(exception)

    # 5. Return found.
    return found
"""


def test_decisions_that_match_their_steps_are_accepted() -> None:
    assert list(check_decisions(parse_source(Path("steps.py"), GOOD))) == []


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("2. While", "2. Until", 8, "the step above this loop does not say it"),
        ("then break.", "then go on.", 11, "the step above this break does not say it"),
        ("; otherwise return", ", or return", 16, "the step above this else does not say it"),
        ("    # 3. If", "    # 3. Where", 20, "the step above this branch does not say it"),
        ("    # 4. Otherwise", "    # 4. Else", 25, "the step above this else does not say it"),
        ("any item of", "the item of", 25, "the step above this loop does not say it"),
        ("then throw an", "then give an", 26, "the step above this raise does not say it"),
        ("        # 3.1. Return null.\n", "", 21, "the step above this return does not say it"),
        ("    return found\n", "", 28, "this step has no code"),
        (
            "    return found\n",
            "    found.sort()\n    return found\n",
            30,
            "no step is directly above this return",
        ),
        ("            break\n", "            break\n            found = []\n", 12, "this line is never reached"),
    ],
)
def test_decision_that_does_not_match_its_step_is_found(right: str, wrong: str, line: int, message: str) -> None:
    assert GOOD.count(right) == 1
    problems = list(check_decisions(parse_source(Path("steps.py"), GOOD.replace(right, wrong))))
    assert (line, message) in [(problem.line, problem.message.partition(":")[0]) for problem in problems]
