"""persona 4.17.0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.judging.clients.known import KnownTool, ModelCall
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import PageScript


@algorithm("persona")
def persona(client: PageScript) -> Steps[None]:
    """Perform the turn of the client for one call, as ``persona.md`` says."""
    # 1. Let tools be the result of getting the tools of the page.
    tools = yield from client.tools_of_the_page()

    # 2. Make tools known to the model: name, description and schema of each.
    client.make_known(tools, members=("name", "description", "schema"))

    # 3. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 4. If call is null, then return.
    if call is None:
        return

    # 5. Let now be the result of getting the tools of the page.
    now = yield from client.tools_of_the_page()

    # 6. Let target be the first tool of now whose name is that of call's tool, if any; otherwise null.
    target = first_of_the_name(now, call)

    # 7. If target is null:
    if target is None:
        # 7.1. Refuse call.
        client.refuse(call, "not found")

        # 7.2. Return.
        return

    # 8. Let approves be the result of asking the person about call and target.
    approves = yield from client.approval_of_a_person(call, target)

    # 9. If approves is false:
    if not approves:
        # 9.1. Refuse call.
        client.refuse(call, "denied")

        # 9.2. Return.
        return

    # 10. Let ending be the result of executing target for call, for at most 30 seconds.
    ending = yield from client.execution(call, target, limit=True)

    # 11. Answer call with ending.
    client.answer(call, ending)


def first_of_the_name(tools: Sequence[KnownTool], call: ModelCall) -> KnownTool | None:
    """Return the first tool that has the name of a call's tool."""
    return next((tool for tool in tools if tool.name == call.tool.name), None)
