"""Stagehand 4.4.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import DevTools


@algorithm("stagehand")
def stagehand(client: DevTools) -> Steps[None]:
    """Perform the turn of the client for one call, as ``stagehand.md`` says."""
    # 1. Let tools be the tools of all frames, as DevTools shows them.
    tools = yield from client.mirrored_tools(only_the_process=False)

    # 2. Make tools known to the model: name, description and schema of each.
    client.make_known(tools, members=("name", "description", "schema"))

    # 3. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 4. If call is null, then return.
    if call is None:
        return

    # 5. Let ending be the result of invoking, in the frame of call's tool, the tool of its name.
    ending = yield from client.invocation(call.tool.frame, call.tool.name, call)

    # 6. Answer call with ending.
    client.answer(call, ending)
