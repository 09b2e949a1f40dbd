"""The chat page in Chromium: streaming, cards, approvals, retries, the queue, keyboard, phones, colors, untrusted text."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect
from pydantic_ai.exceptions import ModelHTTPError
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from modelcontext.people.forms.texts import INVISIBLE_LETTERS
from modelcontext_agent.chat.tools import well_formed
from modelcontext_agent.exposure.aliases import alias_of
from modelcontext_agent.loopback import listen, serving
from modelcontext_agent.pages.contract import CallEnd, CallResult
from modelcontext_agent.pages.live_page import open_browser
from packages.agent.tests.chat.helpers import Answer, Call, page_tool
from packages.agent.tests.exposure.test_red_team import DEFINITIONS, OUTPUTS, strings
from packages.agent.tests.server.rooms import TOOLS, Room, room

ROOT = Path(__file__).resolve().parents[4]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
# Seconds after which a test counts as hung; milliseconds that the page has for each thing.
PATIENCE = 60
expect.set_options(timeout=20_000)

TRACK = alias_of(TOOLS[2])
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

Steps = Callable[[Room], Awaitable[None]]
InRoom = Callable[..., None]


@pytest.fixture(scope="module")
def run_in_browser(starts_a_browser: None) -> Iterator[Callable[[Callable[[Any], Awaitable[None]]], None]]:
    """Return a function that runs steps with Chromium; all tests share it."""
    with asyncio.Runner() as runner:
        opening = open_browser()
        browser = runner.run(opening.__aenter__())

        async def run(steps: Callable[[Any], Awaitable[None]]) -> None:
            async with asyncio.timeout(PATIENCE):
                await steps(browser)

        yield lambda steps: runner.run(run(steps))
        runner.run(opening.__aexit__(None, None, None))


@pytest.fixture
def in_room(run_in_browser: Callable[..., None], tmp_path: Path) -> InRoom:
    """Return a function that runs steps in a room whose model gives some answers."""

    def run(steps: Steps, *answers: Answer, **options: Any) -> None:
        async def run_steps(browser: Any) -> None:
            async with room(browser, tmp_path, answers, **options) as opened:
                await steps(opened)

        run_in_browser(run_steps)

    return run


def test_text_streams_and_is_whole_at_the_end(in_room: InRoom) -> None:
    seen, go_on = asyncio.Event(), asyncio.Event()

    async def pause() -> None:
        seen.set()
        await go_on.wait()

    async def steps(room: Room) -> None:
        await room.say("Hello?")
        await seen.wait()
        answer = room.tab.locator(".bubble.answer .text")
        await expect(answer).to_have_text("Hel")
        await expect(room.tab.locator("#status")).to_have_text("The model is at work")
        go_on.set()
        await expect(answer).to_have_text("Hello there.")
        await expect(room.tab.locator("#status")).to_have_text("Ready")
        await expect(room.tab.locator("#said")).to_have_text("The model: Hello there.")

    # The worker sends text as it comes; the first pieces have left it when the answer pauses.
    in_room(steps, ["Hel", pause, "lo there."])


def test_cards_show_calls_that_wait_succeed_and_fail_with_their_origins(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Go.")
        waiting = room.tab.get_by_role("group", name="Call of slow")
        await expect(waiting).to_contain_text("waiting for the page")
        room.page.go_on.set()
        await expect(waiting).to_contain_text("done")
        await expect(waiting).to_contain_text("https://shop.example")
        failed = room.tab.get_by_role("group", name="Call of track")
        await expect(failed).to_contain_text("error")
        await expect(failed).to_contain_text("https://parcels.example · frame-1")
        await expect(failed.get_by_text(words)).to_be_visible()
        await expect(room.tab.locator(".bubble.answer")).to_have_text(["The model: Done."])
        # What is shown comes from what is stored.
        await room.tab.reload()
        await expect(room.tab.locator(".card")).to_have_count(2)
        await expect(failed.get_by_text(words)).to_be_visible()

    # What is long is folded, but not the words of an error.
    words = f"NetworkError: {'the parcels are far away ' * 10}"
    results = {"slow": {"hits": []}, "track": CallResult(CallEnd.FAILED, words)}
    in_room(steps, [Call("slow", {}, "c1"), Call(TRACK, {}, "c2")], ["Done."], results=results)


def test_nothing_hides_in_the_arguments_that_a_person_agrees_to(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Order.")
        card = room.tab.get_by_role("group", name="Approval of order")
        await expect(card).to_contain_text('Arguments {"name":"\\u{202e}tea\\u{200b}"}')
        await room.tab.get_by_role("button", name="Approve").click()
        await expect(room.tab.locator(".bubble.answer")).to_have_text(["The model: Well."])
        assert room.page.calls == [("order", {"name": "\u202etea\u200b"})]

    in_room(steps, [Call("order", {"name": "\u202etea\u200b"}, "c1")], ["Well."], results={"order": {}})


def test_hidden_characters_of_tools_are_marked_for_eyes_and_screen_readers(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Go.")
        await room.tab.locator("#tools summary").click()
        item = room.tab.locator("#tools-list li")
        await expect(item.locator("code")).to_have_text("or\\u{200b}der")
        await expect(item.locator("p")).to_have_text("Or\\u{202e}ders\\u{e0041}.\\u{a0}Now")
        for number in ("200B", "202E", "E0041", "00A0"):
            mark = item.get_by_role("img", name=f"hidden character U+{number}", exact=True)
            await expect(mark).to_have_attribute("title", f"hidden character U+{number}")
            await expect(mark).to_be_visible()
        await room.tab.evaluate(AXE.read_text(encoding="utf-8"))
        assert (await room.tab.evaluate("axe.run('#tools')"))["violations"] == []
        card = room.tab.get_by_role("group", name="Call of or\\u{200b}der", exact=True)
        await expect(card.get_by_role("img", name="hidden character U+200B")).to_be_visible()

    tool = page_tool("or\u200bder", description="Or\u202eders\U000e0041.\u00a0Now")
    results = {tool.name: "ordered"}
    in_room(steps, [Call(alias_of(tool), {}, "c1")], ["Done."], tools=[tool], results=results)


@pytest.mark.parametrize("key", ["Approve", "Deny"])
def test_person_reads_what_a_call_is_and_decides_with_the_keyboard(in_room: InRoom, key: str) -> None:
    async def steps(room: Room) -> None:
        await room.say("Order.")
        card = room.tab.get_by_role("group", name="Approval of order")
        digest = TOOLS[3].digest
        for words in ("https://shop.example", "main", "Orders the basket.", digest, '"amount":2', "has consequences"):
            await expect(card).to_contain_text(words)
        await expect(card).to_contain_text("words of https://parcels.example")
        await expect(card.locator("details", has_text="Schema")).to_contain_text('"minimum": 1')
        await expect(room.tab.locator("#status")).to_have_text("Waiting for you")
        await expect(room.tab.locator("#said")).to_have_text("The call of order needs your approval.")
        await room.tab.get_by_role("button", name="1 call needs your approval").press("Enter")
        await expect(card.get_by_role("heading")).to_be_focused()
        button = card.get_by_role("button", name=key)
        while not await button.evaluate("button => button === document.activeElement"):
            await room.tab.keyboard.press("Tab")
        if key == "Deny":
            await card.get_by_role("textbox").fill("Too dear.")
        await button.press("Enter")
        ended = room.tab.get_by_role("group", name="Call of order")
        await expect(ended).to_contain_text("done" if key == "Approve" else "They said: Too dear.")
        await expect(room.tab.locator(".bubble.answer").last).to_have_text("The model: Well.")
        assert [name for name, _ in room.page.calls] == ["track", *["order"] * (key == "Approve")]

    answers: Sequence[Answer] = (
        [Call(TRACK, {}, "c1")],
        [Call("order", {"name": "Sencha", "amount": 2}, "c2")],
        ["Well."],
    )
    in_room(steps, *answers, results={"track": "at the depot", "order": "Order 17"})


async def edge_of(card: Any) -> str:
    """Return the color of the edge of a card, which tells its state."""
    return str(await card.evaluate("(element) => getComputedStyle(element).getPropertyValue('--edge')"))


def ask_advisor(number: int) -> Sequence[Call]:
    """Return the calls of an answer that asks the advisor."""
    return [Call("advisor", {"question": "What first?"}, f"a{number}")]


def test_advisor_has_a_card_of_its_own_with_what_is_left(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Plan.")
        cards = room.tab.get_by_role("group", name="Advisor")
        await expect(cards).to_have_count(3)
        for words in ("What first?", "Search first.", "1 use left", "wise", "tokens"):
            await expect(cards.first).to_contain_text(words)
        await expect(cards.last).to_contain_text("limit reached")
        await expect(cards.last).to_contain_text("0 uses left")
        # One sentence for people; the model has its own.
        await expect(cards.last).to_contain_text("as many questions as one turn allows")
        await expect(cards.last).not_to_contain_text("pieces of advice")
        await expect(cards.first.locator("p").last).to_have_text(re.compile(r"wise · [\d,]+ tokens · [\d.]+ s"))
        call = room.tab.get_by_role("group", name="Call of search")
        await expect(call.locator(".state")).to_have_text("error")
        await room.turn_ends()
        # A limit that is reached is no error.
        edges = [await edge_of(card) for card in (cards.first, cards.last, call)]
        assert len(set(edges)) == len(edges)

    answers: Sequence[Answer] = (ask_advisor(1), ask_advisor(2), ask_advisor(3), [Call("search", {}, "c1")], ["Good."])
    failed = CallResult(CallEnd.FAILED, "Out of order")
    in_room(steps, *answers, advice=[["Search first."], ["Then order."]], uses=2, results={"search": failed})


# What a page's words could do in the chat: stand outside of their card, become elements, or hide characters.
LEFT = r"""(letters) => {
  const outside = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (/OBEY ME/i.test(data) && !parentElement.closest("[data-of-the-page]")) outside.push(data);
  }
  const made = document.querySelectorAll("svg, img, iframe, object, [onload], [onerror], a[href*=evil], a[href^=javascript]");
  const unseen = new RegExp(`[${letters}\u200b\u202e\u2066\ufeff\u00ad\u{e0000}-\u{e01ef}]`, "u");
  const hidden = unseen.exec(document.body.textContent);
  return [...outside, ...[...made].map((element) => element.outerHTML), ...(hidden ?? [])];
}"""


def test_no_attempt_of_a_page_leaves_its_card(in_room: InRoom) -> None:
    asked = replace(
        page_tool(
            "order",
            consequential=True,
            description="".join(well_formed(one.description) for one in DEFINITIONS.values()),
        ),
        title=DEFINITIONS["title"].title,
        input_schema=DEFINITIONS["unknown keywords"].input_schema,
    )
    letters = "".join(sorted(INVISIBLE_LETTERS))
    said = [*strings([one.input_schema for one in DEFINITIONS.values()]), *strings([*OUTPUTS.values()]), letters]

    async def steps(room: Room) -> None:
        await room.say("Go.")
        await expect(room.tab.locator("#status")).to_have_text("Waiting for you")
        cards = [room.tab.get_by_role("group", name=name) for name in ("Call of search", "Approval of order")]
        await cards[0].locator("summary", has_text="Result").click()
        await cards[0].get_by_role("button", name="Show all").click()
        for card in (*cards, room.tab.locator("#tools")):
            await expect(card).to_contain_text("OBEY ME")
            await card.evaluate("(element) => element.setAttribute('data-of-the-page', '')")
        assert await room.tab.evaluate(LEFT, letters) == []
        # Spaces of other kinds can be seen.
        assert "1\u00a0000\t\u3000" in await cards[0].evaluate("(element) => element.textContent")

    answers: Sequence[Answer] = ([Call("search", {}, "c1")], [Call("order", {}, "c2")])
    in_room(steps, *answers, tools=[TOOLS[0], asked], results={"search": "\n".join([*said, "1\u00a0000\t\u3000"])})


def test_long_advice_scrolls_in_its_card(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Plan.")
        advice = room.tab.get_by_role("region", name="Advice")
        await expect(advice).to_contain_text("Step 99")
        await room.turn_ends()
        shown, whole = await advice.evaluate("(element) => [element.clientHeight, element.scrollHeight]")
        assert shown < 400 < whole

    steps_of_advice = "\n".join(f"- Step {number}" for number in range(100))
    in_room(steps, ask_advisor(1), ["Good."], advice=[[steps_of_advice]])


def test_card_of_the_advisor_shows_that_it_runs_and_that_it_failed(in_room: InRoom) -> None:
    go_on = asyncio.Event()

    async def steps(room: Room) -> None:
        await room.say("Plan.")
        card = room.tab.get_by_role("group", name="Advisor")
        await expect(card.locator(".state")).to_have_text("running")
        await expect(card).to_contain_text("What first?")
        go_on.set()
        await expect(card.locator(".state")).to_have_text("error")
        await expect(card).to_contain_text("The model is away.")
        await expect(room.tab.locator(".bubble.answer")).to_have_text("The model: I go on without.")
        await room.tab.reload()
        await expect(card).to_contain_text("The model is away.")

    in_room(
        steps,
        ask_advisor(1),
        ["I go on without."],
        advice=[[go_on.wait, ModelHTTPError(503, "wise", {"error": {"message": "The model is away."}})]],
    )


PLAN = """\
## Plan

1. **Search** for `green`
2. Order

| step | risk |
|---|---|
| order | money |

[a link](https://evil.example/) ![an image](https://evil.example/i.png) <https://evil.example/>
<img src=x onerror="document.title='evil'"><script>document.title='evil'</script>
"""


def test_advice_is_shown_as_markdown_without_links_images_and_markup(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        asked: list[str] = []
        room.tab.on("request", lambda request: asked.append(request.url))
        await room.say("Plan.")
        advice = room.tab.get_by_role("region", name="Advice")
        await expect(advice.get_by_role("heading", name="Plan")).to_be_visible()
        await expect(advice.locator("strong")).to_have_text("Search")
        await expect(advice.locator("code")).to_have_text("green")
        await expect(advice.get_by_role("cell")).to_have_text(["order", "money"])
        await expect(advice).to_contain_text("[a link](https://evil.example/)")
        await expect(advice).to_contain_text("<img src=x onerror=")
        assert await advice.locator("a, img, script, [onerror]").count() == 0
        assert await room.tab.title() == "Chat with the tools of a page"
        assert not [url for url in asked if "evil" in url]
        # A person folds it, and it stays so.
        await room.tab.locator("summary", has_text="Advice").click()
        await expect(advice).to_be_hidden()
        await room.say("And?")
        await expect(room.tab.locator(".bubble.answer").last).to_have_text("The model: Good, too.")
        await expect(advice).to_be_hidden()

    in_room(steps, ask_advisor(1), ["Good."], ["Good, too."], advice=[[PLAN]])


async def dot_of(tab: Any) -> str:
    """Return the color of the dot before the status."""
    dot = "getComputedStyle(document.querySelector('#status'), '::before').backgroundColor"
    return str(await tab.evaluate(dot))


async def color_of(tab: Any, name: str) -> str:
    """Return a color of the style sheet as the browser computes it."""
    made = "(name) => { const probe = document.body.appendChild(document.createElement('i'));"
    return str(
        await tab.evaluate(
            f"{made} probe.style.color = `var(${{name}})`; return getComputedStyle(probe).color; }}", name
        )
    )


#: Cuts the page off from its server, as the end of the server does.
CUT_OFF = """
  const own = window.fetch;
  const end = new AbortController();
  window.fetch = (input, init = {}) => {
    const signal = AbortSignal.any([end.signal, init.signal].filter(Boolean));
    return own(input, { ...init, signal });
  };
  window.cutOff = () => end.abort(new TypeError("network error"));
"""


def test_status_says_that_the_server_is_gone_while_a_person_is_waited_for(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.tab.add_init_script(CUT_OFF)
        await room.tab.reload()
        await room.say("Order.")
        await expect(room.tab.locator("#status")).to_have_text("Waiting for you")
        await room.tab.evaluate("cutOff()")
        await expect(room.tab.locator("#status")).to_have_text("Not connected")
        assert await dot_of(room.tab) == await color_of(room.tab, "--wrong")

    in_room(steps, [Call("order", {"name": "Sencha"}, "c1")], ["Well."])


def test_retry_counts_down_and_drops_what_was_streamed_and_an_error_says_what_to_do(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Go.")
        await expect(room.tab.locator(".countdown")).to_have_text(re.compile(r"Next attempt (in \d+ s|now)"))
        await expect(room.tab.locator(".retry-card")).to_contain_text("overloaded")
        await expect(room.tab.locator(".bubble.answer")).to_have_count(0)
        error = room.tab.get_by_role("group", name="Error")
        await expect(error).to_contain_text("Check the key")
        await expect(error).to_contain_text("(HTTP 401)")
        await expect(error.get_by_role("heading")).to_have_text("Key refused")
        await expect(error.locator(".pill")).to_have_text("auth")
        await expect(room.tab.locator(".retry-card.over")).to_have_count(1)
        await expect(room.tab.locator("#status")).to_have_text("The turn failed")
        assert await dot_of(room.tab) == await color_of(room.tab, "--wrong")

    overloaded = ModelHTTPError(529, "m", {"error": {"message": "Overloaded"}})
    refused = ModelHTTPError(401, "m", {"error": {"message": "invalid x-api-key"}})
    in_room(steps, ["Half an ans", overloaded], [refused])


def test_message_during_a_turn_is_queued_and_escape_stops_the_turn(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("One")
        await expect(room.tab.locator(".card.waiting")).to_have_count(1)
        await room.say("Two")
        await expect(room.tab.locator("#queue-list li")).to_have_text(["Two"])
        await expect(room.tab.get_by_role("button", name="Queue")).to_be_visible()
        await room.tab.keyboard.press("Escape")
        await expect(room.tab.locator("li.note")).to_have_text(["The turn was stopped."])
        await expect(room.tab.locator(".bubble.user .text")).to_have_text(["One", "Two"])
        await expect(room.tab.locator(".bubble.answer .text")).to_have_text(["I answer Two."])
        await expect(room.tab.locator("#queue-list")).to_be_hidden()
        await expect(room.tab.get_by_role("button", name="Stop", exact=True)).to_be_hidden()

    in_room(steps, [Call("slow", {}, "c1")], ["I answer Two."])


def test_message_that_interrupts_is_answered_at_once(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("One")
        await expect(room.tab.locator(".card.waiting")).to_have_count(1)
        await room.tab.get_by_label("Message", exact=True).fill("Two")
        await room.tab.get_by_role("button", name="Stop and send").click()
        await expect(room.tab.locator(".bubble.answer .text")).to_have_text(["I answer Two."])

    in_room(steps, [Call("slow", {}, "c1")], ["I answer Two."])


def test_shift_and_enter_break_the_line_and_enter_sends(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        field = room.tab.get_by_label("Message", exact=True)
        await expect(field).to_be_focused()
        await room.tab.keyboard.type("One")
        await room.tab.keyboard.press("Shift+Enter")
        await room.tab.keyboard.type("two")
        await room.tab.keyboard.press("Enter")
        await expect(room.tab.locator(".bubble.user .text")).to_have_text("One\ntwo")
        await expect(field).to_have_value("")

    in_room(steps, ["Hello."])


def test_text_of_pages_and_models_is_never_markup(in_room: InRoom) -> None:
    evil = "<img src=x onerror=\"document.title='evil'\"><script>document.title='evil'</script>"

    async def steps(room: Room) -> None:
        await room.say(evil)
        await expect(room.tab.locator(".bubble.answer .text").last).to_have_text(evil)
        await room.tab.locator("summary", has_text="Result").click()
        await expect(room.tab.get_by_role("region", name="Result")).to_have_text(evil)
        await expect(room.tab.locator(".bubble.user .text")).to_have_text(evil)
        assert await room.tab.locator("#chat img, #chat script, #chat b").count() == 0
        assert await room.tab.title() == "Chat with the tools of a page"

    in_room(steps, [Call("search", {"q": evil}, "c1")], [evil], results={"search": evil})


def test_image_that_a_tool_returned_is_shown(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.say("Show it.")
        image = room.tab.get_by_alt_text("An image that the tool returned")
        await expect(image).to_be_visible()
        await room.turn_ends()
        assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1

    content = {"content": [{"type": "image", "mimeType": "image/png", "data": PIXEL}]}
    in_room(steps, [Call("search", {}, "c1")], ["There."], results={"search": content})


def test_token_leaves_the_address_and_a_tab_without_it_is_asked(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        assert "token" not in await room.tab.evaluate("location.href")
        await room.say("Hello?")
        chat_id = await room.chat_id()
        other = await room.tab.context.new_page()
        await other.goto(room.address)
        field = other.get_by_label("The token that the server printed")
        await field.fill("another-token")
        await other.keyboard.press("Enter")
        await expect(other.get_by_role("alert")).to_have_text("The server does not accept this token.")
        await field.fill("the-token")
        await other.keyboard.press("Enter")
        await expect(other.locator("#chat")).to_be_visible()
        await other.evaluate("(id) => { location.hash = `chat=${id}`; }", chat_id)
        await expect(other.locator(".bubble.answer .text")).to_have_text("Hello.")
        await room.tab.get_by_role("button", name="New chat").click()
        await expect(room.tab.locator("#log li")).to_have_count(0)
        await expect(room.tab.locator("#empty")).to_be_visible()

    in_room(steps, ["Hello."])


@pytest.mark.parametrize("width", [360, 1100])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_a_phone_and_is_accessible(in_room: InRoom, width: int, scheme: str) -> None:
    async def steps(room: Room) -> None:
        await room.say("Order, and then more of it, please.")
        await expect(room.tab.locator("#status")).to_have_text("Waiting for you")
        await room.say("And then?")
        await expect(room.tab.locator("#queue-list li")).to_have_count(1)
        await room.tab.locator("#tools summary").click()
        assert await room.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert await room.tab.evaluate("document.querySelector('#log').scrollWidth <= innerWidth")
        await expect(room.tab.get_by_label("Message", exact=True)).to_be_in_viewport()
        await room.tab.evaluate(AXE.read_text(encoding="utf-8"))
        result = await room.tab.evaluate("axe.run()")
        assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
        passed = {one["id"] for one in result["passes"]}
        assert {"color-contrast", "label", "document-title", "button-name"} <= passed

    answers: Sequence[Answer] = (
        [Call("advisor", {"question": "What first?"}, "a1")],
        ["See.", Call("search", {"q": "green"}, "c1"), Call(TRACK, {}, "c2")],
        ["I order.", Call("order", {"name": "Sencha" * 30, "amount": 2}, "c3")],
        ["Done."],
    )
    results = {"search": {"hits": ["x" * 300]}, "track": CallResult(CallEnd.FAILED, "NetworkError")}
    options = {"viewport": {"width": width, "height": 740}, "color_scheme": scheme}
    in_room(steps, *answers, results=results, options=options, advice=[[PLAN]])


AROUND = """<!DOCTYPE html><link rel="icon" href="data:,"><script>
  addEventListener("message", ({ data: { modelcontextChat: event } }) => {
    if (event?.tool_name) window.told ??= event;
  });
</script><iframe src="CHAT"></iframe>"""


def test_page_around_the_chat_is_told_of_the_calls_that_end(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        page = HTMLResponse(AROUND.replace("CHAT", f"{room.address}/#token=the-token"))
        # A page of the network may not load this machine's.
        async with serving(Starlette(routes=[Route("/", lambda _: page)]), listen(0)) as around:
            await room.tab.goto(around)
            await room.tab.frame_locator("iframe").get_by_label("Message", exact=True).fill("Search.")
            await room.tab.keyboard.press("Enter")
            told = await (await room.tab.wait_for_function("window.told")).json_value()
        assert (told["type"], told["tool_name"], told["output"]) == ("tool:succeeded", "search", {"hits": 1})

    answers: Sequence[Answer] = ([Call("search", {"q": "green"}, "c1")], ["Done."])
    in_room(steps, *answers, results={"search": {"hits": 1}}, frame_origins=["http://127.0.0.1:*"])


#: Cuts the streams of a tab, and lets its requests have no answer, while it is told so.
CUTTABLE = """() => {
  const fetched = fetch;
  let isDown = false;
  let cut = new AbortController();
  window.fetch = (path, options = {}) => {
    if (isDown) return Promise.reject(new TypeError("Failed to fetch"));
    return fetched(path, { ...options, signal: AbortSignal.any([cut.signal, options.signal].filter(Boolean)) });
  };
  window.setDown = (value) => {
    isDown = value;
    cut.abort();
    cut = new AbortController();
  };
}"""


def test_tab_without_its_server_says_what_to_do_until_the_server_answers_again(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        await room.tab.evaluate(CUTTABLE)
        await room.say("Hello?")
        status, problem = room.tab.locator("#status"), room.tab.get_by_role("alert")
        last = room.tab.get_by_text("The end.", exact=True)
        await expect(last).to_be_in_viewport(ratio=1)
        await expect(status).to_have_text("Ready")
        await room.tab.evaluate("setDown(true)")
        await expect(status).to_have_text("Not connected")
        await expect(problem).to_contain_text("open the address that it prints")
        await expect(last).to_be_in_viewport(ratio=1)
        await room.tab.evaluate("setDown(false)")
        await expect(status).to_have_text("Ready")
        await expect(problem).to_be_hidden()

    options = {"viewport": {"width": 360, "height": 500}}
    in_room(steps, [Call("search", {}, "c1")], ["The end."], results={"search": "x" * 70}, options=options)


def test_two_enters_make_one_chat_and_what_is_typed_meanwhile_stays(in_room: InRoom) -> None:
    async def steps(room: Room) -> None:
        posted: list[str] = []
        room.tab.on("request", lambda request: posted.append(request.url) if request.method == "POST" else None)
        await room.tab.get_by_label("Message", exact=True).fill("first")
        await room.tab.keyboard.press("Enter")
        await room.tab.keyboard.press("Enter")
        await room.tab.keyboard.type("second")
        await expect(room.tab.locator(".bubble.answer").last).to_have_text("The model: Well.")
        await expect(room.tab.get_by_label("Message", exact=True)).to_have_value("second")
        assert len([url for url in posted if url.endswith("/chats")]) == 1
        assert len([url for url in posted if url.endswith("/messages")]) == 1
        await room.tab.locator("#chats summary").click()
        await expect(room.tab.locator("#chats-list li")).to_contain_text("first")

    in_room(steps, ["Well."])
