"""``spec check`` finds each missing and each needless ``yield`` in steps in parallel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from modelcontext.spec.specification.code.comments import PythonSource, parse_source, read_source
from packages.prose.tests.yields import check_yields

PACKAGE = Path(__file__).resolve().parents[3] / "src" / "modelcontext"
VERBS = read_source(PACKAGE / "spec" / "verbs" / "verbs.py")
SOURCES = {
    folder.name: [read_source(path) for path in sorted(folder.glob("*.py"))]
    for folder in sorted((PACKAGE / "spec" / "revisions").iterdir())
    if (folder / "model.py").is_file()
}
#: Every bare ``yield`` of every revision.
YIELDS = [
    pytest.param(revision, source, number, id=f"{revision}-{source.path.stem}-{function.name}-{number}")
    for revision, sources in SOURCES.items()
    for source in sources
    for function in source.functions
    for number in range(function.line, function.last_line + 1)
    if source.lines[number - 1].strip() == "yield"
]


@pytest.mark.parametrize("revision", SOURCES)
def test_revisions_have_no_misplaced_yield(revision: str) -> None:
    assert list(check_yields(SOURCES[revision], VERBS)) == []


def test_all_bare_yields_are_tested() -> None:
    bare = sum(line.strip() == "yield" for sources in SOURCES.values() for source in sources for line in source.lines)
    assert len(YIELDS) == bare == 19


@pytest.mark.parametrize(("revision", "source", "number"), YIELDS)
def test_removed_yield_is_found(revision: str, source: PythonSource, number: int) -> None:
    without = parse_source(source.path, "\n".join([*source.lines[: number - 1], *source.lines[number:]]) + "\n")
    sources = [without if one is source else one for one in SOURCES[revision]]
    assert [problem.line for _, problem in check_yields(sources, VERBS)]


@pytest.mark.parametrize(("revision", "source", "number"), YIELDS)
def test_second_yield_is_needless(revision: str, source: PythonSource, number: int) -> None:
    line = source.lines[number - 1]
    twice = parse_source(source.path, "\n".join([*source.lines[:number], line, *source.lines[number:]]) + "\n")
    sources = [twice if one is source else one for one in SOURCES[revision]]
    assert [problem.line for _, problem in check_yields(sources, VERBS)] == [number + 1]


GOOD = """
@algorithm("steps")
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
MODEL = """
class Struct:
    def __init__(self):
        self.tool_map: OrderedMap[str, object] = OrderedMap()

tool_map = struct.tool_map
"""


def problems_of(text: str) -> list[str]:
    sources = [parse_source(Path("tools.py"), text), parse_source(Path("model.py"), MODEL)]
    return [
        f"line {problem.line}: {re.split('[:,] (?!which)', problem.message)[0]}"
        for _, problem in check_yields(sources, VERBS)
    ]


def test_yields_at_the_right_places_are_accepted() -> None:
    assert problems_of(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "problem"),
    [
        (
            "    yield\n    queue",
            "    queue",
            "line 19: there is no yield before queue_a_global_task, which is shared",
        ),
        ("    yield\n    if", "    if", "line 11: there is no yield before tool_map, which is shared"),
        ("    navigable = node", "    yield\n    navigable = node", "line 5: this yield is needless"),
        ("    traversable =", "    yield\n    traversable =", "line 12: this yield is needless"),
        ("promise, active_document(navigable)))\n", "promise, 1))\n    yield\n", "line 21: this yield is needless"),
    ],
)
def test_misplaced_yield_is_found(right: str, wrong: str, problem: str) -> None:
    assert GOOD.count(right) == 1
    assert problems_of(GOOD.replace(right, wrong)) == [problem]
