"""The reader of evaluations and of lists of tools: JSON files in the format of the public WebMCP evals.

```json
[{
  "name": "adds a tea",
  "messages": [
    {"role": "user", "type": "message", "content": "Which green teas are there?"},
    {"role": "model", "type": "functioncall", "name": "search_teas", "arguments": {"kind": "green"}},
    {"role": "user", "type": "functionresponse", "name": "search_teas", "response": {"teas": ["Sencha"]}},
    {"role": "model", "type": "message", "content": "Sencha."},
    {"role": "user", "type": "message", "content": "Then two of it, please."}
  ],
  "expectedCall": [
    {"functionName": "open_basket", "optional": true},
    {"unordered": [
      {"functionName": "add", "arguments": {"name": {"$pattern": "(?i)^sencha$"}, "amount": 2}, "mockOutput": {"ok": true}},
      {"functionName": "add", "arguments": {"name": {"$any": true}}, "optional": true}
    ]}
  ]
}]
```

``name`` may be absent, and ``expectedCall`` may be null: no call is expected then. :mod:`modelcontext_agent.evals.matching`
says what matches. ``result`` of an expected call is its ``mockOutput``. A call of a tool that the page has no more, or has
changed since the model was shown it, fails the evaluation, unless the expected call has
``"gone": true``, which is ours. A list of tools is
``{"tools": [{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}]}``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import regex

from modelcontext.ground.files import ReadError, read_whole
from modelcontext.ground.tables import TableError, TableReader
from modelcontext.judging.clients.page_tools import Hints, PageTool
from modelcontext.platform.infra.strings import has_lone_surrogate
from modelcontext_agent.evals.matching import (
    TYPES,
    CallGroup,
    Expected,
    ExpectedCall,
    Order,
    expected_calls,
    is_constraint,
)
from modelcontext_agent.strict_json import depth, json_value

#: The bytes of the largest file, the deepest nesting in it, and the most calls that an evaluation expects.
LARGEST = 10_000_000
DEEPEST = 64
MOST_CALLS = 200


class EvalError(TableError):
    """A file has no evaluations, no tools or no canned answers; the message names the file, the place and the problem."""


class MessageType(StrEnum):
    """The kinds of messages before the model's answer."""

    MESSAGE = "message"
    CALL = "functioncall"
    RESPONSE = "functionresponse"


@dataclass(frozen=True, slots=True)
class Message:
    """A message: words, a call that the model made, or the response to it."""

    role: str
    type: MessageType
    #: The words, or the name of the tool.
    text: str
    #: The arguments of a call, or the response: a JSON value.
    value: Any = None


@dataclass(frozen=True, slots=True)
class Eval:
    """An evaluation: the messages that the model answers, and the calls that it should make."""

    name: str
    messages: Sequence[Message]
    expected: Expected
    #: What the file says, for reports.
    source: Any


def read_evals(path: Path) -> list[Eval]:
    """Return the evaluations of a file.

    Raises:
        EvalError: if the file cannot be read, or is not in the format.
    """
    reader = Reader(path)
    items = reader.array(reader.load(), "")
    if not items:
        reader.fail("", "there are no evaluations in the array")
    return [_eval(reader, item, index) for index, item in enumerate(items)]


def read_tools(path: Path) -> list[PageTool]:
    """Return the tools of a file; they are no page's.

    Raises:
        EvalError: if the file cannot be read, or is not in the format.
    """
    reader = Reader(path)
    data = reader.load()
    reader.keys(reader.table(data, "", "a list of tools"), ["tools"], "")
    tools: dict[str, PageTool] = {}
    for index, item in enumerate(reader.array(data.get("tools"), "tools")):
        place = f"tools[{index}]"
        table = reader.table(item, place, "a tool")
        reader.keys(table, ["name", "title", "description", "inputSchema", "outputSchema", "annotations"], place)
        name = reader.text(table.get("name"), f"{place}.name")
        if name in tools:
            reader.fail(f"{place}.name", f"there are two tools “{name}”")
        description = reader.text(table.get("description", ""), f"{place}.description", empty=True)
        annotations = table.get("annotations")
        hints = Hints.of(
            None if annotations is None else reader.table(annotations, f"{place}.annotations", "annotations")
        )
        title = reader.text(table.get("title") or "", f"{place}.title", empty=True)
        tools[name] = PageTool(
            name, description, "", path.name, title=title, input_schema=table.get("inputSchema"), hints=hints
        )
    return list(tools.values())


class Reader(TableReader):
    """The reader of one file. Every method raises :class:`EvalError` for wrong input."""

    error = EvalError

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path

    def content(self) -> str:
        """Return the text of the file."""
        try:
            content = read_whole(self._path, most=LARGEST)
        except ReadError as error:
            self.fail("", error.reason)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.fail(f"byte {error.start + 1}", "is not UTF-8")

    def load(self) -> Any:
        """Return the JSON value of the file."""
        content = self.content()
        try:
            data = json_value(content)
        except json.JSONDecodeError as error:
            self.fail(f"line {error.lineno}, column {error.colno}", f"is not JSON: {error.msg}")
        except ValueError as error:
            self.fail("", f"is not JSON: {error}")
        if depth(data) > DEEPEST:
            self.fail("", f"has more than {DEEPEST} levels of arrays or objects")
        self._check_strings(data, "")
        return data

    def _check_strings(self, value: Any, place: str) -> None:
        if isinstance(value, dict):
            for key, member in value.items():
                self._check_strings(key, place)
                self._check_strings(member, f"{place}.{key}" if place else key)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self._check_strings(item, f"{place}[{index}]")
        elif isinstance(value, str) and has_lone_surrogate(value):
            self.fail(place.encode("utf-8", "replace").decode(), "this string has a lone surrogate")


def _eval(reader: Reader, item: Any, index: int) -> Eval:
    place = f"[{index}]"
    table = reader.table(item, place, "an evaluation")
    reader.keys(table, ["name", "messages", "expectedCall"], place)
    name = reader.text(table["name"], f"{place}.name") if table.get("name") is not None else f"{index + 1}"
    if "expectedCall" not in table:
        reader.fail(f"{place}.expectedCall", "is missing; write null if no call is expected")
    expected = _children(
        reader, [] if table["expectedCall"] is None else table["expectedCall"], f"{place}.expectedCall", Order.ORDERED
    )
    if sum(1 for _ in expected_calls(expected)) > MOST_CALLS:
        reader.fail(f"{place}.expectedCall", f"there are more than {MOST_CALLS} calls")
    return Eval(name, _messages(reader, table.get("messages"), f"{place}.messages"), expected, item)


def _messages(reader: Reader, value: Any, place: str) -> list[Message]:
    messages = [_message(reader, item, f"{place}[{index}]") for index, item in enumerate(reader.array(value, place))]
    # A provider refuses a conversation with a call that nobody answered.
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        if message.type is MessageType.CALL:
            open_calls.append(message.text)
        elif message.type is MessageType.RESPONSE:
            if message.text not in open_calls:
                reader.fail(f"{place}[{index}]", f"no call of “{message.text}” waits for this response")
            open_calls.remove(message.text)
        elif open_calls:
            reader.fail(
                f"{place}[{index}]", f"the call of “{open_calls[0]}” needs its functionresponse before this message"
            )
    if open_calls:
        reader.fail(place, f"the call of “{open_calls[0]}” has no functionresponse")
    if not messages or messages[-1].role != "user":
        reader.fail(place, "the last message must be the user's: the model answers it")
    return messages


def _message(reader: Reader, item: Any, place: str) -> Message:
    table = reader.table(item, place, "a message")
    kind = MessageType(reader.choice(table.get("type"), MessageType, f"{place}.type", "type of messages"))
    members = {
        MessageType.MESSAGE: ["content"],
        MessageType.CALL: ["name", "arguments"],
        MessageType.RESPONSE: ["name", "response"],
    }[kind]
    reader.keys(table, ["role", "type", *members], place)
    roles = {MessageType.MESSAGE: ["user", "model"], MessageType.CALL: ["model"], MessageType.RESPONSE: ["user"]}[kind]
    role = reader.choice(table.get("role"), roles, f"{place}.role", f"role of a {kind}")
    text = reader.text(table.get(members[0]), f"{place}.{members[0]}")
    if kind is MessageType.CALL:
        arguments = table.get("arguments")
        return Message(
            role, kind, text, reader.table({} if arguments is None else arguments, f"{place}.arguments", "it")
        )
    return Message(role, kind, text, table.get("response"))


def _children(reader: Reader, value: Any, place: str, order: Order) -> CallGroup:
    items = reader.array(value, place)
    return CallGroup(order, tuple(_expected(reader, item, f"{place}[{index}]") for index, item in enumerate(items)))


def _expected(reader: Reader, item: Any, place: str) -> Expected:
    table = reader.table(item, place, "an expected call")
    for order in Order:
        if order in table:
            reader.keys(table, [order], place)
            return _children(reader, table[order], f"{place}.{order}", order)
    reader.keys(table, ["functionName", "arguments", "result", "optional", "mockOutput", "gone", *Order], place)
    arguments = table.get("arguments")
    _check_constraints(reader, arguments, f"{place}.arguments")
    return ExpectedCall(
        name=reader.text(table.get("functionName"), f"{place}.functionName"),
        arguments=arguments,
        optional=reader.flag(table.get("optional", False), f"{place}.optional"),
        mock_output=table.get("mockOutput", table.get("result")),
        gone=reader.flag(table.get("gone", False), f"{place}.gone"),
    )


def _check_constraints(reader: Reader, value: Any, place: str) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            _check_constraints(reader, item, f"{place}[{index}]")
    if not isinstance(value, dict):
        return
    for key, member in value.items():
        where = f"{place}.{key}"
        if not is_constraint(value) or key == "$contains":
            _check_constraints(reader, member, where)
        elif key == "$pattern":
            try:
                regex.compile(reader.text(member, where, empty=True))
            except regex.error as error:
                reader.fail(where, f"is not a regular expression: {error}")
        elif key == "$type":
            reader.choice(member, TYPES, where, "type")
        elif key in ("$gt", "$gte", "$lt", "$lte") and (
            isinstance(member, bool) or not isinstance(member, int | float)
        ):
            reader.fail(where, "a number is needed here")
