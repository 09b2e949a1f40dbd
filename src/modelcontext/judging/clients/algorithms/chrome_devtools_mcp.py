"""chrome-devtools-mcp 1.11.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.judging.clients.known import KnownTool, ModelCall
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import DevTools


@algorithm("chrome-devtools-mcp")
def chrome_devtools_mcp(client: DevTools) -> Steps[None]:
    """Perform the turn of the client for one call, as ``chrome_devtools_mcp.md`` says."""
    # 1. Let tools be the tools of the frames in the page's process, as DevTools shows them.
    tools = yield from client.mirrored_tools(only_the_process=True)

    # 2. Set tools to tools in an order in which those of the frame that registered first come first.
    tools = client.some_order_of_frames(tools)

    # 3. Make tools known to the model: name, description, schema and annotations of each.
    client.make_known(tools, members=("name", "description", "schema", "annotations"))

    # 4. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 5. If call is null, then return.
    if call is None:
        return

    # 6. Let now be the tools of the frames in the page's process, as DevTools shows them.
    now = yield from client.mirrored_tools(only_the_process=True)

    # 7. Let target be the first tool of now in the order of step 2 whose name is that of call's tool, if any; otherwise
    # null.
    target = first_of_the_name(client.some_order_of_frames(now), call)

    # 8. If target is null:
    if target is None:
        # 8.1. Refuse call.
        client.refuse(call, "not found")

        # 8.2. Return.
        return

    # 9. Let ending be the result of invoking, in target's frame, the tool of target's name.
    ending = yield from client.invocation(target.frame, target.name, call)

    # 10. Answer call with ending.
    client.answer(call, ending)


def first_of_the_name(tools: Sequence[KnownTool], call: ModelCall) -> KnownTool | None:
    """Return the first tool that has the name of a call's tool."""
    return next((tool for tool in tools if tool.name == call.tool.name), None)
