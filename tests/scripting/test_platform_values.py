"""Events, structured clones and URLs of the simulated browser: what generated scripts have shown to differ from a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.process import EngineProcess

HOME = "https://a.test/"


@pytest.fixture(scope="module")
def process(starts_a_browser: None) -> Iterator[EngineProcess]:
    with start_process(REVISION) as running:
        yield running


def lines(process: EngineProcess, script: str) -> list[str]:
    """Run a script in a page; return the lines of its console, without unhandled exceptions."""
    page = f"<!DOCTYPE html><body><script>{script}</script>".encode()

    def serve(request: Request) -> Answer:
        return Answer(200, (("content-type", "text/html"),), page)

    observed = ScriptedBrowser(process, REVISION, serve, seconds=5.0).run(HOME)
    assert observed.errors == []
    assert observed.ended is None
    return [text for _, text in observed.console]


def names_of_errors(process: EngineProcess, *expressions: str) -> list[str]:
    """Return for each expression the name of the exception that it throws, or its value."""
    calls = ", ".join(f"() => {expression}" for expression in expressions)
    script = (
        f"for (const f of [{calls}]) try {{ console.log(String(f())); }} catch (error) {{ console.log(error.name); }}"
    )
    return lines(process, script)


def test_custom_event_has_its_detail_in_listeners_and_after_init_custom_event(process: EngineProcess) -> None:
    script = """
    const event = new CustomEvent("x", { detail: () => "called", bubbles: true });
    addEventListener("x", ({ detail }) => console.log(detail(), Object.prototype.toString.call(event)));
    document.body.dispatchEvent(event);
    event.initCustomEvent("y", true, true, 5);
    console.log(event.type, event.detail);
    """
    assert lines(process, script) == ["called [object CustomEvent]", "y 5"]


def test_passive_listener_cannot_cancel_an_event(process: EngineProcess) -> None:
    script = """
    const target = new EventTarget();
    target.addEventListener("x", (event) => event.preventDefault(), { passive: true });
    console.log(target.dispatchEvent(new Event("x", { cancelable: true })));
    target.addEventListener("x", (event) => event.preventDefault());
    console.log(target.dispatchEvent(new Event("x", { cancelable: true })));
    """
    assert lines(process, script) == ["true", "false"]


def test_init_event_clears_the_flags_of_an_earlier_dispatch(process: EngineProcess) -> None:
    script = """
    const event = new Event("x", { cancelable: true });
    event.preventDefault();
    event.stopPropagation();
    event.initEvent("x", false, true);
    console.log(event.defaultPrevented, event.cancelBubble);
    """
    assert lines(process, script) == ["false false"]


def test_rejected_promise_of_a_derived_class_is_unhandled(process: EngineProcess) -> None:
    script = """
    addEventListener("unhandledrejection", (event) => { event.preventDefault(); console.log(event.reason); });
    class Derived extends Promise {}
    Derived.reject("reason");
    """
    assert lines(process, script) == ["reason"]


def test_negative_zero_reaches_a_timer(process: EngineProcess) -> None:
    assert lines(process, "setTimeout((value) => console.log(Object.is(value, -0)), 0, -0);") == ["true"]


def test_clones_have_views_buffers_and_causes(process: EngineProcess) -> None:
    script = """
    const view = structuredClone(new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 2));
    console.log(view instanceof DataView, view.byteLength, view.getUint8(0));
    const buffer = structuredClone(new ArrayBuffer(2, { maxByteLength: 4 }));
    console.log(buffer.resizable, buffer.maxByteLength);
    console.log(structuredClone(new Error("x", { cause: { y: 1 } })).cause.y);
    """
    assert lines(process, script) == ["true 2 2", "true 4", "1"]


def test_clones_of_maps_and_sets_call_no_function_of_the_page(process: EngineProcess) -> None:
    script = """
    for (const { prototype } of [Map, Set]) prototype[Symbol.iterator] = () => { throw new Error("called"); };
    console.log(structuredClone(new Map([[1, 2]])).size, structuredClone(new Set([1, 2])).size);
    """
    assert lines(process, script) == ["1 2"]


def test_data_and_styles_of_elements_keep_properties_with_symbols(process: EngineProcess) -> None:
    script = """
    const key = Symbol();
    for (const object of [document.body.dataset, document.body.style]) {
      object[key] = 1;
      console.log(object[key], delete object[key], key in object);
    }
    """
    assert lines(process, script) == ["1 true false"] * 2


def test_transferred_buffer_moves_with_its_views(process: EngineProcess) -> None:
    script = """
    const bytes = new Uint8Array([1, 2]);
    const copy = structuredClone([bytes, bytes.buffer], { transfer: [bytes.buffer] });
    console.log(bytes.length, copy[0].join(), copy[0].buffer === copy[1]);
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ data }) => { console.log(new Uint8Array(data).join()); port2.close(); };
    port1.postMessage(copy[1], [copy[1]]);
    console.log(copy[1].detached);
    """
    assert lines(process, script) == ["0 1,2 true", "true", "1,2"]


def test_objects_without_a_serialization_cannot_be_cloned(process: EngineProcess) -> None:
    values = (
        "new Proxy({}, {})",
        "(function () { return arguments; })()",
        "new URL('https://a.test/')",
        "(function* () {})()",
        "new Map().entries()",
        "Promise.resolve()",
        "new WeakSet()",
        "Object(Symbol())",
    )
    clones = (f"structuredClone({value})" for value in values)
    assert names_of_errors(process, *clones) == ["DataCloneError"] * len(values)
    detached = "(() => { const buffer = new ArrayBuffer(1); buffer.transfer(); return structuredClone(buffer); })()"
    assert names_of_errors(process, detached, "structuredClone(1, { transfer: [{}] })") == ["DataCloneError"] * 2


def test_urls_and_their_parameters_convert_their_arguments_as_web_idl_does(process: EngineProcess) -> None:
    cases = {
        "new URLSearchParams([['a']])": "TypeError",
        "new URLSearchParams([1])": "TypeError",
        "new URLSearchParams({ [Symbol()]: 1 })": "TypeError",
        "new URLSearchParams().append('a')": "TypeError",
        "new URL()": "TypeError",
        "new URL('https://a.test/').href = 'x'": "TypeError",
        "new URLSearchParams(null)": "null=",
        "new URLSearchParams({ b: '\\ud800', a: 1 })": "b=%EF%BF%BD&a=1",
        "new URLSearchParams(new Map([['a', 1]]))": "a=1",
        "Object.keys(URL.prototype).includes('searchParams')": "true",
        "URL.parse('x:', undefined).href": "x:",
        "URL.parse('x')": "null",
        "Object.hasOwn((() => { try { new URLSearchParams().get(); } catch (error) { return error; } })(), 'code')": "false",
    }
    assert names_of_errors(process, *cases) == list(cases.values())


def test_port_moves_by_a_structured_clone(process: EngineProcess) -> None:
    script = """
    const { port1, port2 } = new MessageChannel();
    const [moved] = structuredClone([port2], { transfer: [port2] });
    moved.onmessage = ({ data }) => console.log(data);
    port1.postMessage("arrived");
    try { structuredClone(1, { transfer: [port2] }); } catch (error) { console.log(error.name); }
    """
    assert lines(process, script) == ["DataCloneError", "arrived"]


def test_time_of_an_abort_signal_is_in_the_range_of_its_type(process: EngineProcess) -> None:
    calls = (
        "AbortSignal.timeout(-1)",
        "AbortSignal.timeout(NaN)",
        "AbortSignal.timeout(2 ** 53)",
        "AbortSignal.timeout(0.5).aborted",
    )
    assert names_of_errors(process, *calls) == ["TypeError", "TypeError", "TypeError", "false"]


def test_functions_of_the_window_have_the_lengths_of_their_required_arguments(process: EngineProcess) -> None:
    functions = "[setTimeout, clearTimeout, postMessage, structuredClone, queueMicrotask]"
    script = f"console.log({functions}.map((f) => f.length).join());"
    assert lines(process, script) == ["1,0,1,1,1"]
