"""Canned answers: small TOML files that say what a model answers and calls, and when it fails.

A file is a list of answers. The first request of a conversation gets the first answer, the request after that the second,
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from modelcontext.ground.files import ReadError, read_whole
from modelcontext.ground.tables import TableError, TableReader, type_in_words
from modelcontext_agent.exposure.aliases import can_stand_for

#: The bytes of the largest file.
LARGEST = 1_000_000
#: The most levels of tables or arrays.
DEEPEST = 50
#: Stands in a text for the outputs of the tools that the request carries.
OUTPUTS = "{outputs}"

_PIECE = 7
_LARGEST_INTEGER = 2**63
_WORDS = re.compile(r"\S+\s*|\s+")


class CannedAnswersError(TableError):
    """A file of canned answers cannot be read or has no answer left; the message names the file, the place and the problem."""


@dataclass(frozen=True, slots=True)
class CannedCall:
    """A call of a tool. ``arguments`` is JSON text, or what a broken model sends instead."""

    tool: str
    arguments: str = "{}"
    id: str | None = None

    def pieces(self) -> list[str]:
        """Return the arguments in the pieces in which they stream."""
        return [self.arguments[start : start + _PIECE] for start in range(0, len(self.arguments), _PIECE)]


@dataclass(frozen=True, slots=True)
class CannedFailure:
    """A way to fail: with an HTTP status, by a stall (None, ``stall``) or by a broken connection (None)."""

    status: int | None = None
    stall: bool = False
    code: str | None = None
    message: str = "The script says so"
    retry_after: float | None = None
    after: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class CannedAnswer:
    """An answer: text, then calls. ``failures`` come before it."""

    text: str = ""
    calls: tuple[CannedCall, ...] = ()
    failures: tuple[CannedFailure, ...] = ()

    def failure(self, attempt: int) -> CannedFailure | None:
        """Return the failure of a try, counted from 0, or None if the try succeeds."""
        for failure in self.failures:
            if attempt < failure.times:
                return failure
            attempt -= failure.times
        return None


@dataclass(frozen=True, slots=True)
class CannedAnswers:
    """The answers of a file, read and checked."""

    answers: tuple[CannedAnswer, ...]
    file: str = "canned answers"
    repeat: bool = False
    delay: float = 0.0

    def answer(self, position: int) -> CannedAnswer:
        """Return the answer at a position of a conversation, counted from 0.

        Raises:
            CannedAnswersError: if there is no such answer.
        """
        if position < len(self.answers):
            return self.answers[position]
        if self.repeat:
            return self.answers[position % len(self.answers)]
        count = f"{len(self.answers)} answer" + ("s" if len(self.answers) > 1 else "")
        problem = f"the chat asks for answer {position + 1}, and the file has {count}; add one, or set “repeat = true”"
        raise CannedAnswersError(self.file, "answers", problem)


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


def call_id(call: CannedCall, position: int, index: int) -> str:
    """Return the id of a call: that of the file, or one of the positions of the answer and of the call in it."""
    return call.id or f"call_{position + 1}_{index + 1}"


def name_among(tool: str, offered: Sequence[str]) -> str:
    """Return the alias that a canned call means by a tool's name: the offered one that is the name, or is made of it.

    A name that nothing offered fits is returned as it is, and the model calls a tool that does not exist.
    """
    if tool in offered:
        return tool
    return next((name for name in offered if can_stand_for(name, tool)), tool)


def read_canned_answers(path: Path) -> CannedAnswers:
    """Return the canned answers in a TOML file.

    Raises:
        CannedAnswersError: if there is no such file, or it has no canned answers.
    """
    file = str(path)
    try:
        content = read_whole(path, most=LARGEST)
    except ReadError as error:
        raise CannedAnswersError(file, "", error.reason) from None
    except ValueError:
        raise CannedAnswersError(repr(file), "", "is not the name of a file") from None
    try:
        data = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise CannedAnswersError(file, f"byte {error.start + 1}", "is not UTF-8") from None
    except RecursionError:
        raise CannedAnswersError(file, "", "is nested too deeply") from None
    except ValueError as error:
        raise CannedAnswersError(file, "", f"is not TOML: {error}") from None
    return canned_answers_of(data, file)


def canned_answers_of(data: Mapping[str, Any], file: str = "canned answers") -> CannedAnswers:
    """Return the canned answers that a table describes; ``file`` names it in messages.

    Raises:
        CannedAnswersError: if the table has no canned answers.
    """
    return _Reader(file).all_answers(data)


class _Reader(TableReader):
    """The strict reader of one file."""

    error = CannedAnswersError

    def all_answers(self, value: Any) -> CannedAnswers:
        table = self.table(value, "", "a file of canned answers")
        self.keys(table, ["answers", "repeat", "delay"], "")
        answers = tuple(self.answer(item, place) for item, place in self.items(table, "answers"))
        if not answers:
            self.fail("answers", "at least one answer is needed")
        return CannedAnswers(
            answers=answers,
            file=self.source,
            repeat=self.flag(table.get("repeat", False), "repeat"),
            delay=self.seconds(table.get("delay", 0), "delay", 60),
        )

    def items(self, table: Mapping[str, Any], key: str, place: str = "") -> list[tuple[Any, str]]:
        """Return the items of an array that may be absent, each with its place."""
        where = _join(place, key)
        return [(item, f"{where}[{index}]") for index, item in enumerate(self.array(table.get(key, []), where))]

    def words(self, table: Mapping[str, Any], key: str, place: str) -> str:
        """Return a string that may be empty or absent."""
        return self.text(table.get(key, ""), _join(place, key), empty=True)

    def answer(self, value: Any, place: str) -> CannedAnswer:
        table = self.table(value, place, "an answer")
        self.keys(table, ["text", "calls", "failures"], place)
        text = self.words(table, "text", place)
        calls = tuple(self.call(item, where) for item, where in self.items(table, "calls", place))
        if not text and not calls:
            self.fail(place, "is empty: an answer needs “text” or “calls”")
        ids = [call.id for call in calls if call.id is not None]
        if len(ids) != len(set(ids)):
            self.fail(_join(place, "calls"), "has two calls with one id")
        failures = tuple(self.failure(item, where) for item, where in self.items(table, "failures", place))
        return CannedAnswer(text=text, calls=calls, failures=failures)

    def call(self, value: Any, place: str) -> CannedCall:
        table = self.table(value, place, "a call")
        self.keys(table, ["tool", "arguments", "raw_arguments", "id"], place)
        if "tool" not in table:
            self.fail(_join(place, "tool"), "is missing: a call needs the name of a tool")
        if "raw_arguments" in table and "arguments" in table:
            self.fail(place, "has both “arguments” and “raw_arguments”; leave one out")
        if "raw_arguments" in table:
            arguments = self.words(table, "raw_arguments", place)
        else:
            where = _join(place, "arguments")
            given = self.table(table.get("arguments", {}), where, "it")
            self.check_json(given, where, 0)
            arguments = json.dumps(given, ensure_ascii=False)
        return CannedCall(
            tool=self.text(table["tool"], _join(place, "tool")),
            arguments=arguments,
            id=self.text(table["id"], _join(place, "id")) if "id" in table else None,
        )

    def check_json(self, value: Any, place: str, depth: int) -> None:
        """Refuse what TOML has and JSON has not."""
        if depth > DEEPEST:
            self.fail(place, f"has more than {DEEPEST} levels of tables or arrays")
        if isinstance(value, Mapping):
            for key, member in value.items():
                self.check_json(member, _join(place, key), depth + 1)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self.check_json(item, f"{place}[{index}]", depth + 1)
        elif isinstance(value, float):
            if not math.isfinite(value):
                self.fail(place, f"is {value}, which JSON does not have")
        elif isinstance(value, int):
            if not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
                self.fail(place, "is a number of more than 64 bits")
        elif not isinstance(value, str):
            self.fail(place, f"is {type_in_words(value)}, which JSON does not have; write a string")

    def failure(self, value: Any, place: str) -> CannedFailure:
        table = self.table(value, place, "a failure")
        of_status = ["code", "message", "retry_after"]
        self.keys(table, ["status", "stall", "disconnect", *of_status, "after", "times"], place)
        has_status = "status" in table
        stall, disconnect = (self.flag(table.get(key, False), _join(place, key)) for key in ("stall", "disconnect"))
        if [has_status, stall, disconnect].count(True) != 1:
            self.fail(place, "needs exactly one of “status”, “stall = true”, “disconnect = true”")
        if not has_status and not table.keys().isdisjoint(of_status):
            self.fail(place, "has a key that only a failure with a “status” has: code, message or retry_after")
        retry_after = table.get("retry_after")
        return CannedFailure(
            status=self.whole_number(table["status"], _join(place, "status"), 400, 599) if has_status else None,
            stall=stall,
            code=self.words(table, "code", place) if "code" in table else None,
            message=self.words(table, "message", place) or CannedFailure().message,
            retry_after=None if retry_after is None else self.seconds(retry_after, f"{place}.retry_after", 86_400),
            after=self.words(table, "after", place),
            times=self.whole_number(table.get("times", 1), _join(place, "times"), 1, 1_000_000),
        )


def _join(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
