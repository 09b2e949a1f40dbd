"""Changes of the text: each gives the properties that its Issue promises, and a wrong one does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import cells_of
from modelcontext.judging.clients.checking import check_all, check_space
from modelcontext.judging.clients.properties import Gap
from modelcontext.judging.clients.report import PROPOSALS, changes_of_cells, files
from modelcontext.judging.clients.standpoints import DevTools
from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.judging.issues.readings import READINGS, ToolId
from modelcontext.spec.revisions.current.model import associated_model_context
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.weaving.changes import Change, InsteadOf

if TYPE_CHECKING:
    from modelcontext.judging.clients.checking import Space
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.origin import Origin
    from modelcontext.spec.revisions.current.model import CompletionSteps, ToolDefinition

ROOT = Path(__file__).resolve().parents[2]
DOSSIERS = read_dossiers(ROOT, CURRENT)
REPORT = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
LISTED = "tool-that-was-listed"
EXECUTE = ("dom-modelcontext-executetool",)
#: Pairs in which the text has gaps.
PAIRS = [
    ("agent-host", "redescribes"),
    ("agent-host", "becomes-read-only"),
    ("agent-host", "becomes-consequential"),
    ("agent-host", "consequential-reschemed"),
    ("naive-page-script", "frame-hides"),
    ("kilo", "becomes-read-only"),
]


def space_of(client: str, adversary: str, *readings: str) -> Space:
    space = check_space(CLIENTS[client], adversaries()[adversary], readings=readings)
    assert space.complete
    return space


def gaps_in(space: Space) -> set[str]:
    return {gap for finding in space.findings.values() for gap in finding.gaps}


@pytest.mark.parametrize(("client", "adversary"), PAIRS)
def test_gaps_of_the_text_are_closed_with_issue_73(client: str, adversary: str) -> None:
    assert gaps_in(space_of(client, adversary))
    assert gaps_in(space_of(client, adversary, DOSSIERS[73].proposed)) == set()


def test_agent_of_the_browser_runs_what_it_observed_with_issue_19() -> None:
    before, after = (
        space_of("browsers-agent", "redescribes", *readings) for readings in ((), (DOSSIERS[19].proposed,))
    )
    assert before.findings["runs-what-was-shown"].broken
    assert gaps_in(before) == {Gap.BY_NAME}
    assert not after.findings["runs-what-was-shown"].broken
    assert after.findings["runs-what-was-shown"].kept
    assert gaps_in(after) == set()


def test_client_that_checks_nothing_runs_what_was_shown_with_issue_73() -> None:
    before, after = (space_of("naive-page-script", "redescribes", *readings) for readings in ((), (LISTED,)))
    assert before.findings["runs-what-was-shown"].broken
    assert not after.findings["runs-what-was-shown"].broken
    assert after.findings["runs-what-was-shown"].kept


def test_tool_that_is_not_replaced_runs_with_issue_73() -> None:
    before, after = (space_of("agent-host", "quiet", *readings) for readings in ((), (LISTED,)))
    assert before.findings == after.findings


def test_issue_7_alone_leaves_both_gaps() -> None:
    assert gaps_in(space_of("agent-host", "redescribes", DOSSIERS[7].proposed)) == {Gap.BY_NAME, Gap.OLD_LIST}


def found_only(
    go_on: Callable[..., Generator[None, None, ToolDefinition | None]],
    traversable: Navigable,
    caller_origin: Origin,
    target_document: Document,
    target_origin: Origin,
    tool_name: str,
    *,
    tool: Any,
) -> Generator[None, None, ToolDefinition | None]:
    """Compare in parallel, before the run."""
    found = yield from go_on(traversable, caller_origin, target_document, target_origin, tool_name)
    return found if isinstance(tool.id, ToolId) and tool.id.tool_definition is found else None


def described_only(
    go_on: Callable[..., None],
    target: Document,
    name: str,
    input: str,
    steps: CompletionSteps,
    id: int,
    *,
    tool: Any,
) -> None:
    """Compare descriptions only."""
    tool_map = associated_model_context(target).internal_context.tool_map
    if tool_map.exists(name) and tool_map[name].description == tool.description:
        go_on(target, name, input, steps, id)


@pytest.mark.parametrize(
    ("adversary", "change", "left"),
    [
        ("redescribes", InsteadOf("find_a_tool_to_execute", found_only, EXECUTE), {Gap.BY_NAME}),
        (
            "becomes-read-only",
            InsteadOf("run_the_tool_execute_steps", described_only, EXECUTE),
            {Gap.BY_NAME, Gap.OLD_LIST},
        ),
    ],
    ids=["compared before the run", "only the description compared"],
)
def test_planted_wrong_change_does_not_close_the_gap(
    monkeypatch: pytest.MonkeyPatch, adversary: str, change: InsteadOf, left: set[Gap]
) -> None:
    name = f"planted: {change.by.__name__}"
    kept = [one for one in READINGS[LISTED] if not isinstance(one, InsteadOf)]
    monkeypatch.setitem(cast("dict[str, list[Change]]", READINGS), name, [*kept, change])
    assert gaps_in(space_of("agent-host", adversary, name)) == left


def test_proposals_of_the_report_are_those_of_the_issues() -> None:
    assert [issue for issue in PROPOSALS if not DOSSIERS[issue].proposed] == []
    for issue in PROPOSALS:
        assert f"\n* Issue {issue}: " in REPORT


@pytest.mark.usefixtures("takes_long")
def test_section_of_the_report_is_made_from_spaces_of_both_texts() -> None:
    profiles, pages = list(CLIENTS.values()), [adversaries()["unregisters"]]
    spaces = list(check_all(profiles, pages))
    mended = list(check_all(profiles, pages, readings=(LISTED,)))
    text = next(iter(files(spaces, {73: mended}, []).values()))
    section = text.partition("## What the text should say")[2].partition("\n## ")[0]
    assert "| gap and text | 1 |" in section
    assert "* Issue 73: " in section


def test_changes_of_cells_name_client_and_property() -> None:
    before, after = (
        cells_of([space_of("naive-page-script", "redescribes", *readings)]) for readings in ((), (LISTED,))
    )
    assert list(changes_of_cells(before, after)) == [
        "* runs-what-was-shown, A naive page script: broken in 1 of 1; with the change holds in 1"
    ]


def test_report_has_no_gap_of_a_client_that_calls_executetool_with_issue_73() -> None:
    rows = re.findall(r"^\| \*[a-z ]+\*, Issue 73 \| (.*) \|$", REPORT, re.MULTILINE)
    assert len(rows) == len(Gap)
    outside = {number for number, one in enumerate(CLIENTS.values(), 1) if issubclass(one.standpoint, DevTools)}
    for row in rows:
        cells = dict(enumerate(row.split(" | "), 1))
        assert {number for number, cell in cells.items() if cell != "0"} <= outside
