"""A page of the simulated browser, as an agent's page.

No time passes in that browser. Whoever changes it lets it ``run_until_idle()``, and then the page learns of the change.

The last step of a call is ``executeTool``, which finds its tool by name, in steps that run in parallel: under a schedule in
which the page registers another tool just then, the call runs that one. No client can prevent it.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from modelcontext.judging.clients.page_tools import MAIN_FRAME, Hints, PageTool
from modelcontext.programs.face import PendingError, RejectedError
from modelcontext_agent.pages.endings import cancelled, document_gone, done, failed, tool_changed, tool_gone
from modelcontext_agent.pages.listing import in_order, read_tool
from modelcontext_agent.pages.running_calls import RunningCall, RunningCalls

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding
    from modelcontext.programs.face import Browser, Document, Promise, RegisteredTool
    from modelcontext_agent.pages.contract import CallResult


class SimulatedPage:
    """The tab of a simulated browser that holds a document, with its frames.

    A tool of Python that returns nothing returns ``null`` there, which is None. The specification rejects a call whose tool
    returns ``undefined`` itself.
    """

    is_seen = False

    def __init__(self, browser: Browser, document: Document) -> None:
        self._browser = browser
        self._frames: dict[str, Document] = {MAIN_FRAME: document}
        self._ids: dict[Document, str] = {}
        self._alive: dict[str, Document] = {}
        self._insecure: set[Document] = set()
        self._running = RunningCalls()
        self._promises: dict[str, Promise] = {}
        self._listeners: list[Callable[[], None]] = []
        self._toolchange = False
        self._is_closed = False
        #: The frames that did not answer: none, since a script that runs forever stops this program, too.
        self.silent: frozenset[str] = frozenset()
        self._look_around()
        browser.on_idle(self._on_idle)

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools of all frames, read anew."""
        return in_order(tool for tool, _ in self._read())

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        """Run a tool if it is still the one that ``binding`` names."""
        if self._is_closed:
            return cancelled(name)
        found = list(self._read())
        document = self._alive.get(binding.frame)
        if document is None or (self._ids[document], document.origin) != (binding.document, binding.origin):
            return document_gone(name, began=False)
        candidates = [pair for pair in found if pair[1].document is document and pair[0].name == name]
        if not candidates:
            return tool_gone(name)
        [(tool, registered)] = candidates
        if tool.digest != binding.digest:
            return tool_changed(name)
        with self._running.begin(name, binding) as call:
            self._execute(call, document, registered, arguments)
            try:
                return await call.ended
            finally:
                del self._promises[call.id]

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever tools may have changed, a document has gone, or a new one has come."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Let go of the page. The tab stays open."""
        self._is_closed = True
        self._listeners.clear()
        self._running.abort_all()

    def _execute(self, call: RunningCall, document: Document, tool: RegisteredTool, arguments: Any) -> None:
        controller = document.new_abort_controller()

        def abort() -> None:
            if document.is_fully_active:
                controller.abort()
                self._browser.run_until_idle()

        call.began, call.abort = True, abort
        self._promises[call.id] = document.model_context.execute_tool(tool, arguments, signal=controller.signal)
        self._browser.run_until_idle()

    def _read(self) -> Iterator[tuple[PageTool, RegisteredTool]]:
        self._look_around()
        promises = [
            (frame, document, document.model_context.get_tools())
            for frame, document in self._alive.items()
            if document not in self._insecure
        ]
        self._browser.run_until_idle()
        for frame, document, promise in promises:
            try:
                registered: Sequence[RegisteredTool] = promise.value
            except (RejectedError, PendingError):
                continue  # The document may not use the feature, or has gone meanwhile.
            for one in registered:
                if one.document is document and (tool := self._tool(one, frame)) is not None:
                    yield tool, one

    def _tool(self, tool: RegisteredTool, frame: str) -> PageTool | None:
        definition = {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "annotations": Hints.of(tool.annotations).to_json(),
        }
        place = {"document": self._ids[tool.document], "origin": tool.origin, "frame": frame, "url": tool.document.url}
        return read_tool(json.dumps(definition), **place)

    def _look_around(self) -> bool:
        """Find the documents that are there now, and return whether they are others than before."""
        before = list(self._alive.values())
        self._alive = {}
        top = self._frames[MAIN_FRAME].current
        for document in _with_descendants(top) if top.is_fully_active else []:
            self._alive[self._frame_of(document)] = document
            if document not in self._ids:
                self._ids[document] = secrets.token_hex(8)
                try:
                    document.model_context.add_event_listener("toolchange", self._note_toolchange)
                except ValueError:
                    self._insecure.add(document)  # Only a secure context has a ModelContext.
        return list(self._alive.values()) != before

    def _frame_of(self, document: Document) -> str:
        for frame, known in self._frames.items():
            if known.current is document:
                return frame
        frame = f"frame-{len(self._frames)}"
        self._frames[frame] = document
        return frame

    def _note_toolchange(self, event: object) -> None:
        self._toolchange = True

    def _on_idle(self) -> None:
        for call in self._running:
            promise = self._promises[call.id]
            if promise.state != "pending":
                call.end(_end(call.name, promise))
        changed = self._look_around() or self._toolchange
        self._toolchange = False
        alive = {self._ids[document] for document in self._alive.values()}
        self._running.end_gone(lambda binding: binding.document not in alive)
        if changed:
            for listener in list(self._listeners):
                listener()


def _end(name: str, promise: Promise) -> CallResult:
    try:
        return done(promise.value)
    except RejectedError as error:
        if error.name == "AbortError":
            return cancelled(name)
        cause = error.__cause__
        return failed(str(error) if cause is None else f"{error}: {type(cause).__name__}: {cause}")


def _with_descendants(document: Document) -> Iterator[Document]:
    yield document
    for frame in document.frames:
        yield from _with_descendants(frame)
