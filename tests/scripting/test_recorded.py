"""The marks on answers to scripts: an answer without one counts as reaching beyond the event loop of its script."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.schedule import footprint
from modelcontext.hosts.scripting.answers import Answers
from modelcontext.hosts.scripting.recorded import reaches_beyond, recorded
from modelcontext.hosts.scripting.resources import Answer
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.usefixtures("starts_a_browser")

KEYS = {
    "Storage.setItem",
    "MessagePort.start",
    "Location.href",
    "History.pushState",
    "Window.length",
    "Node.firstChild",
}


@pytest.fixture
def browser() -> Iterator[ScriptedBrowser]:
    with start_process(REVISION) as process:
        yield ScriptedBrowser(process, REVISION, lambda request: Answer(404))


def handlers(browser: ScriptedBrowser) -> dict[str, partial[Any]]:
    found = Answers(browser.parts, browser.host, lambda text: None).handlers()
    return {name: handler for name, handler in found.items() if isinstance(handler, partial)}


def test_answers_that_reach_beyond_their_event_loop_are_those_that_find_windows_ports_and_urls(
    browser: ScriptedBrowser,
) -> None:
    beyond = {name for name, handler in handlers(browser).items() if reaches_beyond(handler.args[0], (1, "Node.x"))}
    assert beyond == {
        "at",
        "child_window",
        "create_object_url",
        "move_ports",
        "named_on_window",
        "navigate_window",
        "note",
        "post_to_channel",
        "post_to_port",
        "revoke_object_url",
        "submit_form",
        "window_member",
    }


@pytest.mark.parametrize(
    ("name", "staying"),
    [
        ("get", {"Node.firstChild"}),
        ("set", {"Node.firstChild"}),
        ("operation", {"Node.firstChild"}),
        ("static", {"Node.firstChild"}),
        ("construct", {"Node.firstChild"}),
        ("call", KEYS),
    ],
)
def test_key_of_a_member_decides_where_the_mark_says_so(browser: ScriptedBrowser, name: str, staying: set[str]) -> None:
    answer = handlers(browser)[name].args[0]
    assert {key for key in KEYS if not reaches_beyond(answer, (1, key))} == staying


@pytest.mark.parametrize("is_marked", [True, False])
def test_only_an_answer_without_a_mark_notes_an_effect_beyond(browser: ScriptedBrowser, is_marked: bool) -> None:
    def answer() -> str:
        return "answered"

    planted = recorded()(answer) if is_marked else answer
    noted: list[str] = []
    browser.realms.note_effect_beyond = lambda: noted.append("beyond")  # type: ignore[method-assign]
    asked = handlers(browser)["now"]
    with footprint.one_run():
        footprint.record_into(footprint.Footprint())
        assert asked.func(planted) == "answered"
        footprint.record_into(None)
    assert noted == ([] if is_marked else ["beyond"])
