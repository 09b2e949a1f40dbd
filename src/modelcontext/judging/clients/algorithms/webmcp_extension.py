"""GoogleChromeLabs webmcp-extension (autumn 2026)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.programs.program.stage import ORIGINS
from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.judging.clients.known import KnownTool, ModelCall
    from modelcontext.judging.clients.session import Steps
    from modelcontext.judging.clients.standpoints import FrameScripts

#: The origins that a page of the programs here can have.
ALL_ORIGINS = tuple(ORIGINS[letter] for letter in "ABCD")


@algorithm("webmcp-extension")
def webmcp_extension(client: FrameScripts) -> Steps[None]:
    """Perform the turn of the client for one call, as ``webmcp_extension.md`` says."""
    # 1. Let tools be the result of getting the tools of all origins that the top document can see, or an empty list if it
    # goes meanwhile.
    tools = (yield from client.tools_in(client.top, ALL_ORIGINS)) or []

    # 2. Leave the top document.
    yield from client.leave()

    # 3. Make tools known to the model: frame and name, description and schema of each.
    client.make_known(tools, members=("name", "description", "schema"), names=framed(tools))

    # 4. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 5. If call is null, then return.
    if call is None:
        return

    # 6. Let newest be the result of getting the tools of all origins that the top document can see, or an empty list if it
    # goes meanwhile.
    newest = (yield from client.tools_in(client.top, ALL_ORIGINS)) or []

    # 7. Leave the top document.
    yield from client.leave()

    # 8. If newest has no tool with the frame and the name of call's tool:
    if not (targets := of_the_frame_and_name(newest, call)):
        # 8.1. Refuse call.
        client.refuse(call, "not found")

        # 8.2. Return.
        return

    # 9. If the first such tool is consequential:
    if targets[0].is_consequential:
        # 9.1. Let approves be the result of asking the person about call and this tool.
        approves = yield from client.approval_of_a_person(call, targets[0])

        # 9.2. If approves is false:
        if not approves:
            # 9.2.1. Refuse call.
            client.refuse(call, "denied")

            # 9.2.2. Return.
            return

    # 10. Let document be the document that is now in the frame of call's tool, if the origin of the top document is what it
    # was; otherwise null.
    document = client.document_of(call.tool.frame)

    # 11. If document is null:
    if document is None:
        # 11.1. Refuse call.
        client.refuse(call, "no frame")

        # 11.2. Return.
        return

    # 12. Let now be the result of getting the tools that document can see.
    now = yield from client.tools_in(document)

    # 13. If now has no tool with the window of document and the name of call's tool:
    if not (own := of_the_frame_and_name(now or [], call)):
        # 13.1. Refuse call.
        client.refuse(call, "not found")

        # 13.2. Return.
        return

    # 14. Let ending be the result of executing the first such tool by a script in document.
    ending = yield from client.execution_in(document, call, own[0])

    # 15. Answer call with ending.
    client.answer(call, ending)


def framed(tools: Sequence[KnownTool]) -> list[str]:
    """Return a name for each tool that has its frame in it."""
    frames = list(dict.fromkeys(tool.frame for tool in tools))
    return [f"f{frames.index(tool.frame)}_{tool.name}" for tool in tools]


def of_the_frame_and_name(tools: Sequence[KnownTool], call: ModelCall) -> list[KnownTool]:
    """Return the tools that have the frame and the name of a call's tool."""
    return [tool for tool in tools if (tool.frame, tool.name) == (call.tool.frame, call.tool.name)]
