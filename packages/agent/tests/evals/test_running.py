"""Evaluations run on lists, simulated and live pages; tools come and go meanwhile, and each failure is a result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart

from modelcontext import Browser, Promise
from modelcontext.judging.clients.page_tools import PageTool
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext_agent.cli.agent_eval import command
from modelcontext_agent.demo.simulated_shop import simulated_shop
from modelcontext_agent.demo.site import DemoSite
from modelcontext_agent.evals import eval_run, sources
from modelcontext_agent.evals.answers import model_for
from modelcontext_agent.evals.conversation import answers_in, messages_of
from modelcontext_agent.evals.eval_files import Eval, read_evals
from modelcontext_agent.evals.eval_run import MOST_REQUESTS, EvalOutcome, EvalResult, exit_data, run_eval
from modelcontext_agent.evals.sources import ListedTools, LivePageTools, PageTools, ToolSource
from modelcontext_agent.exposure.aliases import by_alias
from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.models.fakes import fake_provider
from modelcontext_agent.models.model_names import build_model
from modelcontext_agent.pages.live_page import open_browser, open_tab
from modelcontext_agent.pages.simulated_page import SimulatedPage

if TYPE_CHECKING:
    from modelcontext_agent.pages.contract import CallResult

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples" / "evals"
EVALS, TOOLS, ANSWERS = (str(EXAMPLES / name) for name in ("tea.json", "tea-tools.json", "tea-answers.toml"))

USER = {"role": "user", "type": "message", "content": "hello"}


class FakeClock:
    """A clock on which nobody waits."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


def an_eval(folder: Path, expected: Any, *messages: Any) -> Eval:
    path = folder / "evals.json"
    path.write_text(json.dumps([{"messages": messages or [USER], "expectedCall": expected}]))
    return read_evals(path)[0]


def listed_tool(name: str) -> PageTool:
    return PageTool(name, "d", document="", origin="tools.json")


def run(one: Eval, source: ToolSource, answers: Sequence[dict[str, Any]], **members: Any) -> EvalResult:
    script = canned_answers_of({"answers": list(answers), **members})
    return asyncio.run(run_eval(one, lambda skipped: model_for(script, skipped), source))


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "arguments": arguments}]}


END = {"text": "That is all: {outputs}"}


def test_mocked_output_is_what_the_model_reads(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "t", "mockOutput": {"answer": 42}}, {"functionName": "t"}])
    result = run(one, ListedTools([listed_tool("t")], one), [call("t"), END, END])
    assert '{"answer": 42}' in result.text
    assert result.outcome is EvalOutcome.FAIL
    assert result.reason == "after 1 call the model makes no more calls; missing: t"
    result = run(one, ListedTools([listed_tool("t")], one), [call("t"), call("t"), END])
    assert (result.outcome, [made.output for made in result.calls]) == (EvalOutcome.PASS, [{"answer": 42}, {}])


def test_call_of_an_unknown_tool_fails_with_the_names_that_there_are(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "t"}])
    result = run(one, ListedTools([listed_tool("other")], one), [call("t"), END])
    assert result.outcome is EvalOutcome.FAIL
    assert "There is no tool “t”. Nothing ran. The tools that the page has: other." in result.reason
    none = run(one, ListedTools([], one), [call("t"), END])
    assert "The tools that the page has: none." in none.reason


def test_no_expected_call_means_that_every_call_is_wrong(tmp_path: Path) -> None:
    one = an_eval(tmp_path, None)
    assert run(one, ListedTools([listed_tool("t")], one), [END]).outcome is EvalOutcome.PASS
    result = run(one, ListedTools([listed_tool("t")], one), [call("t"), END])
    assert result.reason == "call 1, t {}, is not expected: no more calls are"


def test_tools_that_come_and_go_are_called_while_they_are_there(tmp_path: Path) -> None:
    browser = Browser()
    document = browser.open("https://shop.example/")
    registration = document.new_abort_controller()

    def swap(given: object) -> str:
        registration.abort()
        document.model_context.register_tool(name="second", description="d", execute=lambda given: "here")
        return "swapped"

    document.model_context.register_tool(name="first", description="d", execute=swap, signal=registration.signal)
    browser.run_until_idle()
    source = PageTools(SimulatedPage(browser, document), may=False)
    gone = {"functionName": "first", "gone": True}
    one = an_eval(tmp_path, [{"functionName": "first"}, {"functionName": "second"}, gone])
    result = run(one, source, [call("first"), call("second"), call("first"), END])
    assert result.outcome is EvalOutcome.PASS
    assert [(made.call.name, made.output, made.is_error) for made in result.calls] == [
        ("first", "swapped", False),
        ("second", "here", False),
        ("first", "There is no tool “first”. Nothing ran.", True),
    ]


def test_call_of_a_tool_that_is_gone_fails_the_evaluation_unless_it_is_expected(tmp_path: Path) -> None:
    browser = Browser()
    document = browser.open("https://shop.example/")
    registrations = [document.new_abort_controller() for _ in range(2)]

    def close(given: object) -> None:
        # The second call of the same answer comes too late.
        for registration in registrations:
            registration.abort()

    for name, registration in zip(("first", "second"), registrations, strict=True):
        document.model_context.register_tool(name=name, description="d", execute=close, signal=registration.signal)
    browser.run_until_idle()
    source = PageTools(SimulatedPage(browser, document), may=False)
    both = {"calls": [{"tool": "first", "arguments": {}}, {"tool": "second", "arguments": {}}]}
    one = an_eval(tmp_path, [{"functionName": "first"}, {"functionName": "second"}])
    result = run(one, source, [both, END])
    assert result.outcome is EvalOutcome.FAIL
    why = "The page no longer has a tool “second”. Nothing ran."
    assert result.reason == f"call 2, second {{}}, is not expected: {why}"


def test_tool_that_is_there_does_not_match_a_call_of_one_that_is_gone(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "t", "gone": True}])
    result = run(one, ListedTools([listed_tool("t")], one), [call("t"), END])
    assert result.reason == "call 1, t {}, is not expected: its tool is still there"
    result = run(one, ListedTools([], one), [call("t"), END])
    assert result.outcome is EvalOutcome.PASS


def test_consequential_tool_runs_only_if_it_may(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "place_order"}])
    refused = run(one, PageTools(simulated_shop(), may=False), [call("place_order"), END])
    assert refused.calls[0].output == "Nobody here approves “place_order”, which has consequences. Nothing ran."
    tried = run(one, PageTools(simulated_shop(), may=True), [call("place_order"), END])
    assert "UnknownError" in tried.calls[0].output


def test_call_that_does_not_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "CALL_SECONDS", 0.0)
    browser = Browser()
    document = browser.open("https://shop.example/")

    async def never(given: object) -> None:
        await Promise(browser, JSPromise(document._html.realm))

    document.model_context.register_tool(name="t", description="d", execute=never)
    browser.run_until_idle()
    one = an_eval(tmp_path, [{"functionName": "t"}])
    result = run(one, PageTools(SimulatedPage(browser, document), may=False), [call("t"), END])
    assert (result.outcome, result.calls[0].is_error) == (EvalOutcome.PASS, True)
    assert result.calls[0].output.startswith("The tool “t” took more than 0 s, and the call was aborted.")


def test_arguments_that_are_no_object_are_told_to_the_model_and_never_match(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "t", "arguments": {}}])
    answers: list[dict[str, Any]] = [{"calls": [{"tool": "t", "raw_arguments": "{ not JSON"}]}, END]
    result = run(one, ListedTools([listed_tool("t")], one), answers)
    assert result.calls[0].output == "The arguments of “t” are not a JSON object. Nothing ran."
    assert result.reason == 'call 1, t "{ not JSON", is not expected: arguments is "{ not JSON", and not {}'


def test_script_without_an_answer_is_an_error_of_the_evaluation(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "t"}])
    result = run(one, ListedTools([listed_tool("t")], one), [call("t")])
    assert result.outcome is EvalOutcome.ERROR
    assert "the chat asks for answer 2" in result.reason


def test_model_that_calls_tools_for_ever_is_an_error(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [])
    result = run(one, ListedTools([listed_tool("t")], one), [call("t")], repeat=True)
    assert result.outcome is EvalOutcome.ERROR
    assert result.reason == f"the model still calls tools after {MOST_REQUESTS} requests"
    assert len(result.calls) == MOST_REQUESTS


def test_failure_that_may_pass_is_tried_again(tmp_path: Path) -> None:
    clock = FakeClock()
    one = an_eval(tmp_path, None)
    script = canned_answers_of({"answers": [{"failures": [{"status": 529, "times": 2}], "text": "At last."}]})
    source = ListedTools([], one)
    told: list[float] = []
    result = asyncio.run(
        run_eval(
            one,
            lambda skipped: model_for(script, skipped),
            source,
            clock=clock,
            on_retry=lambda retry: told.append(retry.delay),
        )
    )
    assert (result.outcome, result.text, clock.waited) == (EvalOutcome.PASS, "At last.", [1.0, 2.0])
    assert told == clock.waited
    script = canned_answers_of({"answers": [{"failures": [{"status": 401}], "text": "Never."}]})
    result = asyncio.run(run_eval(one, lambda skipped: model_for(script, skipped), source, clock=clock))
    assert result.outcome is EvalOutcome.ERROR


def test_earlier_messages_are_a_conversation_with_calls_and_responses(tmp_path: Path) -> None:
    messages = (
        USER,
        {"role": "model", "type": "message", "content": "I look."},
        {"role": "model", "type": "functioncall", "name": "a.b", "arguments": {"x": 1}},
        {"role": "model", "type": "functioncall", "name": "gone"},
        {"role": "user", "type": "functionresponse", "name": "gone", "response": 7},
        {"role": "user", "type": "functionresponse", "name": "a.b", "response": {"y": 2}},
        {"role": "model", "type": "message", "content": "I saw."},
        USER,
    )
    one = an_eval(tmp_path, [{"functionName": "a.b"}], *messages)
    tools = by_alias([listed_tool("a.b")])
    [alias] = tools
    history: list[ModelMessage] = messages_of(one.messages, tools)
    assert [type(message) for message in history] == [
        ModelRequest,
        ModelResponse,
        ModelRequest,
        ModelResponse,
        ModelRequest,
    ]
    assert answers_in(history) == 2
    called = history[1]
    assert isinstance(called, ModelResponse)
    assert [(part.tool_name, part.args, part.tool_call_id) for part in called.tool_calls] == [
        (alias, {"x": 1}, "eval_1"),
        ("gone", {}, "eval_2"),
    ]
    returned = [part for part in history[2].parts if isinstance(part, ToolReturnPart)]
    assert [(part.tool_name, part.tool_call_id) for part in returned] == [("gone", "eval_2"), (alias, "eval_1")]
    # The script of an evaluation begins with the answer after them.
    result = run(one, ListedTools([listed_tool("a.b")], one), [call("a.b"), END])
    assert (result.outcome, [made.call.name for made in result.calls]) == (EvalOutcome.PASS, ["a.b"])


@pytest.mark.parametrize("kind", ["anthropic", "openai", "openai-responses", "google"])
def test_evaluation_runs_through_the_adapter_of_a_real_provider(tmp_path: Path, kind: str) -> None:
    one = an_eval(tmp_path, [{"functionName": "open_basket"}, {"functionName": "add_to_basket"}])
    script = canned_answers_of({"answers": [call("open_basket"), call("add_to_basket", name="Assam"), END]})

    async def steps() -> EvalResult:
        async with fake_provider(kind, script) as fake:
            return await run_eval(
                one,
                lambda skipped: build_model(f"{kind}:fake-1", base_url=fake.base_url, api_key="k"),
                PageTools(simulated_shop(), may=False),
            )

    result = asyncio.run(steps())
    assert (result.outcome, result.reason) == (EvalOutcome.PASS, "")
    assert result.calls[1].output == {"basket": [{"name": "Assam", "amount": 1}]}


def test_exit_data_has_the_members_of_the_public_evaluations(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "t", "arguments": {"x": 1}}])
    result = run(one, ListedTools([listed_tool("t")], one), [call("t", x=2), END])
    data = exit_data([result])
    counts = {"testCount": 1, "passCount": 0, "failCount": 1, "errorCount": 0}
    assert {key: value for key, value in data.items() if key != "results"} == counts
    assert data["results"] == [
        {
            "name": "1",
            "test": one.source,
            "outcome": "fail",
            "reason": 'call 1, t {"x": 2}, is not expected: arguments.x is 2, and not 1',
            "calls": [
                {
                    "functionName": "t",
                    "arguments": {"x": 2},
                    "origin": "tools.json",
                    "output": {},
                    "isError": False,
                }
            ],
            "text": result.text,
        }
    ]


@pytest.mark.parametrize("source", [["--tools", TOOLS], ["--page", "simulated"]], ids=" ".join)
def test_verb_runs_the_examples(source: list[str]) -> None:
    result = CliRunner().invoke(command, [EVALS, *source, "--model", f"scripted:{ANSWERS}", "--json"])
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads(result.stdout)
    assert (data["testCount"], data["passCount"], data["failCount"], data["errorCount"]) == (3, 3, 0, 0)


@pytest.mark.usefixtures("starts_a_browser")
def test_verb_runs_the_examples_on_a_live_page() -> None:
    with DemoSite() as site:
        arguments = [EVALS, "--page", site.url, "--model", f"scripted:{ANSWERS}", "--json"]
        result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    calls = json.loads(result.stdout)["results"][1]["calls"]
    assert [(made["functionName"], made["origin"], made["isError"]) for made in calls] == [
        ("open_basket", site.origins[0], False),
        ("add_to_basket", site.origins[0], False),
        ("add_to_basket", site.origins[0], False),
    ]


def test_failed_evaluation_gives_exit_code_1_and_its_reason(tmp_path: Path) -> None:
    script = tmp_path / "answers.toml"
    script.write_text('answers = [{ text = "I do not know." }]')
    result = CliRunner().invoke(command, [EVALS, "--tools", TOOLS, "--model", f"scripted:{script}"])
    assert result.exit_code == 1
    assert "3 evaluations: 1 pass, 2 fail, 0 error" in result.stdout


def test_call_that_failed_is_marked_and_its_error_is_told(tmp_path: Path) -> None:
    evals = tmp_path / "evals.json"
    evals.write_text(json.dumps([{"messages": [USER], "expectedCall": [{"functionName": "place_order"}]}]))
    result = CliRunner().invoke(command, [str(evals), "--page", "simulated", "--model", "expected"])
    assert (result.exit_code, "place_order (error)" in result.stdout) == (0, True)
    told = " ".join(result.stdout.replace("│", " ").split())
    assert "ValueError: the basket is empty" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give either --tools FILE or --page PAGE"),
        (["--tools", TOOLS, "--page", "simulated"], "give either --tools FILE or --page PAGE"),
        (["--tools", TOOLS, "--model", "someone"], "“someone” does not name a model"),
        (["--tools", TOOLS, "--model", "scripted:nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--tools", TOOLS, "--model", "anthropic:claude"], "anthropic needs a key: set ANTHROPIC_API_KEY"),
        (["--tools", ANSWERS], "is not JSON"),
    ],
)
def test_wrong_usage_of_the_verb_is_one_clear_error(
    arguments: list[str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    result = CliRunner().invoke(command, [EVALS, "--model", f"scripted:{ANSWERS}", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_interrupted_evaluations_tell_the_results_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = eval_run.run_evals

    async def cut(evals: Sequence[Any], *others: Any, **options: Any) -> None:
        await whole(evals[:1], *others, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(eval_run, "run_evals", cut)
    result = CliRunner().invoke(command, [EVALS, "--tools", TOOLS, "--model", f"scripted:{ANSWERS}"])
    assert result.exit_code == 130
    assert "1 evaluation: 1 pass" in result.stdout
    assert result.stderr.endswith("modelcontext: interrupted; 1 of 3 evaluations have ended\n")


@pytest.mark.usefixtures("starts_a_browser")
def test_page_that_is_answered_with_an_error_fails_its_evaluations() -> None:
    with DemoSite() as site:
        arguments = [EVALS, "--page", f"{site.url}absent", "--model", f"scripted:{ANSWERS}", "--json"]
        result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, result.stderr) == (1, "")
    results = json.loads(result.stdout)["results"]
    assert [one["outcome"] for one in results] == ["error"] * 3
    assert {one["reason"] for one in results} == {f"{site.url}absent answered 404 Not Found"}


@pytest.mark.usefixtures("starts_a_browser")
def test_page_whose_browser_ends_fails_its_evaluation(tmp_path: Path) -> None:
    one = an_eval(tmp_path, [{"functionName": "search_teas"}])
    script = canned_answers_of({"answers": [call("search_teas"), END]})

    async def steps() -> EvalResult:
        with DemoSite() as site:
            async with open_browser() as browser, open_tab(browser, site.url) as page:
                source = LivePageTools(page, may=False)

                def model(skipped: int) -> Any:
                    return model_for(script, skipped)

                class Closing(LivePageTools):
                    async def call(self, tool: PageTool, arguments: Any) -> CallResult:
                        result = await source.call(tool, arguments)
                        await browser.close()
                        return result

                return await run_eval(one, model, Closing(page, may=False))

    result = asyncio.run(steps())
    assert (result.outcome, [made.call.name for made in result.calls]) == (EvalOutcome.ERROR, ["search_teas"])
    assert "its browser has ended" in result.reason


def test_binary_is_the_browser_of_the_pages() -> None:
    arguments = [EVALS, "--model", f"scripted:{ANSWERS}", "--binary", "/absent"]
    with DemoSite() as site:
        result = CliRunner().invoke(command, [*arguments, "--page", site.url])
    assert result.exit_code == 2
    assert "/absent" in result.stderr
    for source in (["--tools", TOOLS], ["--page", "simulated"]):
        result = CliRunner().invoke(command, [*arguments, *source])
        assert result.exit_code == 2
        assert "--binary is for pages in Chromium" in result.stderr


@pytest.mark.usefixtures("starts_a_browser")
def test_page_that_cannot_be_opened_ends_the_verb() -> None:
    arguments = [EVALS, "--page", "http://127.0.0.1:9/", "--model", f"scripted:{ANSWERS}"]
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "http://127.0.0.1:9/ cannot be opened" in result.stderr
