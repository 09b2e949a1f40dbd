"""The parts that every fake provider has: what a request asks, what the canned answer says, and the interface of a format."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from modelcontext_agent.models.canned_answers import (
    CannedAnswer,
    CannedAnswers,
    CannedFailure,
    call_id,
    name_among,
    with_outputs,
    words,
)


class RequestError(Exception):
    """A request is not one that the provider takes; the message says why."""

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Asked:
    """The parts of a request that an answer depends on.

    ``position`` is the number of answers before it, ``offered`` the names of its tools, ``outputs`` the newest outputs.
    """

    position: int
    offered: tuple[str, ...]
    outputs: tuple[str, ...]
    stream: bool


@dataclass(frozen=True, slots=True)
class SaidCall:
    """A call in an answer. The pieces of its arguments make JSON, unless the canned answer wants it otherwise."""

    id: str
    name: str
    pieces: tuple[str, ...]

    @property
    def arguments(self) -> str:
        """The JSON text of the arguments."""
        return "".join(self.pieces)

    @property
    def members(self) -> dict[str, Any] | None:
        """The arguments as a JSON object, or None if they are none."""
        try:
            value = json.loads(self.arguments)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as it is sent: the text in pieces, then the calls. One that is not ``complete`` breaks off after them."""

    pieces: tuple[str, ...]
    calls: tuple[SaidCall, ...] = ()
    complete: bool = True

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


class Wire(ABC):
    """The format of a provider."""

    #: The kind of model, as in the names that ``build_model`` takes.
    kind: ClassVar[str]
    #: A regular expression of the paths that requests go to.
    path: ClassVar[str]
    #: What the address of the provider ends with.
    base: ClassVar[str] = ""

    @abstractmethod
    def asked(self, body: Mapping[str, Any], path: str) -> Asked:
        """Return what a request asks.

        Raises:
            RequestError: if the provider would refuse it.
        """

    @abstractmethod
    def streamed(self, said: Said, body: Mapping[str, Any]) -> Iterator[str]:
        """Yield an answer as server-sent events."""

    @abstractmethod
    def whole(self, said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer as one JSON object."""

    @abstractmethod
    def refusal(self, status: int, code: str | None, message: str, retry_after: float | None) -> dict[str, Any]:
        """Return the body of a response with an error status."""

    @abstractmethod
    def break_off(self, failure: CannedFailure) -> str:
        """Return the event of an error within a stream."""


def say(canned: CannedAnswers, answer: CannedAnswer, asked: Asked) -> Said:
    """Return a canned answer as it is sent in reply to a request."""
    calls = (
        SaidCall(call_id(call, asked.position, index), name_among(call.tool, asked.offered), tuple(call.pieces()))
        for index, call in enumerate(answer.calls)
    )
    return Said(tuple(words(with_outputs(answer.text, asked.outputs))), tuple(calls))


def require_model(body: Mapping[str, Any]) -> None:
    """Refuse a request that names no model."""
    if not isinstance(body["model"], str):
        raise RequestError("model: must be a string")


def runs(flags: Iterable[bool]) -> int:
    """Return the number of unbroken runs of true values: several items in a row are one answer."""
    before = False
    count = 0
    for flag in flags:
        count += flag and not before
        before = flag
    return count


def event(data: Mapping[str, Any], name: str | None = None) -> str:
    """Return a server-sent event."""
    line = f"event: {name}\n" if name else ""
    return f"{line}data: {json.dumps(data, separators=(',', ':'))}\n\n"


def text_of(content: Any) -> str:
    """Return a tool's output as text, from a string or from a list of parts with text."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else json.dumps(content)
