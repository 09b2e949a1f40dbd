"""Scripts, pages and tests as the playground shows them, with the engine of Node.js in the place of that of a page."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.people.playground import javascript_pages
from modelcontext.people.playground.build import suite
from modelcontext.people.playground.javascript_pages import JavaScriptPages
from modelcontext.running.products.simulated import start_process
from modelcontext.running.serving.bundle import zipped
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

ROOT = Path(__file__).resolve().parents[2]
DEMOS = sorted(f"demos/{path.name}" for path in (ROOT / "src/modelcontext/people/playground/demos").iterdir())
TEST = "tests/webmcp/imperative/execute-tool.https.html"
LISTED_OR_NOT = "demos/1-listed-or-not.js"
LOGS = 'console.log("one");\nnoSuch;\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    zipfile.ZipFile(BytesIO(zipped(suite(checkout_tree(ROOT))))).extractall(folder)
    return folder


@pytest.fixture(scope="module")
def scripts(folder: Path, starts_a_browser: None) -> JavaScriptPages:
    return JavaScriptPages(lambda: start_process(REVISIONS[CURRENT.name]), folder)


@pytest.fixture
def listed_or_not(examples_by_name: Mapping[str, dict[str, Any]]) -> str:
    text: str = examples_by_name[LISTED_OR_NOT]["text"]
    return text


def words(outcome: Any) -> list[str]:
    return [entry["words"] for log in outcome["logs"].values() for entry in log]


@pytest.mark.parametrize("name", DEMOS)
def test_demo_runs_to_its_end_and_has_a_title(
    scripts: JavaScriptPages, name: str, examples_by_name: Mapping[str, dict[str, Any]]
) -> None:
    demo = examples_by_name[name]
    result = scripts.run(demo["language"], demo["place"], demo["text"], [])
    assert result["problem"] is None
    assert result["outcome"]["notes"] == []
    assert words(result["outcome"])
    assert not any(line.startswith("unhandled") for line in words(result["outcome"]))
    assert {frame["kind"] for frame in result["frames"]} >= {"step", "script", "turn", "entry"}
    assert demo["title"]


def test_lines_of_scripts_stand_beside_the_steps_that_they_cause(scripts: JavaScriptPages, listed_or_not: str) -> None:
    frames = scripts.run("script", "", listed_or_not, [])["frames"]
    lines = listed_or_not.splitlines()
    called = [frame for frame in frames if frame["kind"] == "script"]
    assert all(lines[frame["line"] - 1].strip() == frame["words"] for frame in called)
    words = [frame["words"] for frame in frames]
    line = words.index(next(line for line in lines if line.startswith("document.modelContext.registerTool")))
    steps = [frame["algorithm"] for frame in frames[line:] if frame["kind"] == "step"]
    assert "dom-modelcontext-registertool" in steps[: steps.index("dom-modelcontext-gettools")]


@pytest.mark.parametrize(("language", "text"), [("page", LOGS), ("page", ""), ("script", "1;")])
def test_text_that_calls_nothing_has_a_note_with_its_language(
    scripts: JavaScriptPages, language: str, text: str
) -> None:
    result = scripts.run(language, "", text, [])
    assert result["outcome"]["notes"] == [f"Nothing in this text calls the browser. Is its language “{language}”?"]


def test_page_of_markup_that_makes_a_tool_has_no_note(scripts: JavaScriptPages) -> None:
    result = scripts.run("page", "", "<form toolname=t tooldescription=d></form>", [])
    assert result["outcome"]["notes"] == []


def test_every_outcome_of_a_script_has_a_schedule_that_shows_it(scripts: JavaScriptPages, listed_or_not: str) -> None:
    found = scripts.outcomes("script", "", listed_or_not)
    assert found["complete"]
    assert len(found["outcomes"]) == 3
    for outcome in found["outcomes"]:
        assert scripts.run("script", "", listed_or_not, outcome["schedule"])["key"] == outcome["key"]


def test_test_of_the_suite_passes_and_its_harness_is_not_in_the_trace(
    scripts: JavaScriptPages, examples_by_name: Mapping[str, dict[str, Any]]
) -> None:
    example = examples_by_name[TEST]
    result = scripts.run("test", example["place"], example["text"], [])
    assert words(result["outcome"])
    assert all(line.startswith("PASS ") for line in words(result["outcome"]))
    assert not any("testharness" in frame.get("document", "") for frame in result["frames"])
    assert any(frame["kind"] == "script" and frame["line"] for frame in result["frames"])


def test_edited_test_runs_in_the_place_of_the_file_which_comes_back(
    scripts: JavaScriptPages, folder: Path, examples_by_name: Mapping[str, dict[str, Any]]
) -> None:
    example = examples_by_name[TEST]
    file = folder / example["place"].lstrip("/")
    before = file.read_bytes()
    edited = example["text"].replace("assert_equals(", "assert_not_equals(")
    assert edited != example["text"]
    result = scripts.run("test", example["place"], edited, [])
    assert any(line.startswith("FAIL ") for line in words(result["outcome"]))
    assert file.read_bytes() == before


def test_test_of_a_script_runs_in_its_wrapper(
    scripts: JavaScriptPages, examples_by_name: Mapping[str, dict[str, Any]]
) -> None:
    example = examples_by_name["tests/webmcp/idlharness.https.window.html"]
    result = scripts.run("test", example["place"], example["text"], [])
    assert len(words(result["outcome"])) > 50
    assert all(line.startswith("PASS ") for line in words(result["outcome"]))


def test_own_test_has_the_files_of_the_suite(scripts: JavaScriptPages, folder: Path) -> None:
    harness = "".join(
        f'<script src="/resources/{name}"></script>' for name in ("testharness.js", "testharnessreport.js")
    )
    result = scripts.run("test", "", f"{harness}<script>test(() => assert_true(false), 'mine');</script>", [])
    [line] = words(result["outcome"])
    assert line.startswith("FAIL mine: ")
    assert not (folder / "test.https.html").exists()


@pytest.mark.parametrize(
    ("language", "text", "shown"),
    [
        ("script", LOGS, ["one", "unhandled: ReferenceError: noSuch is not defined (https://page.test/script.js:2)"]),
        ("page", "<script>console.error(1)</script>", ["error: 1"]),
        ("script", "for (", ["unhandled: SyntaxError: Unexpected end of input (https://page.test/script.js:1)"]),
        ("page", "", []),
    ],
)
def test_page_shows_lines_and_exceptions(scripts: JavaScriptPages, language: str, text: str, shown: list[str]) -> None:
    assert words(scripts.run(language, "", text, [])["outcome"]) == shown


def test_missing_interface_is_a_note(scripts: JavaScriptPages) -> None:
    notes = scripts.run("script", "", "new Worker('w.js')", [])["outcome"]["notes"]
    assert "Missing: Worker is not in the simulated browser" in notes


def test_endless_messages_are_cut_off_and_shown(scripts: JavaScriptPages, monkeypatch: pytest.MonkeyPatch) -> None:
    # As many frames as a run may have take half a minute.
    monkeypatch.setattr(javascript_pages, "_MOST_FRAMES", 500)
    result = scripts.run("script", "", "onmessage = () => postMessage(1); postMessage(1);", [])
    assert "the run was stopped after 500 steps" in result["problem"]
    assert 500 <= len(result["frames"]) < 600


def test_schedule_that_does_not_fit_gives_an_error(scripts: JavaScriptPages, listed_or_not: str) -> None:
    assert "the schedule names 7" in scripts.run("script", "", listed_or_not, [7])["error"]
