"""Decisions that their step does not say are found, and steps without code in the algorithm of every client."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelcontext.spec.specification.code.comments import AlgorithmFunction, PythonSource, parse_source, read_source
from modelcontext_prose.clients.client_texts import FOLDER
from modelcontext_prose.clients.decisions import check_decisions

SOURCES = [read_source(path) for path in sorted((Path(__file__).resolve().parents[3] / FOLDER).glob("*.py"))]
#: Every algorithm of every client.
ALGORITHMS = [
    pytest.param(source, function, id=f"{source.path.stem}-{function.name}")
    for source in SOURCES
    for function in source.functions
]


def statements_of(source: PythonSource, function: AlgorithmFunction) -> Iterator[ast.stmt]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.stmt) and function.line < node.lineno <= function.last_line:
            yield node


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
        ("2. While", "2. Until", 8, "the step above this loop does not say this"),
        ("then break.", "then go on.", 11, "the step above this break does not say this"),
        ("; otherwise return", ", or return", 16, "the step above this else does not say this"),
        ("    # 3. If", "    # 3. Where", 20, "the step above this branch does not say this"),
        ("    # 4. Otherwise", "    # 4. Else", 25, "the step above this else does not say this"),
        ("any item of", "the item of", 25, "the step above this loop does not say this"),
        ("then throw an", "then give an", 26, "the step above this raise does not say this"),
        ("        # 3.1. Return null.\n", "", 21, "the step above this return does not say this"),
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
