"""Pages that are reached by a script in each of their documents (``script/tools.js``).

The script checks once more, in the page, that document and definition are those that are meant, and then calls
``executeTool``, all without a pause. The browser's own lookup is by name, in steps that run in parallel: a page that
registers another tool just then has that one run. No client can prevent it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from modelcontext.running.products.limits import within
from modelcontext_agent.exposure.framing import visible
from modelcontext_agent.pages.endings import cancelled, document_gone, done, failed, tool_changed, tool_gone
from modelcontext_agent.pages.listing import DEEPEST_DEFINITION, LONGEST_DEFINITION, in_order, read_tool
from modelcontext_agent.pages.running_calls import RunningCall, RunningCalls

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding, PageTool
    from modelcontext_agent.pages.contract import CallResult

#: Seconds after which a frame whose script does not answer counts as one without tools.
PATIENCE = 5.0
# The characters of a definition that a warning shows.
_SHOWN = 80

_logger = logging.getLogger(__name__)


class DoorClosedError(Exception):
    """Raised when the document behind a door has gone."""


@dataclass(frozen=True, slots=True)
class DocumentTools:
    """A document, and the definitions of its own tools, each a JSON text."""

    document: str
    origin: str
    url: str
    definitions: Sequence[str]

    def tools(self, frame: str) -> dict[str, tuple[PageTool, str]]:
        """Return the tools with their definitions, by name. What is no definition is left out."""
        found = {}
        for definition in self.definitions:
            tool = read_tool(definition, document=self.document, origin=self.origin, frame=frame, url=self.url)
            if tool is not None:
                found[tool.name] = (tool, definition)
        return found


class Door(Protocol):
    """The way to the script in one document. A method raises :class:`DoorClosedError` when the document has gone."""

    async def list(self) -> DocumentTools:
        """Return the document with its tools."""

    async def call(self, call: Mapping[str, str]) -> Mapping[str, Any]:
        """Call a tool as the script's ``Call`` says, and return the script's ``End``."""

    async def cancel(self, call: str) -> None:
        """Abort the signal of a call by its id."""


class PageWithDoors(ABC):
    """A page with a door to each of its documents."""

    def __init__(self, *, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._running = RunningCalls()
        self._listeners: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self._told: dict[tuple[str, str], str] = {}
        #: The frames that did not answer when the tools were read last.
        self.silent: frozenset[str] = frozenset()

    @abstractmethod
    async def _doors(self) -> Mapping[str, Door]:
        """Return the doors to the documents that are there now, by frame."""

    @abstractmethod
    async def _door(self, frame: str) -> Door | None:
        """Return the door to the document that is in a frame now."""

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools of all frames, read anew. A frame that does not answer in time counts as one without tools."""
        doors = await self._doors()
        listings = await self._listings(doors)
        self.silent = frozenset(self._expected(doors) - listings.keys())
        found = {frame: listing.tools(frame) for frame, listing in listings.items()}
        for frame, listing in listings.items():
            self._tell_of_left_out(listing, {definition for _, definition in found[frame].values()})
        return in_order(tool for tools in found.values() for tool, _ in tools.values())

    @property
    def left_out(self) -> list[tuple[str, str]]:
        """The beginnings of the definitions that were left out when the tools were read, with reasons."""
        return sorted((definition, why) for (_, definition), why in self._told.items())

    def _expected(self, doors: Mapping[str, Door]) -> Set[str]:
        """Return the frames that are there."""
        return doors.keys()

    def _tell_of_left_out(self, listing: DocumentTools, taken: Set[str]) -> None:
        """Warn of each definition that is not ``taken``, once."""
        for definition in listing.definitions:
            place = (listing.document, definition[:_SHOWN])
            if definition not in taken and place not in self._told:
                why = (
                    f"has {len(definition):,} characters, and {LONGEST_DEFINITION:,} is the limit"
                    if len(definition) > LONGEST_DEFINITION
                    else f"is nested more than {DEEPEST_DEFINITION} levels deep, or is no definition"
                )
                self._told[place] = why
                words = "a tool of %s is left out: its definition %s: %s…"
                _logger.warning(words, listing.origin, why, visible(definition[:_SHOWN]))

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        """Run a tool if it is still the one that ``binding`` names."""
        if self._is_closed:
            return cancelled(name)
        with self._running.begin(name, binding) as call:
            task = asyncio.ensure_future(self._run(call, json.dumps(arguments)))
            task.add_done_callback(lambda task: _pass_on(task, call))
            try:
                return await call.ended
            finally:
                task.cancel()

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever tools may have changed, a document has gone, or a new one has come."""
        self._listeners.append(listener)

    async def close(self) -> None:
        """Let go of the page, which stays open."""
        self._is_closed = True
        self._listeners.clear()
        self._running.abort_all()
        await asyncio.wait([*self._tasks, asyncio.ensure_future(asyncio.sleep(0))], timeout=self._patience)
        for task in self._tasks:
            task.cancel()

    def _changed(self) -> None:
        for listener in list(self._listeners):
            listener()

    def _in_background(self, steps: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(steps)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _listings(self, doors: Mapping[str, Door]) -> dict[str, DocumentTools]:
        """Return the listing of each frame that answers in time."""
        listings = await asyncio.gather(*map(self._listing, doors.values()))
        return {frame: listing for frame, listing in zip(doors, listings, strict=True) if listing is not None}

    async def _listing(self, door: Door) -> DocumentTools | None:
        try:
            return await within(self._patience, door.list())
        except (DoorClosedError, TimeoutError):
            return None

    async def _run(self, call: RunningCall, arguments: str) -> CallResult:
        name, binding = call.name, call.binding
        door = await self._door(binding.frame)
        if door is None:
            return document_gone(name, began=False)
        try:
            listing = await door.list()
            if (listing.document, listing.origin) != (binding.document, binding.origin):
                return document_gone(name, began=False)
            tool, definition = listing.tools(binding.frame).get(name, (None, ""))
            if tool is None:
                return tool_gone(name)
            if tool.digest != binding.digest:
                return tool_changed(name)
            call.began, call.abort = True, lambda: self._in_background(_cancel(door, call.id))
            message = {"id": call.id, "document": binding.document, "name": name, "definition": definition}
            return _result(name, await door.call({**message, "arguments": arguments}))
        except DoorClosedError:
            return document_gone(name, began=call.began)


async def _cancel(door: Door, call: str) -> None:
    # With its document the call has ended as well.
    with contextlib.suppress(DoorClosedError):
        await door.cancel(call)


def _pass_on(task: asyncio.Task[CallResult], call: RunningCall) -> None:
    if task.cancelled() or call.ended.done():
        return
    error = task.exception()
    if error is not None:
        call.ended.set_exception(error)
    else:
        call.end(task.result())


def _result(name: str, end: Mapping[str, Any]) -> CallResult:
    output, said = end.get("output"), end.get("said")
    match end.get("end"):
        case "done":
            return done(output if isinstance(output, str) else None)
        case "cancelled":
            return cancelled(name)
        case "document-gone":
            return document_gone(name, began=False)
        case "tool-gone":
            return tool_gone(name)
        case "tool-changed":
            return tool_changed(name)
    return failed(said if isinstance(said, str) else "nothing that can be read")
