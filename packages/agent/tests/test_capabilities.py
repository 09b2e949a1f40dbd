"""docs/agent.md: each capability in its tables names a test that there is."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs/agent.md").read_text(encoding="utf-8")
TABLES = TEXT.partition("## Capabilities and their tests")[2]
ROWS = [line for line in TABLES.splitlines() if line.startswith("| ") and not line.startswith("| capability |")]
REFERENCE = re.compile(r"\| `(?P<path>[\w/]+\.py)::(?P<name>test_\w+)` \|$")


@cache
def names_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / "packages/agent/tests" / path).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("row", ROWS)
def test_row_names_a_test_that_there_is(row: str) -> None:
    reference = REFERENCE.search(row)
    assert reference is not None, "a row ends with `PATH::test_NAME`"
    assert reference["name"] in names_in(reference["path"])


def test_each_table_of_the_page_has_rows() -> None:
    assert TABLES.count("| capability | test |") == TABLES.count("### ")
    assert len(ROWS) >= 200


def test_no_test_stands_for_two_capabilities() -> None:
    references = [match[0] for row in ROWS if (match := REFERENCE.search(row))]
    assert len(set(references)) == len(references)


def test_each_event_of_a_chat_is_in_the_table_of_events() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "packages/agent/src").rglob("*.py")]
    emitted = {name for text in sources for name in re.findall(r"""\bemit\(\s*"([a-z_:]+)\"""", text)}
    emitted |= {"tool:succeeded", "tool:failed", "action_required", "approval_required"}
    rows = [line.split(" | ")[0] for line in TEXT.partition("| event | data |")[2].partition("\n\n")[0].splitlines()]
    assert {name for row in rows for name in re.findall(r"`([a-z_:]+)`", row)} == emitted
