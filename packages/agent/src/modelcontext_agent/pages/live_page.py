"""A live page: Chromium with its own WebMCP, driven by Playwright.

The script is in every frame, those of other sites too, in a world of its own: the page's scripts can neither see nor change
it. Its last step is a lookup by name, as :mod:`modelcontext_agent.pages.doors` tells.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from pydantic_ai.framing import wrap

from modelcontext.ground.joining import function_of_modules
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.clients.page_tools import MAIN_FRAME
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.limits import within
from modelcontext.running.products.registry import make_target
from modelcontext_agent.exposure.aliases import alias_of
from modelcontext_agent.exposure.framing import PAGE_TEXT, marked, visible
from modelcontext_agent.pages.addresses import address_of
from modelcontext_agent.pages.contract import CallEnd
from modelcontext_agent.pages.doors import PATIENCE, DocumentTools, Door, DoorClosedError, PageWithDoors
from modelcontext_agent.pages.endings import page_lost
from modelcontext_agent.pages.page_errors import PageErrors

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding, PageTool
    from modelcontext_agent.pages.contract import CallResult
    from modelcontext_agent.pages.running_calls import RunningCall

_logger = logging.getLogger(__name__)

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

# A page that has gone elsewhere is looked at a few times before it counts as one without tools.
_LOOKS = 3
_LOOK_SECONDS = 0.5
_LONGEST_URL = 500

_WORLD = "modelcontext-agent"
_BINDING = "modelcontextChanged"
# Playwright's events after which a page can have other documents.
# A name that looks like a number is left to the frames that have none.
_NAMED = re.compile(r"[0-9]{1,6}|[A-Za-z_][A-Za-z0-9_]{0,31}")
_PLACE = """function () {
  const named = [this.getAttribute("name"), this.id].find((name) => /^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(name ?? ""));
  const above = this.ownerDocument.defaultView;
  return named ?? `${Array.from(above, (frame) => frame === this.contentWindow).indexOf(true) + 1}`;
}"""
_EVENTS = ("frameattached", "framenavigated", "framedetached", "close", "crash")


class LivePage(PageWithDoors):
    """A page of Playwright's.

    Args:
        page: the page of Playwright's.
        problem: what was wrong when it was opened, in words, or None.
        patience: the seconds after which a frame whose script does not answer counts as one without tools.
        errors: the errors of the page, if they were listened for before.
        is_seen: True if a person sees its window, and can submit its forms.
    """

    def __init__(
        self,
        page: Any,
        *,
        problem: str | None = None,
        patience: float = PATIENCE,
        errors: PageErrors | None = None,
        is_seen: bool = False,
    ) -> None:
        super().__init__(patience=patience)
        self.problem = problem
        self.is_seen = is_seen
        self._page = page
        self._errors = errors or PageErrors(page)
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._sessions: dict[Any, asyncio.Future[Any]] = {}
        self._names: dict[str, str] = {}
        self._places: dict[str, tuple[str, Any]] = {}
        self._is_looking = self._must_look = False
        for event in _EVENTS:
            page.on(event, self._note_documents)
        page.on("crash", self._note_crash)
        page.on("close", self._note_close)
        self._note_documents()

    @property
    def loss(self) -> str | None:
        """The reason in words why the page cannot be reached any more, or None while it can be."""
        return self._lost.result() if self._lost.done() else None

    async def lost(self) -> str:
        """Wait until the page cannot be reached any more, and return the reason in words."""
        return await asyncio.shield(self._lost)

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools of all frames, read anew, and warn when the page begins not to answer."""
        did_answer = MAIN_FRAME not in self.silent
        tools = await super().tools()
        if did_answer and MAIN_FRAME in self.silent and self.loss is None:
            _logger.warning(
                "the page %s does not answer, so its tools are unknown: a script of it may run forever",
                visible(self._page.url),
            )
        return tools

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        """Run a tool if it is still the one that ``binding`` names."""
        if self.loss is not None:
            return page_lost(name, self.loss, began=False)
        before = self._errors.count
        result = await super().call(name, binding, arguments)
        if result.end is CallEnd.FAILED and (lines := self._errors.since(before)):
            # What the browser says of an exception names neither its message nor its place.
            return replace(result, output="\n".join([result.output, "The page's console meanwhile:", *lines]))
        if not result.began or result.end not in (CallEnd.DONE, CallEnd.DOCUMENT_GONE):
            return result
        return replace(result, note=await self._in_time(self._went_to, binding) or "")

    async def _went_to(self, binding: Binding) -> str:
        """Return where a page went in a call, and its tools, in words; nothing if the document is still there."""
        changed = asyncio.Event()
        self._listeners.append(changed.set)
        try:
            for _ in range(_LOOKS):
                door = await self._door(binding.frame)
                listing = None if door is None else await self._listing(door)
                if listing is None or listing.document == binding.document:
                    return ""
                url = listing.url
                if tools := [tool for tool, _ in listing.tools(binding.frame).values()]:
                    break
                # It may be about to register them.
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), _LOOK_SECONDS)
                changed.clear()
        finally:
            self._listeners.remove(changed.set)
        names = ", ".join(map(alias_of, tools)) or "none"
        return f"The page went to {wrap(PAGE_TEXT, marked(url[:_LONGEST_URL]))}. Its tools are now: {names}."

    async def _run(self, call: RunningCall, arguments: str) -> CallResult:
        result = await super()._run(call, arguments)
        if result.end is CallEnd.DOCUMENT_GONE:
            # A browser that ends may refuse a question before it tells of its end, which then is the end of the call.
            with contextlib.suppress(_playwright_error()):
                await self._page.context.cookies()
        return result

    async def close(self) -> None:
        """Let go of the page, which stays open."""
        if self._is_closed:
            return
        await super().close()
        for event in _EVENTS:
            self._page.remove_listener(event, self._note_documents)
        self._errors.close()
        self._page.remove_listener("crash", self._note_crash)
        self._page.remove_listener("close", self._note_close)
        await asyncio.gather(*(self._in_time(_detach, made) for made in self._sessions.values()))

    async def _doors(self) -> Mapping[str, Door]:
        await self._look_for_frames()
        worlds = await asyncio.gather(*(self._in_time(self._world, frame) for frame in list(self._places)))
        return {world.frame: world for world in worlds if world is not None}

    def _expected(self, doors: Mapping[str, Door]) -> Set[str]:
        # The main frame is there, also if it is too busy for a door to be made.
        return {MAIN_FRAME, *self._places}

    async def _door(self, frame: str) -> Door | None:
        # Other frames are asked only if this one is not where it was. A document that is busy is waited for.
        if (world := await self._world(frame)) is not None:
            return world
        await self._look_for_frames()
        return await self._world(frame)

    async def _look_for_frames(self) -> None:
        main = self._page.main_frame
        frames = [main, *(frame for frame in self._page.frames if frame is not main)]
        found = await asyncio.gather(*(self._in_time(self._frames_of_session, frame) for frame in frames))
        if None not in found:
            # A frame of the document before leaves its name to the one in its place.
            there = {id_ for ids in found for id_, _, _ in ids or ()}
            self._names = {id_: name for id_, name in self._names.items() if id_ in there}
        sessions = {frame: ids[0][2] for frame, ids in zip(frames, found, strict=True) if ids}
        for frame, ids in zip(frames, found, strict=True):
            for index, (id_, parent, session) in enumerate(ids or ()):
                # A frame keeps its id when it navigates.
                if frame is main and index == 0:
                    self._names[id_] = MAIN_FRAME
                elif id_ not in self._names:
                    # The owner of a frame with a session of its own is in another session.
                    owner = session if index else _session_above(frame, sessions)
                    place = await self._in_time(_place_of, owner, id_) if owner is not None else None
                    # Another look may have been faster.
                    if id_ not in self._names:
                        self._names[id_] = self._free_name(self._names.get(parent, ""), place)
                self._places[self._names[id_]] = (id_, session)

    def _free_name(self, parent: str, place: str | None) -> str:
        """Return the name of a new frame: that of its place, which a frame of the document before may have had."""
        name = f"{'frame' if parent in ('', MAIN_FRAME) else parent}-{place or 1}"
        names = (name if number == 1 else f"{name}-{number}" for number in count(1))
        return next(name for name in names if name not in self._names.values())

    async def _world(self, frame: str) -> _World | None:
        """Return the world of a known frame, or None if the frame is no longer there."""
        place = self._places.get(frame)
        world = await _World.open(frame, *place) if place is not None else None
        if world is None and self._places.get(frame) == place:
            self._places.pop(frame, None)
        return world

    async def _in_time(self, steps: Callable[[*Arguments], Awaitable[T]], *arguments: *Arguments) -> T | None:
        """Return the result of steps that a busy document may hold up, or None if they take too long."""
        # Steps made by the caller would stay unused, with a warning, where this is cancelled before it begins.
        with contextlib.suppress(TimeoutError):
            return await within(self._patience, steps(*arguments))
        return None

    async def _frames_of_session(self, frame: Any) -> list[tuple[str, str, Any]]:
        """Return the frames that share the DevTools session of a frame, if it has one: ids, ids of parents, session."""
        # A session ends when its frame moves to another process; then there may be a new one.
        for _ in range(2):
            try:
                session = await self._session(frame)
                tree = (await session.send("Page.getFrameTree"))["frameTree"]
            except _playwright_error():
                self._sessions.pop(frame, None)
            else:
                return [(id_, parent, session) for id_, parent in _ids(tree)]
        return []

    async def _session(self, frame: Any) -> Any:
        if frame not in self._sessions:
            # Playwright takes its main frame for the page.
            target = frame if frame.parent_frame is not None else self._page
            self._sessions[frame] = asyncio.ensure_future(self._page.context.new_cdp_session(target))
            self._sessions[frame].add_done_callback(self._listen)
        return await asyncio.shield(self._sessions[frame])

    def _listen(self, made: asyncio.Future[Any]) -> None:
        if not made.cancelled() and made.exception() is None:
            made.result().on("Runtime.bindingCalled", lambda _: self._changed())

    def _note_crash(self, *_: object) -> None:
        self._lose("has crashed")

    def _note_close(self, *_: object) -> None:
        # Playwright tells of the page before it tells of the browser.
        self._lose("is gone: its browser has ended, or its tab was closed")

    def _lose(self, fate: str) -> None:
        if not self._lost.done():
            self._lost.set_result(f"the page {self._page.url} {fate}")
            self._running.end_lost(self._lost.result())

    def _note_documents(self, *_: object) -> None:
        if self._is_closed:
            return
        self._changed()
        self._must_look = True
        if not self._is_looking:
            self._is_looking = True
            self._in_background(self._look())

    async def _look(self) -> None:
        """Bring the script into new documents, which then tell of changes, and end the calls of those that have gone."""
        try:
            while self._must_look and not self._is_closed:
                self._must_look = False
                await self._end_calls_of_other_documents()
                self._changed()
        finally:
            self._is_looking = False

    async def _end_calls_of_other_documents(self) -> None:
        listings = await self._listings(await self._doors())
        documents = {frame: listing.document for frame, listing in listings.items()}

        def is_gone(binding: Binding) -> bool:
            # The document of a frame that is there and does not answer is busy.
            is_there = binding.frame in self._places
            return not is_there or documents.get(binding.frame, binding.document) != binding.document

        self._running.end_gone(is_gone)


@dataclass(frozen=True, slots=True)
class _World:
    """The script's world in one document."""

    frame: str
    session: Any
    context: int

    @classmethod
    async def open(cls, frame: str, id_: str, session: Any) -> _World | None:
        try:
            made = await session.send("Page.createIsolatedWorld", {"frameId": id_, "worldName": _WORLD})
            context = made["executionContextId"]
            await session.send("Runtime.addBinding", {"name": _BINDING, "executionContextId": context})
        except _playwright_error():
            return None  # The frame has gone, or has gone elsewhere.
        return cls(frame, session, context)

    async def list(self) -> DocumentTools:
        return DocumentTools(**await self._ask("list", None))

    async def call(self, call: Mapping[str, str]) -> Mapping[str, Any]:
        end: Mapping[str, Any] = await self._ask("call", call)
        return end

    async def cancel(self, call: str) -> None:
        await self._ask("cancel", call)

    async def _ask(self, name: str, argument: object) -> Any:
        options = {
            "functionDeclaration": _script(),
            "executionContextId": self.context,
            "arguments": [{"value": name}, {"value": json.dumps(argument)}],
            "awaitPromise": True,
            "returnByValue": True,
        }
        try:
            answer = await self.session.send("Runtime.callFunctionOn", options)
        except _playwright_error() as error:
            raise DoorClosedError(str(error)) from None
        if "exceptionDetails" in answer:
            raise RuntimeError(f"the script of the agent threw: {answer['exceptionDetails']}")
        return answer["result"].get("value")


@contextlib.asynccontextmanager
async def open_live_page(source: str, *, binary: str | None = None, headed: bool = False) -> AsyncIterator[LivePage]:
    """Start Chromium, open a page in it, and close both in the end.

    Args:
        source: the URL of the page, or its file.
        binary: the build to run instead of this machine's.
        headed: True to show its window.

    Raises:
        UnavailableError: if there is no Chromium or no Playwright, or the page cannot be opened.
    """
    with address_of(source) as url:
        async with (
            open_browser(binary=binary, headed=headed) as browser,
            open_tab(browser, url, is_seen=headed) as live,
        ):
            yield live


@contextlib.asynccontextmanager
async def open_tab(browser: Any, url: str, *, is_seen: bool = False) -> AsyncIterator[LivePage]:
    """Open a page in a context of its own, which a person sees or not, and close both in the end.

    Raises:
        UnavailableError: if the page cannot be opened.
    """
    try:
        context = await browser.new_context()
    except _playwright_error() as error:
        raise UnavailableError(
            f"{url} cannot be opened: {error.message.splitlines()[0]}", "start the command again"
        ) from None
    try:
        page = await context.new_page()
        errors = PageErrors(page)
        live = LivePage(page, problem=await _go(page, url), errors=errors, is_seen=is_seen)
        try:
            yield live
        finally:
            await live.close()
    finally:
        # A browser that has ended has closed it.
        with contextlib.suppress(_playwright_error()):
            await context.close()


@contextlib.asynccontextmanager
async def open_browser(*, binary: str | None = None, headed: bool = False) -> AsyncIterator[Any]:
    """Start Chromium with WebMCP, and close it in the end. Raises :class:`UnavailableError`."""
    target = make_target("chromium", binary=binary)
    found: Path | None = target.find_binary()
    playwright = await start_playwright()
    try:
        browser = await target.engine.launch(playwright, found, [], headed=headed)
        try:
            yield browser
        finally:
            await browser.close()
    finally:
        await playwright.stop()


async def _go(page: Any, url: str) -> str | None:
    """Go to a page, and return what its server's answer says against it, or None.

    Raises:
        UnavailableError: if there is no answer.
    """
    statuses: list[int] = []

    def note(response: Any) -> None:
        if response.request.is_navigation_request() and response.frame is page.main_frame:
            statuses.append(response.status)

    page.on("response", note)
    try:
        await page.goto(url)
    except _playwright_error() as error:
        # An error without a body fails the navigation: the browser shows a page of its own.
        if not (statuses and statuses[-1] >= HTTPStatus.BAD_REQUEST):
            reason = error.message.splitlines()[0]
            raise UnavailableError(f"{url} cannot be opened: {reason}", "check the address") from None
    finally:
        page.remove_listener("response", note)
    if not statuses or statuses[-1] < HTTPStatus.BAD_REQUEST:
        return None
    phrases = {one.value: one.phrase for one in HTTPStatus}
    return f"{url} answered {statuses[-1]} {phrases.get(statuses[-1], '')}".rstrip()


async def _detach(made: asyncio.Future[Any]) -> None:
    # A session that has ended says so.
    with contextlib.suppress(_playwright_error()):
        await (await made).detach()


def _ids(tree: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the ids of the frames of a frame tree with those of their parents, in the order of the tree."""
    frame = tree["frame"]
    below = (ids for child in tree.get("childFrames", ()) for ids in _ids(child))
    return [(frame["id"], frame.get("parentId", "")), *below]


def _session_above(frame: Any, sessions: Mapping[Any, Any]) -> Any:
    """Return the session of the nearest frame above that has one."""
    above = frame.parent_frame
    while above is not None and above not in sessions:
        above = above.parent_frame
    return sessions.get(above)


async def _place_of(session: Any, id_: str) -> str | None:
    """Return where a frame stands in its document: the name or id of its element, or its number among the frames.

    The page's scripts can lie here. A frame is known by its document all the same; only its name would be another one.
    """
    try:
        await session.send("DOM.enable")
        owner = await session.send("DOM.getFrameOwner", {"frameId": id_})
        element = await session.send("DOM.resolveNode", {"backendNodeId": owner["backendNodeId"]})
        options = {"objectId": element["object"]["objectId"], "functionDeclaration": _PLACE, "returnByValue": True}
        place = (await session.send("Runtime.callFunctionOn", options))["result"].get("value")
    except _playwright_error():
        return None
    finally:
        with contextlib.suppress(_playwright_error()):
            await session.send("DOM.disable")
    return place if isinstance(place, str) and _NAMED.fullmatch(place) else None


@cache
def _script() -> str:
    """Return a function of a name and a JSON text, which asks the script; the first time it brings the script."""
    modules = function_of_modules(Path(__file__).parent / "script" / "live.js", "link")
    link = f'{{ changed: () => globalThis.{_BINDING}("") }}'
    made = f"(() => {{ const link = {link}; ({modules})(link); return link.answers; }})()"
    return f"function (name, text) {{ return (globalThis.modelcontextAgent ??= {made})[name](JSON.parse(text)); }}"


def _playwright_error() -> Any:
    from playwright.async_api import Error

    return Error
