"""A provider whose streams have quirks, and which judges what a client makes of them.

The first request of a conversation gets an answer with calls of the tools that it offers. The text of the answer has the
number of the stream. The next request of the conversation has it in its history, with the calls as the client understood
them. The gateway compares them with those that it sent.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse

from modelcontext.ground.words import counted
from modelcontext_agent.models.fakes.quirks import StreamQuirk, rewritten
from modelcontext_agent.models.fakes.wire import RequestError, Said, SaidCall, Wire

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_NUMBER = re.compile(r"\[stream (\d+)\]")
#: The characters of a piece of arguments.
_PIECE = 7


@dataclass
class Stream:
    """A stream: its quirks, the calls that it means, and the words against what a client made of it."""

    quirks: Sequence[StreamQuirk]
    calls: tuple[SaidCall, ...] = ()
    #: None until the client has come back; empty if all is right.
    problem: str | None = None

    @property
    def name(self) -> str:
        """The names of the quirks."""
        return ", ".join(quirk.name for quirk in self.quirks) or "none"

    @property
    def is_whole(self) -> bool:
        """True unless the answer breaks off."""
        return all(quirk.is_whole for quirk in self.quirks)


@dataclass
class QuirkyGateway:
    """An ASGI application that sends streams with quirks, one for each conversation, and judges the clients.

    Args:
        wire: the format.
        mixtures: the quirks of each stream, in turn.
        arguments: makes arguments for a schema.
        told: called with each stream that was judged.
    """

    wire: Wire
    mixtures: Sequence[Sequence[StreamQuirk]]
    arguments: Callable[[Any], Any]
    told: Callable[[Stream], None] = lambda stream: None
    streams: list[Stream] = field(default_factory=list)
    _of_response: dict[str, int] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """True once each mixture had its stream, and the client has come back after each answer that is whole."""
        whole = [stream for stream in self.streams if stream.is_whole]
        return len(self.streams) >= len(self.mixtures) and all(stream.problem is not None for stream in whole)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        if request.method != "POST" or not re.fullmatch(self.wire.path, request.url.path):
            await self._refuse(404, f"{request.url.path} is not found; ask {self.wire.path}")(scope, receive, send)
            return
        try:
            body = json.loads(await request.body())
            answer = self._answer(body, request.url.path)
        except RequestError as error:
            await self._refuse(400, str(error))(scope, receive, send)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            await self._refuse(400, f"{type(error).__name__}: {error}")(scope, receive, send)
        else:
            await StreamingResponse(answer, media_type="text/event-stream")(scope, receive, send)

    def _refuse(self, status: int, message: str) -> JSONResponse:
        return JSONResponse(self.wire.refusal(status, None, message, None), status)

    def _answer(self, body: Mapping[str, Any], path: str) -> Iterator[str]:
        known = self._of_response.get(body.get("previous_response_id") or "")
        if known is None and (found := _NUMBER.findall(json.dumps(body))):
            known = int(found[-1])
        if known is None:
            return self._begin(body, path)
        stream = self.streams[known]
        first = stream.problem is None
        problem = ""
        try:
            self.wire.asked(body, path)
        except RequestError as error:
            problem = f"the history is not valid: {error}"
        problem = problem or _problem(stream, *self._given(body), self.wire.kind)
        if first or problem:
            stream.problem = stream.problem or problem
            self.told(stream)
        if problem:
            raise RequestError(problem)
        return self.wire.streamed(Said(("Done.",)), body)

    def _begin(self, body: Mapping[str, Any], path: str) -> Iterator[str]:
        asked = self.wire.asked(body, path)
        if not asked.stream:
            raise RequestError("this server tests how clients read streams: ask for a stream")
        if not asked.offered:
            raise RequestError("offer at least one tool, so that the answers can call it")
        number = len(self.streams)
        stream = Stream(self.mixtures[number % len(self.mixtures)])
        stream.calls = tuple(self._calls(body, number))
        self.streams.append(stream)
        said = Said((f"[stream {number}] ", "I call."), stream.calls)
        texts = list(self.wire.streamed(said, body))
        for found in re.findall(r'"response":\{"id":"([^"]+)"', texts[0]):
            self._of_response[found] = number
        return rewritten(texts, stream.quirks, self.wire.kind)

    def _calls(self, body: Mapping[str, Any], number: int) -> Iterator[SaidCall]:
        tools = [tool for group in body["tools"] for tool in group.get("functionDeclarations", [group])]
        for place, tool in enumerate((tools * 2)[:2]):
            function = tool.get("function", tool)
            members = ("input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema")
            schema: Mapping[str, Any] = next((function[member] for member in members if function.get(member)), {})
            text = json.dumps(_told_apart(self.arguments(schema), schema, place))
            pieces = tuple(text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
            yield SaidCall(f"call_{number}_{place}", function["name"], pieces)

    def _given(self, body: Mapping[str, Any]) -> tuple[list[tuple[str, str, Any]] | None, list[str]]:
        """Return the calls of the newest answer in a history, or None if it was stored, and the ids of the results."""
        if self.wire.kind == "google":
            contents = body["contents"]
            model = max(place for place, content in enumerate(contents) if content["role"] == "model")
            made = [part["functionCall"] for part in contents[model]["parts"] if "functionCall" in part]
            parts = [part for content in contents[model:] for part in content["parts"]]
            results = [part["functionResponse"] for part in parts if "functionResponse" in part]
            calls = [(call.get("id") or call["name"], call["name"], call.get("args", {})) for call in made]
            return calls, [result.get("id") or result["name"] for result in results]
        if self.wire.kind == "openai-responses":
            items = body["input"]
            made = [item for item in items if item.get("type") == "function_call"]
            results = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
            if body.get("previous_response_id"):
                return None, results
            return [(call["call_id"], call["name"], json.loads(call["arguments"])) for call in made], results
        messages = body["messages"]
        place = max(at for at, message in enumerate(messages) if message["role"] == "assistant")
        if self.wire.kind == "openai":
            made = messages[place].get("tool_calls") or []
            calls = [(one["id"], one["function"]["name"], json.loads(one["function"]["arguments"])) for one in made]
            return calls, [one["tool_call_id"] for one in messages[place:] if one["role"] == "tool"]
        content = messages[place]["content"]
        made = [block for block in content if block["type"] == "tool_use"] if isinstance(content, list) else []
        blocks = [block for one in messages[place:] if isinstance(one["content"], list) for block in one["content"]]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        return [(call["id"], call["name"], call["input"]) for call in made], results


def _told_apart(arguments: Any, schema: Mapping[str, Any], place: int) -> dict[str, Any]:
    """Return arguments that differ from those of another call of the tool, if a property can."""
    made = dict(arguments) if isinstance(arguments, Mapping) else {}
    for name, property_ in (schema.get("properties") or {}).items():
        if not isinstance(property_, Mapping) or "enum" in property_ or "const" in property_:
            continue
        kind = str(property_.get("type")).lower()
        if kind == "string" and not {"format", "pattern", "maxLength"} & property_.keys():
            return {**made, name: f"text {place}"}
        if kind in ("integer", "number") and not {"maximum", "multipleOf"} & property_.keys():
            least: float = property_.get("minimum", 1)
            return {**made, name: least + place}
    return made


def _problem(stream: Stream, calls: Sequence[tuple[str, str, Any]] | None, results: Sequence[str], kind: str) -> str:
    """Return what is wrong with the calls that a client understood, and with its results; empty if nothing is."""
    if not stream.is_whole:
        return "the client ran calls of an answer that broke off" if calls or results else ""
    if len(results) != len(stream.calls):
        return f"the client sent {counted(len(results), 'result')} for {counted(len(stream.calls), 'call')}"
    if calls is None:
        given = {call.id for call in stream.calls}
        return (
            ""
            if set(results) == given
            else f"the client sent results of the calls {sorted(results)}, and not of {sorted(given)}"
        )
    meant = Counter(_text(call.name, call.members) for call in stream.calls)
    understood = Counter(_text(name, arguments) for _, name, arguments in calls)
    if understood != meant:
        return f"the client understood {', '.join(understood)}, but the answer had {', '.join(meant)}"
    ids = [id_ for id_, _, _ in calls]
    if Counter(ids) != Counter(results):
        return f"the client sent results of {results}, but its calls are {ids}"
    if kind != "google" and (len(set(ids)) != len(ids) or "" in ids):
        return f"the client gave its calls ids that are not unique: {ids}"
    return ""


def _text(name: str, arguments: Any) -> str:
    return f"{name} {json.dumps(arguments, sort_keys=True)}"
