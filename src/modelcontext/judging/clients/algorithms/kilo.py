"""Kilo browser extension (September 2026)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.judging.clients.known import KnownTool, ModelCall
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import FrameScripts


@algorithm("kilo")
def kilo(client: FrameScripts) -> Steps[None]:
    """Perform the turn of the client for one call, as ``kilo.md`` says."""
    # 1. Let found be the result of getting the tools that the top document can see.
    found = yield from client.tools_in(client.top)

    # 2. Leave the top document.
    yield from client.leave()

    # 3. Let tools be each tool of found that is the first of its name, if the top document was there still.
    tools = first_of_each_name(found or [])

    # 4. Make tools known to the model: name, description and schema of each.
    client.make_known(tools, members=("name", "description", "schema"))

    # 5. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 6. If call is null, then return.
    if call is None:
        return

    # 7. Let now be the result of getting the tools that the same top document can see.
    now = yield from client.tools_in(client.top)

    # 8. Let target be the first tool of now whose name is that of call's tool, if any; otherwise null.
    target = first_of_the_name(now or [], call)

    # 9. If target is null or its signature is not that of call's tool:
    if target is None or signature(target) != signature(call.tool):
        # 9.1. Leave the top document.
        yield from client.leave()

        # 9.2. Refuse call.
        client.refuse(call, "changed")

        # 9.3. Return.
        return

    # 10. Let ending be the result of executing target by a script in the top document, for at most 5 seconds.
    ending = yield from client.execution_in(client.top, call, target, limit=True)

    # 11. Answer call with ending.
    client.answer(call, ending)


def first_of_each_name(tools: Sequence[KnownTool]) -> list[KnownTool]:
    """Return the tools that have no earlier tool of their name."""
    return list({tool.name: tool for tool in reversed(tools)}.values())[::-1]


def first_of_the_name(tools: Sequence[KnownTool], call: ModelCall) -> KnownTool | None:
    """Return the first tool that has the name of a call's tool."""
    return next((tool for tool in tools if tool.name == call.tool.name), None)


def signature(tool: KnownTool) -> tuple[str, str, str, str]:
    """Return what the extension compares: annotations and window are not in it."""
    return tool.name, tool.definition.description, tool.origin, tool.definition.schema
