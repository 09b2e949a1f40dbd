"""The places where other parts join in: the context of a step, classification of failures, receivers of events."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.ext.asyncio import AsyncConnection

    from modelcontext.agent.page_tools import PageTool


@dataclass(frozen=True, slots=True)
class ChatEventRecord:
    """An event of a chat as it is stored: numbered from 1 in its chat, without gaps."""

    chat_id: str
    id: int
    type: str
    data: Any
    created_at: datetime


#: A receiver of events. It runs in the transaction that stores them, so that an outbox has each of them or none.
EventReceiver = Callable[["AsyncConnection", Sequence[ChatEventRecord]], Awaitable[None]]


class Failure(Protocol):
    """The failure of a step, in words for people and for programs."""

    @property
    def message(self) -> str:
        """One line that says what failed and what to do."""

    @property
    def detail(self) -> str:
        """The words of the provider or of the exception."""

    @property
    def kind(self) -> str:
        """The kind of the error."""

    @property
    def provider(self) -> str:
        """The provider, or the empty string."""

    @property
    def retryable(self) -> bool:
        """True if the step may be tried again."""

    @property
    def status_code(self) -> int | None:
        """The status of HTTP, if there was one."""


class FailurePolicy(Protocol):
    """The classification of failures, and the waits before the next attempts."""

    def classify(self, error: Exception) -> Failure:
        """Return the failure that ``error`` means."""

    def delay(self, failure: Failure, attempt: int) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up.

        Args:
            failure: a failure that is retryable.
            attempt: the number of attempts at this step that failed before this one: 0, 1, …
        """


@dataclass(frozen=True, slots=True)
class PlainFailure:
    """A failure of which only the exception is known. It is not tried again."""

    message: str
    detail: str
    kind: str = "generic"
    provider: str = ""
    retryable: bool = False
    status_code: int | None = None


class PlainFailurePolicy:
    """A policy that knows no provider: no failure is tried again."""

    def classify(self, error: Exception) -> Failure:
        """Return the failure that ``error`` means."""
        return PlainFailure(message="The step failed.", detail=f"{type(error).__name__}: {error}")

    def delay(self, failure: Failure, attempt: int) -> float | None:
        """Return None: there is no next attempt."""
        return None


@dataclass(frozen=True, slots=True)
class StepContext:
    """The step that runs: the ``deps`` of the model's run, for capabilities and built-in tools.

    ``turn`` counts the messages that were answered, ``step`` the steps of the chat, ``rounds`` the steps of this turn that
    called tools, and ``attempt`` the failed attempts at this step.
    """

    chat_id: str
    turn: int
    step: int
    rounds: int
    attempt: int
    #: The page's tools by alias.
    tools: Mapping[str, PageTool]
    #: Stores an event of the chat, in order, with what streams.
    emit: Callable[[str, Mapping[str, Any]], None]
    now: Callable[[], datetime]
    #: The calls of built-in tools in this turn, before this step, by name.
    calls_in_turn: Mapping[str, int]
