"""Every schedule of a page: the exploration against naive enumeration, its bounds, and its traces."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.ground.schedule.choose import Chooser, Replay
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.hosts.scripting.outcomes import PageOutcome, Pages, pages_of
from modelcontext.hosts.scripting.page_schedules import Explorer, ScriptExploration
from modelcontext.people.cli.js import command
from modelcontext.programs.tracing.items import Choice, ScriptLine, Shown, StepReached
from modelcontext.programs.tracing.page_traces import trace_page
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

pytestmark = pytest.mark.usefixtures("starts_a_browser")

TOOLS_AND_MESSAGE = """
document.modelContext.getTools().then(() => console.log("tools"));
addEventListener("message", () => console.log("message"));
postMessage(1, "*");
"""
TIMER = """
document.modelContext.registerTool({ name: "t", description: "d", async execute() {} }).then(() => console.log("in"));
setTimeout(() => console.log("timer"));
"""
THREE_SOURCES = """
addEventListener("message", () => console.log("message"));
postMessage(1, "*");
fetch("page.js").then(() => console.log("fetched"));
setTimeout(() => console.log("timer"));
"""
RACE = """
document.modelContext.registerTool({ name: "t", description: "d", async execute() {} }).then(() => console.log("in"));
document.modelContext.getTools().then(() => console.log("listed"));
"""
ABORT = """
const controller = new AbortController();
document.modelContext
  .registerTool({ name: "t", description: "d", async execute() {} }, { signal: controller.signal })
  .then(() => console.log("in"), (error) => console.log(error.name));
fetch("page.js").then(() => { controller.abort(); console.log("fetched"); });
"""
TWO_LOOPS = """
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.srcdoc = "<script>onmessage = (e) => console.log(`frame ${e.data}`); parent.postMessage(1, '*')</script>";
onmessage = () => { console.log("page"); frames[0].postMessage("a", "*"); };
document.body.append(frame);
fetch("page.js").then(() => { console.log("fetched"); frames[0].postMessage("b", "*"); });
"""
# The page renames the frame, whose script reads its name: no task and no structure of the model tells that these two meet.
NAME = """
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.srcdoc = "<script>onmessage = () => console.log(`name ${window.name}`)</script>";
frame.onload = () => {
  frames[0].postMessage("a", "*");
  fetch("page.js").then(() => { frame.name = "x"; });
};
document.body.append(frame);
"""
# The frame ends the run, at a moment at which the page may have done its part or not.
ENDLESS_FRAME = """
const frame = document.createElement("iframe");
frame.sandbox = "allow-scripts";
frame.srcdoc = "<script>onmessage = () => postMessage(1, '*')</script>";
frame.onload = () => {
  frames[0].postMessage("a", "*");
  fetch("page.js").then(() => console.log("fetched"));
};
document.body.append(frame);
"""


@contextmanager
def pages(folder: Path, script: str, seconds: float = 5.0) -> Iterator[Pages]:
    page = folder / "page.js"
    page.write_text(script)
    with pages_of(page, lambda: start_process(REVISION), REVISION, seconds) as opened:
        yield opened


class _Run:
    def __init__(self, opened: Pages, chooser: Chooser) -> None:
        self._opened, self._chooser = opened, chooser
        self._outcome: PageOutcome | None = None

    def run(self) -> object:
        self._outcome = self._opened.run(self._chooser)
        return self._outcome

    def result(self) -> PageOutcome:
        assert self._outcome is not None
        return self._outcome


def enumerated(opened: Pages, bound: int) -> tuple[set[Hashable], bool]:
    """Return the outcomes of all schedules, each tried, and whether these were all."""
    found: set[Hashable] = set()

    def take(outcome: PageOutcome, schedule: Sequence[int]) -> None:
        found.add(outcome.key)

    effort = every_schedule(lambda chooser: _Run(opened, chooser), take, bound)
    return found, effort.complete


def texts(explored: ScriptExploration) -> set[tuple[str, ...]]:
    """Return the lines on the console of each outcome."""
    return {tuple(line.text for line in outcome.lines) for outcome in explored.outcomes}


def keys(explored: ScriptExploration) -> set[Hashable]:
    return {outcome.key for outcome in explored.outcomes}


@pytest.mark.parametrize("script", [TOOLS_AND_MESSAGE, TIMER, THREE_SOURCES])
def test_exploration_finds_what_naive_enumeration_finds(script: str, tmp_path: Path) -> None:
    with pages(tmp_path, script) as opened:
        explored = Explorer(opened).explore()
        found, complete = enumerated(opened, 500)
        assert complete
        assert explored.complete
        assert keys(explored) == found


@pytest.mark.parametrize("script", [RACE, ABORT, TWO_LOOPS])
def test_exploration_lacks_nothing_that_an_enumeration_comes_to(script: str, tmp_path: Path) -> None:
    with pages(tmp_path, script) as opened:
        explored = Explorer(opened).explore()
        found, _ = enumerated(opened, 150)
        assert explored.complete
        assert found <= keys(explored)
        assert len(explored.outcomes) > 1


def test_smallest_schedule_leads_to_its_outcome(tmp_path: Path) -> None:
    with pages(tmp_path, ABORT) as opened:
        for outcome in Explorer(opened).explore().outcomes:
            assert outcome.schedule is not None
            assert not outcome.schedule or outcome.schedule[-1] > 0
            assert opened.run(Replay(outcome.schedule)).key == outcome.key


def test_bounds_make_an_exploration_undecided(tmp_path: Path) -> None:
    with pages(tmp_path, RACE) as opened:
        assert not Explorer(opened, 3).explore().complete
        cut_off = Explorer(opened, most_choices=2).explore()
        assert (cut_off.complete, cut_off.cut_off, cut_off.outcomes) == (False, True, [])


def test_stopped_exploration_gives_what_was_found(tmp_path: Path) -> None:
    with pages(tmp_path, RACE) as opened:
        runs: list[None] = []

        def ran() -> None:
            runs.append(None)
            if len(runs) == 4:
                explorer.stop()

        explorer = Explorer(opened, ran=ran)
        explored = explorer.explore()
        assert (explored.complete, explored.stopped, explored.runs) == (False, True, 4)
        assert explored.outcomes


def test_run_without_an_end_is_an_outcome_of_the_exploration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("modelcontext.hosts.scripting.scripted_browser.MOST_AT_ONCE", 12)
    script = """
    fetch("page.js").then(() => console.log("fetched"));
    onmessage = () => postMessage(1);
    postMessage(1);
    """
    with pages(tmp_path, script) as opened:
        explored = Explorer(opened).explore()
        assert explored.complete
        assert all(str(outcome.ended).startswith("12 actions ran") for outcome in explored.outcomes)
        assert texts(explored) == {(), ("fetched",)}


def test_endless_loop_is_an_outcome_of_the_exploration(tmp_path: Path) -> None:
    with pages(tmp_path, "console.log(1); for (;;);", 0.3) as opened:
        explored = Explorer(opened).explore()
        assert explored.complete
        assert {outcome.ended for outcome in explored.outcomes} == {
            "endless loop: a script ran for more than 0.3 seconds"
        }
        assert texts(explored) == {("1",)}


def test_script_that_meets_another_only_beyond_its_event_loop_is_tried_before_and_after_it(tmp_path: Path) -> None:
    with pages(tmp_path, NAME) as opened:
        explored = Explorer(opened).explore()
        assert explored.complete
        assert texts(explored) == {("name ",), ("name x",)}


def test_end_of_the_run_in_one_event_loop_is_tried_before_and_after_an_action_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("modelcontext.hosts.scripting.scripted_browser.MOST_AT_ONCE", 15)
    with pages(tmp_path, ENDLESS_FRAME) as opened:
        explored = Explorer(opened).explore()
        assert explored.complete
        assert texts(explored) == {(), ("fetched",)}


def test_trace_has_steps_and_lines_of_scripts_in_one_sequence(tmp_path: Path) -> None:
    with pages(tmp_path, RACE) as opened:
        traced, outcome = trace_page(opened, Replay(()))
        items = [frame.item for frame in traced.frames]
        line = next(index for index, item in enumerate(items) if isinstance(item, ScriptLine))
        assert items[line] == ScriptLine("https://page.test/page.js:2", RACE.splitlines()[1])
        assert isinstance(items[line + 1], StepReached)
        assert any(isinstance(item, Choice) for item in items)
        assert [item.text for item in items if isinstance(item, Shown)] == [line.text for line in outcome.lines]
        assert opened.run(Replay(traced.schedule)).key == outcome.key


def test_command_names_each_outcome_by_a_schedule_that_it_takes_again(tmp_path: Path) -> None:
    page = tmp_path / "page.js"
    page.write_text(TOOLS_AND_MESSAGE)
    shown = CliRunner().invoke(command, [str(page), "--all"])
    assert shown.exit_code == 0
    assert shown.output.startswith("complete: ")
    [line] = [line for line in shown.output.splitlines() if "--schedule" in line]
    again = CliRunner().invoke(command, [str(page), "--schedule", line.rpartition(" ")[2]])
    assert [line.strip() for line in again.output.splitlines()] == ["tools", "message"]
    wrong = CliRunner().invoke(command, [str(page), "--schedule", "9"])
    assert wrong.exit_code == 2
    assert "has 3 options" in wrong.output
    both = CliRunner().invoke(command, [str(page), "--all", "--seed", "1"])
    assert "cannot be used together" in both.output
