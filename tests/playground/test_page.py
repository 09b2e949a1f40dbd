"""The playground in Chromium: stepping, choices, links, keyboard, phones and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from modelcontext.people.playground import session
from modelcontext.people.playground.build import build_playground
from modelcontext.running.serving.http import Server
from tests.sharing import made_once

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules/axe-core/axe.min.js"
# Milliseconds. Python starts in a few seconds, or later on a busy machine.
PATIENCE = 45_000

ABORT = "#example=litmus/cancel-complete/abort-before-the-callback"
ENDLESS = """title = "t"
[[script.top]]
do = "registerTool"
tool = { name = "t", description = "d" }
callback = { steps = [{ do = "executeTool", tool = { "$tool" = "t" } }] }
[[script.top]]
do = "executeTool"
tool = { "$tool" = "t" }
"""
# Only a fragment that changes is noticed.
FORGET = """() => {
  document.querySelector("#pg-count").textContent = "";
  document.querySelector("#pg-problem").textContent = "";
  history.replaceState(null, "", "#pg-");
}"""
EDIT_DURING_A_RUN = """written => {
  document.querySelector("#pg-run").click();
  const text = document.querySelector("#pg-text");
  text.value = written;
  text.dispatchEvent(new Event("input"));
}"""
MANY = 'title = "t"\n' + "".join(
    f'[[script.top]]\ndo = "registerTool"\ntool = {{ name = "t{n}", description = "d" }}\nwait = false\n'
    for n in range(9)
)


@pytest.fixture(scope="module")
def address(shared_folder: Path) -> Iterator[str]:
    folder = made_once(shared_folder / "playground", lambda folder: build_playground(ROOT, folder))
    with Server(folders={"/": folder}) as server:
        yield f"http://127.0.0.1:{server.port}/"


def opened(chromium: Browser, address: str, problems: list[Error]) -> Page:
    """Open a page in a context of its own, for which the errors of its scripts are kept."""
    context = chromium.new_context(base_url=address, viewport={"width": 1280, "height": 860})
    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(error))
    return page


@pytest.fixture(scope="module")
def kept(chromium: Browser, address: str) -> Iterator[tuple[Page, list[Error]]]:
    problems: list[Error] = []
    page = opened(chromium, address, problems)
    yield page, problems
    page.context.close()


@pytest.fixture
def page(kept: tuple[Page, list[Error]]) -> Iterator[Page]:
    """Give the page that the tests before have used: Python starts once for all."""
    page, problems = kept
    yield page
    assert problems == []


@pytest.fixture
def new_page(chromium: Browser, address: str) -> Iterator[Page]:
    """Open a page that no test has used."""
    problems: list[Error] = []
    page = opened(chromium, address, problems)
    yield page
    page.context.close()
    assert problems == []


def follow(page: Page, fragment: str) -> None:
    """Follow a link to the playground; one that is open already takes note of the new fragment."""
    if page.url != "about:blank":
        expect(page.locator("body")).not_to_have_class(re.compile("busy"))
        # Nothing of the run before can be taken for something of this one.
        page.evaluate(FORGET)
    page.goto(f"/{fragment}")


def show(page: Page, fragment: str = ABORT) -> None:
    follow(page, fragment)
    expect(page.locator("#pg-count")).to_have_text(re.compile(r"\d+ / \d+"))


def place(page: Page) -> int:
    return int(page.locator("#pg-at").input_value())


def recorded(page: Page) -> list[str]:
    return page.locator("#pg-log-list li:not(.future)").all_inner_texts()


def test_run_can_be_stepped_and_another_option_chosen(page: Page) -> None:
    show(page)
    expect(page.locator("#pg-state-list")).to_contain_text("Document top")
    assert recorded(page) == []
    page.get_by_role("button", name="To the end").click()
    first = recorded(page)
    assert '[top] callback "t" called with {}' in first
    expect(page.locator("#pg-state-list")).to_contain_text("top: call rejected")
    page.get_by_role("button", name="One step back").click()
    assert len(recorded(page)) == len(first) - 1

    # At the second choice, the cancel comes first.
    choices = page.locator("#pg-choice-list fieldset")
    choices.nth(1).get_by_role("radio").nth(1).check()
    expect(page.locator("#pg-now")).to_contain_text("Choice")
    expect(choices.nth(1).get_by_role("radio").nth(1)).to_be_focused()
    page.get_by_role("button", name="To the end").click()
    expect(page.locator("#pg-now")).not_to_contain_text("Choice")


def test_all_outcomes_can_be_found_and_shown(page: Page) -> None:
    show(page)
    page.get_by_role("button", name="Find all").click()
    expect(page.locator("#pg-outcome-list")).to_contain_text(re.compile(r"these \d+ outcomes, and no other"))
    outcomes = page.locator("#pg-outcome-list article")
    assert outcomes.count() > 1
    for index in range(outcomes.count()):
        if outcomes.nth(index).get_by_role("button", name="Show").count():
            outcomes.nth(index).get_by_role("button", name="Show").click()
        expect(outcomes.nth(index)).to_have_class("now")
        page.get_by_role("button", name="To the end").or_(page.locator("#pg-last:disabled")).click(force=True)
        assert recorded(page) == outcomes.nth(index).locator("li").all_inner_texts()


def a_choice_that_matters(text: str) -> tuple[int, int]:
    """Return the position of a choice, and its option, that changes the outcome."""
    first = json.loads(session.run(text, []))
    for frame in first["frames"]:
        if frame["kind"] == "choice":
            for option in range(1, len(frame["options"])):
                schedule = [*first["schedule"][: frame["position"]], option]
                if json.loads(session.run(text, schedule))["key"] != first["key"]:
                    return frame["position"], option
    raise AssertionError("no choice matters")


def test_another_option_shows_another_outcome(page: Page) -> None:
    show(page)
    position, option = a_choice_that_matters(page.locator("#pg-text").input_value())
    page.get_by_role("button", name="To the end").click()
    first = recorded(page)
    other = page.locator("#pg-choice-list fieldset").nth(position).get_by_role("radio").nth(option)
    other.check()
    expect(other).to_be_focused()
    expect(page.locator("#pg-outcome-list article")).to_have_count(2)
    page.get_by_role("button", name="To the end").click()
    assert recorded(page) != first
    page.get_by_role("button", name="Show outcome 1").click()
    expect(page.locator("#pg-outcome-list article").first).to_have_class("now")
    expect(page.locator("#pg-log-list li:not(.future)")).to_have_text(first)


def test_step_is_marked_in_the_text_and_can_be_clicked(page: Page) -> None:
    show(page)
    page.locator("#dom-modelcontext-registertool-step-22 > p").click(position={"x": 5, "y": 5})
    marked = page.locator("#pg-words [aria-current=step]")
    expect(marked).to_have_attribute("id", "dom-modelcontext-registertool-step-22")
    expect(marked.locator("p").first).to_be_in_viewport()
    expect(page.locator("#pg-now .changes li")).to_have_text('tool map of top: "t" set to description d')
    expect(page.locator("#pg-state-list .changed")).to_contain_text("Tool map of top")
    line = page.locator("#pg-lines .running").evaluate("li => [...li.parentNode.children].indexOf(li)")
    assert page.locator("#pg-text").input_value().splitlines()[line : line + 2] == [
        "[[script.top]]",
        'do = "registerTool"',
    ]
    page.get_by_role("button", name="One step forward").click()
    expect(marked).to_have_attribute("id", "dom-modelcontext-registertool-step-23")


def test_form_is_filled_in_submitted_and_answered_step_by_step(page: Page) -> None:
    show(page, "#example=programs/declarative/waiting-for-the-user")
    state, changes = page.locator("#pg-state-list"), page.locator("#pg-now .changes li")
    page.locator("#perform-an-assignment-step-9\\.2 > p").click(position={"x": 5, "y": 5})
    expect(changes).to_have_text('form f of top: control a: "x"')
    expect(state.locator(".changed")).to_contain_text("Form f of top")
    expect(state).to_contain_text("filling, chosen button b")
    page.locator("#begin-the-submission-of-an-agent-step-3 > p").click(position={"x": 5, "y": 5})
    expect(changes).to_contain_text("submitting, chosen button b")
    page.get_by_role("button", name="To the end").click()
    expect(state).not_to_contain_text("chosen button")
    assert recorded(page)[-1] == "[top] executeTool: fulfilled with null"


def test_page_can_be_used_with_the_keyboard(new_page: Page) -> None:
    show(new_page)
    new_page.keyboard.press("Tab")
    expect(new_page.get_by_role("link", name="Skip to the run")).to_be_focused()
    new_page.keyboard.press("Enter")
    expect(new_page.locator("#pg-at")).to_be_focused()
    new_page.keyboard.press("ArrowRight")
    new_page.keyboard.press("ArrowRight")
    expect(new_page.locator("#pg-at")).to_have_value("2")
    new_page.keyboard.press("n")
    expect(new_page.locator("#pg-now")).to_contain_text("Choice")
    new_page.keyboard.press("End")
    expect(new_page.get_by_role("button", name="To the end")).to_be_disabled()
    new_page.keyboard.press("p")
    expect(new_page.locator("#pg-now")).to_contain_text("Choice")
    new_page.keyboard.press("Home")
    expect(new_page.locator("#pg-at")).to_have_value("0")
    new_page.locator("#pg-text").focus()
    new_page.keyboard.press("Control+Enter")
    expect(new_page.locator("#pg-status")).to_have_text("Ready")


def test_focus_stays_in_its_part_when_its_button_goes(page: Page) -> None:
    show(page)
    page.get_by_role("button", name="To the end").press("Enter")
    expect(page.locator("#pg-at")).to_be_focused()
    page.get_by_role("button", name="Find all").click()
    expect(page.locator("#pg-outcome-list")).to_contain_text(re.compile(r"these \d+ outcomes, and no other"))
    page.get_by_role("button", name="Show outcome 2").press("Enter")
    expect(page.locator("#pg-outcome-list article.now h3")).to_be_focused()
    expect(page.locator("#pg-outcome-list article.now h3")).to_contain_text("Outcome 2")


def test_link_restores_program_schedule_and_place(page: Page) -> None:
    show(page, f"{ABORT}&schedule=0,1&at=60")
    assert place(page) == 60
    page.get_by_role("button", name="One step forward").click()
    page.wait_for_url(re.compile("at=61"))
    assert "example=litmus/cancel-complete/abort-before-the-callback" in page.url
    assert re.search(r"schedule=0,1", page.url)

    text = 'title = "Mine: ä"\n[[script.top]]\ndo = "log"\nvalue = "ö"\n'
    page.locator("#pg-text").fill(text)
    page.locator("#pg-run").click()
    page.get_by_role("button", name="To the end").click()
    expect(page.locator("#pg-log-list")).to_contain_text('log "ö"')
    page.wait_for_url(re.compile("program="))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#pg-log-list")).to_contain_text('log "ö"')
    assert page.locator("#pg-text").input_value() == text


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("#program=%%%", "The link is damaged"),
        ("#example=no/such", "There is no example of that name"),
        (f"{ABORT}&at=x", "The link is damaged"),
        (f"{ABORT}&schedule=9", "the schedule names 9"),
    ],
)
def test_wrong_link_gives_an_error(page: Page, fragment: str, message: str) -> None:
    follow(page, fragment)
    expect(page.get_by_role("alert")).to_contain_text(message)


def test_page_shows_the_error_of_a_program(page: Page) -> None:
    show(page)
    page.locator("#pg-text").fill('title = "t"\n[[script.top]]\ndo = "registerTol"\n')
    page.locator("#pg-run").click()
    expect(page.get_by_role("alert")).to_contain_text('did you mean "registerTool"?')
    page.locator("#pg-text").fill('title = "t"\nnonsense\n')
    page.locator("#pg-run").click()
    expect(page.get_by_role("alert")).to_contain_text("this is not TOML")
    expect(page.locator("#pg-lines .wrong")).to_have_count(1)
    page.locator("#pg-text").fill(ENDLESS)
    page.locator("#pg-run").click()
    expect(page.get_by_role("alert")).to_contain_text("a script that starts new work forever")


def test_long_search_can_be_stopped(page: Page) -> None:
    show(page)
    page.locator("#pg-text").fill(MANY)
    expect(page.locator("#pg-outcome-list article")).to_have_count(0)
    expect(page.locator("#pg-choice-list").get_by_role("radio").first).to_be_disabled()
    page.locator("#pg-run").click()
    expect(page.locator("#pg-outcome-list article")).to_have_count(1)
    page.get_by_role("button", name="Find all").click()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("#pg-outcome-list")).to_contain_text("Stopped.")
    page.locator("#pg-run").click()
    expect(page.locator("#pg-stop")).to_be_disabled()
    expect(page.locator("#pg-status")).to_have_text("Ready")


def written(page: Page, language: str, text: str) -> None:
    """Write a text, and run it."""
    page.locator("#pg-language").select_option(language)
    page.locator("#pg-text").fill(text)
    page.locator("#pg-run").click()


def test_script_can_be_stepped_and_another_option_chosen(page: Page) -> None:
    show(page, "#example=demos/1-listed-or-not.js")
    page.get_by_role("button", name="To the end").click()
    assert recorded(page) == ["toolchange", "registered", "listed: search"]
    page.locator("#dom-modelcontext-registertool-step-22 > p").click(position={"x": 5, "y": 5})
    expect(page.locator("#pg-now .changes li")).to_contain_text('"search" set to')
    line = page.locator("#pg-lines .running").evaluate("li => [...li.parentNode.children].indexOf(li)")
    assert "registerTool" in page.locator("#pg-text").input_value().splitlines()[line]

    page.get_by_role("button", name="Find all").click()
    expect(page.locator("#pg-outcome-list")).to_contain_text("these 3 outcomes, and no other")
    page.get_by_role("button", name="Show outcome 2").click()
    expect(page.locator("#pg-log-list li:not(.future)")).to_have_text(["listed: search", "toolchange", "registered"])
    page.wait_for_url(re.compile("schedule=[0,]*1"))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#pg-log-list li:not(.future)")).to_have_text(["listed: search", "toolchange", "registered"])


@pytest.mark.parametrize("name", ["imperative/settling.https.html", "declarative/attributes.https.html"])
def test_test_of_the_suite_passes_in_the_engine_of_the_page(page: Page, name: str) -> None:
    show(page, f"#example=tests/webmcp/{name}")
    page.get_by_role("button", name="To the end").click()
    lines = recorded(page)
    assert lines
    assert [line for line in lines if not line.startswith("PASS ")] == []


def test_table_of_the_console_keeps_its_lines(page: Page) -> None:
    show(page)
    written(page, "script", "console.table([{a: 1}, {a: 2}]);")
    for panel in ("#pg-log-list", "#pg-outcome-list"):
        expect(page.locator(f"{panel} li")).to_have_count(1)
        lines = page.locator(f"{panel} li").inner_text().removesuffix(" (still to come)").splitlines()
        assert lines[:3] == ["(index) | a", "0       | 1", "1       | 2"]


def test_link_restores_an_edited_test_in_its_place(page: Page) -> None:
    show(page, "#example=tests/webmcp/imperative/execute-tool.https.html")
    text = page.locator("#pg-text").input_value().replace("assert_equals(", "assert_not_equals(")
    page.locator("#pg-text").fill(text)
    page.locator("#pg-run").click()
    expect(page.locator("#pg-outcome-list")).to_contain_text("FAIL")
    page.wait_for_url(re.compile("test=.*place="))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#pg-outcome-list")).to_contain_text("FAIL")
    assert page.locator("#pg-text").input_value() == text
    expect(page.locator("#pg-language")).to_have_value("test")


def test_frame_of_another_document_shares_objects_in_the_engine_of_the_page(page: Page) -> None:
    show(page)
    written(
        page,
        "page",
        "<iframe srcdoc='<script>var list = [1];</script>'></iframe><script>\n"
        "const are = (...types) => types.map((type) => frames[0].list instanceof type);\n"
        "onload = () => console.log(...are(Array, frames[0].Array), frames[0].list[0]);\n"
        "</script>",
    )
    expect(page.locator("#pg-outcome-list")).to_contain_text("false true 1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("for (;;);", "endless loop: a script ran for more than 5 seconds"),
        ("null.noSuch;", "TypeError"),
        ("for (", "SyntaxError"),
        ("new Worker('w.js')", "Missing: Worker is not in the simulated browser"),
        ("const all = []; for (;;) all.push('x'.repeat(1e7) + all.length)", "out of memory"),
        ("(function f() { f(); })()", "stack"),
    ],
)
def test_script_that_fails_has_a_result_and_the_next_one_runs(page: Page, text: str, message: str) -> None:
    show(page)
    written(page, "script", text)
    expect(
        page.locator("#pg-outcome-list").or_(page.get_by_role("alert")).filter(has_text=message).first
    ).to_be_visible()
    written(page, "script", "console.log('the next one')")
    expect(page.locator("#pg-outcome-list")).to_contain_text("the next one")


def test_text_that_is_edited_during_a_run_gets_no_result_of_the_old_text(page: Page) -> None:
    show(page)
    page.locator("#pg-language").select_option("script")
    page.locator("#pg-text").fill("console.log('old');")
    # In one task, so that the run cannot end before the edit.
    page.evaluate(EDIT_DURING_A_RUN, "console.log('new');")
    expect(page.locator("#pg-status")).to_have_text("Ready")
    expect(page.locator("#pg-outcome-list article")).to_have_count(0)
    page.get_by_role("button", name="Find all").click()
    expect(page.locator("#pg-outcome-list article")).to_have_text(re.compile("new"))
    expect(page.locator("#pg-log-list")).to_contain_text("new")


def test_link_to_an_edited_text_has_no_schedule_of_the_old_one(page: Page) -> None:
    show(page, "#example=demos/1-listed-or-not.js&schedule=0,0,0,0,1,1,1,1,1&at=40")
    page.locator("#pg-text").fill("console.log('mine');")
    page.wait_for_url(re.compile("#script=[^&]*$"))


def test_way_past_the_text_leaves_the_address_as_it_is(page: Page) -> None:
    show(page)
    page.wait_for_url(re.compile("schedule="))
    page.get_by_role("link", name="Skip to the run").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#pg-at")).to_be_focused()
    assert "#example=" in page.url


def test_test_keeps_its_place_while_its_language_changes(page: Page) -> None:
    show(page, "#example=tests/webmcp/imperative/accessor.https.html")
    page.locator("#pg-language").select_option("page")
    page.locator("#pg-language").select_option("test")
    page.locator("#pg-run").click()
    expect(page.locator("#pg-outcome-list article")).to_contain_text("PASS")
    expect(page.locator("#pg-outcome-list article")).not_to_contain_text("FAIL")


def test_text_runs_where_the_schedule_of_its_link_does_not_fit(page: Page) -> None:
    show(page, "#example=demos/1-listed-or-not.js&schedule=9")
    expect(page.get_by_role("alert")).to_contain_text("The schedule of the link does not fit")
    expect(page.locator("#pg-outcome-list article")).to_contain_text("registered")


def test_program_of_the_frozen_revision_has_its_own_text(page: Page) -> None:
    show(page, "#example=programs-2026-03/registration/duplicate")
    page.get_by_role("button", name="To the end").click()
    expect(page.locator("#pg-words")).to_contain_text("navigator")
    expect(page.locator("#pg-log-list")).to_contain_text("threw InvalidStateError")


def test_outcome_is_told_as_a_story_that_leads_to_places_in_the_run(page: Page) -> None:
    show(page, "#example=litmus/abort-resolve/in-flight")
    page.get_by_role("button", name="Find all").click()
    outcomes = page.locator("#pg-outcome-list article")
    expect(outcomes).to_have_count(3)
    abort = outcomes.filter(has_text="The abort wins").first
    abort.get_by_role("button", name="Explain").click()
    story = abort.locator(".story")
    expect(story.locator("li.decisive")).to_have_count(1)
    expect(story).to_contain_text("From here on, every schedule leads to this outcome. Instead: ")
    expect(story).to_contain_text("dom-modelcontext-executetool 19.3.2")
    expect(abort).to_contain_text("this run")
    before = page.locator("#pg-at").input_value()
    story.get_by_role("button", name="executeTool as call").click()
    expect(page.locator("#pg-now")).to_contain_text("executeTool as call")
    assert page.locator("#pg-at").input_value() != before
    expect(story.locator("li.decisive")).to_have_count(1)
    page.locator("#pg-text").press("End")
    page.locator("#pg-text").type(" ")
    expect(page.get_by_role("button", name="Explain")).to_have_count(0)


def begin_to_change(page: Page, step: str) -> None:
    page.locator(f"#{step} > p").click(position={"x": 5, "y": 5})
    page.get_by_role("button", name="Change this step").click()


def test_changed_step_changes_the_outcome_and_can_be_undone(page: Page) -> None:
    show(page)
    outcome, new = page.locator("#pg-outcome-list article"), page.locator("#pg-words textarea")
    first = outcome.inner_text()
    begin_to_change(page, "valid-tool-name-step-2")
    expect(new).to_be_focused()
    expect(new).to_have_value("If |name|'s [=string/length=] is greater than 128, then return false.")
    new.fill("If |name|'s [=string/length=] is greater than 0, then return false.")
    new.press("Control+Enter")
    expect(page.locator("#valid-tool-name-step-2 > p")).to_contain_text("is greater than 0, then return false.changed")
    expect(new).to_have_count(0)
    expect(outcome).to_contain_text("InvalidStateError")
    expect(page.get_by_role("button", name="Change this step")).to_be_focused()

    page.wait_for_url(re.compile("changes="))
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(outcome).to_contain_text("InvalidStateError")
    page.get_by_role("button", name="Undo all changes").click()
    expect(outcome).to_have_text(first, use_inner_text=True)
    expect(page.locator("#valid-tool-name-step-2")).to_contain_text("greater than 128")
    page.wait_for_url(re.compile("^[^&]*example=(?!.*changes=)"))


def test_changed_step_that_is_not_understood_leaves_the_text_as_it_was(page: Page) -> None:
    show(page)
    first = page.locator("#pg-outcome-list article").inner_text()
    begin_to_change(page, "valid-tool-name-step-2")
    new = page.locator("#pg-words textarea")
    new.fill("If |name|'s [=string/lenth=] is greater than 0, then return false.")
    page.get_by_role("button", name="Run with this").click()
    expect(page.get_by_role("alert")).to_contain_text("the nearest phrase is [=string/length=] (column 13)")
    expect(new).to_be_focused()
    assert new.evaluate("text => text.selectionStart") == 12
    new.press("Escape")
    expect(new).to_have_count(0)
    page.locator("#pg-run").click()
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(page.locator("#pg-outcome-list article")).to_have_text(first, use_inner_text=True)


@pytest.fixture(
    params=[(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")],
    ids=["phone-light", "phone-dark", "wide-light", "wide-dark"],
)
def resized(request: pytest.FixtureRequest, page: Page) -> Iterator[Page]:
    """Show the page at the width of a device, in a color scheme."""
    width, scheme = request.param
    before = page.viewport_size
    assert before is not None
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=scheme)
    yield page
    page.set_viewport_size(before)
    page.emulate_media(color_scheme="null")


def test_page_fits_a_phone_and_is_accessible(resized: Page) -> None:
    show(resized, f"{ABORT}&at=62")
    assert resized.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(resized.locator("#pg-timeline")).to_be_in_viewport()
    resized.evaluate(AXE.read_text(encoding="utf-8"))
    # The text of the specification is Bikeshed's markup; the rest is ours.
    result = resized.evaluate("axe.run({exclude: ['#pg-words']})")
    assert [(one["id"], one["nodes"][0]["html"]) for one in result["violations"]] == []
    assert {"color-contrast", "label", "document-title", "select-name"} <= {one["id"] for one in result["passes"]}
