"""Streams of gateways: answers in the format of chat completions whose calls are not put together as OpenAI does it.

OpenAI tells the calls of an answer apart by an index, and sends id and name once. Servers that speak its format give each
call the index 0, no index, one id to two calls, a name in pieces or with every piece, or arguments as an object. Here each
piece is given to one call before the library joins the pieces:

* A piece belongs to the call of its id, else to the newest call of its index, else to the newest call.
* It begins another call if it has a name, and if its id is new, or the arguments before it are whole and others, or the name
  before it is another tool's and has no arguments.
* What a call has already is not added again: a name, or arguments that are whole.

A name is held back until arguments follow or the answer ends: only then is it known to be whole. Each call has an id of its
own; where the gateway gives none, or one that another call has, the call gets a new one.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall, ChoiceDeltaToolCallFunction
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

from modelcontext_agent.models.stored_answers import BrokenAnswerError, new_id
from modelcontext_agent.strict_json import json_value

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
    from pydantic_ai.messages import FinishReason


class GatewayChatModel(OpenAIChatModel):
    """A model behind chat completions, of OpenAI or of a server that speaks its format more or less."""

    @property
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _GatewayStream


@dataclass
class _GatewayStream(OpenAIStreamedResponse):
    """A stream whose calls are put in order."""

    _joined: JoinedCalls | None = field(default=None, init=False)

    def _validate_response(self) -> AsyncIterable[ChatCompletionChunk]:
        names = {tool.name for tool in self.model_request_parameters.function_tools}
        self._joined = JoinedCalls(names)
        return self._in_order(self._joined)

    async def _in_order(self, joined: JoinedCalls) -> AsyncIterator[ChatCompletionChunk]:
        async for chunk in super()._validate_response():
            for choice in (chunk.choices or [])[:1]:
                if choice.delta is None:  # pyright: ignore[reportUnnecessaryComparison]
                    continue
                pieces = [repaired for piece in choice.delta.tool_calls or [] for repaired in joined.take(piece)]
                if choice.finish_reason:
                    pieces += joined.finish()
                choice.delta.tool_calls = pieces or None
            yield chunk

    def _missing_finish_reason(self) -> FinishReason:
        # Some servers never say that an answer ends. Its text can be shown; a call may lack its other half.
        if self._joined is not None and self._joined.has_calls:
            raise BrokenAnswerError(self.model_name)
        return "stop"


@dataclass(slots=True)
class _Call:
    """A call under way. ``told`` is True once its name has been passed on."""

    position: int
    index: Any
    sent_id: str
    id: str
    name: str = ""
    arguments: str = ""
    told: bool = False

    @property
    def is_whole(self) -> bool:
        return _is_object(self.arguments)


class JoinedCalls:
    """The calls of one answer, from pieces in whatever order and with whatever ids.

    Args:
        names: the names of the tools that the model was offered.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._calls: list[_Call] = []
        self._is_over = False

    @property
    def has_calls(self) -> bool:
        """True once a call has begun."""
        return bool(self._calls)

    def take(self, piece: ChoiceDeltaToolCall) -> Iterator[ChoiceDeltaToolCall]:
        """Take a piece, and yield what the library is to join: an index for each call, its id and name once."""
        function = piece.function
        sent_id, name = piece.id or "", (function.name if function is not None else None) or ""
        arguments = _text(function.arguments if function is not None else None)
        call = self._call_of(piece.index, sent_id, name, arguments)
        if call is None:
            yield from self._told(self._calls[-1:])
            taken = {known.id for known in self._calls}
            own = sent_id if sent_id and sent_id not in taken else new_id(sent_id, taken)
            call = _Call(len(self._calls), piece.index, sent_id, own)
            self._calls.append(call)
        elif call.is_whole and _is_object(arguments):
            # The whole call once more.
            arguments = ""
        if arguments.strip() == "{}" and not call.arguments:
            # Some servers send this first, and then the arguments.
            arguments = ""
        call.sent_id = call.sent_id or sent_id
        if not call.told:
            call.name = self._joined_name(call.name, name)
        call.arguments += arguments
        if call.name and not call.told and (arguments or self._is_over):
            yield from self._told([call], piece)
        elif call.told and (arguments or piece.model_extra):
            yield _piece(piece, call, None, arguments)

    def finish(self) -> Iterator[ChoiceDeltaToolCall]:
        """Yield the calls that had no arguments: the answer has ended."""
        self._is_over = True
        yield from self._told(self._calls)

    def _told(self, calls: list[_Call], piece: ChoiceDeltaToolCall | None = None) -> Iterator[ChoiceDeltaToolCall]:
        for call in calls:
            if not call.told and call.name and (call.arguments or not self._is_end(call)):
                call.told = True
                yield _piece(piece or ChoiceDeltaToolCall(index=0), call, call.name, call.arguments)

    def _is_end(self, call: _Call) -> bool:
        """Return whether a call is only the end of another one, said once more with its id and its name."""
        others = [
            other for other in self._calls if other is not call and other.sent_id and other.sent_id == call.sent_id
        ]
        return any(other.name == call.name for other in others)

    def _call_of(self, index: Any, sent_id: str, name: str, arguments: str) -> _Call | None:
        """Return the call that a piece belongs to, or None if it begins another one."""
        newest = next((call for call in reversed(self._calls) if index is None or call.index == index), None)
        same_id = next((call for call in reversed(self._calls) if sent_id and call.sent_id == sent_id), None)
        found = same_id or newest
        if found is None:
            # Without a name and an id it goes on with what is there: an index that rises with every piece.
            return self._calls[-1] if self._calls and not (name or sent_id) else None
        if not name:
            return found
        if same_id is None and sent_id and found.sent_id:
            return None
        if not found.is_whole:
            # Another name, before any arguments, is the one of another call.
            return found if found.arguments or self._goes_on(found.name, name) else None
        is_same = bool(arguments) and _is_object(arguments) and _equal(arguments, found.arguments)
        return found if is_same and (same_id is None or found.index == index) else None

    def _goes_on(self, name: str, piece: str) -> bool:
        """Return whether a name may be the beginning of one, and the piece the rest, or the name said again."""
        joined = self._joined_name(name, piece)
        return name not in self._names or joined in self._names

    def _joined_name(self, name: str, piece: str) -> str:
        if not piece or name + piece in self._names:
            return name + piece
        # It is said again, or as far as it is known by now.
        return piece if piece == name or (piece.startswith(name) and piece in self._names) else name + piece


def _piece(piece: ChoiceDeltaToolCall, call: _Call, name: str | None, arguments: str) -> ChoiceDeltaToolCall:
    function = ChoiceDeltaToolCallFunction(name=name, arguments=arguments)
    # The copy keeps what else the gateway says of the call, such as the signature of a thought.
    return piece.model_copy(update={"index": call.position, "id": call.id if name else None, "function": function})


def _text(arguments: Any) -> str:
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False)


def _is_object(text: str) -> bool:
    try:
        value = json_value(text)
        # Some servers encode the arguments twice.
        return isinstance(json_value(value) if isinstance(value, str) else value, dict)
    except ValueError:
        return False


def _equal(one: str, other: str) -> bool:
    return bool(json_value(one) == json_value(other))
