"""Retries of a step: what failed is thrown away whole and done again, later each time.

pydantic-ai's own hook works only before the first output, and the SDKs are told to retry nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeVar

from modelcontext_agent.models.provider_errors import TITLES, ModelFailure, classify

#: The seconds between the first try and the second; each pause is twice the one before it.
FIRST_DELAY = 1.0
#: The seconds of the longest pause that nobody asked for.
LONGEST_DELAY = 60.0

T = TypeVar("T")


class Clock(Protocol):
    """The clock of the retries."""

    def now(self) -> datetime:
        """Return the time, with its zone."""

    async def sleep(self, seconds: float) -> None:
        """Wait for some seconds."""


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait for some seconds."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Retry:
    """The announcement of another try: the failure before it, and when it begins. ``attempt`` counts from 1."""

    attempt: int
    delay: float
    failure: ModelFailure
    retrying_at: datetime

    def to_json(self) -> dict[str, Any]:
        """Return the payload of the event ``retry``."""
        return {
            "attempt": self.attempt,
            "delay_ms": round(self.delay * 1000),
            "title": TITLES[self.failure.kind],
            "error": self.failure.fact,
            "retryable": True,
            "kind": self.failure.kind.value,
            "provider": self.failure.provider,
            "status_code": self.failure.status_code,
            "retrying_at": self.retrying_at.isoformat(),
        }


class ModelFailedError(Exception):
    """A step failed for good. ``failure`` says why, ``attempts`` how often it was tried."""

    def __init__(self, failure: ModelFailure, attempts: int) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.attempts = attempts


class RetryPolicy:
    """The rules of retries: what a failure is, and when the next try begins."""

    def classify(self, error: BaseException, *, provider: str = "") -> ModelFailure:
        """Return what a chat tells of an error."""
        return classify(error, provider=provider)

    def delay(self, failure: ModelFailure, attempt: int) -> float | None:
        """Return the seconds before the next try, or None to give up; ``attempt`` counts the failed tries before: 0, 1, …."""
        if not failure.retryable or attempt + 1 >= failure.most_attempts:
            return None
        return delay_before(attempt, failure.retry_after)


def delay_before(retry: int, retry_after: float | None = None) -> float:
    """Return the seconds before a retry, counted from 0; what the provider asks for is a minimum."""
    # The exponent is bounded, so that no float overflows.
    return max(min(FIRST_DELAY * 2.0 ** min(retry, 30), LONGEST_DELAY), retry_after or 0.0)


async def with_retries(
    step: Callable[[], Awaitable[T]],
    *,
    clock: Clock,
    on_retry: Callable[[Retry], Awaitable[None]],
    provider: str = "",
) -> T:
    """Return the result of a step, which is done again from its start as long as another try may mend its failure.

    Args:
        step: does the step; what a failed try has made of its result must not outlive it.
        clock: the clock of the pauses.
        on_retry: is told of each retry before its pause; a listener drops what it has seen of the step.
        provider: the provider as ``Model.system`` names it.

    Raises:
        ModelFailedError: if a failure cannot be mended, or the tries are used up; its cause is the last error.
    """
    policy = RetryPolicy()
    attempt = 0
    while True:
        try:
            return await step()
        except Exception as error:
            failure = policy.classify(error, provider=provider)
            delay = policy.delay(failure, attempt)
            attempt += 1
            if delay is None:
                raise ModelFailedError(failure, attempt) from error
        await on_retry(Retry(attempt, delay, failure, clock.now() + timedelta(seconds=delay)))
        await clock.sleep(delay)
