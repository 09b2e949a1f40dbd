"""Where steps in parallel can be interleaved: a bare ``yield`` before each access to shared mutable state, and only there.

A missing one loses outcomes. A needless one costs a factor in every exploration. The rule:

* a strand's start is a scheduling point already, so none stands before the first access;
* between accesses that belong to different steps stands one;
* consecutive steps on one map are one access, since the text means nothing else: it takes out what it has just found to
  be there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import modelcontext.revisions.current

REVISION = Path(modelcontext.revisions.current.__file__).parent
FILES = sorted(REVISION.glob("*.py"))

#: Verbs that read or write what documents, navigables and event loops share.
SHARED_VERBS = {
    "active_document",
    "inclusive_descendant_navigables",
    "inclusive_descendant_navigables_of",
    "is_allowed_to_use",
    "is_fully_active",
    "node_navigable",
    "queue_a_global_task",
}

#: The shared maps, as expressions name them.
SHARED_MAPS = {
    "tool_map": "tool map",
    "pending_executions": "pending executions map",
    "pending_executions_map(traversable)": "pending executions map",
}

#: What the algorithms that run in parallel touch first.
FIRST_ACCESS = {
    "cancel_a_pending_execution": "pending executions map",
    "completion_steps": "pending executions map",
    "collect_registered_tools": "inclusive_descendant_navigables_of",
    "find_a_tool_to_execute": "node_navigable",
    "notify_documents_of_a_tool_change": "node_navigable",
}


@dataclass(frozen=True)
class Event:
    """A ``yield`` (``touched`` is None), or an access to the shared thing of that name."""

    line: int
    step: int
    touched: str | None


def own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function in source order, without those of the functions in it."""
    unvisited: list[ast.AST] = list(reversed(function.body))
    while unvisited:
        node = unvisited.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            continue
        yield node
        unvisited.extend(reversed(list(ast.iter_child_nodes(node))))


def touched_by(node: ast.AST) -> str | None:
    """The shared thing that an expression reads or writes."""
    if isinstance(node, ast.YieldFrom):
        assert isinstance(node.value, ast.Call)
        return FIRST_ACCESS[ast.unparse(node.value.func).rpartition(".")[2]]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SHARED_VERBS:
        return node.func.id
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return shared_map(node.func.value)
    if isinstance(node, ast.Subscript):
        return shared_map(node.value)
    return None


def shared_map(expression: ast.expr) -> str | None:
    text = ast.unparse(expression)
    return SHARED_MAPS.get(text) or SHARED_MAPS.get(text.rpartition(".")[2])


def events_of(function: ast.FunctionDef, steps: list[int]) -> list[Event]:
    events = []
    for node in own_nodes(function):
        touched = touched_by(node)
        if touched is not None or isinstance(node, ast.Yield):
            assert isinstance(node, ast.expr)
            step = max((line for line in steps if line <= node.lineno), default=0)
            events.append(Event(node.lineno, step, touched))
    return sorted(events, key=lambda event: event.line)


def misplaced(function: ast.FunctionDef, steps: list[int]) -> list[str]:
    """Describe every missing and every needless ``yield`` of a generator."""
    problems = []
    last: Event | None = None
    yielded: Event | None = None
    for event in events_of(function, steps):
        if event.touched is None:
            if last is None or yielded is not None:
                problems.append(f"line {event.line}: needless yield")
            yielded = event
            continue
        is_same_access = last is not None and (event.step == last.step or event.touched == last.touched)
        if last is not None and yielded is None and not is_same_access:
            problems.append(f"line {event.line}: no yield before {event.touched}")
        last, yielded = event, None
    if yielded is not None:
        problems.append(f"line {yielded.line}: needless yield at the end")
    return problems


def generators(source: str) -> Iterator[tuple[ast.FunctionDef, list[int]]]:
    steps = [number for number, line in enumerate(source.splitlines(), 1) if line.lstrip().startswith("# ")]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(inner, ast.Yield | ast.YieldFrom) for inner in own_nodes(node)
        ):
            yield node, steps


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_yields_stand_where_others_can_come_between(path: Path) -> None:
    problems = [
        f"{path.name}: {function.name}: {problem}"
        for function, steps in generators(path.read_text(encoding="utf-8"))
        for problem in misplaced(function, steps)
    ]
    assert problems == []


def test_all_generators_are_looked_at() -> None:
    assert sum(1 for path in FILES for _ in generators(path.read_text(encoding="utf-8"))) == 18


GOOD = """
def steps():
    # 1. Read.
    navigable = node_navigable(document)

    # 2. Immutable.
    traversable = top_level_traversable(navigable)

    # 3. Find.
    yield
    if not tool_map.exists(name):
        return

    # 4. Take.
    definition = tool_map[name]

    # 5. Queue.
    yield
    queue_a_global_task(source, global_, lambda: resolve(promise, active_document(navigable)))
"""


def problems_of(source: str) -> list[str]:
    [(function, steps)] = generators(source)
    return misplaced(function, steps)


def test_the_rule_accepts_what_is_right() -> None:
    assert problems_of(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        ("    yield\n    queue", "    queue", "line 18: no yield before queue_a_global_task"),
        ("    yield\n    if", "    if", "line 10: no yield before tool map"),
        ("    navigable = node", "    yield\n    navigable = node", "line 4: needless yield"),
        ("    traversable =", "    yield\n    traversable =", "line 11: needless yield"),
        ("promise, active_document(navigable)))\n", "promise, 1))\n    yield\n", "line 20: needless yield at the end"),
    ],
)
def test_the_rule_finds_what_is_wrong(right: str, wrong: str, problem: str) -> None:
    assert GOOD.count(right) == 1
    assert problems_of(GOOD.replace(right, wrong)) == [problem]
