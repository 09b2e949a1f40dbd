"""playwright 1.65.1 ``mcp``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.judging.clients.known import KnownTool, ModelCall
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import FrameScripts


@algorithm("playwright-mcp")
def playwright_mcp(client: FrameScripts) -> Steps[None]:
    """Perform the turn of the client for one call, as ``playwright_mcp.md`` says."""
    # 1. Let tools be an empty list.
    tools: list[KnownTool] = []

    # 2. For each document that is in a frame of the page:
    for document in client.documents():
        # 2.1. Let found be the result of getting the tools that document can see.
        found = yield from client.tools_in(document)

        # 2.2. Append to tools each tool of found whose window is that of document, if document is there still.
        tools += client.own(found or [], document)

        # 2.3. Leave document.
        yield from client.leave()

    # 3. Make tools known to the model under their aliases: name, description, schema, annotations and origin of each.
    client.make_known(tools, names=aliases(tools))

    # 4. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 5. If call is null, then return.
    if call is None:
        return

    # 6. Let target be the document that is now in the frame of call's tool.
    target = client.document_of(call.tool.frame)

    # 7. If target is null:
    if target is None:
        # 7.1. Refuse call.
        client.refuse(call, "no frame")

        # 7.2. Return.
        return

    # 8. Let now be the result of getting the tools that target can see.
    now = yield from client.tools_in(target)

    # 9. If now has no tool with the window of target and the name of call's tool:
    if not (own := named(client.own(now or [], target), call)):
        # 9.1. Refuse call.
        client.refuse(call, "not found")

        # 9.2. Return.
        return

    # 10. Let ending be the result of executing the first such tool by a script in target, for at most 30 seconds.
    ending = yield from client.execution_in(target, call, own[0], limit=True)

    # 11. Answer call with ending.
    client.answer(call, ending)


def aliases(tools: Sequence[KnownTool]) -> list[str]:
    """Return an alias for each tool: its name, with a number where another one has that name."""
    names: list[str] = []
    for tool in tools:
        count = sum(1 for name in names if name.rpartition("_")[0] == tool.name or name == tool.name)
        names.append(f"{tool.name}_{count + 1}" if count else tool.name)
    return names


def named(tools: Sequence[KnownTool], call: ModelCall) -> list[KnownTool]:
    """Return the tools that have the name of a call's tool."""
    return [tool for tool in tools if tool.name == call.tool.name]
