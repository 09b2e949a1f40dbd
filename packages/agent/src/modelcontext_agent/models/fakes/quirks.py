"""The quirks of gateways: rewritings of the stream of an answer, as servers are known to send it.

A server that speaks the format of a provider often sends the calls of an answer otherwise than the provider. A client must
tell the calls apart all the same, and must run none of an answer that breaks off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from modelcontext_agent.models.fakes.wire import event

if TYPE_CHECKING:
    import random

#: A server-sent event: its name, and its data. The text that ends a stream is data as well.
Event = tuple[str | None, Any]

_CHAT: Final = "openai"
_KINDS: Final = ("anthropic", _CHAT, "openai-responses", "google")
_ID: Final = {"anthropic": "id", _CHAT: "id", "openai-responses": "call_id", "google": "id"}


@dataclass(frozen=True, slots=True)
class StreamQuirk:
    """A quirk.

    Attributes:
        name: its name for people.
        says: what a server with the quirk does.
        kinds: the formats that have it.
        rewrite: takes the events of an answer and the format, and gives the events of such a server.
        group: quirks of one group are not mixed.
        is_whole: False if the answer breaks off.
    """

    name: str
    says: str
    kinds: tuple[str, ...]
    rewrite: Callable[[Sequence[Event], str], Iterable[Event]]
    group: str
    is_whole: bool = True


def _calls(data: Any, kind: str) -> Iterator[dict[str, Any]]:
    """Yield the objects of an event that are a call or a piece of one."""
    if not isinstance(data, dict):
        return
    if kind == _CHAT:
        for choice in data.get("choices", ()):
            yield from choice["delta"].get("tool_calls", ())
    elif kind == "anthropic":
        block = data.get("content_block", {})
        if block.get("type") == "tool_use":
            yield block
    elif kind == "google":
        for candidate in data.get("candidates", ()):
            yield from (part["functionCall"] for part in candidate["content"]["parts"] if "functionCall" in part)
    else:
        items = [data.get("item", {}), *data.get("response", {}).get("output", ())]
        yield from (item for item in items if item.get("type") == "function_call")


def _each(change: Callable[[dict[str, Any]], None]) -> Callable[[Sequence[Event], str], Iterable[Event]]:
    """Return a rewriting that changes each call or piece of one."""

    def rewrite(events: Sequence[Event], kind: str) -> Iterable[Event]:
        for _, data in events:
            for call in _calls(data, kind):
                change(call)
        return events

    return rewrite


def _with_id(given: Callable[[str], str]) -> Callable[[Sequence[Event], str], Iterable[Event]]:
    def rewrite(events: Sequence[Event], kind: str) -> Iterable[Event]:
        member = _ID[kind]
        ids = [call[member] for _, data in events for call in _calls(data, kind) if call.get(member)]
        return _each(lambda call: call.update({member: given(ids[0])}) if call.get(member) else None)(events, kind)

    return rewrite


def _with_each_piece(member: str) -> Callable[[Sequence[Event], str], Iterable[Event]]:
    """Return a rewriting that says a call's id or name with each of its pieces."""

    def rewrite(events: Sequence[Event], kind: str) -> Iterable[Event]:
        known = ""
        for _, data in events:
            for call in _calls(data, kind):
                holder = call if member == "id" else call["function"]
                known = holder.get(member) or known
                holder[member] = known
        return events

    return rewrite


def _name_in_pieces(events: Sequence[Event], kind: str) -> Iterable[Event]:
    for name, data in events:
        for call in _calls(data, kind):
            whole = call["function"].get("name", "")
            if len(whole) > 1:
                arguments = call["function"]["arguments"]
                call["function"] = {"name": whole[:2], "arguments": ""}
                yield name, json.loads(json.dumps(data))
                call.pop("id", None)
                call["function"] = {"name": whole[2:], "arguments": arguments}
        yield name, data


def _arguments_at_once(encode: Callable[[str], Any]) -> Callable[[Sequence[Event], str], Iterable[Event]]:
    """Return a rewriting that sends the arguments of a call with its first piece."""

    def rewrite(events: Sequence[Event], kind: str) -> Iterable[Event]:
        kept: list[Event] = []
        firsts: list[dict[str, Any]] = []
        for one in events:
            pieces = list(_calls(one[1], kind))
            for piece in pieces:
                if piece["function"].get("name"):
                    firsts.append(piece)
                elif firsts:
                    firsts[-1]["function"]["arguments"] += piece["function"]["arguments"]
            if not pieces or any(piece["function"].get("name") for piece in pieces):
                kept.append(one)
        for piece in firsts:
            piece["function"]["arguments"] = encode(piece["function"]["arguments"] or "{}")
        return kept

    return rewrite


def _input_at_once(events: Sequence[Event], kind: str) -> Iterable[Event]:
    blocks: dict[int, dict[str, Any]] = {}
    texts: dict[int, str] = {}
    for _, data in events:
        for block in _calls(data, kind):
            blocks[data["index"]], texts[data["index"]] = block, ""
        if data.get("delta", {}).get("type") == "input_json_delta":
            texts[data["index"]] += data["delta"]["partial_json"]
    for index, block in blocks.items():
        block["input"] = json.loads(texts[index] or "{}")
    for name, data in events:
        if data.get("delta", {}).get("type") != "input_json_delta":
            yield name, data


def _reason(events: Sequence[Event], kind: str) -> Iterable[Event]:
    for name, data in events:
        if isinstance(data, dict):
            for choice in data.get("choices", ()):
                choice["finish_reason"] = choice["finish_reason"] and "stop"
            if data.get("type") == "message_delta":
                data["delta"]["stop_reason"] = "end_turn"
        yield name, data


def _breaks_off(events: Sequence[Event], kind: str) -> Iterable[Event]:
    last = max((place for place, (_, data) in enumerate(events) if list(_calls(data, kind))), default=-1)
    ends = ("message_delta", "message_stop", "response.completed")
    for place, (name, data) in enumerate(events):
        is_end = not isinstance(data, dict) or data.get("type") in ends or (kind in (_CHAT, "google") and place > last)
        if not is_end:
            yield name, data


#: All quirks.
QUIRKS: Final = (
    StreamQuirk("one-id", "gives all calls of an answer the same id", _KINDS, _with_id(lambda first: first), "id"),
    StreamQuirk("empty-id", "gives the calls empty ids", _KINDS, _with_id(lambda _: ""), "id"),
    StreamQuirk("id-repeated", "sends the id with each piece", (_CHAT,), _with_each_piece("id"), "id"),
    StreamQuirk(
        "index-zero", "gives all calls the index 0", (_CHAT,), _each(lambda call: call.update(index=0)), "index"
    ),
    StreamQuirk("no-index", "gives no index", (_CHAT,), _each(lambda call: call.update(index=None)), "index"),
    StreamQuirk("name-repeated", "sends the name with each piece", (_CHAT,), _with_each_piece("name"), "name"),
    StreamQuirk("name-in-pieces", "sends the name in two pieces", (_CHAT,), _name_in_pieces, "name"),
    StreamQuirk(
        "object-arguments", "sends an object as arguments", (_CHAT,), _arguments_at_once(json.loads), "arguments"
    ),
    StreamQuirk("encoded-twice", "encodes the arguments twice", (_CHAT,), _arguments_at_once(json.dumps), "arguments"),
    StreamQuirk("input-at-once", "sends the input with the block", ("anthropic",), _input_at_once, "arguments"),
    StreamQuirk("wrong-reason", "ends calls as it ends text", (_CHAT, "anthropic"), _reason, "reason"),
    StreamQuirk("breaks-off", "breaks off before the end", _KINDS, _breaks_off, "reason", is_whole=False),
)


def quirks_of(kind: str) -> list[StreamQuirk]:
    """Return the quirks that a format can have."""
    return [quirk for quirk in QUIRKS if kind in quirk.kinds]


def mixed(kind: str, chance: random.Random) -> list[StreamQuirk]:
    """Return a random mixture of quirks, which may be empty."""
    by_group: dict[str, list[StreamQuirk]] = {}
    for quirk in quirks_of(kind):
        by_group.setdefault(quirk.group, []).append(quirk)
    chosen = {chance.choice(quirks).name for quirks in by_group.values() if chance.random() < 0.5}
    return in_order(quirk for quirk in QUIRKS if quirk.name in chosen)


def in_order(quirks: Iterable[StreamQuirk]) -> list[StreamQuirk]:
    """Return quirks in the order in which they can be applied: arguments are put together first."""
    groups = ("arguments", "name", "id", "index", "reason")
    return sorted(quirks, key=lambda quirk: groups.index(quirk.group))


def rewritten(stream: Iterable[str], quirks: Sequence[StreamQuirk], kind: str) -> Iterator[str]:
    """Yield the stream of an answer as a server with these quirks sends it."""
    events: Sequence[Event] = [_read(text) for text in stream]
    for quirk in quirks:
        events = list(quirk.rewrite(events, kind))
    for name, data in events:
        yield event(data, name) if isinstance(data, Mapping) else f"data: {data}\n\n"


def _read(text: str) -> Event:
    fields = dict(line.split(": ", 1) for line in text.strip().splitlines())
    data = fields["data"]
    return fields.get("event"), json.loads(data) if data.startswith("{") else data
