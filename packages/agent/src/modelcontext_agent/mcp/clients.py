"""The clients of a server, what was listed to each, and how each is told of changes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

    from modelcontext_agent.mcp.listing import ToolList

    Context = ServerRequestContext["Clients", Any]

#: Clients that are remembered on one transport; the one that was silent the longest is forgotten first.
MOST_CLIENTS = 1_000
#: Seconds after which a client that does not take a message is left alone.
PATIENCE = 5.0


@dataclass(slots=True)
class Client:
    """A client: what was listed to it last, and its session if it has one."""

    listing: ToolList = field(default_factory=dict)
    session: ServerSession | None = None


class Clients:
    """The clients of one transport: one where that is a pair of streams, any number over HTTP."""

    def __init__(self) -> None:
        self._clients: OrderedDict[str, Client] = OrderedDict()

    def of(self, context: Context) -> Client:
        """Return the client that sent a request."""
        key = _key(context)
        client = self._clients.setdefault(key, Client())
        self._clients.move_to_end(key)
        if len(self._clients) > MOST_CLIENTS:
            self._clients.popitem(last=False)
        return client

    async def tell(self) -> None:
        """Tell the clients that have a session that the tools changed."""
        await asyncio.gather(
            *(_tell(client.session) for client in list(self._clients.values()) if client.session is not None)
        )


async def _tell(session: ServerSession) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await session.send_tool_list_changed()
    except TimeoutError:
        return


def _key(context: Context) -> str:
    """Return what tells the client of a request from the others of its transport.

    Without a session, all that a client says of itself is its name and version. Two clients that say the same share a
    listing; one that must not can send a tool's binding with the call (see ``docs/mcp.md``).
    """
    session = context.request.headers.get("mcp-session-id") if context.request is not None else None
    if session is not None:
        return f"session {session}"
    parameters = context.session.client_params
    return parameters.client_info.model_dump_json() if parameters is not None else ""
