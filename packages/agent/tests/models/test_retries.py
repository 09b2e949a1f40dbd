"""Retries with an injected clock, and the timeout of the first part on an event loop whose time is not the machine's."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest
from pydantic_ai.exceptions import ModelHTTPError, ModelRequestTimeout

from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.models.canned_model import canned_model
from modelcontext_agent.models.model_names import STARTUP_TIMEOUT, settings_for
from modelcontext_agent.models.provider_errors import MOST_ATTEMPTS, ErrorKind, classify
from modelcontext_agent.models.retries import (
    ModelFailedError,
    Retry,
    RetryPolicy,
    delay_before,
    with_retries,
)
from packages.agent.tests.models.chats import Step, step

T = TypeVar("T")

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class FakeClock:
    """A clock that moves only while somebody sleeps."""

    time: datetime = START
    pauses: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.time += timedelta(seconds=seconds)


@dataclass
class Trial:
    """A step that fails in given ways first, and what is told of its retries."""

    failures: list[BaseException]
    clock: FakeClock = field(default_factory=FakeClock)
    retries: list[Retry] = field(default_factory=list)
    streamed: list[str] = field(default_factory=list)
    tries: int = 0

    async def step(self) -> str:
        self.tries += 1
        self.streamed.append(f"part {self.tries}")
        if self.failures:
            raise self.failures.pop(0)
        return "the result"

    async def on_retry(self, retry: Retry) -> None:
        self.retries.append(retry)
        self.streamed.clear()

    def run(self) -> str:
        return asyncio.run(with_retries(self.step, clock=self.clock, on_retry=self.on_retry, provider="openai"))


def http(status: int, retry_after: float | None = None) -> ModelHTTPError:
    return ModelHTTPError(status, "m", {"error": {"message": "Oh"}}, retry_after=retry_after)


def test_delay_doubles_up_to_a_minute() -> None:
    assert [delay_before(retry) for retry in range(9)] == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert delay_before(10_000) == 60


@pytest.mark.parametrize(
    ("retry", "retry_after", "delay"),
    [(0, 0.5, 1.0), (0, 30.0, 30.0), (9, 30.0, 60.0), (9, 90.0, 90.0), (0, None, 1.0)],
)
def test_delay_that_the_provider_asks_for_is_a_minimum(retry: int, retry_after: float | None, delay: float) -> None:
    assert delay_before(retry, retry_after) == delay


@pytest.mark.parametrize(
    ("error", "attempt", "delay"), [(http(529), 0, 1), (http(529), 23, 60), (http(529), 24, None), (http(401), 0, None)]
)
def test_policy_says_when_the_next_try_begins_and_when_to_give_up(
    error: Exception, attempt: int, delay: float | None
) -> None:
    policy = RetryPolicy()
    assert policy.delay(policy.classify(error), attempt) == delay


def test_step_is_retried_until_it_succeeds_and_its_parts_are_thrown_away() -> None:
    trial = Trial([http(529), http(429, retry_after=10), http(500)])
    assert trial.run() == "the result"
    assert trial.streamed == ["part 4"]
    assert trial.clock.pauses == [1, 10, 4]
    assert [(retry.attempt, retry.failure.kind) for retry in trial.retries] == [
        (1, ErrorKind.OVERLOADED),
        (2, ErrorKind.RATE_LIMIT),
        (3, ErrorKind.GENERIC),
    ]
    assert [retry.retrying_at for retry in trial.retries] == [
        START + timedelta(seconds=seconds) for seconds in (1, 11, 15)
    ]


def test_step_is_tried_25_times_at_most() -> None:
    trial = Trial([http(529) for _ in range(30)])
    with pytest.raises(ModelFailedError) as caught:
        trial.run()
    assert (trial.tries, len(trial.retries), caught.value.attempts) == (MOST_ATTEMPTS, 24, 25)
    assert trial.clock.pauses == [1, 2, 4, 8, 16, 32] + [60] * 18
    assert caught.value.failure.kind is ErrorKind.OVERLOADED
    assert isinstance(caught.value.__cause__, ModelHTTPError)


@pytest.mark.parametrize("error", [http(401), http(400), http(404), http(402), ValueError("a bug")])
def test_failure_that_another_try_cannot_mend_ends_the_step_at_once(error: Exception) -> None:
    trial = Trial([error])
    with pytest.raises(ModelFailedError) as caught:
        trial.run()
    assert (trial.tries, trial.retries, trial.clock.pauses) == (1, [], [])
    assert caught.value.__cause__ is error


def test_interrupted_step_is_not_retried_and_stays_cancelled() -> None:
    trial = Trial([asyncio.CancelledError()])
    with pytest.raises(asyncio.CancelledError):
        trial.run()
    assert (trial.tries, trial.retries) == (1, [])


class FakeTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose time moves on at once to whatever is waited for."""

    def __init__(self) -> None:
        class Selector(selectors.DefaultSelector):
            def select(selector, timeout: float | None = None) -> list[Any]:  # noqa: N805
                ready: list[Any] = super().select(0)
                if not ready:
                    assert timeout is not None, "everything waits for something that never comes"
                    self.moment += timeout
                return ready

        self.moment = 0.0
        super().__init__(Selector())

    def time(self) -> float:
        return self.moment


def run_in_fake_time(main: Coroutine[Any, Any, T]) -> tuple[T, float]:
    """Return the result of a coroutine, and the seconds that it has taken."""
    with asyncio.Runner(loop_factory=FakeTimeLoop) as runner:
        result = runner.run(main)
        return result, runner.get_loop().time()


def stalling(**keys: Any) -> Any:
    answers = [{"text": "Hello you.", "failures": [{"stall": True, **keys}]}]
    return canned_model(canned_answers_of({"answers": answers}), settings=settings_for("scripted"))


def test_stream_without_a_part_ends_after_exactly_60_seconds() -> None:
    async def run() -> BaseException:
        with pytest.raises(ModelRequestTimeout) as caught:
            await step(stalling(), "Hello")
        return caught.value

    error, seconds = run_in_fake_time(run())
    assert seconds == pytest.approx(STARTUP_TIMEOUT, abs=0.01)
    failure = classify(error, provider="function")
    assert (failure.kind, failure.retryable) == (ErrorKind.STARTUP_TIMEOUT, True)


def test_first_part_disarms_the_startup_timeout() -> None:
    async def run() -> None:
        # The part comes, and nothing after it: only this test's own limit ends the wait.
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3_600):
                await step(stalling(after="Half an "), "Hello")

    _, seconds = run_in_fake_time(run())
    assert seconds == pytest.approx(3_600, abs=0.01)


def test_each_attempt_has_a_startup_timeout_of_its_own() -> None:
    clock = FakeClock()
    model = stalling(times=2)
    kinds: list[ErrorKind] = []

    async def note(retry: Retry) -> None:
        kinds.append(retry.failure.kind)

    async def run() -> Step:
        return await with_retries(lambda: step(model, "Hello"), clock=clock, on_retry=note)

    ended, seconds = run_in_fake_time(run())
    assert ended.output == "Hello you."
    assert kinds == [ErrorKind.STARTUP_TIMEOUT] * 2
    assert seconds == pytest.approx(2 * STARTUP_TIMEOUT, abs=0.01)
