"""The demo in words: who said what, which origin's tool ran, and where the chat paused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from modelcontext.judging.clients.page_tools import MAIN_FRAME

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.demo.demo_run import DemoRun


def lines_of(run: DemoRun) -> Iterator[str]:
    """Yield the lines that tell of a run: the page with its tools, then what happened, each line with who did it."""
    yield _line("site", f"{run.url} in {'the simulated browser' if run.is_simulated else 'Chromium'}")
    yield from _offers(run.before)
    yield _line("is asked", run.model)
    yield ""
    names: dict[str, str] = {}
    calls: list[Mapping[str, Any]] = []
    for event in run.events:
        data = event.data
        match event.type:
            case "message":
                yield _line("user" if data["role"] == "user" else "model", data["text"])
                # A step's calls are told while it streams, and its text when it is whole.
                for call in calls:
                    place = _place(call["origin"], call["frame"])
                    yield _line("calls", f"{call['tool_name']} {call['args']} of {place}")
                calls.clear()
            case "tool_call":
                names[data["tool_call_id"]] = data["tool_name"]
                calls.append(data)
            case "approval_required":
                asked = ", ".join(f"{call['tool_name']} {call['args']}" for call in data["tool_calls"])
                yield _line("pause", f"a person is asked: {asked}")
            case "approval":
                yield _line("person", f"{data['decision']}: {names[data['tool_call_id']]}")
            case "action_required":
                waits_for = ", ".join(call["tool_name"] for call in data["tool_calls"])
                yield _line("pause", f"the chat is a row in the database until the page has run {waits_for}")
            case "tool_result":
                output = json.dumps(data["output"], ensure_ascii=False)
                failed = " failed" if data["is_error"] else ""
                yield _line("page", f"{names[data['tool_call_id']]}{failed}: {output}")
            case "status" if data["reason"] == "results":
                yield _line("resume", "a worker takes the chat again")
            case "error":
                yield _line("error", f"{data['message']} {data['detail']}")
            case "done":
                yield _line("end", "the turn failed" if data["failed"] else "the turn is over")
    yield ""
    there = {tool.binding for tool in run.before}
    yield _line("site", "new tools of the page:")
    yield from _offers([tool for tool in run.after if tool.binding not in there])


def _offers(tools: Sequence[PageTool]) -> Iterator[str]:
    """Yield a line for each frame with tools."""
    for (frame, origin), group in groupby(tools, key=lambda tool: (tool.frame, tool.origin)):
        yield _line("offers", f"{', '.join(tool.name for tool in group)} of {_place(origin, frame)}")


def _place(origin: str, frame: str) -> str:
    return origin if frame == MAIN_FRAME else f"{origin} in {frame}"


def _line(who: str, words: str) -> str:
    return f"{who:>8}  {words}"
