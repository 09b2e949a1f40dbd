"""The host of this project, :mod:`modelcontext_agent`, with the project's own functions for binding and policy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from modelcontext.judging.clients.page_tools import MAIN_FRAME, PageTool
from modelcontext.judging.clients.policy import flows_from, reasons_to_ask, same_place
from modelcontext.judging.clients.standpoints import FrameScripts
from modelcontext.spec.revisions.algorithm import algorithm

if TYPE_CHECKING:
    from modelcontext.judging.clients.known import KnownTool, ModelCall
    from modelcontext.judging.clients.session import Session, Steps
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable


class AgentHost(FrameScripts):
    """The host, with what a chat remembers from one call to the next."""

    def __init__(self, session: Session, top: Document) -> None:
        super().__init__(session, top)
        #: Origin, frame and name of each tool that some definition called consequential.
        self.ever_consequential: set[str] = set()

    def remember(self, tools: list[KnownTool]) -> None:
        """Remember the tools that are consequential."""
        self.ever_consequential |= {place_of(page_tool(self, tool)) for tool in tools if tool.is_consequential}


@algorithm("agent-host")
def agent_host(client: AgentHost) -> Steps[None]:
    """Perform the turn of the client for one call, as ``agent_host.md`` says."""
    # 1. Let tools be the result of reading the tools of the page.
    tools = yield from read_the_tools_of_the_page(client)

    # 2. Remember the places of tools that are consequential.
    client.remember(tools)

    # 3. Make tools known to the model under their aliases: name, description, schema, annotations and origin of each.
    client.make_known(tools, names=[place_of(page_tool(client, tool)) for tool in tools])

    # 4. Let call be the call that the model makes of one of tools.
    call = yield from client.call_of_the_model(tools)

    # 5. If call is null, then return.
    if call is None:
        return

    # 6. Let now be the result of reading the tools of the page.
    now = yield from read_the_tools_of_the_page(client)

    # 7. Remember the places of tools of now that are consequential.
    client.remember(now)

    # 8. Mark call with the other origins whose results the model has read.
    client.mark(call, flows_from(call.tool.origin, client.origins_read))

    # 9. If there are reasons to ask, given call's tool, the tool at the same place of now, and whether that place is
    # remembered:
    if asks(client, call, now):
        # 9.1. Let approves be the result of asking the person about call.
        approves = yield from client.approval_of_a_person(call)

        # 9.2. If approves is false:
        if not approves:
            # 9.2.1. Refuse call.
            client.refuse(call, "denied")

            # 9.2.2. Return.
            return

    # 10. Let document be the document that is now in the frame of call's tool.
    document = client.document_of(call.tool.frame)

    # 11. If document is not the document of call's tool:
    if document is not call.tool.document:
        # 11.1. Refuse call, since the document has gone.
        client.refuse(call, "document-gone")

        # 11.2. Return.
        return

    # 12. Let found be the result of getting the tools that document can see; then, in the same turn:
    found = yield from client.tools_in(document)

    # 13. If found has no tool with the window of document and the name of call's tool:
    if (target := named(client.own(found or [], document), call)) is None:
        # 13.1. Leave document.
        yield from client.leave()

        # 13.2. Refuse call, since the tool has gone.
        client.refuse(call, "tool-gone")

        # 13.3. Return.
        return

    # 14. If the binding of that tool is not the binding of call's tool:
    if page_tool(client, target).binding != page_tool(client, call.tool).binding:
        # 14.1. Leave document.
        yield from client.leave()

        # 14.2. Refuse call, since the tool has changed.
        client.refuse(call, "tool-changed")

        # 14.3. Return.
        return

    # 15. Let ending be the result of executing that tool by a script in document, for at most 30 seconds.
    ending = yield from client.execution_in(document, call, target, limit=True)

    # 16. Answer call with ending.
    client.answer(call, ending)


@algorithm("read-the-tools-of-the-page")
def read_the_tools_of_the_page(client: AgentHost) -> Steps[list[KnownTool]]:
    """Read the tools of all frames, as ``agent_host.md`` says."""
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

    # 3. Return tools.
    return tools


def asks(client: AgentHost, call: ModelCall, now: list[KnownTool]) -> bool:
    """Return whether a person is asked about a call."""
    shown = page_tool(client, call.tool)
    offered = same_place(shown, [page_tool(client, tool) for tool in now])
    return bool(reasons_to_ask(shown, offered, ever_consequential=place_of(shown) in client.ever_consequential))


def named(tools: list[KnownTool], call: ModelCall) -> KnownTool | None:
    """Return the tool that has the name of a call's tool."""
    return next((tool for tool in tools if tool.name == call.tool.name), None)


def page_tool(client: AgentHost, tool: KnownTool) -> PageTool:
    """Return a tool as the host writes it down."""
    definition = tool.definition
    schema = json.loads(definition.schema) if definition.schema else None
    return PageTool(
        definition.name,
        definition.description,
        str(tool.document.unique_id),
        tool.origin,
        _frame_id(client, tool.frame),
        input_schema=schema,
        hints=definition.hints,
    )


def place_of(tool: PageTool) -> str:
    """Return origin, frame and name of a tool, which its alias stands for."""
    return json.dumps([tool.origin, tool.frame, tool.name])


def _frame_id(client: AgentHost, frame: Navigable) -> str:
    frames = list(dict.fromkeys(client.session.run.frames.values()))
    return str(frames.index(frame)) if frames[0] is not frame else MAIN_FRAME
