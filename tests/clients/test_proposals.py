"""Changes of the text: each gives the properties that its Issue promises, and a wrong one does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import cells_of
from modelcontext.judging.clients.checking import check_all, check_space
from modelcontext.judging.clients.properties import Gap
from modelcontext.judging.clients.report import PROPOSALS, changes_of_cells, files
from modelcontext.judging.clients.standpoints import DevTools
from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.judging.clients.checking import Space

ROOT = Path(__file__).resolve().parents[2]
DOSSIERS = read_dossiers(ROOT, CURRENT)
REPORT = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
LISTED = DOSSIERS[73].proposed
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


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(("client", "adversary"), PAIRS)
def test_gaps_of_the_text_are_closed_with_issue_73(client: str, adversary: str) -> None:
    assert gaps_in(space_of(client, adversary))
    assert gaps_in(space_of(client, adversary, DOSSIERS[73].proposed)) == set()


@pytest.mark.usefixtures("takes_long")
def test_agent_of_the_browser_runs_what_it_observed_with_issue_19() -> None:
    before, after = (
        space_of("browsers-agent", "redescribes", *readings) for readings in ((), (DOSSIERS[19].proposed,))
    )
    assert before.findings["runs-what-was-shown"].broken
    assert gaps_in(before) == {Gap.BY_NAME}
    assert not after.findings["runs-what-was-shown"].broken
    assert after.findings["runs-what-was-shown"].kept
    assert gaps_in(after) == set()


@pytest.mark.usefixtures("takes_long")
def test_client_that_checks_nothing_runs_what_was_shown_with_issue_73() -> None:
    before, after = (space_of("naive-page-script", "redescribes", *readings) for readings in ((), (LISTED,)))
    assert before.findings["runs-what-was-shown"].broken
    assert not after.findings["runs-what-was-shown"].broken
    assert after.findings["runs-what-was-shown"].kept


@pytest.mark.usefixtures("takes_long")
def test_tool_that_is_not_replaced_runs_with_issue_73() -> None:
    before, after = (space_of("agent-host", "quiet", *readings) for readings in ((), (LISTED,)))
    assert before.findings == after.findings


@pytest.mark.usefixtures("takes_long")
def test_issue_7_alone_leaves_both_gaps() -> None:
    assert gaps_in(space_of("agent-host", "redescribes", DOSSIERS[7].proposed)) == {Gap.BY_NAME, Gap.OLD_LIST}


def compared_before_the_run() -> str:
    """Return the change of Issue 73 with the comparison in parallel, where the tool is found, and not in the task."""
    lists, _, run = LISTED.partition("  run-the-tool-execute-steps\n")
    execute = run[run.index("  dom-modelcontext-executetool\n") : run.index("- 21.4.")]
    wrong = "+ 22.3. If |tool id| is neither null nor |tool definition|'s [=tool definition/id=], then return.\n"
    return lists + execute + wrong


def only_the_description_compared() -> str:
    """Return the change of Issue 73 with descriptions in the place of ids."""
    given = '|tool|["{{RegisteredTool/id}}"] if it [=map/exists=]; otherwise null'
    compared = "|tool map|[|tool name|]'s [=tool definition/id=]:"
    words = " ".join(LISTED.partition("  run-the-tool-execute-steps\n")[2].split())
    assert words.count(given) == words.count(compared) == 1
    changed = LISTED.replace(given, '|tool|["{{RegisteredTool/description}}"]')
    return re.sub(
        r"(\|tool map\|\[\|tool name\|\]'s\s+)\[=tool definition/id=\]:", r"\1[=tool definition/description=]:", changed
    )


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(
    ("adversary", "change", "left"),
    [
        ("redescribes", compared_before_the_run, {Gap.BY_NAME}),
        ("becomes-read-only", only_the_description_compared, {Gap.BY_NAME, Gap.OLD_LIST}),
    ],
)
def test_planted_wrong_change_does_not_close_the_gap(adversary: str, change: Callable[[], str], left: set[Gap]) -> None:
    assert gaps_in(space_of("agent-host", adversary, change())) == left


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
        "* runs-what-was-shown, A naive page script: broken in 1 of 1 with the current text; holds in 1 with the change"
    ]


def test_report_has_no_gap_of_a_client_that_calls_executetool_with_issue_73() -> None:
    rows = re.findall(r"^\| \*[a-z ]+\*, Issue 73 \| (.*) \|$", REPORT, re.MULTILINE)
    assert len(rows) == len(Gap)
    outside = {number for number, one in enumerate(CLIENTS.values(), 1) if issubclass(one.standpoint, DevTools)}
    for row in rows:
        cells = dict(enumerate(row.split(" | "), 1))
        assert {number for number, cell in cells.items() if cell != "0"} <= outside
