"""Standpoints of clients: a script in a page, a program outside that runs scripts in frames, DevTools, the browser's agent.

Each standpoint is a class with the verbs that clients speak there. A verb that takes time is a generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from modelcontext.judging.clients.known import KnownTool, ModelCall, ToolWords, definition_of
from modelcontext.judging.clients.session import CLIENT_TASK_SOURCE, GONE, Request, Session, Steps, Waiting
from modelcontext.platform.ecmascript import json as javascript_json
from modelcontext.platform.ecmascript.values import UNDEFINED, JSArray, JSObject, JSValue
from modelcontext.platform.html.origin import serialization
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.platform.webidl.types import ABSENT
from modelcontext.spec.revisions.current.model import WEBMCP_TASK_SOURCE, associated_model_context
from modelcontext.spec.verbs import active_document, inclusive_descendant_navigables, is_fully_active, node_navigable

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import Promise
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.spec.revisions.current.dictionaries import RegisteredTool
    from modelcontext.spec.revisions.current.model import CompletionSteps, ToolDefinition

#: All that a client can tell a model about a tool.
EVERYTHING = ("name", "description", "schema", "annotations", "origin")
_ANNOTATIONS: Final = ("readOnlyHint", "untrustedContentHint", "consequentialHint", "debugging")


class Standpoint:
    """A client with a language model behind it, and a person in front of it.

    Args:
        session: the session of the client.
        top: the document of the page that the person sees.
    """

    def __init__(self, session: Session, top: Document) -> None:
        self.session = session
        self.top = top
        self._calls = 0
        self._read: list[str] = []
        #: The tools that a list has just brought, as long as the turn lasts in which it came.
        self._fresh: list[KnownTool] = []

    def label(self, tool: KnownTool) -> str:
        """Return the label of a tool, which says more than the client can see."""
        run = self.session.run
        return run.registrations.label_of(run.label_of(tool.document), tool.definition)

    def make_known(
        self, tools: Sequence[KnownTool], *, members: Sequence[str] = EVERYTHING, names: Sequence[str] = ()
    ) -> None:
        """Make tools known to the model.

        Args:
            tools: the tools.
            members: what the model is told of each.
            names: the names under which the model knows them; their own unless given.
        """
        shown = list(names) or [tool.name for tool in tools]
        self.session.record("shown", tools=[self.label(tool) for tool in tools], members=list(members), names=shown)

    def call_of_the_model(self, tools: Sequence[KnownTool]) -> Steps[ModelCall | None]:
        """Let the model think for any time, and call any of the tools it knows."""
        if not tools:
            return None
        yield self.pause()
        tool = tools[self.session.choose("the tool that the model calls", len(tools))]
        self._calls += 1
        call = ModelCall(self._calls, tool)
        self.session.record("meant", call=call.number, tool=self.label(tool), read=list(self._read))
        return call

    def approval_of_a_person(self, call: ModelCall, tool: KnownTool | None = None) -> Steps[bool]:
        """Show a call to a person, who thinks for any time, and approves it or not."""
        shown = self.label(tool or call.tool)
        self.session.record("asked", call=call.number, tool=shown, input=call.number)
        yield self.pause()
        approves = self.session.choose("the person's answer", 2) == 0
        self.session.record("approved" if approves else "denied", call=call.number)
        return approves

    def mark(self, call: ModelCall, origins: Sequence[str]) -> None:
        """Say with a call that its arguments may have words of these origins."""
        self.session.record("marked", call=call.number, origins=list(origins))

    def refuse(self, call: ModelCall, why: str) -> None:
        """Tell the model that a call did not run, for a reason."""
        self.session.record("refused", call=call.number, why=why)

    def answer(self, call: ModelCall, ending: object) -> None:
        """Tell the model how a call ended: the label of the tool that answered, or a word for another ending."""
        self.session.record("answered", call=call.number, by=str(ending))
        if str(ending) in self.session.run.registrations.by_label:
            self._read.append(str(ending))

    @property
    def origins_read(self) -> list[str]:
        """The origins of the results that the model has read."""
        by_label = self.session.run.registrations.by_label
        return sorted({by_label[label].origin for label in self._read})

    def pause(self) -> tuple[Request, Document | None, bool]:
        """Return a request for any time to pass."""
        return lambda waiting: waiting.end_outside(None), None, False

    def note_sent(
        self,
        call: ModelCall,
        document: Document,
        name: str,
        given: KnownTool | None = None,
        caller: Document | None = None,
    ) -> None:
        """Note that the call leaves the client, and which tool has the name in the document at that moment.

        Args:
            call: the call.
            document: the document that the call goes to.
            name: the name that it goes to.
            given: the tool that the client gives the browser.
            caller: the document whose ``executeTool()`` is called, if any.
        """
        tools = associated_model_context(document).internal_context.tool_map
        now = definition_in(tools[name]) if tools.exists(name) else None
        run = self.session.run
        label = run.registrations.label_of(run.label_of(document), now) if now is not None else "none"
        by = run.label_of(caller) if caller is not None else None
        is_fresh = any(tool is given for tool in self._fresh)
        listed = self.label(given) if given is not None and is_fresh else "none"
        self.session.record("sent", call=call.number, tool=label, listed=listed, caller=by)

    def algorithm(self, id_: str) -> Callable[..., Any]:
        """Return an algorithm of the text that is run."""
        return self.session.run.world.revision.algorithm(id_)

    def _list(self, document: Document, from_origins: Sequence[str], waiting: Waiting) -> None:
        run = self.session.run
        run.lists(document)
        options = JSObject(document.realm, {"fromOrigins": JSArray(document.realm, list(from_origins))})

        def listed(value: JSValue) -> JSValue:
            found = cast("list[RegisteredTool]", run.resolved.pop(promise))
            assert isinstance(value, JSArray)
            tools = [self._known(one, handle) for one, handle in zip(found, value, strict=True)]
            self._fresh = tools
            waiting.end(tools)
            self._fresh = []
            return UNDEFINED

        def failed(reason: JSValue) -> JSValue:
            waiting.end([])
            return UNDEFINED

        promise = self._method(document, "getTools", [options] if from_origins else [])
        promise.react(listed, failed, document.realm)

    def _known(self, tool: RegisteredTool, handle: JSValue) -> KnownTool:
        document = tool.window.associated_document
        schema = tool.input_schema
        text = "" if schema is ABSENT or schema is None else str(javascript_json.stringify(schema))
        hints = tool.annotations
        told: tuple[object, ...] = ()
        if hints is not ABSENT:
            told = (hints.read_only_hint, hints.untrusted_content_hint, hints.consequential_hint, hints.debugging)
        definition = _words(tool.name, tool.description, text, told)
        assert isinstance(handle, JSObject)
        return KnownTool(definition, tool.origin, document, _frame_of(document, self.session), handle)

    def _execute(
        self, document: Document, tool: KnownTool, call: ModelCall, waiting: Waiting, *, outside: bool
    ) -> None:
        # The call leaves the client here; where the handle's window shows another document by now, that one is meant.
        self.note_sent(call, _target_of(tool), tool.name, tool, document)
        assert tool.handle is not None
        arguments: list[JSValue] = [tool.handle, JSObject(document.realm, {"call": call.number})]
        promise = self._method(document, "executeTool", arguments)
        end = waiting.end_outside if outside else waiting.end

        def ended(value: JSValue) -> JSValue:
            end(_word(value))
            return UNDEFINED

        def failed(reason: JSValue) -> JSValue:
            end("failed")
            return UNDEFINED

        promise.react(ended, failed, document.realm)

    def _method(self, document: Document, name: str, arguments: list[JSValue]) -> Promise:
        world = self.session.run.world
        context = world.boundary.get(world.revision.accessor_owner(document), "modelContext")
        assert isinstance(context, PlatformObject)
        promise = world.boundary.call(context, name, arguments)
        return cast("Promise", promise)


class PageScript(Standpoint):
    """A client that is a script of the page: its document is ``top``, and it ends with it."""

    def pause(self) -> tuple[Request, Document | None, bool]:
        """Return a request for any time to pass, until a task of the page."""
        return self._enter, None, False

    def _enter(self, waiting: Waiting) -> None:
        document = self.top
        document.event_loop.queue_a_task(
            CLIENT_TASK_SOURCE,
            document,
            lambda: document.event_loop.run_script(document.realm, lambda: waiting.end(None)),
        )

    def tools_of_the_page(self, from_origins: Sequence[str] = ()) -> Steps[list[KnownTool]]:
        """Get the tools of the page that its script can see: its own, and those of frames."""
        found: list[KnownTool] = yield (lambda waiting: self._list(self.top, from_origins, waiting)), None, False
        return found

    def execution(self, call: ModelCall, tool: KnownTool, *, limit: bool = False) -> Steps[str]:
        """Execute a tool for a call, and return how that ended."""
        ending: str = yield (
            (lambda waiting: self._execute(self.top, tool, call, waiting, outside=False)),
            None,
            limit,
        )
        return ending


class FrameScripts(Standpoint):
    """A client outside that runs scripts in the frames of a page. It hears when the document of a script has gone."""

    def documents(self) -> list[Document]:
        """Return the documents that are in the frames of the page, in tree order."""
        return [document for _, document in _frames(self.top, self.session)]

    def document_of(self, frame: Navigable) -> Document | None:
        """Return the document that is in a frame now."""
        document = active_document(frame)
        return document if document is not None and is_fully_active(document) else None

    def is_here(self, document: Document) -> bool:
        """Return whether a document is there still."""
        return is_fully_active(document)

    def tools_in(self, document: Document, from_origins: Sequence[str] = ()) -> Steps[list[KnownTool] | None]:
        """Get the tools that a script in a document can see; None if the document goes meanwhile.

        The client is in the document then, in one turn with what it does there next, until it waits.
        """

        def enter(waiting: Waiting) -> None:
            if node_navigable(document) is None:
                waiting.end_outside(GONE)
                return
            document.event_loop.queue_a_task(
                CLIENT_TASK_SOURCE,
                document,
                lambda: document.event_loop.run_script(
                    document.realm, lambda: self._list(document, from_origins, waiting)
                ),
            )

        found = yield enter, document, False
        return None if found == GONE else cast("list[KnownTool]", found)

    def leave(self) -> Steps[None]:
        """Bring what a script found to the client outside."""
        if self.session.run.user_agent.current_event_loop is not None:
            yield self.pause()

    def execution_in(self, document: Document, call: ModelCall, tool: KnownTool, *, limit: bool = False) -> Steps[str]:
        """Execute a tool for a call by the script that is in a document, and return how that ended."""

        def execute(waiting: Waiting) -> None:
            self._execute(document, tool, call, waiting, outside=True)

        ending: str = yield execute, document, limit
        return ending

    def own(self, tools: Sequence[KnownTool], document: Document) -> list[KnownTool]:
        """Return the tools whose window is that of a document."""
        frame = _frame_of(document, self.session)
        return [tool for tool in tools if tool.frame is frame]


class DevTools(Standpoint):
    """A client outside that sees tools as DevTools shows them, and calls by frame and name. A call ends by its answer only."""

    def mirrored_tools(self, *, only_the_process: bool) -> Steps[list[KnownTool]]:
        """Return the tools of all frames, or only of those in the process of the page, each frame as of some moment."""

        def steps(waiting: Waiting) -> ParallelSteps:
            self.session.run.lists(self.top)
            found: list[KnownTool] = []
            for frame, document in _frames(self.top, self.session):
                if only_the_process and document.origin != self.top.origin:
                    continue
                yield
                definitions = associated_model_context(document).internal_context.tool_map.values()
                found += [_observed(definition, document, frame) for definition in definitions]
            waiting.end(found)

        tools: list[KnownTool] = yield (
            (lambda waiting: self.session.run.user_agent.in_parallel(steps(waiting))),
            None,
            False,
        )
        return tools

    def some_order_of_frames(self, tools: Sequence[KnownTool]) -> list[KnownTool]:
        """Return tools with those of one frame first: which one depends on who registered first."""
        frames = list(dict.fromkeys(tool.frame for tool in tools))
        first = frames[self.session.choose("the frame that registered first", len(frames))] if frames else None
        return sorted(tools, key=lambda tool: tool.frame is not first)

    def invocation(self, frame: Navigable, name: str, call: ModelCall, *, limit: bool = False) -> Steps[str]:
        """Invoke a tool by the name that it has in a frame, and return how that ended."""
        document = active_document(frame)
        if document is None or not is_fully_active(document):
            return "no frame"
        if not associated_model_context(document).internal_context.tool_map.exists(name):
            return "no tool"
        return (yield from self.run_in(document, name, call, limit=limit))

    def run_in(self, document: Document, name: str, call: ModelCall, *, limit: bool = False) -> Steps[str]:
        """Run the tool execute steps in a document, from outside, and return how that ended."""
        self.note_sent(call, document, name)

        def request(waiting: Waiting) -> None:
            def completion_steps(result: str | None, success: bool) -> ParallelSteps:
                waiting.end(_word(result) if success else "failed")
                yield from ()

            self._begin(document, name, call, completion_steps)

        ending: str = yield request, None, limit
        return ending

    def _begin(self, document: Document, name: str, call: ModelCall, completion_steps: CompletionSteps) -> None:
        run_the_tool_execute_steps = self.algorithm("run-the-tool-execute-steps")
        execution = self.session.run.user_agent.unique_id()
        document.event_loop.queue_a_task(
            WEBMCP_TASK_SOURCE,
            document,
            lambda: run_the_tool_execute_steps(document, name, _input_of(call), completion_steps, execution),
        )


class BrowsersAgent(DevTools):
    """The browser's own agent, which makes observations. Where the text has steps for a call, it takes these (Issue 19)."""

    def _begin(self, document: Document, name: str, call: ModelCall, completion_steps: CompletionSteps) -> None:
        if (steps := self.session.run.world.revision.algorithms.get("execute-an-observed-tool")) is not None:
            steps(document, call.tool.observed, _input_of(call), completion_steps)
        else:
            super()._begin(document, name, call, completion_steps)

    def observed_tools(self) -> Steps[list[KnownTool]]:
        """Perform an observation of the page, and return the tools of all observed documents."""

        def steps(waiting: Waiting) -> ParallelSteps:
            self.session.run.lists(self.top)
            navigable = node_navigable(self.top)
            if navigable is None or not is_fully_active(self.top):
                waiting.end([])
                return
            observation = yield from self.algorithm("perform-an-observation")(navigable)
            by_id = {document.unique_id: document for document in self.session.run.frames}
            waiting.end(
                [
                    _observed(definition, by_id[id_], _frame_of(by_id[id_], self.session))
                    for id_, observed in observation.items()
                    for definition in observed.tools
                ]
            )

        tools: list[KnownTool] = yield (
            (lambda waiting: self.session.run.user_agent.in_parallel(steps(waiting))),
            None,
            False,
        )
        return tools


def rounds(count: int, client: Standpoint, turn: Callable[[], Steps[None]]) -> Steps[None]:
    """Repeat the steps of a client: a turn for each call of the model, at any time."""
    # A list, because the fingerprint of a state knows how far an iterator over a list has come.
    for _ in list(range(count)):
        yield client.pause()
        yield from turn()


def definition_in(tool: ToolDefinition) -> ToolWords:
    """Return the words of a tool definition."""
    hints = tool.annotations
    told: tuple[object, ...] = ()
    if hints is not None:
        told = (hints.read_only, hints.untrusted_content, hints.consequential, hints.debugging)
    text = tool.input_schema.serialized if tool.input_schema is not None else ""
    return _words(tool.name, tool.description, text, told)


def _words(name: str, description: str, schema: str, hints: Sequence[object]) -> ToolWords:
    """Return the words of a tool whose schema is a text; ``hints`` has the values of its annotations, if any."""
    annotations = dict(zip(_ANNOTATIONS, hints, strict=True)) if hints else {}
    return replace(definition_of(name, description, None, annotations), schema=schema)


def _observed(tool: ToolDefinition, document: Document, frame: Navigable) -> KnownTool:
    return KnownTool(definition_in(tool), serialization(document.origin), document, frame, observed=tool)


def _frames(top: Document, session: Session) -> list[tuple[Navigable, Document]]:
    navigable = _frame_of(top, session)
    shown = active_document(navigable)
    if shown is None:
        return []
    found = []
    for frame in inclusive_descendant_navigables(shown):
        document = active_document(frame)
        if document is not None and document.url != "about:blank":
            found.append((frame, document))
    return found


def _frame_of(document: Document, session: Session) -> Navigable:
    """Return the navigable that a document was made for, which may show another one by now."""
    return session.run.frames[document]


def _target_of(tool: KnownTool) -> Document:
    document = active_document(tool.frame)
    return tool.document if document is None else document


def _input_of(call: ModelCall) -> str:
    return f'{{"call":{call.number}}}'


def _word(value: JSValue) -> str:
    """Return the label that a tool answered with, as such or in an object; ``executeTool`` gives it as JSON text."""
    return value.removeprefix('{"by":').removesuffix("}").strip('"') if isinstance(value, str) else "nothing"
