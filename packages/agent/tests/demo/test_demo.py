"""The demo ends in the same way on every page and with every adapter, and tells who did what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from modelcontext.ground.problems import UnavailableError
from modelcontext.programs.face import Browser
from modelcontext_agent.chat.notices import Notices
from modelcontext_agent.chat.service import ChatService
from modelcontext_agent.cli.agent_demo import command
from modelcontext_agent.demo import demo_run
from modelcontext_agent.demo.demo_run import DemoRun, run_demo, run_on
from modelcontext_agent.demo.fake_providers import PROVIDERS
from modelcontext_agent.demo.simulated_shop import simulated_shop
from modelcontext_agent.demo.site import DemoSite
from modelcontext_agent.demo.words import lines_of
from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.pages.live_page import open_browser, open_tab
from modelcontext_agent.pages.simulated_page import SimulatedPage

#: What happens in each run of the demo, without times, places and ids: pauses, who ran what, and the end.
STEPS = [
    ("message", "user"),
    ("message", "assistant"),
    ("pause", "search_teas open_basket"),
    ("ran", "search_teas"),
    ("ran", "open_basket"),
    ("resume", ""),
    ("message", "assistant"),
    ("pause", "add_to_basket"),
    ("ran", "add_to_basket"),
    ("resume", ""),
    ("message", "assistant"),
    ("asks", "place_order"),
    ("decided", "approve"),
    ("pause", "place_order"),
    ("ran", "place_order"),
    ("resume", ""),
    ("message", "assistant"),
    ("pause", "track_parcel"),
    ("ran", "track_parcel"),
    ("resume", ""),
    ("message", "assistant"),
    ("done", ""),
]


def steps_of(run: DemoRun) -> list[tuple[str, str]]:
    names: dict[str, str] = {}
    steps = []
    for event in run.events:
        data = event.data
        match event.type:
            case "message":
                steps.append(("message", data["role"]))
            case "tool_call":
                names[data["tool_call_id"]] = data["tool_name"]
            case "action_required" | "approval_required":
                called = " ".join(call["tool_name"] for call in data["tool_calls"])
                steps.append(("pause" if event.type == "action_required" else "asks", called))
            case "approval":
                steps.append(("decided", data["decision"]))
            case "tool_result":
                steps.append(("failed" if data["is_error"] else "ran", names[data["tool_call_id"]]))
            case "status" if data["reason"] == "results":
                steps.append(("resume", ""))
            case "done":
                steps.append(("done", "failed" if data["failed"] else ""))
    return steps


def check(run: DemoRun) -> None:
    """Assert that a run was the demo: its steps, the tools of two origins, the one that came, and the last words."""
    assert steps_of(run) == STEPS
    assert not run.has_failed
    shop, parcels = run.before[0].origin, run.before[-1].origin
    assert shop != parcels
    assert [(tool.name, tool.origin) for tool in run.before] == [
        ("open_basket", shop),
        ("place_order", shop),
        ("search_teas", shop),
        ("track_parcel", parcels),
    ]
    assert [tool.name for tool in run.after if tool not in run.before] == ["add_to_basket"]
    called = [(call["tool_name"], call["origin"]) for item in run.transcript for call in item.get("tool_calls", ())]
    assert called == [
        ("search_teas", shop),
        ("open_basket", shop),
        ("add_to_basket", shop),
        ("place_order", shop),
        ("track_parcel", parcels),
    ]
    assert run.transcript[-1]["text"].startswith("Two portions of Sencha are on their way")


@pytest.fixture(scope="module")
def in_chromium(starts_a_browser: None) -> Iterator[Any]:
    """Return a function that runs the demo in the module's browser."""
    with asyncio.Runner() as runner, DemoSite() as site:
        opening = open_browser()
        browser = runner.run(opening.__aenter__())

        async def run(provider: str | None) -> DemoRun:
            async with asyncio.timeout(60), open_tab(browser, site.url) as page:
                return await run_on(page, provider)

        yield lambda provider: runner.run(run(provider))
        runner.run(opening.__aexit__(None, None, None))


@pytest.mark.parametrize("provider", [None, *PROVIDERS])
def test_demo_in_chromium_pauses_for_the_page_resumes_and_ends(in_chromium: Any, provider: str | None) -> None:
    check(in_chromium(provider))


@pytest.mark.parametrize("provider", [None, *PROVIDERS])
def test_demo_in_the_simulated_browser_pauses_for_the_page_resumes_and_ends(provider: str | None) -> None:
    check(asyncio.run(run_demo(provider=provider, is_simulated=True)))


def test_simulated_shop_offers_what_the_site_offers(in_chromium: Any) -> None:
    simulated, live = asyncio.run(run_demo(is_simulated=True)), in_chromium(None)
    for when in ("before", "after"):
        tools = [[tool.definition for tool in getattr(run, when)] for run in (simulated, live)]
        assert tools[0] == tools[1]
    outputs = [
        [event.data["output"] for event in run.events if event.type == "tool_result"] for run in (simulated, live)
    ]
    assert outputs[0] == outputs[1]


def test_words_tell_who_did_what_and_where_the_chat_paused() -> None:
    lines = list(lines_of(asyncio.run(run_demo(is_simulated=True))))
    told = [tuple(line.strip().split("  ", 1)) for line in lines if line]
    assert told[:6] == [
        ("site", "https://tea.example/ in the simulated browser"),
        ("offers", "open_basket, place_order, search_teas of https://tea.example"),
        ("offers", "track_parcel of https://parcels.example in frame-1"),
        ("is asked", "scripted:conversation.toml"),
        ("user", "Two portions of a green tea, please. Order them, and tell me where the parcel is."),
        ("model", "I look for green teas, and open a basket."),
    ]
    assert told[6:9] == [
        ("calls", 'search_teas {"kind":"green"} of https://tea.example'),
        ("calls", "open_basket {} of https://tea.example"),
        ("pause", "the chat is a row in the database until the page has run search_teas, open_basket"),
    ]
    assert ("pause", "a person is asked: place_order {}") in told
    assert ("person", "approve: place_order") in told
    assert ("calls", 'track_parcel {"parcel":"P-1001"} of https://parcels.example in frame-1') in told
    assert [who for who, _ in told].count("resume") == 4
    assert told[-3:] == [
        ("end", "the turn is over"),
        ("site", "new tools of the page:"),
        ("offers", "add_to_basket of https://tea.example"),
    ]


def test_verb_prints_the_words() -> None:
    result = CliRunner().invoke(command, ["--simulated"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert "     end  the turn is over\n" in result.stdout


@pytest.mark.usefixtures("starts_a_browser")
def test_verb_prints_json_of_a_run_in_chromium() -> None:
    result = CliRunner().invoke(command, ["--json"])
    assert (result.exit_code, result.stderr) == (0, "")
    data = json.loads(result.stdout)
    assert (data["page"]["simulated"], data["model"], data["state"]) == (False, "scripted:conversation.toml", "waiting")
    assert [item["role"] for item in data["transcript"]] == ["user"] + ["assistant"] * 5
    assert [event["id"] for event in data["events"]] == list(range(1, len(data["events"]) + 1))


def test_demo_that_fails_gives_exit_code_1_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = canned_answers_of({"answers": [{"failures": [{"status": 401}], "text": "never"}]})
    monkeypatch.setattr(demo_run, "read_canned_answers", lambda path: failing)
    result = CliRunner().invoke(command, ["--simulated"])
    assert result.exit_code == 1
    assert "   error  " in result.stdout
    assert "     end  the turn failed\n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--provider", "nobody"], "'nobody' is not one of"),
        (["--simulated", "--binary", "chrome"], "--simulated needs no browser"),
        (["--binary", "/nowhere/chrome"], "what to do: "),
    ],
)
def test_wrong_usage_or_a_missing_browser_gives_exit_code_2(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_page_without_the_tools_of_both_origins_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_run, "PATIENCE", 0.0)
    browser = Browser()
    page = SimulatedPage(browser, browser.open("https://shop.example/"))
    with pytest.raises(UnavailableError, match="the page did not offer its tools in 0 seconds"):
        asyncio.run(run_on(page, None))


def test_cancelled_demo_ends_its_connections_after_the_read_that_its_listener_has_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, go_on = asyncio.Event(), asyncio.Event()
    ends: list[str] = []
    close = Notices.close

    async def held(self: ChatService, *_: Any) -> list[Any]:
        def note(_engine: Any) -> None:
            ends.append("connections")
            go_on.set()

        sa.event.listen(self.engine.sync_engine, "engine_disposed", note)
        async with self.engine.connect():
            began.set()
            await go_on.wait()
        ends.append("read")
        return []

    async def let_go(self: Notices) -> None:
        go_on.set()
        await close(self)

    async def cancel() -> None:
        demo = asyncio.create_task(run_on(simulated_shop(), None))
        await began.wait()
        demo.cancel()
        await asyncio.wait({demo})
        assert demo.cancelled()

    monkeypatch.setattr(ChatService, "events_after", held)
    monkeypatch.setattr(Notices, "close", let_go)
    asyncio.run(cancel())
    assert ends == ["read", "connections"]


def test_simulated_shop_refuses_an_unknown_tea_and_an_empty_order() -> None:
    async def outputs() -> list[tuple[bool, str]]:
        page = simulated_shop()

        async def call(name: str, arguments: Any) -> tuple[bool, str]:
            [tool] = [tool for tool in await page.tools() if tool.name == name]
            result = await page.call(name, tool.binding, arguments)
            return result.is_error, str(result.output)

        await call("open_basket", {})
        return [await call("place_order", {}), await call("add_to_basket", {"name": "Coffee"})]

    assert [(is_error, "UnknownError" in words) for is_error, words in asyncio.run(outputs())] == [(True, True)] * 2
