"""A page rejects a call before Python has heard of it exactly where the steps do, and for the same reason."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import modelcontext.hosts.page
from modelcontext.platform.ecmascript.values import BigInt
from modelcontext.programs.face import Browser, RejectedError
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from modelcontext.programs.face import Document, Promise

Call = dict[str, Any]

#: Strings for a list of origins. A page asks the URL parser of its browser, Python its own.
ORIGINS = (
    "https://a.test",
    "https://a.test:444/path?query",
    "http://a.test",
    "http://localhost:8000",
    "http://x.localhost",
    "http://localhost.",
    "http://notlocalhost",
    "http://127.0.0.1",
    "http://127.1",
    "http://128.0.0.1",
    "http://127.0.0.1.a.test",
    "http://[::1]:80",
    "http://[::2]",
    "ws://a.test",
    "ws://localhost",
    "wss://a.test",
    "ftp://a.test",
    "ftp://localhost",
    "file:///folder",
    "data:text/plain,",
    "about:blank",
    "blob:https://a.test/1",
    "blob:http://a.test/1",
    "blob:http://localhost/1",
    "blob:nothing",
    "blob:file:///folder",
    "https://",
    "a.test",
    "",
)
LISTS = (None, [], *([origin] for origin in ORIGINS), ["https://a.test", "http://a.test"])
NAMES = ("", "a", "taken", "a b", "\u00e9", "\ud800", "aZ0._-", "a" * 128, "a" * 129, "a\n")
#: Objects to serialize: of two there is no JSON text.
OBJECTS = {
    "text": ({"a": [1]}, "({ a: [1] })"),
    "throws": ({"a": BigInt(1)}, "({ a: 1n })"),
    "none": (print, "(() => {})"),
}
SIGNALS = (None, "not aborted", "aborted")


def calls() -> Iterator[Call]:
    """Yield calls of all operations: each reason alone, and with each that is asked for before or after it."""
    for exposed in LISTS:
        yield {"operation": "registerTool", "name": "a", "description": "d", "exposedTo": exposed}
        yield {"operation": "getTools", "fromOrigins": exposed}
    for name in NAMES:
        yield {"operation": "registerTool", "name": name, "description": "d"}
    for name, description, schema, signal, exposed in product(
        ("a", "taken", ""), ("d", ""), (None, *OBJECTS), SIGNALS, (None, ["https://a.test"], ["http://a.test"])
    ):
        yield {
            "operation": "registerTool",
            "name": name,
            "description": description,
            "inputSchema": schema,
            "signal": signal,
            "exposedTo": exposed,
        }
    for origin in ORIGINS:
        yield {"operation": "executeTool", "origin": origin}
    for origin, value, signal in product(("https://a.test", "null", "about:blank"), (None, *OBJECTS), SIGNALS):
        yield {"operation": "executeTool", "origin": origin, "input": value, "signal": signal}


STATES = ("active", "not allowed", "gone")
CALLS = [{"state": "active"} | call for call in calls()] + [
    {"state": state, "operation": operation, "name": "", "description": "", "origin": "", "fromOrigins": [""]}
    for state in STATES
    for operation in ("registerTool", "getTools", "executeTool")
]


class Stage:
    """Documents of the model in which each call is made."""

    def __init__(self, state: str) -> None:
        self.browser = Browser()
        top = self.browser.open("https://a.test/")
        self.document: Document = top.add_frame(
            "https://a.test/frame", allow="tools 'none'" if state == "not allowed" else ""
        )
        top.model_context.register_tool(name="other", description="d", execute=print)
        (self.other,) = top.model_context.get_tools().wait()
        self.document.model_context.register_tool(name="taken", description="d", execute=print)
        self.browser.run_until_idle()
        if state == "gone":
            self.document.remove()

    def made(self, call: Call) -> Promise:
        """Make a call, and return its promise."""
        context = self.document.model_context
        signal = None
        if call.get("signal") is not None:
            controller = self.document.new_abort_controller()
            signal = controller.signal
            if call["signal"] == "aborted":
                controller.abort("the reason")
        if call["operation"] == "getTools":
            return context.get_tools(from_origins=call["fromOrigins"])
        if call["operation"] == "registerTool":
            schema = {"input_schema": OBJECTS[call["inputSchema"]][0]} if call.get("inputSchema") else {}
            return context.register_tool(
                name=call["name"],
                description=call["description"],
                execute=print,
                signal=signal,
                exposed_to=call.get("exposedTo"),
                **schema,
            )
        tool: Any = {
            "name": "a",
            "description": "d",
            "origin": call["origin"],
            "window": self.other._object.get("window"),
        }
        arguments = [OBJECTS[call["input"]][0]] if call.get("input") else []
        return context.execute_tool(tool, *arguments, signal=signal)


def rejected_by_the_steps(call: Call) -> str | None:
    """Return the reason for which the steps reject the promise of a call before they return it."""
    promise = Stage(call["state"]).made(call)
    if promise.state != "rejected":
        return None
    with pytest.raises(RejectedError) as raised:
        promise.value  # noqa: B018 - reading it raises.
    return raised.value.name or str(raised.value.reason)


@pytest.fixture(scope="module")
def rejected_by_the_page(starts_a_browser: None) -> list[str | None]:
    """Return the reason for which a page rejects each call."""
    text = (Path(modelcontext.hosts.page.__file__).parent / "realm" / "refusals.js").read_text(encoding="utf-8")
    helpers = re.sub(r"^import [^;]*;\n|^export ", "", text, flags=re.MULTILINE)
    definitions = REVISIONS["current"].definitions
    members = {
        name: [member.name for member in definitions.members_of(dictionary)]
        for name, dictionary in definitions.dictionaries.items()
    }
    program = f"""
        const construct = Reflect.construct, NativeURL = URL, setNull = (object) => Object.setPrototypeOf(object, null);
        const uncurried = (method) => (self, ...values) => Reflect.apply(method, self, values);
        const [schemeOf, urlHostOf, urlOriginOf] = ["protocol", "hostname", "origin"].map((name) => (url) => url[name]);
        const given = {{ members: {json.dumps(members)} }};
        {helpers}
        const objects = {{ {", ".join(f"{name}: {text}" for name, (_, text) in OBJECTS.items())} }};
        const dictionary = (name, call) => given.members[name].map((member) => call[member] ?? null);
        const dictionaries = {{
          registerTool: ["ModelContextTool", "ModelContextRegisterToolOptions"],
          getTools: ["ModelContextGetToolOptions"],
          executeTool: ["RegisteredTool", null, "ModelContextExecuteToolOptions"],
        }};
        const reason = (call) => {{
          const data = dictionaries[call.operation].map((name) => name === null ? call.input ?? null : dictionary(name, call));
          const found = refusal(`ModelContext.${{call.operation}}`, data, {{
            active: call.state !== "gone",
            allowed: call.state !== "not allowed",
            names: setNull({{ taken: true }}),
            text(key) {{
              try {{
                return JSON.stringify(objects[key]) === undefined ? ["TypeError"] : null;
              }} catch (error) {{
                return [error.name];
              }}
            }},
            isAborted: (key) => key === "aborted",
            reasonOf: (key) => "the reason",
            error: (name) => name,
          }});
          return found === null ? null : found[0];
        }};
        console.log(JSON.stringify({json.dumps(CALLS)}.map(reason)));
    """
    printed = subprocess.run(["node", "-"], input=program, check=True, capture_output=True, text=True).stdout
    reasons: list[str | None] = json.loads(printed)
    return reasons


def test_page_and_steps_reject_the_same_calls_for_the_same_reasons(rejected_by_the_page: list[str | None]) -> None:
    by_the_steps = list(map(rejected_by_the_steps, CALLS))
    differences = [
        (call, steps, page)
        for call, steps, page in zip(CALLS, by_the_steps, rejected_by_the_page, strict=True)
        if steps != page
    ]
    assert differences == []


def test_calls_show_every_reason(rejected_by_the_page: list[str | None]) -> None:
    reasons = {"InvalidStateError", "NotAllowedError", "SecurityError", "NotSupportedError", "TypeError", "the reason"}
    assert set(rejected_by_the_page) == {None, *reasons}
