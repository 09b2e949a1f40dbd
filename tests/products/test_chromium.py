"""Programs in a real Chromium, which check that the page side of the language follows its document.

These tests are about the language and the harness, mostly with operations that do not concern tools. The corpus is about
tools in Chromium.
"""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from modelcontext.ground.problems import UnavailableError
from modelcontext.people.cli.run import command as run
from modelcontext.people.cli.test import command as run_tests
from modelcontext.programs.program.outcome import Outcome, describe_entry
from modelcontext.programs.program.reading import from_data, load
from modelcontext.running.products import Ending, browser_product, make_target, program_page
from modelcontext.running.products.browser_product import BrowserProduct
from modelcontext.running.products.model import Model
from modelcontext_fuzz.causes import diagnose

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[2]
REGISTER = {"do": "registerTool", "tool": {"name": "t", "description": "d"}}


def program(*steps: dict[str, Any], documents: dict[str, Any] | None = None, **scripts: Any) -> Program:
    return from_data({"title": "t", "documents": documents or {}, "script": {"top": list(steps), **scripts}})


def outcome_of(chromium: BrowserProduct, made: Program) -> Outcome:
    observation = chromium.run(made)
    assert observation.ending is Ending.OUTCOME, observation.detail
    assert observation.outcome is not None
    return observation.outcome


def words(outcome: Outcome, log: str = "top") -> list[str]:
    return [f"{entry['in']}: {describe_entry(entry)}" for entry in outcome.logs[log]]


@pytest.mark.usefixtures("starts_a_browser")
def test_known_deviation_of_a_program_is_named_with_its_reason() -> None:
    result = CliRunner().invoke(run, ["results/undefined", "--product", "chromium", "--json"])
    [program] = json.loads(result.stdout)["programs"]
    known = program["products"]["chromium"]["known"]
    assert (known["step"], known["published"]) == ("imperative-execute-steps 12.a.3", "imperative-execute-steps 10.a.4")
    assert (
        "known (product; imperative-execute-steps 12.a.3, imperative-execute-steps 10.a.4 of the published text): "
        in CliRunner().invoke(run, ["results/undefined", "--product", "chromium"]).output
    )


def test_model_context_is_native(chromium: BrowserProduct) -> None:
    made = program({"do": "get", "path": ["registerTool", "length"]}, {"do": "get", "path": []})
    assert words(outcome_of(chromium, made)) == ["top: get: 1", "top: get 2: ModelContext"]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"$js": "undefined"}, {"$js": "undefined"}),
        (None, None),
        ({"$js": "-0"}, {"$js": "-0"}),
        ({"$js": "-Infinity"}, {"$js": "-Infinity"}),
        (1.5, 1.5),
        ({"$bigint": "-12"}, {"$bigint": "-12"}),
        ({"$symbol": "s"}, {"$symbol": "s"}),
        ({"$string": [0xD800, 0x41]}, {"$string": [0xD800, 0x41]}),
        ({"$string": [0xD83D, 0xDE00]}, "\U0001f600"),
        ({"$repeat": "ab", "times": 3}, "ababab"),
        ("at {A}/x and {insecure}", "at {A}/x and {insecure}"),
        ({"$object": [["$x", 1], ["a", 2]]}, {"$object": [["$x", 1], ["a", 2]]}),
        ({"b": 1, "a": [1, {"c": True}]}, {"b": 1, "a": [1, {"c": True}]}),
        ({"__proto__": 1}, {"__proto__": 1}),
        ({"a": {"$getter": "g", "returns": 1}}, {"a": {"$accessor": True}}),
        ({"$cycle": "self"}, {"self": {"$cycle": 1}}),
        ({"$function": "f"}, {"$function": True}),
        ({"$toJSON": 5}, {"toJSON": {"$function": True}}),
        ({"$thenable": 5}, {"then": {"$function": True}}),
        ({"$error": "TypeError"}, {"$error": "TypeError"}),
        ({"$error": "AbortError"}, {"$error": "AbortError"}),
        ({"$signal": "c"}, {"$signal": False}),
        ({"$abortedSignal": "why"}, {"$signal": True}),
        ({"$anySignal": ["c", "d"]}, {"$signal": False}),
        ({"$promise": "p"}, {"$platform": "Promise"}),
        ({"$window": "top"}, {"$window": "top"}),
        ({"$origin": "top"}, "{A}"),
        (
            {"$tool": "t"},
            {"name": "t", "description": "", "origin": "{A}", "window": {"$window": "top"}},
        ),
    ],
)
def test_page_and_model_write_equal_values(chromium: BrowserProduct, value: Any, written: Any) -> None:
    made = program({"do": "log", "value": value})
    assert outcome_of(chromium, made) == Outcome({"top": [{"in": "top", "log": written}]})
    # The model has the same outcome.
    assert Model().run(made).outcome == Outcome({"top": [{"in": "top", "log": written}]})


def test_remembered_values_and_their_members_are_logged(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "log", "value": {"$let": "o", "be": {"a": [1, 2]}}},
        {"do": "set", "object": "o", "path": ["a", 1], "value": 3},
        {"do": "log", "value": {"$the": "o", "path": ["a", 1]}},
        {"do": "get", "object": "o", "path": ["b", "c"]},
        {"do": "same", "values": [{"$the": "o"}, {"$the": "o"}]},
        {"do": "same", "values": [{"$js": "-0"}, 0]},
    )
    assert words(outcome_of(chromium, made)) == [
        "top: log {a: [1, 2]}",
        "top: log 3",
        "top: get: threw TypeError",
        "top: same: true",
        "top: same 2: false",
    ]


def test_microtasks_run_before_timers_and_nested_steps(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "timer", "steps": [{"do": "log", "value": 1}]},
        {"do": "microtask", "steps": [{"do": "microtask", "as": "inner"}]},
        {"do": "log", "value": 2},
        {"do": "getTools", "arguments": [5], "as": "bad"},
    )
    assert words(outcome_of(chromium, made)) == [
        "top: log 2",
        "top: microtask: microtask",
        "top: bad: rejected with TypeError",
        "top: inner: microtask",
        "top: timer: timer",
        "top: log 1",
    ]


def test_events_are_logged_at_listener_and_handler(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "listen", "type": "toolcancel", "steps": [{"do": "log", "value": "heard"}]},
        {"do": "handler", "type": "toolcancel", "steps": []},
        {"do": "construct", "interface": "ToolActivatedEvent", "arguments": ["x", {"toolName": "t", "bubbles": True}]},
        {"do": "construct", "interface": "ModelContext"},
        {"do": "dispatch", "interface": "ToolCancelEvent", "arguments": ["toolcancel", {"toolName": "u"}]},
    )
    assert words(outcome_of(chromium, made)) == [
        'top: construct: {interface: "ToolActivatedEvent", type: "x", toolName: "t", flags: ["bubbles"]}',
        "top: construct 2: threw TypeError",
        'top: event toolcancel for "u" at listener (ToolCancelEvent)',
        'top: log "heard"',
        'top: event toolcancel for "u" at handler (ToolCancelEvent)',
        "top: dispatch: true",
    ]


def test_documents_of_one_origin_share_a_log_across_frames_and_popups(chromium: BrowserProduct) -> None:
    log = [{"do": "log", "value": {"$window": "top"}}]
    made = program(
        *log,
        documents={
            "b": {"parent": "top", "origin": "B"},
            "a": {"parent": "b", "origin": "A"},
            "b2": {"parent": "top", "origin": "B"},
            "closed": {"parent": "top", "sandbox": "allow-scripts"},
            "popup": {"opener": "top"},
            "popup-of-b": {"opener": "b"},
            "inside": {"parent": "popup-of-b", "origin": "A"},
        },
        **dict.fromkeys(("b", "a", "b2", "closed", "popup", "popup-of-b", "inside"), log),
    )
    outcome = outcome_of(chromium, made)
    assert {name: [entry["in"] for entry in log] for name, log in outcome.logs.items()} == {
        "top": ["top", "a", "popup", "inside"],
        "b": ["b", "b2", "popup-of-b"],
        "closed": ["closed"],
    }


def test_error_of_another_realm_names_its_document(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "removeFrame", "document": "child"},
        {"do": "getTools", "on": "child"},
        {"do": "getTools"},
        documents={"child": {"parent": "top"}},
    )
    assert words(outcome_of(chromium, made)) == [
        "top: getTools: rejected with InvalidStateError of child",
        "top: getTools 2: fulfilled with []",
    ]


def test_frame_is_added_navigated_and_removed(chromium: BrowserProduct) -> None:
    later = {"parent": "top", "start": "later"}
    made = program(
        {"do": "addFrame", "document": "x"},
        {"do": "waitFor", "message": "x is there"},
        {"do": "navigate", "document": "x", "to": "y"},
        {"do": "waitFor", "message": "y is there"},
        {"do": "removeFrame", "document": "y"},
        {"do": "log", "value": [{"$window": "x"}, {"$window": "y"}]},
        documents={"x": later, "y": {**later, "origin": "B"}},
        x=[{"do": "log", "value": "x"}, {"do": "tell", "to": "top", "message": "x is there"}],
        y=[{"do": "log", "value": "y"}, {"do": "tell", "to": "top", "message": "y is there"}],
    )
    outcome = outcome_of(chromium, made)
    assert words(outcome) == ['x: log "x"', "top: log [Window(x), Window(x)]"]
    assert words(outcome, "y") == ['y: log "y"']


def test_frame_that_removes_itself_keeps_its_log_entries(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "log", "value": 1},
        documents={"b": {"parent": "top", "origin": "B"}, "inner": {"parent": "b"}},
        inner=[{"do": "log", "value": 2}, {"do": "removeFrame", "document": "inner"}, {"do": "log", "value": 3}],
    )
    assert words(outcome_of(chromium, made), "b") == ["inner: log 2", "inner: log 3"]


def test_messages_arrive_while_windows_open(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "open", "document": "p"},
        {"do": "open", "document": "q"},
        documents={
            "b": {"parent": "top", "origin": "B"},
            "p": {"opener": "top", "start": "later"},
            "q": {"opener": "top", "start": "later", "origin": "C"},
        },
        b=[step for number in range(50) for step in ({"do": "log", "value": number}, {"do": "getTools"})],
    )
    for _ in range(3):
        outcome = outcome_of(chromium, made)
        assert [entry["log"] for entry in outcome.logs["b"] if "log" in entry] == list(range(50))
        assert outcome.pending == ()


STALE = """
addEventListener("load", () => {
  const run = "https://a.test/before";
  postMessage({ acknowledged: 1, run, from: "child", to: "top" }, "*");
  postMessage({ modelcontext: { kind: "broken", id: "child", text: "stale" }, run, from: "child", to: "top", number: 1 }, "*");
});
"""


@pytest.mark.usefixtures("starts_a_browser")
def test_messages_of_an_earlier_page_are_ignored() -> None:
    product = BrowserProduct(make_target("chromium"), scripts=[STALE])
    made = program({"do": "registerTool", "tool": {"name": "t", "description": "d"}})
    with product:
        assert diagnose(made, product.run(made)).kind == "allowed"


def test_run_ends_with_pending_promises(chromium: BrowserProduct) -> None:
    made = program(
        {**REGISTER, "callback": {"pending": "p", "watch": True}},
        {"do": "executeTool", "tool": {"$tool": "t"}, "wait": False},
        {"do": "executeTool", "tool": {"$tool": "t"}, "as": "for ever"},
        {"do": "log", "value": "never"},
    )
    outcome = outcome_of(chromium, made)
    assert outcome.pending == ("top: executeTool", "top: for ever")
    assert [entry["callback"] for entry in outcome.logs["top"] if "callback" in entry] == ["t", "t"]


def test_insecure_document_has_no_model_context(chromium: BrowserProduct) -> None:
    made = program({"do": "get", "path": []}, {"do": "getTools"}, documents={"top": {"origin": "insecure"}})
    assert words(outcome_of(chromium, made)) == ["top: get: undefined", "top: getTools: threw TypeError"]


def test_permissions_policy_and_allow_attribute_reach_the_browser(chromium: BrowserProduct) -> None:
    documents = {
        "top": {"permissions-policy": 'tools=(self "{B}")'},
        "b": {"parent": "top", "origin": "B", "allow": "tools {B}"},
        "c": {"parent": "top", "origin": "C", "allow": "tools"},
    }
    tools = [{"do": "getTools"}]
    outcome = outcome_of(chromium, program(*tools, documents=documents, b=tools, c=tools))
    assert words(outcome) == ["top: getTools: fulfilled with []"]
    assert words(outcome, "b") == ["b: getTools: fulfilled with []"]
    assert words(outcome, "c") == ["c: getTools: rejected with NotAllowedError"]


def test_program_cannot_disturb_the_runtime(chromium: BrowserProduct) -> None:
    broken: dict[str, Any] = {"$function": "never called by the runtime", "throws": 1}
    made = program(
        {"do": "log", "value": [{"$let": "w", "be": {"$window": "top"}}]},
        *(
            {"do": "set", "object": "w", "path": path, "value": broken}
            for path in (["Promise", "prototype", "then"], ["JSON", "stringify"], ["Array", "prototype", "push"])
        ),
        {"do": "getTools"},
    )
    assert words(outcome_of(chromium, made)) == ["top: log [Window(top)]", "top: getTools: fulfilled with []"]


def test_logged_text_cannot_end_the_script_element(chromium: BrowserProduct) -> None:
    text = "</script><script>alert(1)</script><!--"
    assert outcome_of(chromium, program({"do": "log", "value": text})).logs["top"][0]["log"] == text


def test_crash_is_an_observation_and_the_next_run_is_sound(chromium: BrowserProduct) -> None:
    observation = chromium.run(load(ROOT / "wpt_tests" / "programs" / "results" / "symbol.toml"))
    assert observation.ending is Ending.CRASH
    assert "crashed" in observation.detail
    assert words(outcome_of(chromium, program({"do": "log", "value": 1}))) == ["top: log 1"]


def test_endless_program_is_a_timeout(chromium: BrowserProduct, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = program(
        {"do": "listen", "type": "x", "steps": [{"do": "log", "value": 1}]},
        {
            "do": "listen",
            "type": "toolchange",
            "steps": [
                {
                    "do": "registerTool",
                    "tool": {"name": "u", "description": "d"},
                    "options": {"signal": {"$abortedSignal": 1}},
                }
            ],
        },
        # Each execution starts the next one.
        {
            **REGISTER,
            "callback": {"steps": [{"do": "executeTool", "tool": {"$tool": "t"}, "as": "again"}]},
        },
        {"do": "executeTool", "tool": {"$tool": "t"}},
    )
    with monkeypatch.context() as impatient:
        impatient.setattr(chromium, "_patience", 1.0)
        observation = chromium.run(endless)
    assert observation.ending is Ending.TIMEOUT
    assert "do not come to rest" in observation.detail
    assert words(outcome_of(chromium, program({"do": "log", "value": 1}))) == ["top: log 1"]


def test_page_that_never_answers_is_a_timeout(chromium: BrowserProduct, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(program_page, "RESULT", "for (;;);")
        patch.setattr(browser_product, "CLOSING", 1.0)
        patch.setattr(chromium, "_patience", 1.0)
        observation = chromium.run(program({"do": "log", "value": 1}))
    assert observation.ending is Ending.TIMEOUT
    assert words(outcome_of(chromium, program({"do": "log", "value": 1}))) == ["top: log 1"]


def test_unreachable_window_is_an_error_of_the_run(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "tell", "to": "q", "message": "m"},
        documents={"b": {"parent": "top", "origin": "B"}, "p": {"opener": "b"}, "q": {"opener": "b"}},
        p=[{"do": "tell", "to": "q", "message": "m"}],
    )
    observation = chromium.run(made)
    assert observation.ending is Ending.ERROR
    assert "cannot reach the window of q" in observation.detail


def test_forgotten_model_context_is_an_error_of_the_run(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "navigate", "document": "b", "to": "c"},
        documents={"b": {"parent": "top", "origin": "B"}, "c": {"parent": "top", "origin": "B", "start": "later"}},
        c=[{"do": "getTools", "on": "b"}],
    )
    observation = chromium.run(made)
    assert observation.ending is Ending.ERROR
    assert "script.c[0]: the document c cannot reach the ModelContext of b" in observation.detail


def test_removed_iframe_does_not_navigate(chromium: BrowserProduct) -> None:
    made = program(
        {"do": "log", "value": 1},
        {"do": "removeFrame", "document": "b"},
        {"do": "navigate", "document": "b", "to": "c"},
        {"do": "log", "value": 2},
        documents={"b": {"parent": "top"}, "c": {"parent": "top", "start": "later"}},
        c=[{"do": "log", "value": 3}],
    )
    outcome = outcome_of(chromium, made)
    assert words(outcome) == ["top: log 1"]
    assert diagnose(made, chromium.run(made)).kind == "allowed"


# Browsers that are missing or unusable


def test_missing_binary_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="--binary names /no/chromium, which does not exist") as caught:
        BrowserProduct(make_target("chromium", binary="/no/chromium")).launch()
    assert "modelcontext setup" in caught.value.remedy


def test_variable_naming_a_missing_binary_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELCONTEXT_CHROMIUM", "/no/chromium")
    with pytest.raises(UnavailableError, match="MODELCONTEXT_CHROMIUM names /no/chromium"):
        BrowserProduct(make_target("chromium")).launch()


@pytest.mark.usefixtures("starts_a_browser")
def test_binary_that_is_not_a_browser_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="/bin/false does not start"):
        BrowserProduct(make_target("chromium", binary="/bin/false")).launch()


@pytest.mark.usefixtures("starts_a_browser")
def test_browser_without_the_feature_is_unavailable(tmp_path: Path) -> None:
    real = make_target("chromium").find_binary()
    assert real is not None
    wrapper = tmp_path / "chromium"
    wrapper.write_text(f'#!/bin/sh\nexec {real} "$@" --disable-features=WebMCP\n')
    wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)
    with pytest.raises(UnavailableError, match=r"version [0-9.]+, has no document\.modelContext"):
        BrowserProduct(make_target("chromium", binary=str(wrapper))).launch()
    tested = CliRunner().invoke(run_tests, ["webmcp/imperative/get-tools.https.html", "--binary", str(wrapper)])
    assert tested.exit_code == 2
    assert "0 known deviations, 0 unexpected" in tested.stdout
    assert "has no document.modelContext" in tested.stderr


LEAVING = program(
    {"do": "pageTransition", "type": "pagehide"},
    {"do": "pageTransition", "type": "pageshow"},
    {"do": "tell", "to": "frame", "message": "listening"},
    {"do": "waitFor", "message": "ready"},
    {"do": "leave", "document": "away"},
    {"do": "log", "value": {"$window": "top"}},
    {"do": "tell", "to": "frame", "message": "back"},
    documents={
        "frame": {"parent": "top", "origin": "B"},
        "away": {"tab": "top", "start": "later"},
    },
    frame=[
        {"do": "waitFor", "message": "listening"},
        {"do": "tell", "to": "top", "message": "ready"},
        {"do": "waitFor", "message": "back"},
        {"do": "log", "value": "still here"},
    ],
    away=[{"do": "log", "value": {"$origin": "top"}}, {"do": "getTools"}, {"do": "goBack"}],
)


def test_promises_of_a_removed_document_are_not_observed(chromium: BrowserProduct) -> None:
    register = {"do": "registerTool", "tool": {"name": "t", "description": "d"}}
    made = program(
        {**register, "on": "child"},
        {"do": "removeFrame", "document": "child"},
        documents={"child": {"parent": "top"}},
        child=[{**register, "on": "top"}],
    )
    assert diagnose(made, chromium.run(made)).kind == "allowed"


def test_page_comes_back_from_the_cache_with_its_frames(chromium: BrowserProduct) -> None:
    for _ in range(2):
        outcome = outcome_of(chromium, LEAVING)
        assert words(outcome) == [
            "top: page transition pagehide",
            "top: page transition pageshow",
            "top: log Window(top)",
        ]
        assert words(outcome, "frame") == ['frame: log "still here"']
        assert words(outcome, "away") == ['away: log "{A}"', "away: getTools: fulfilled with []"]
    assert words(outcome_of(chromium, program({"do": "log", "value": 1}))) == ["top: log 1"]


@pytest.mark.usefixtures("starts_a_browser")
def test_page_that_is_not_kept_in_the_cache_is_an_error_of_the_run() -> None:
    script = "navigator.locks?.request('for ever', () => new Promise(() => {}))"
    product = BrowserProduct(make_target("chromium"), scripts=[script])
    with product:
        observation = product.run(LEAVING)
    assert observation.ending is Ending.ERROR
    assert "did not keep the page in the back/forward cache" in observation.detail
