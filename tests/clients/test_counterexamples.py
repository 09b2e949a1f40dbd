"""Counterexamples: the smallest run, the decisive action, the program that plays it, and the report that shows it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from modelcontext.ground.schedule import footprint
from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import cells_of
from modelcontext.judging.clients.checking import check_all
from modelcontext.judging.clients.counterexamples import Counterexample, find_counterexample
from modelcontext.judging.clients.npm_servers import PACKAGES
from modelcontext.judging.clients.packages import SEEN_FROM_OUTSIDE
from modelcontext.judging.clients.playing import playable, runs_in
from modelcontext.judging.clients.properties import PROPERTIES
from modelcontext.judging.clients.report import files
from modelcontext.judging.clients.seen import SEEN, SeenLive, read_seen, save_seen, text_of
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.reading import load
from modelcontext.programs.tracing.story import Moment

pytestmark = pytest.mark.usefixtures("takes_long")

ROOT = Path(__file__).resolve().parents[2]
REPORT = (ROOT / "docs/agents.md").read_text(encoding="utf-8")
PROGRAMS = sorted((ROOT / "docs/agents").glob("*.toml"))


def found(client: str, property_: str, *names: str) -> Counterexample | None:
    return find_counterexample(CLIENTS[client], [adversaries()[name] for name in names], property_)


def test_decisive_action_is_the_approval_of_what_is_gone() -> None:
    example = found("persona", "approval-covers-the-definition", "quiet", "redescribes")
    assert example is not None
    assert example.adversary == "redescribes"
    assert [event.words for event in example.story if event.is_decisive] == ["approves call 1"]
    assert "the person's answer" in example.decisive
    assert example.before > 1


def test_story_of_a_counterexample_leaves_nothing_that_a_later_run_could_see() -> None:
    assert found("persona", "approval-covers-the-definition", "redescribes") is not None
    assert (footprint.new_name(), footprint.current) == (0, None)


def test_breach_in_every_run_has_no_decisive_event() -> None:
    example = found("kilo", "the-origin-is-passed-on", "quiet")
    assert example is not None
    assert not any(event.is_decisive for event in example.story)
    assert example.decisive == "the beginning"
    assert example.instead == ()


def test_action_that_nobody_sees_is_told_if_it_is_the_decisive_one() -> None:
    example = found("webmcp-extension", "approval-covers-the-definition", "consequential-no-more")
    assert example is not None
    [index] = [number for number, event in enumerate(example.story) if event.is_decisive]
    assert example.story[index - 1] == Moment("top", "registers “pay” with the callback “top pay 2”: “Pays.”")
    assert example.story[index].words == f"action {index} takes effect in the browser"
    assert example.story[index + 1].words.startswith("gets the list, with “top pay 2”; call 1 leaves the client")


def test_run_that_keeps_the_property_is_told_up_to_where_it_differs() -> None:
    example = found("webmcp-extension", "approval-covers-the-definition", "consequential-no-more")
    assert example is not None
    step, refusal = example.instead
    assert step.who == "browser"
    assert step.words.startswith("takes a step, `collect-registered-tools 4.5`: ")
    assert refusal == Moment("client", "says that call 1 did not run: not found")


@pytest.mark.usefixtures("takes_long")
def test_story_says_that_no_tool_has_the_name() -> None:
    example = found("naive-page-script", "runs-in-the-document-that-was-shown", "frame-reloads")
    assert example is not None
    assert example.instead == (
        Moment("model", "calls the tool of “child pay” (call 1)"),
        Moment("client", "call 1 leaves the client; its tool name now belongs to no tool"),
    )


def test_report_says_who_keeps_a_property_and_with_which_text_others_do() -> None:
    section = REPORT.partition("### runs-what-was-shown\n")[2].partition("\n### ")[0]
    [kept] = [line for line in section.splitlines() if line.startswith("Clients that keep the property: ")]
    assert kept.startswith("Clients that keep the property: the host of this project (except for the gaps). ")
    assert "With the change of Issue 19, these clients keep the property, too: the browser's own agent. " in kept
    assert "With the change of Issue 73, these clients keep the property, too: a naive page script. " in kept


def test_story_tells_when_the_client_begins_to_list_the_tools() -> None:
    example = found("webmcp-extension", "approval-covers-the-definition", "consequential-no-more")
    assert example is not None
    words = [event.words for event in example.story]
    assert words.count("begins to list the tools, in top") == 3
    assert words.index("begins to list the tools, in top") < words.index("calls the tool of “top pay” (call 1)")


@pytest.mark.parametrize("name", PROPERTIES)
def test_property_says_what_the_harm_is(name: str) -> None:
    assert re.fullmatch(r"[A-Z][^.]+\.", PROPERTIES[name].harm)
    assert re.fullmatch(r"[A-Z][^.]+\.", PROPERTIES[name].says)


def test_steps_that_a_breach_does_not_need_are_removed() -> None:
    example = found("naive-page-script", "runs-what-was-shown", "there-and-back")
    assert example is not None
    steps = [step.label for _, step in example.program.walk() if step.do == "registerTool"]
    assert steps == ["top pay", "top pay 2"]


def test_host_has_no_counterexample() -> None:
    assert found("agent-host", "runs-what-was-shown", "redescribes", "reschemes") is None


def test_program_without_the_client_plays_the_counterexample() -> None:
    example = found("naive-page-script", "runs-what-was-shown", "redescribes")
    assert example is not None
    play = playable(CLIENTS["naive-page-script"], example)
    assert play is not None
    assert runs_in(run_once(play.program, play.schedule).outcome) == [("top pay 2", 1)]


def test_client_that_is_no_script_has_no_program() -> None:
    example = found("stagehand", "runs-what-was-shown", "redescribes")
    assert example is not None
    assert playable(CLIENTS["stagehand"], example) is None


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_committed_program_runs_another_tool_than_the_first_of_its_note(path: Path) -> None:
    program = load(path)
    schedule = program.note.partition("--schedule ")[2]
    outcome = run_once(program, [int(answer) for answer in schedule.split(",") if answer]).outcome
    [(label, call)] = runs_in(outcome)
    assert (label.rpartition(" pay")[2], call) in {(" 2", 1), ("", 1)}
    assert label != next(step.label for _, step in program.walk() if step.do == "registerTool")


def test_report_has_a_row_for_each_property_and_a_story_for_each_broken_one() -> None:
    rows = re.findall(r"^\| (.*) \(`[a-z -]+[\d.]+`\) \|.*\|$", REPORT, re.MULTILINE)
    assert rows == [property_.says.rstrip(".") for property_ in PROPERTIES.values()]
    linked = set(re.findall(r"\]\(#([a-z-]+)\)", REPORT)) - {"the-two-gaps"}
    assert linked == set(re.findall(r"^### ([a-z-]+)$", REPORT, re.MULTILINE))
    assert len(linked) >= 10


@pytest.mark.usefixtures("takes_long")
def test_column_of_a_client_is_that_of_its_spaces() -> None:
    cells = cells_of(check_all([CLIENTS["stagehand"]], adversaries().values()))
    column = 2 + list(CLIENTS).index("stagehand")
    rows = [line.split(" | ") for line in REPORT.splitlines() if re.match(r"\| .* \(`[a-z -]+[\d.]+`\) \|", line)]
    shown = [re.sub(r"\[(.*)\]\(.*\)", r"\1", row[column - 1].strip(" |")) for row in rows]
    for name, cell in zip(PROPERTIES, shown, strict=True):
        found = cells["stagehand", name]
        whole = f"✗ {len(found.broken)}/{found.spaces}" if found.broken else str(found.spaces or "-")
        assert cell.removesuffix("\\*") == whole, name


def test_report_links_to_files_that_are_there() -> None:
    links = re.findall(r"\]\((?!#)([^)]+)\)", REPORT)
    assert links
    assert [link for link in links if not (ROOT / "docs" / link.partition("#")[0]).is_file()] == []
    assert {f"agents/{path.name}" for path in PROGRAMS} <= set(links)


def test_report_counts_the_spaces_that_are_checked() -> None:
    assert f"Here {len(CLIENTS)} clients meet {len(adversaries())} adversaries" in REPORT
    assert f"Of the {len(CLIENTS) * len(adversaries())} spaces, " in REPORT


def test_report_is_written_from_spaces() -> None:
    spaces = list(check_all(CLIENTS.values(), [adversaries()["quiet"]]))
    [(path, text)] = files(spaces, {}, []).items()
    assert path.name == "agents.md"
    assert "Of the 9 spaces, 9 are complete" in text
    for story in ("the-origin-is-passed-on", "the-annotations-are-passed-on"):
        assert f"### {story}" in text


def test_results_of_a_real_browser_are_those_of_counterexamples() -> None:
    seen = read_seen(ROOT)
    assert len(seen) >= 15
    for one in seen:
        section = REPORT.partition(f"\n### {one.property}\n")[2].partition("\n### ")[0]
        assert CLIENTS[one.client].title in section, one
        assert PROPERTIES[one.property].is_about_runs or one.property in SEEN_FROM_OUTSIDE
        assert one.key()[2] == "script" or one.by == PACKAGES[one.client].package
        assert (
            f"| {CLIENTS[one.client].title} | {one.property} | `{one.adversary}` | {one.by} | {one.result} |\n"
            in REPORT
        )


def test_result_that_is_measured_again_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    (tmp_path / SEEN).parent.mkdir(parents=True)
    (tmp_path / SEEN).write_text(text_of([]), encoding="utf-8")
    old, other = (
        SeenLive("kilo", "runs-what-was-shown", "quiet", by, "old") for by in ("script in chromium 1", "kilo@1")
    )
    new = replace(old, by="script in chromium 2", result="new")
    save_seen(tmp_path, [old, other])
    save_seen(tmp_path, [new])
    assert read_seen(tmp_path) == [other, new]
