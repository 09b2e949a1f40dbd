"""The browser's own agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import BrowsersAgent


@algorithm("browsers-agent")
def browsers_agent(client: BrowsersAgent) -> Steps[None]:
    """Perform the turn of the client for one call, as ``browsers_agent.md`` says."""
    # 1. Let tools be the tools of all documents of the result of performing an observation of the page.
    tools = yield from client.observed_tools()

    # 2. Make tools known to the model: name, description, schema, annotations and origin of each.
    client.make_known(tools)

    # 3. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 4. If call is null, then return.
    if call is None:
        return

    # 5. If call's tool is consequential:
    if call.tool.is_consequential:
        # 5.1. Let approves be the result of asking the person about call.
        approves = yield from client.approval_of_a_person(call)

        # 5.2. If approves is false:
        if not approves:
            # 5.2.1. Refuse call.
            client.refuse(call, "denied")

            # 5.2.2. Return.
            return

    # 6. Let document be the observed document of call's tool.
    document = call.tool.document

    # 7. Let ending be the result of running the tool execute steps in document, given the name of call's tool.
    ending = yield from client.run_in(document, call.tool.name, call)

    # 8. Answer call with ending.
    client.answer(call, ending)
