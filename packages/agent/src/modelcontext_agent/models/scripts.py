"""Scripts: small TOML files that say what a model answers and calls, and when it fails.

A script is a list of answers. The first request of a conversation gets the first answer, the request after that the second,
whoever asks: the position is read from the messages, so another process that takes over a chat goes on at the right place.

```toml
# All keys but "answers" are optional.
repeat = true                       # after the last answer comes the first again; else one answer too many is an error
delay = 0.05                        # seconds before each piece of an answer; 0 without the key

[[answers]]
text = "I look at the menu."        # streams in words
[[answers.calls]]
tool = "menu.read"                  # the page's name of a tool, or exactly its alias
arguments = { size = 3 }            # streams in pieces of JSON; an empty object without the key
id = "call_menu"                    # made of the positions without the key

[[answers]]
failures = [                        # one for each try, before the answer itself
  { status = 529, message = "Overloaded", times = 2 },
  { status = 429, code = "rate_limit_exceeded", retry_after = 3 },
  { status = 500, after = "The pizza " },   # fails when this text has been streamed
  { stall = true },                 # the stream opens and nothing comes
  { disconnect = true },            # the connection breaks
]
text = "The menu says: {outputs}"   # the outputs of the tools that the request carries
calls = [{ tool = "order", raw_arguments = "{ not JSON" }]
```

Failures are counted in memory, for each answer and each first message of a conversation: in a new process they begin anew.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modelcontext_agent.exposure.aliases import can_stand_for

#: The bytes of the largest script.
LARGEST = 1_000_000
#: The most tables or arrays within each other.
DEEPEST = 50
#: Stands in a text for the outputs of the tools that the request carries.
OUTPUTS = "{outputs}"

_PIECE = 7
_LARGEST_INTEGER = 2**63
_WORDS = re.compile(r"\S+\s*|\s+")


class ScriptError(Exception):
    """A script cannot be read or has no answer left; the message names the file, the place in it and the problem."""

    def __init__(self, file: str, place: str, problem: str) -> None:
        super().__init__(f"{file}: {place}: {problem}" if place else f"{file}: {problem}")
        self.file = file
        self.place = place
        self.problem = problem


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A call of a tool. ``arguments`` is JSON text, or what a broken model sends instead."""

    tool: str
    arguments: str = "{}"
    id: str | None = None

    def pieces(self) -> list[str]:
        """Return the arguments in the pieces in which they stream."""
        return [self.arguments[start : start + _PIECE] for start in range(0, len(self.arguments), _PIECE)]


@dataclass(frozen=True, slots=True)
class ScriptedFailure:
    """A way to fail: with an HTTP status, by a stall (None, ``stall``) or by a broken connection (None)."""

    status: int | None = None
    stall: bool = False
    code: str | None = None
    message: str = "The script says so"
    retry_after: float | None = None
    after: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """An answer: text, then calls. ``failures`` come before it."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    failures: tuple[ScriptedFailure, ...] = ()

    def failure(self, attempt: int) -> ScriptedFailure | None:
        """Return the failure of a try, counted from 0, or None if the try succeeds."""
        for failure in self.failures:
            if attempt < failure.times:
                return failure
            attempt -= failure.times
        return None


@dataclass(frozen=True, slots=True)
class ModelScript:
    """A script, read and checked."""

    answers: tuple[ScriptedAnswer, ...]
    file: str = "script"
    repeat: bool = False
    delay: float = 0.0

    def answer(self, position: int) -> ScriptedAnswer:
        """Return the answer at a position of a conversation, counted from 0.

        Raises:
            ScriptError: if the script has no such answer.
        """
        if position < len(self.answers):
            return self.answers[position]
        if self.repeat:
            return self.answers[position % len(self.answers)]
        count = f"{len(self.answers)} answer" + ("s" if len(self.answers) > 1 else "")
        problem = (
            f"the chat asks for answer {position + 1}, and the script has {count}; add one, or set “repeat = true”"
        )
        raise ScriptError(self.file, "answers", problem)


@dataclass(slots=True)
class Attempts:
    """The tries at each answer so far, for each first message of a conversation."""

    counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def next(self, first_message: str, position: int) -> int:
        """Return the number of tries before this one, and count it."""
        key = (first_message, position)
        self.counts[key] = self.counts.get(key, -1) + 1
        return self.counts[key]


def words(text: str) -> list[str]:
    """Return the text in the pieces in which it streams."""
    return _WORDS.findall(text)


def with_outputs(text: str, outputs: Iterable[str]) -> str:
    """Return the text of an answer with the outputs of tools where it asks for them."""
    return text.replace(OUTPUTS, ", ".join(outputs)) if OUTPUTS in text else text


def call_id(call: ScriptedCall, position: int, index: int) -> str:
    """Return the id of a call: the script's, or one of the positions of the answer and of the call in it."""
    return call.id or f"call_{position + 1}_{index + 1}"


def name_among(tool: str, offered: Sequence[str]) -> str:
    """Return the alias that a script means by a tool's name: the offered one that is the name, or is made of it.

    A name that nothing offered fits is returned as it is, and the model calls a tool that does not exist.
    """
    if tool in offered:
        return tool
    return next((name for name in offered if can_stand_for(name, tool)), tool)


def read_script(path: Path) -> ModelScript:
    """Return the script in a TOML file.

    Raises:
        ScriptError: if there is no such file, or it is not a script.
    """
    file = str(path)
    try:
        with path.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except OSError as error:
        raise ScriptError(file, "", f"cannot be read: {error.strerror}") from None
    except ValueError:
        raise ScriptError(repr(file), "", "is not the name of a file") from None
    if len(content) > LARGEST:
        raise ScriptError(file, "", f"is larger than {LARGEST:,} bytes")
    try:
        data = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise ScriptError(file, f"byte {error.start + 1}", "is not UTF-8") from None
    except RecursionError:
        raise ScriptError(file, "", "has too many tables or arrays within each other") from None
    except ValueError as error:
        raise ScriptError(file, "", f"is not TOML: {error}") from None
    return script_of(data, file)


def script_of(data: Mapping[str, Any], file: str = "script") -> ModelScript:
    """Return the script that a table describes; ``file`` names it in messages.

    Raises:
        ScriptError: if the table is not a script.
    """
    reader = _Reader(file)
    table = reader.table(data, "", {"repeat", "delay", "answers"})
    answers = tuple(reader.answer(item, place) for item, place in reader.items(table, "answers", ""))
    if not answers:
        raise ScriptError(file, "answers", "is missing: a script needs at least one answer")
    return ModelScript(
        answers=answers,
        file=file,
        repeat=reader.boolean(table, "repeat", ""),
        delay=reader.seconds(table, "delay", "", 60) or 0.0,
    )


class _Reader:
    """The strict reader of one script."""

    def __init__(self, file: str) -> None:
        self.file = file

    def refuse(self, place: str, problem: str) -> ScriptError:
        return ScriptError(self.file, place, problem)

    def table(self, value: Any, place: str, known: set[str]) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self.refuse(place, f"must be a table, and not {_kind(value)}")
        for key in value:
            if key not in known:
                names = ", ".join(sorted(known))
                raise self.refuse(_join(place, str(key)), f"is not a key here; the keys are {names}")
        return value

    def items(self, table: Mapping[str, Any], key: str, place: str) -> Iterator[tuple[Any, str]]:
        value = table.get(key, [])
        place = _join(place, key)
        if not isinstance(value, list):
            raise self.refuse(place, f"must be an array of tables, and not {_kind(value)}")
        for index, item in enumerate(value):
            yield item, f"{place}[{index}]"

    def text(self, table: Mapping[str, Any], key: str, place: str) -> str | None:
        value = table.get(key)
        if value is not None and not isinstance(value, str):
            raise self.refuse(_join(place, key), f"must be a string, and not {_kind(value)}")
        return value

    def boolean(self, table: Mapping[str, Any], key: str, place: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            raise self.refuse(_join(place, key), f"must be true or false, and not {_kind(value)}")
        return value

    def integer(self, table: Mapping[str, Any], key: str, place: str, least: int, most: int) -> int | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.refuse(
                _join(place, key), f"must be a whole number from {least} to {most}, and not {_kind(value)}"
            )
        return value

    def seconds(self, table: Mapping[str, Any], key: str, place: str, most: int) -> float | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= most:
            raise self.refuse(_join(place, key), f"must be seconds from 0 to {most}, and not {_kind(value)}")
        return float(value)

    def answer(self, value: Any, place: str) -> ScriptedAnswer:
        table = self.table(value, place, {"text", "calls", "failures"})
        text = self.text(table, "text", place) or ""
        calls = tuple(self.call(item, where) for item, where in self.items(table, "calls", place))
        if not text and not calls:
            raise self.refuse(place, "says nothing: an answer needs “text” or “calls”")
        ids = [call.id for call in calls if call.id is not None]
        if len(ids) != len(set(ids)):
            raise self.refuse(_join(place, "calls"), "has two calls with one id")
        failures = tuple(self.failure(item, where) for item, where in self.items(table, "failures", place))
        return ScriptedAnswer(text=text, calls=calls, failures=failures)

    def call(self, value: Any, place: str) -> ScriptedCall:
        table = self.table(value, place, {"tool", "arguments", "raw_arguments", "id"})
        tool = self.text(table, "tool", place)
        if not tool:
            raise self.refuse(_join(place, "tool"), "is missing: a call needs the name of a tool")
        arguments = self.text(table, "raw_arguments", place)
        if arguments is None:
            given = table.get("arguments", {})
            where = _join(place, "arguments")
            if not isinstance(given, Mapping):
                raise self.refuse(where, f"must be a table, and not {_kind(given)}")
            self.check_json(given, where, 0)
            arguments = json.dumps(given, ensure_ascii=False)
        elif "arguments" in table:
            raise self.refuse(place, "has both “arguments” and “raw_arguments”; leave one out")
        identifier = self.text(table, "id", place)
        if identifier == "":
            raise self.refuse(_join(place, "id"), "is empty")
        return ScriptedCall(tool=tool, arguments=arguments, id=identifier)

    def check_json(self, value: Any, place: str, depth: int) -> None:
        if depth > DEEPEST:
            raise self.refuse(place, f"has more than {DEEPEST} tables or arrays within each other")
        if isinstance(value, Mapping):
            for key, member in value.items():
                self.check_json(member, _join(place, key), depth + 1)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self.check_json(item, f"{place}[{index}]", depth + 1)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise self.refuse(place, f"is {value}, which JSON does not have")
        elif isinstance(value, int):
            if not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
                raise self.refuse(place, "is a number of more than 64 bits")
        elif not isinstance(value, str):
            raise self.refuse(place, f"is {_kind(value)}, which JSON does not have; write a string")

    def failure(self, value: Any, place: str) -> ScriptedFailure:
        ways = ("status", "stall", "disconnect")
        known = {*ways, "code", "message", "retry_after", "after", "times"}
        table = self.table(value, place, known)
        status = self.integer(table, "status", place, 400, 599)
        stall, disconnect = self.boolean(table, "stall", place), self.boolean(table, "disconnect", place)
        if [status is not None, stall, disconnect].count(True) != 1:
            raise self.refuse(place, "needs exactly one of “status”, “stall = true”, “disconnect = true”")
        given = ScriptedFailure(
            status=status,
            stall=stall,
            code=self.text(table, "code", place),
            message=self.text(table, "message", place) or ScriptedFailure().message,
            retry_after=self.seconds(table, "retry_after", place, 86_400),
            after=self.text(table, "after", place) or "",
            times=self.integer(table, "times", place, 1, 1_000_000) or 1,
        )
        if status is None and (given.code or given.retry_after is not None or "message" in table):
            raise self.refuse(place, "has a key that only a failure with a “status” has: code, message or retry_after")
        return given


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _kind(value: Any) -> str:
    """Return words for a value that is out of place."""
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "a string"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST_INTEGER):
        return str(value)
    return "a number of more than 64 bits" if isinstance(value, int) else f"a {type(value).__name__}"
