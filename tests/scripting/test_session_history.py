"""Session histories in the simulated browser: what scripts see of traversals, and which documents come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from modelcontext.hosts.scripting.process import EngineProcess


@pytest.fixture(scope="module")
def process(starts_a_browser: None) -> Iterator[EngineProcess]:
    with start_process(REVISION) as running:
        yield running


def lines_of(process: EngineProcess, **scripts: str) -> list[str]:
    """Run the page "a" and return what all pages say; each page is a script by its name."""

    def serve(request: Request) -> Answer:
        name = request.url.removeprefix("https://a.test/").partition("?")[0]
        body = f"<!DOCTYPE html><body><script>{scripts[name]}</script>"
        return Answer(200, (("content-type", "text/html"),), body.encode())

    observed = ScriptedBrowser(process, REVISION, serve, seconds=5.0).run("https://a.test/a")
    assert (observed.errors, observed.ended) == ([], None)
    return [text for _, text in observed.console]


SAYS = """
const say = (...values) => console.log(location.pathname + location.search + location.hash, ...values);
onpageshow = ({ persisted }) => { say("shown", persisted, history.length, JSON.stringify(history.state)); shown(persisted); };
onpagehide = ({ persisted }) => say("hidden", persisted);
"""


def test_page_comes_back_with_its_state_and_goes_forward_again(process: EngineProcess) -> None:
    first = f"""{SAYS}
    const shown = (persisted) => {{
      if (persisted) {{ history.forward(); return; }}
      history.replaceState({{ n: 1 }}, "");
      location.href = "b";
    }};
    """
    second = f"{SAYS} const shown = (persisted) => {{ if (!persisted) history.back(); }};"
    assert lines_of(process, a=first, b=second) == [
        "/a shown false 1 null",
        "/a hidden true",
        "/b shown false 2 null",
        "/b hidden true",
        '/a shown true 2 {"n":1}',
        "/a hidden true",
        "/b shown true 2 null",
    ]


def test_traversal_within_a_document_fires_popstate_then_hashchange(process: EngineProcess) -> None:
    script = f"""{SAYS}
    onhashchange = ({{ oldURL, newURL }}) => say("hash", oldURL.at(-1), newURL.at(-1));
    onpopstate = ({{ state }}) => say("pop", JSON.stringify(state), state === history.state);
    const shown = () => {{
      history.pushState({{ n: 2 }}, "", "?2");
      history.pushState({{ n: 3 }}, "", "?3#x");
      say(history.length);
      history.go(-2);
      history.go(5);
      history.forward();
      setTimeout(() => {{ location.hash = "y"; say(history.length, history.state); }}, 10);
    }};
    """
    assert lines_of(process, a=script) == [
        "/a shown false 1 null",
        "/a?3#x 3",
        "/a pop null true",
        "/a hash x a",
        '/a?2 pop {"n":2} true',
        "/a?2#y pop null true",
        "/a?2#y 3 null",
        "/a?2#y hash 2 y",
    ]


def test_document_whose_window_another_window_holds_is_loaded_again(process: EngineProcess) -> None:
    first = "const other = open('b'); addEventListener('message', ({ data }) => console.log(data));"
    second = """
    addEventListener("pageshow", ({ persisted }) => opener.postMessage(`b ${persisted} ${history.state}`, "*"));
    addEventListener("load", () => setTimeout(() => {
      if (history.state !== null) return;
      history.replaceState("state", "");
      location.href = "c";
    }));
    """
    third = "addEventListener('load', () => setTimeout(() => history.back()));"
    assert lines_of(process, a=first, b=second, c=third) == ["b false null", "b false state"]


def test_frames_and_their_page_share_one_history(process: EngineProcess) -> None:
    page = """
    const frame = document.createElement("iframe");
    frame.src = "b?1";
    document.body.append(frame);
    const steps = [
      () => { frame.contentWindow.location.href = "b?2"; },
      () => { history.pushState(1, "", "#top"); history.go(-2); },
      () => { history.forward(); },
    ];
    addEventListener("message", ({ data }) => {
      console.log(data, history.length);
      steps.shift()?.();
    });
    onpopstate = () => console.log("pop", location.hash);
    """
    frame = "onpageshow = ({ persisted }) => parent.postMessage(`${location.search} ${persisted}`, '*');"
    expected = ["?1 false 1", "?2 false 2", "pop ", "?1 false 3", "?2 false 3"]
    assert lines_of(process, a=page, b=frame) == expected


def test_url_of_another_origin_and_a_state_without_a_clone_are_refused(process: EngineProcess) -> None:
    script = """
    for (const values of [[0, "", "https://b.test/"], [() => {}, ""]]) {
      try { history.pushState(...values); } catch (error) { console.log(error.name, history.length); }
    }
    """
    assert lines_of(process, a=script) == ["SecurityError 1", "DataCloneError 1"]


def test_broadcast_reaches_other_channels_of_its_name(process: EngineProcess) -> None:
    script = """
    const [one, two, three, other] = ["x", "x", "x", "y"].map((name) => new BroadcastChannel(name));
    for (const [name, channel] of Object.entries({ one, two, three, other })) {
      channel.onmessage = ({ data, origin, source, target }) => console.log(name, data.n, origin, source, target === channel);
    }
    one.postMessage({ n: 1 });
    three.close();
    try { three.postMessage(1); } catch (error) { console.log(error.name); }
    try { one.postMessage(() => {}); } catch (error) { console.log(error.name); }
    """
    assert lines_of(process, a=script) == ["InvalidStateError", "DataCloneError", "two 1 https://a.test null true"]
