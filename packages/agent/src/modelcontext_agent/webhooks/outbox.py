"""The outbox: a row for each event and each webhook that wants it, stored with the event or not at all."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from modelcontext_agent.chat.tables import Instant, metadata
from modelcontext_agent.exposure.framing import cut
from modelcontext_agent.webhooks.addresses import read_url
from modelcontext_agent.webhooks.signing import key_of

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from modelcontext_agent.chat.hooks import ChatEventRecord

#: The types of events that a webhook may want.
EVENTS = ("tool:succeeded", "tool:failed", "chat:requires_action", "chat:error")

#: The characters of JSON of a member of an event. A longer one is sent as its beginning, a string with a note.
LONGEST_MEMBER = 20_000

outbox = sa.Table(
    "outbox",
    metadata,
    # The id of the message to its receiver: the same for all tries.
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("webhook", sa.Text, nullable=False),
    # The body, ASCII: what is signed and sent is these bytes.
    sa.Column("body", sa.Text, nullable=False),
    # The tries that were begun, and the time of the next one. A try under way moves it to when nobody believes in it.
    sa.Column("tries", sa.Integer, nullable=False),
    sa.Column("due_at", Instant, nullable=False),
    sa.Index("outbox_by_webhook", "webhook", "due_at"),
)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A receiver of events. ``name`` is how the outbox knows it: a new name is a new webhook, a new URL is not."""

    name: str
    url: str
    secret: str = field(repr=False)
    events: frozenset[str] = frozenset(EVENTS)
    #: The names of the tools whose calls it is told of; empty for all.
    tools: frozenset[str] = frozenset()

    def wants(self, event: ChatEventRecord) -> bool:
        """Return whether the receiver is told of an event."""
        is_of_another = (
            bool(self.tools) and event.type.startswith("tool:") and event.data["tool_name"] not in self.tools
        )
        return event.type in self.events and not is_of_another


def read_webhooks(data: Any, *, allow_private: bool = False) -> tuple[Webhook, ...]:
    """Return the webhooks that a configuration names.

    Args:
        data: a list of ``{"name", "url", "secret", "events", "tools"}``; without ``events``, a webhook gets all of them, and
            without ``tools``, those of all tools.
        allow_private: True to permit URLs of this machine and its network.

    Raises:
        ValueError: if a webhook is not well formed; the message says which one, and never holds a secret.
    """
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise ValueError("the webhooks are not a list")
    webhooks: dict[str, Webhook] = {}
    for index, item in enumerate(data):
        try:
            webhook = _read_webhook(item, allow_private)
        except ValueError as error:
            raise ValueError(f"webhook {index}: {error}") from None
        if webhook.name in webhooks:
            raise ValueError(f"webhook {index}: another webhook has the name “{webhook.name}”; rename one of the two")
        webhooks[webhook.name] = webhook
    return tuple(webhooks.values())


def _read_webhook(item: Any, allow_private: bool) -> Webhook:
    if not isinstance(item, Mapping):
        raise ValueError("it is not a table")
    if unknown := sorted(map(str, item.keys() - {"name", "url", "secret", "events", "tools"})):
        raise ValueError(f"“{unknown[0]}” is unknown; use name, url, secret, events and tools")
    for member in ("name", "url", "secret"):
        if not isinstance(item.get(member), str) or not item[member]:
            raise ValueError(f"it needs “{member}” as a string")
    if "\0" in item["name"]:
        raise ValueError("its name has a character U+0000")
    events = item.get("events", EVENTS)
    if not isinstance(events, Sequence) or not events or any(event not in EVENTS for event in events):
        raise ValueError(f"“events” must be a list with some of {', '.join(EVENTS)}")
    tools = item.get("tools", [])
    if not isinstance(tools, Sequence) or isinstance(tools, str) or not all(isinstance(name, str) for name in tools):
        raise ValueError("“tools” must be a list of names of tools")
    read_url(item["url"], allow_private=allow_private)
    key_of(item["secret"])
    return Webhook(item["name"], item["url"], item["secret"], frozenset(events), frozenset(tools))


class Outbox:
    """The receiver of events that fills the outbox; one of the receivers of a chat's configuration."""

    def __init__(self, webhooks: Iterable[Webhook]) -> None:
        self._webhooks = tuple(webhooks)

    async def __call__(self, connection: AsyncConnection, events: Sequence[ChatEventRecord]) -> None:
        """Store a row for each event and each webhook that wants it, in the transaction that stores the events."""
        rows = []
        for event in events:
            webhooks = [webhook for webhook in self._webhooks if webhook.wants(event)]
            if webhooks:
                # The rows of one event differ in their ids: each receiver has its own.
                body = body_of(event)
                rows += [
                    {
                        "id": f"msg_{uuid.uuid4().hex}",
                        "webhook": webhook.name,
                        "body": body,
                        "tries": 0,
                        "due_at": event.created_at,
                    }
                    for webhook in webhooks
                ]
        if rows:
            await connection.execute(sa.insert(outbox), rows)


def body_of(event: ChatEventRecord) -> str:
    """Return the body of the message that tells of an event: JSON in ASCII, with ``type``, ``timestamp`` and ``data``."""
    data = {member: _shortened(value) for member, value in event.data.items()}
    place = {"chat_id": event.chat_id, "event_id": event.id}
    return json.dumps({"type": event.type, "timestamp": event.created_at.isoformat(), "data": {**data, **place}})


def _shortened(value: Any) -> Any:
    text = json.dumps(value)
    return value if len(text) <= LONGEST_MEMBER else cut(text, LONGEST_MEMBER)
