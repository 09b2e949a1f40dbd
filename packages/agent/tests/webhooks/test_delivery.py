"""Delivery: signed over the bytes that arrive, tried again by the rules, and never lost with a process."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from pydantic_ai.toolsets import FunctionToolset

from modelcontext_agent.webhooks.deliverer import Deliverer, webhook_client
from modelcontext_agent.webhooks.outbox import EVENTS, Outbox, Webhook, outbox, read_webhooks
from modelcontext_agent.webhooks.signing import key_of
from packages.agent.tests.chat.helpers import Call, Clock, page_tool, world
from packages.agent.tests.webhooks.receiver import CLOSE, HANG, Received, Receiver

if TYPE_CHECKING:
    import httpx2
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

SECRET = "whsec_" + base64.b64encode(b"a key that only two know").decode()


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    """Yield the client of HTTP that a server uses."""
    async with webhook_client() as client:
        yield client


def webhook(receiver: Receiver, path: str = "/hook", *events: str) -> Webhook:
    """Return a webhook for a path of the receiver."""
    item = {"name": path[1:], "url": receiver.url(path), "secret": SECRET, "events": list(events or EVENTS)}
    [found] = read_webhooks([item], allow_private=True)
    return found


def deliverer(
    engine: AsyncEngine, clock: Clock, client: httpx2.AsyncClient, *webhooks: Webhook, **given: Any
) -> Deliverer:
    return Deliverer(engine, webhooks, client, now=clock, **{"allow_private": True, **given})


async def fail(engine: AsyncEngine, clock: Clock, *webhooks: Webhook) -> str:
    """Let a chat fail, which is one event."""
    shop = world(engine, clock, [RuntimeError("no model")], receivers=[Outbox(webhooks)])
    return await shop.start()


async def waiting(engine: AsyncEngine) -> int:
    """Return the number of messages in the outbox."""
    async with engine.begin() as connection:
        return await connection.scalar(sa.select(sa.func.count()).select_from(outbox)) or 0


def told(request: Received) -> Any:
    """Return the message, after a look at its signature as a receiver takes it."""
    headers = request.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + request.body
    signature = base64.b64encode(hmac.new(key_of(SECRET), signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{signature}"
    assert headers["content-type"] == "application/json"
    return json.loads(request.body)


async def test_failed_chat_is_told_once_with_a_signature_over_the_bytes_that_arrive(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = webhook(receiver)
    chat_id = await fail(engine, clock, hook)
    assert await deliverer(engine, clock, client, hook).deliver_due() == 1
    [request] = receiver.received
    message = told(request)
    assert message["type"] == "chat:error"
    assert message["data"]["chat_id"] == chat_id
    assert "no model" in message["data"]["detail"]
    assert message["timestamp"] == clock.now.isoformat()
    assert request.headers["webhook-timestamp"] == str(int(clock.now.timestamp()))
    assert request.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert await deliverer(engine, clock, client, hook).deliver_due() == 0
    assert await waiting(engine) == 0


async def test_events_of_tools_and_pauses_are_told(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    tools: FunctionToolset[Any] = FunctionToolset()

    @tools.tool_plain
    def good() -> str:
        return "\0 fine"

    @tools.tool_plain
    def bad() -> str:
        raise RuntimeError("no")

    hook = webhook(receiver)
    calls = [Call("good", id="c1"), Call("bad", id="c2"), Call("search", {"q": 1}, id="c3")]
    config = {"toolsets": [tools], "builtin_names": frozenset({"good", "bad"}), "receivers": [Outbox([hook])]}
    shop = world(engine, clock, calls, ["Done."], **config)
    chat_id = await shop.start(page_tool())
    assert receiver.received == []
    await deliverer(engine, clock, client, hook).deliver_due()
    first = {message["type"]: message["data"] for message in map(told, receiver.received)}
    assert first.keys() == {"tool:succeeded", "tool:failed", "chat:requires_action"}
    assert (first["tool:succeeded"]["tool_name"], first["tool:succeeded"]["output"]) == ("good", "\0 fine")
    assert first["tool:failed"]["tool_name"] == "bad"
    assert first["chat:requires_action"]["tool_calls"][0]["args"] == '{"q":1}'
    receiver.received.clear()
    await shop.answer(chat_id, c3={"hits": []})
    await deliverer(engine, clock, client, hook).deliver_due()
    [request] = receiver.received
    assert told(request)["data"]["tool_call_id"] == "c3"
    assert told(request)["type"] == "tool:succeeded"


async def test_webhook_gets_only_the_events_that_it_wants(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hooks = [webhook(receiver, "/errors", "chat:error"), webhook(receiver, "/pauses", "chat:requires_action")]
    await fail(engine, clock, *hooks)
    await deliverer(engine, clock, client, *hooks).deliver_due()
    assert [request.path for request in receiver.received] == ["/errors"]


@pytest.mark.parametrize("problem", [500, 503, 302, CLOSE])
async def test_failed_try_is_repeated_after_one_second_and_then_two_and_no_more(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient, problem: int
) -> None:
    hook = webhook(receiver)
    receiver.scripts["/hook"] = [problem] * 9
    await fail(engine, clock, hook)
    sender = deliverer(engine, clock, client, hook)
    tries = []
    for _ in range(80):
        if await sender.deliver_due():
            tries.append(clock.now)
        clock.move(0.1)
    assert len(tries) == 3
    assert [round((after - before).total_seconds(), 1) for before, after in itertools.pairwise(tries)] == [
        1,
        2,
    ]
    assert len({request.headers["webhook-id"] for request in receiver.received}) == 1
    assert len({request.headers["webhook-timestamp"] for request in receiver.received}) == 3
    assert len({request.body for request in receiver.received}) == 1
    assert await waiting(engine) == 0


async def test_second_try_that_succeeds_is_the_last(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = webhook(receiver)
    receiver.scripts["/hook"] = [500]
    await fail(engine, clock, hook)
    sender = deliverer(engine, clock, client, hook)
    assert await sender.deliver_due() == 1
    assert await sender.deliver_due() == 0
    clock.move(1)
    assert await sender.deliver_due() == 1
    assert await waiting(engine) == 0
    assert [told(request)["type"] for request in receiver.received] == ["chat:error"] * 2


@pytest.mark.parametrize("status", [400, 404, 410, 429])
async def test_status_of_4xx_is_the_last_try(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient, status: int
) -> None:
    hook = webhook(receiver)
    receiver.scripts["/hook"] = [status]
    await fail(engine, clock, hook)
    sender = deliverer(engine, clock, client, hook)
    assert await sender.deliver_due() == 1
    assert await waiting(engine) == 0
    clock.move(10)
    assert await sender.deliver_due() == 0


async def test_failing_webhook_does_not_touch_the_others(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hooks = [webhook(receiver, path) for path in ("/broken", "/fine", "/refusing")]
    receiver.scripts |= {"/broken": [CLOSE] * 9, "/refusing": [404]}
    await fail(engine, clock, *hooks)
    sender = deliverer(engine, clock, client, *hooks)
    await sender.deliver_due()
    assert {path: len(receiver.at(path)) for path in ("/broken", "/fine", "/refusing")} == {
        "/broken": 1,
        "/fine": 1,
        "/refusing": 1,
    }
    assert await waiting(engine) == 1
    clock.move(1)
    await sender.deliver_due()
    assert [len(receiver.at(path)) for path in ("/broken", "/fine", "/refusing")] == [2, 1, 1]


async def test_receiver_that_hangs_delays_no_other_and_no_chat(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hooks = [webhook(receiver, "/hanging"), webhook(receiver, "/fine")]
    receiver.scripts["/hanging"] = [HANG]
    looked = asyncio.Event()

    async def sleep(seconds: float) -> None:
        looked.set()
        await asyncio.sleep(0)

    sender = deliverer(engine, clock, client, *hooks, sleep=sleep)
    await fail(engine, clock, *hooks)
    task = asyncio.create_task(sender.run_forever())
    async with asyncio.timeout(20):
        while not (receiver.at("/fine") and receiver.at("/hanging")):
            receiver.arrived.clear()
            await receiver.arrived.wait()
        await looked.wait()
        # The receiver still hangs, and another chat's event reaches the other webhook.
        await fail(engine, clock, *hooks)
        while len(receiver.at("/fine")) < 2:
            receiver.arrived.clear()
            await receiver.arrived.wait()
    assert len(receiver.at("/hanging")) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_deliverer_killed_between_tries_is_followed_by_another(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = webhook(receiver)
    receiver.scripts["/hook"] = [500]
    await fail(engine, clock, hook)
    await deliverer(engine, clock, client, hook).deliver_due()
    clock.move(1)
    assert await deliverer(engine, clock, client, hook).deliver_due() == 1
    assert len(receiver.received) == 2
    assert await waiting(engine) == 0


async def test_deliverer_killed_in_a_try_is_followed_by_another_after_its_lease(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = webhook(receiver)
    receiver.scripts["/hook"] = [HANG, HANG, HANG, HANG]
    await fail(engine, clock, hook)
    for _ in range(3):
        receiver.arrived.clear()
        task = asyncio.create_task(deliverer(engine, clock, client, hook).deliver_due())
        await receiver.arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await deliverer(engine, clock, client, hook).deliver_due() == 0
        clock.move(60)
    # Three tries were made, and the last deliverer did not live to say how its one ended.
    await deliverer(engine, clock, client, hook).deliver_due()
    assert len(receiver.received) == 3
    assert await waiting(engine) == 0


async def test_ten_deliverers_send_a_message_once(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = webhook(receiver)
    await fail(engine, clock, hook)
    counts = await asyncio.gather(*(deliverer(engine, clock, client, hook).deliver_due() for _ in range(10)))
    assert sum(counts) == 1
    assert len(receiver.received) == 1


async def test_event_that_is_not_stored_is_in_no_outbox(engine: AsyncEngine, clock: Clock, receiver: Receiver) -> None:
    hook = webhook(receiver)

    async def broken(_connection: Any, events: Any) -> None:
        if any(event.type == "chat:error" for event in events):
            raise RuntimeError("the transaction fails")

    shop = world(engine, clock, [RuntimeError("no model")], receivers=[Outbox([hook]), broken])
    chat_id = await shop.start()
    assert await shop.events(chat_id, "chat:error") == []
    assert await waiting(engine) == 0


async def test_name_that_has_come_to_mean_this_machine_is_sent_nothing(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = Webhook("hook", f"http://a.test:{receiver.port}/hook", SECRET)

    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    await fail(engine, clock, hook)
    assert await deliverer(engine, clock, client, hook, allow_private=False, resolve=resolve).deliver_due() == 1
    assert receiver.received == []
    assert await waiting(engine) == 0


async def test_name_is_connected_to_by_the_address_that_was_checked(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = Webhook("hook", f"http://a.test:{receiver.port}/hook", SECRET)

    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    await fail(engine, clock, hook)
    await deliverer(engine, clock, client, hook, resolve=resolve).deliver_due()
    [request] = receiver.received
    assert request.headers["host"] == f"a.test:{receiver.port}"


async def test_name_that_is_not_found_is_tried_again(
    engine: AsyncEngine, clock: Clock, client: httpx2.AsyncClient
) -> None:
    hook = Webhook("hook", "https://a.test/hook", SECRET)

    async def resolve(host: str, port: int) -> list[str]:
        raise OSError("not found")

    await fail(engine, clock, hook)
    await deliverer(engine, clock, client, hook, resolve=resolve).deliver_due()
    assert await waiting(engine) == 1


async def test_long_output_is_sent_as_its_beginning_with_a_note(
    engine: AsyncEngine, clock: Clock, receiver: Receiver, client: httpx2.AsyncClient
) -> None:
    hook = webhook(receiver, "/hook", "tool:succeeded")
    shop = world(engine, clock, [Call("search", id="c1")], ["Done."], receivers=[Outbox([hook])])
    chat_id = await shop.start(page_tool())
    await shop.answer(chat_id, c1="x" * 1_000_000)
    await deliverer(engine, clock, client, hook).deliver_due()
    [request] = receiver.received
    assert len(request.body) < 30_000
    assert told(request)["data"]["output"].endswith("[cut: 1,000,002 characters in all]")
