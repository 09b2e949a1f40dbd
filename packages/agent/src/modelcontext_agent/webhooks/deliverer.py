"""The deliverer: it sends what is in the outbox, each webhook's by itself, in tries that survive its process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import httpx2
import sqlalchemy as sa

from modelcontext_agent.chat.database import readers
from modelcontext_agent.webhooks.addresses import AddressError, Resolve, address_of, read_url, resolve
from modelcontext_agent.webhooks.outbox import Webhook, outbox
from modelcontext_agent.webhooks.signing import signed_headers

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

_logger = logging.getLogger(__name__)

#: The pauses after the first try and after the second; there is no fourth try.
PAUSES = (timedelta(seconds=1), timedelta(seconds=2))
#: The time that a receiver has for its answer.
ANSWER_TIME = timedelta(seconds=15)
#: The time after which a try that nobody has reported is another deliverer's.
LEASE = timedelta(seconds=60)
#: The time between two looks at the outbox.
POLL = timedelta(seconds=1)
#: The most messages that one webhook is sent at a time.
_TOGETHER = 8


def webhook_client() -> httpx2.AsyncClient:
    """Return a client for a deliverer: it follows no redirect, because nobody has checked the URL, and uses no proxy."""
    return httpx2.AsyncClient(timeout=ANSWER_TIME.total_seconds(), follow_redirects=False, trust_env=False)


class Deliverer:
    """A sender of what is in a database's outbox. Any number of them may run, in any number of processes."""

    def __init__(
        self,
        engine: AsyncEngine,
        webhooks: Iterable[Webhook],
        client: httpx2.AsyncClient,
        *,
        allow_private: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        resolve: Resolve = resolve,
    ) -> None:
        """Make a deliverer.

        Args:
            engine: the database.
            webhooks: the receivers.
            client: the client of HTTP; see :func:`webhook_client`. It is not closed.
            allow_private: True to permit URLs of this machine and its network.
            now: the clock.
            sleep: waits for some seconds, between two looks at the outbox.
            resolve: looks up the addresses of a host.
        """
        self._engine = engine
        self._readers = readers(engine)
        self._webhooks = {webhook.name: webhook for webhook in webhooks}
        self._client = client
        self._allow_private = allow_private
        self._now = now
        self._sleep = sleep
        self._resolve = resolve

    async def run_forever(self) -> None:
        """Deliver until the task is cancelled. A webhook that is slow or fails delays only itself."""
        async with asyncio.TaskGroup() as group:
            for name in self._webhooks:
                group.create_task(self._serve(name))

    async def _serve(self, name: str) -> None:
        while True:
            try:
                while await self._deliver(name):
                    pass
            except Exception:
                _logger.exception("the outbox could not be read or changed; the deliverer tries again")
            await self._sleep(POLL.total_seconds())

    async def deliver_due(self) -> int:
        """Make each try that is due once, and return their number."""
        return sum(await asyncio.gather(*map(self._deliver, self._webhooks)))

    async def _deliver(self, name: str) -> int:
        due = (outbox.c.webhook == name) & (outbox.c.due_at <= self._now())
        query = sa.select(outbox).where(due).order_by(outbox.c.due_at, outbox.c.id).limit(_TOGETHER)
        async with self._readers.begin() as connection:
            rows = [dict(row) for row in (await connection.execute(query)).mappings()]
        return sum(await asyncio.gather(*(self._try(self._webhooks[name], row) for row in rows)))

    async def _try(self, webhook: Webhook, row: Mapping[str, Any]) -> bool:
        """Make one try, and store what follows from it. Return False if another deliverer has the message."""
        until = self._now() + LEASE
        # The try is stored before it is made: one that its process does not survive counts.
        if not await self._change(row, tries=row["tries"] + 1, due_at=until):
            return False
        claimed = {**row, "tries": row["tries"] + 1, "due_at": until}
        if claimed["tries"] > len(PAUSES) + 1:
            await self._give_up(claimed, "the process of its last try ended")
            return True
        problem, again = await self._send(webhook, claimed)
        if problem is None:
            await self._remove(claimed)
        elif again and claimed["tries"] <= len(PAUSES):
            await self._change(claimed, due_at=self._now() + PAUSES[claimed["tries"] - 1])
        else:
            await self._give_up(claimed, problem)
        return True

    async def _send(self, webhook: Webhook, row: Mapping[str, Any]) -> tuple[str | None, bool]:
        """Send a message. Return the problem, if there is one, and whether another try may help."""
        body = row["body"].encode("ascii")
        try:
            url = read_url(webhook.url, allow_private=self._allow_private)
            async with asyncio.timeout(ANSWER_TIME.total_seconds()):
                address = await address_of(url, allow_private=self._allow_private, resolve=self._resolve)
                headers = {"content-type": "application/json", "host": url.netloc.decode("ascii")}
                headers |= signed_headers(webhook.secret, row["id"], self._now(), body)
                request = self._client.build_request(
                    "POST",
                    url.copy_with(host=address),
                    content=body,
                    headers=headers,
                    extensions={"sni_hostname": url.host},
                )
                response = await self._client.send(request, stream=True)
                # Nobody reads what a receiver says.
                await response.aclose()
        except AddressError as error:
            return str(error), False
        except (httpx2.HTTPError, OSError, TimeoutError) as error:
            return f"{type(error).__name__}: {error}", True
        if response.is_success:
            return None, False
        return f"the receiver answered with the status {response.status_code}", not response.is_client_error

    async def _change(self, row: Mapping[str, Any], **values: Any) -> bool:
        """Change a row, if it still is as ``row`` has it."""
        same = (outbox.c.id == row["id"]) & (outbox.c.tries == row["tries"]) & (outbox.c.due_at == row["due_at"])
        async with self._engine.begin() as connection:
            return (await connection.execute(sa.update(outbox).where(same).values(values))).rowcount == 1

    async def _remove(self, row: Mapping[str, Any]) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(sa.delete(outbox).where(outbox.c.id == row["id"]))

    async def _give_up(self, row: Mapping[str, Any], problem: str) -> None:
        _logger.warning("the webhook “%s” did not take the message %s: %s", row["webhook"], row["id"], problem)
        await self._remove(row)
