"""The worker: it claims pending chats, runs their steps, and keeps its leases alive. A chat that waits has no task here."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from modelcontext_agent.chat.chat_errors import LeaseLostError
from modelcontext_agent.chat.loop import ChatStep
from modelcontext_agent.chat.notices import PENDING, interrupt_of, wait_for
from modelcontext_agent.chat.states import ChatState
from modelcontext_agent.chat.work import (
    Claim,
    claim_chat,
    expire_leases,
    read_step,
    release,
    renew,
    store_events,
    store_failure,
    store_interrupted,
    store_step,
    take_orphans,
)

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from modelcontext_agent.chat.service import ChatService

_logger = logging.getLogger(__name__)


class Runner:
    """A worker of a database's chats. Any number of them may run, in any number of processes."""

    def __init__(
        self,
        service: ChatService,
        models: Callable[[str], Model],
        *,
        lease: timedelta = timedelta(seconds=30),
        heartbeat: timedelta = timedelta(seconds=5),
        poll: timedelta = timedelta(seconds=1),
        concurrency: int = 8,
    ) -> None:
        """Make a worker.

        Args:
            service: the chats.
            models: returns the model of a name, before each step. What it raises fails the turn.
            lease: the time after which a silent worker's chat is another's.
            heartbeat: the time between two renewals of a lease; an interrupt from another process is seen then.
            poll: the time between two looks at what other processes did.
            concurrency: the most chats at a time.

        Raises:
            ValueError: if ``poll`` is less than a second, or ``heartbeat`` is not well below ``lease``.
        """
        if poll < timedelta(seconds=1):
            raise ValueError(f"poll is {poll}; use at least one second")
        if heartbeat * 2 > lease:
            raise ValueError(f"heartbeat is {heartbeat}; use at most half of the lease, {lease}")
        self._service = service
        self._models = models
        self._lease = lease
        self._heartbeat = heartbeat
        self._poll = poll
        self._concurrency = concurrency

    async def run_forever(self) -> None:
        """Work until the task is cancelled. Chats under way are given back then."""
        tasks: set[asyncio.Task[None]] = set()
        orphans_are_taken = False
        try:
            with self._service.notices.listen(PENDING) as pending:
                while True:
                    pending.clear()
                    try:
                        if not orphans_are_taken:
                            await take_orphans(self._service)
                            orphans_are_taken = True
                        await self._expire()
                        while len(tasks) < self._concurrency and (claim := await self._claim()) is not None:
                            task = asyncio.create_task(self._work(claim))
                            tasks.add(task)
                            task.add_done_callback(tasks.discard)
                            # There is room for another chat.
                            task.add_done_callback(lambda _task: pending.set())
                    except Exception:
                        _logger.exception("the database of chats did not answer; the worker tries again")
                    await wait_for(pending, self._poll.total_seconds())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def run_until_idle(self) -> int:
        """Work until no chat is pending that may be taken now, and return the number of claims."""
        claims = 0
        await self._expire()
        while (claim := await self._claim()) is not None:
            claims += 1
            await self._work(claim)
        return claims

    async def _claim(self) -> Claim | None:
        return await claim_chat(self._service, self._lease)

    async def _expire(self) -> None:
        await self._service.expire_deadlines()
        await expire_leases(self._service)

    async def _work(self, claim: Claim) -> None:
        """Run the steps of a turn, until it ends, pauses or fails, or the lease is lost."""
        try:
            while await self._step(claim) is ChatState.RUNNING:
                pass
        except LeaseLostError as error:
            _logger.warning("%s; another worker has the chat", error)
        except asyncio.CancelledError:
            await release(self._service, claim)
            raise
        except Exception:
            _logger.exception("a step of the chat %s was not stored; its lease ends by itself", claim.chat_id)

    async def _step(self, claim: Claim) -> ChatState:
        writer = EventWriter(self._service, claim)
        given = await read_step(self._service, claim, writer.emit)
        if given is None:
            return await store_interrupted(self._service, claim, None)
        step = ChatStep(given, self._service.config)
        provider = given.model.partition(":")[0]
        try:
            model = self._models(given.model)
            provider = model.system
        except Exception as error:
            return await store_failure(self._service, claim, error, provider)
        task = asyncio.create_task(step.run(model))
        try:
            async with writer.writing() as written, self._watching(claim) as stopped:
                await asyncio.wait({task, written, stopped}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            task.cancel()
            await asyncio.wait({task})
        if task.cancelled():
            return await store_interrupted(self._service, claim, step.output)
        failure = task.exception()
        if failure is None:
            return await store_step(self._service, claim, step.output)
        if isinstance(failure, Exception):
            return await store_failure(self._service, claim, failure, provider)
        raise failure

    @asynccontextmanager
    async def _watching(self, claim: Claim) -> AsyncIterator[asyncio.Task[None]]:
        """Give a task that renews the lease, and ends when the chat has been told to stop, or the lease is lost."""
        over = False
        with self._service.notices.listen(interrupt_of(claim.chat_id)) as notice:

            async def watch() -> None:
                while not over:
                    notice.clear()
                    if await renew(self._service, claim, self._lease) is ChatState.INTERRUPTING:
                        return
                    await wait_for(notice, self._heartbeat.total_seconds())

            task = asyncio.create_task(watch())
            try:
                yield task
            finally:
                # It is not cancelled: a transaction of its own may be under way.
                over = True
                notice.set()
                await task


class EventWriter:
    """A writer of the events of one step: in their order, each at once, and those that came meanwhile together."""

    def __init__(self, service: ChatService, claim: Claim) -> None:
        self._service = service
        self._claim = claim
        self._events: list[tuple[str, Mapping[str, Any], datetime]] = []
        self._more = asyncio.Event()
        self._over = False

    def emit(self, type: str, data: Mapping[str, Any]) -> None:
        """Take an event; pieces of text that follow each other become one."""
        if type == "text_delta" and self._events and self._events[-1][0] == type:
            _, before, at = self._events[-1]
            self._events[-1] = (type, {**data, "text": before["text"] + data["text"]}, at)
        else:
            self._events.append((type, data, self._service.now()))
        self._more.set()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[asyncio.Task[None]]:
        """Give a task that stores the events. At the end of the block all of them are stored.

        Raises:
            LeaseLostError: if the lease has ended.
        """
        task = asyncio.create_task(self._write())
        try:
            yield task
        finally:
            self._over = True
            self._more.set()
            await task

    async def _write(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            events, self._events = self._events, []
            if events:
                await store_events(self._service, self._claim, events)
            elif self._over:
                return
            if self._over:
                self._more.set()
