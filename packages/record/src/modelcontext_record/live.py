"""The recording of a live page in a browser, by Playwright."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import PACKAGE
from modelcontext.ground.joining import function_of_modules
from modelcontext.ground.problems import UnavailableError
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.limits import CLOSING, closes, within
from modelcontext.running.serving.http import HOSTS
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext_record.notes import Notes

if TYPE_CHECKING:
    from modelcontext.running.products.target import Target

#: The largest number of notes that are kept, in all and of one document; of values in a value, and of its characters.
MOST_NOTES: Final = 20_000
MOST_VALUES: Final = 2_000
MOST_CHARACTERS: Final = 50_000
#: The notes that a document sends at once, and the milliseconds after which it sends fewer.
BATCH: Final = 500
DELAY: Final = 100
#: The microtasks after which a turn of the event loop counts as over.
MICROTASKS: Final = 4
#: Seconds without news after which a page is at rest, if all calls have settled; and if not.
QUIET: Final = 0.6
QUIET_WITH_CALLS: Final = 3.0
#: Round trips to the browser's registry of tools after which all that it has queued for a document has run.
ROUNDS: Final = 3
#: Seconds between two looks at the notes.
LOOK: Final = 0.05

_RUNTIME: Final = Path("programs/program/runtime")
_PAGE: Final = Path(__file__).parent / "page"


class RecordingError(UnavailableError):
    """A page that could not be recorded."""


@dataclass(frozen=True)
class Recorded:
    """A recording: the notes, the browser's version, and why it ended, if not because the page was at rest."""

    notes: Notes
    version: str
    ended: str = ""


def page_script(secret: str, epoch: float, *, dispatches: bool, limit: int = MOST_NOTES) -> str:
    """Return the recorder's part in a document.

    Args:
        secret: opens the door of the recorder, and names its way out.
        epoch: the time of the beginning, in milliseconds.
        dispatches: a page that dispatches an event at a ModelContext does so itself.
        limit: the largest number of notes of a document.
    """
    definitions = REVISIONS[CURRENT.name].definitions
    context = definitions.interfaces["ModelContext"]
    given = {
        "secret": secret,
        "binding": f"recorder{secret}",
        "epoch": epoch,
        "limit": limit,
        "batch": BATCH,
        "delay": DELAY,
        "microtasks": MICROTASKS,
        "nodes": MOST_VALUES,
        "characters": MOST_CHARACTERS,
        "methods": list(context.operations),
        "members": sorted({member.name for one in definitions.dictionaries.values() for member in one.members}),
        "types": [name.removeprefix("on") for name in context.attributes if name.startswith("on")],
        "dispatches": dispatches,
    }
    # In a checkout, the page's modules name those of the runtime by their place; an installed package has another.
    parts = ("pristine.js", "writing.js")
    named = _PAGE / "../../../../../src/modelcontext" / _RUNTIME
    replaced = tuple(((named / part).resolve(), (PACKAGE / _RUNTIME / part).resolve()) for part in parts)
    return f"{function_of_modules(_PAGE / 'main.js', 'recorder', '', replaced)}({json.dumps(given)});"


class PageRecorder:
    """A browser whose pages are recorded, each in a context of its own; an asynchronous context manager.

    Args:
        target: the browser.
        limit: the largest number of notes of a page.
    """

    def __init__(self, target: Target, *, limit: int = MOST_NOTES) -> None:
        self._target = target
        self._limit = limit
        self._playwright: Any = None
        self._browser: Any = None
        #: A context that is cleared for the next page, if the product has one.
        self._context: Any = None

    async def __aenter__(self) -> PageRecorder:
        binary = self._target.find_binary()
        self._playwright = await start_playwright()
        try:
            self._browser = await self._target.engine.launch(self._playwright, binary, [HOSTS["insecure"]])
        except BaseException:
            await self._playwright.stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        try:
            await closes(self._browser.close())
        finally:
            await self._playwright.stop()

    async def record(self, url: str, seconds: float, scripts: Sequence[str] = ()) -> Recorded:
        """Open a page, and record it until it is at rest, for at most some seconds.

        Args:
            url: the URL of the page.
            seconds: the time after which the page is left as it is.
            scripts: scripts that run in each document before the recorder's part and before the document's own.

        Raises:
            RecordingError: if the page cannot be opened.
        """
        from playwright.async_api import Error

        context, self._context = self._context, None
        if context is None:
            context = await self._browser.new_context(ignore_https_errors=True)
            for script in self._target.scripts():
                await context.add_init_script(script)
        tab = _Tab(self._limit)
        try:
            await tab.open(self._target, context, url, scripts)
            await tab.come_to_rest(seconds)
        except Error as error:
            reason = error.message.splitlines()[0]
            if tab.notes.total == 0:
                raise RecordingError(f"{url} cannot be opened: {reason}", "give the URL of a page") from None
            tab.ended = tab.ended or reason
        if self._context is None and await self._target.clears(context):
            self._context = context
        else:
            await closes(context.close())
        return Recorded(tab.notes, self._target.version(self._browser), tab.ended)


class _Tab:
    """A tab that is recorded."""

    def __init__(self, limit: int) -> None:
        self.notes = Notes(limit)
        self.ended = ""
        self._secret = secrets.token_hex(8)
        self._limit = limit
        self._page: Any = None
        self._heard = time.monotonic()
        self._crashed = asyncio.Event()
        self._is_over = False
        self._places: dict[Any, str] = {}
        self._counts: dict[Any, int] = {}

    def take(self, source: dict[str, Any], text: str) -> None:
        """Take notes of a document of the tab."""
        if not self._is_over:
            self._hear()
            self.notes.take(json.loads(text), self._place_of(source["frame"]))

    def _hear(self) -> None:
        self._heard = time.monotonic()

    def _place_of(self, frame: Any) -> str:
        """Return the place of a frame, which stays the same while the frame exists."""
        place = self._places.get(frame)
        if place is None:
            parent = frame.parent_frame
            place = "0"
            if parent is not None:
                count = self._counts[parent] = self._counts.get(parent, -1) + 1
                place = f"{self._place_of(parent)}/{count}"
            self._places[frame] = place
        return place

    async def open(self, target: Target, context: Any, url: str, scripts: Sequence[str]) -> None:
        """Open the page, and wait until it has loaded."""
        self._page = page = await target.open_page(context, url, self._note_fault)
        page.on("crash", lambda _: self._note_fault("the renderer process crashed"))
        page.on("frameattached", self._place_of)
        # A document that has just come will have news.
        page.on("framenavigated", lambda _: self._hear())
        await page.expose_binding(f"recorder{self._secret}", self.take)
        dispatches = target.name != "polyfill"
        own = page_script(self._secret, time.time() * 1000, dispatches=dispatches, limit=self._limit)
        for script in (*scripts, own):
            await page.add_init_script(script)
        await page.goto(url, wait_until="load")
        self._hear()

    def _note_fault(self, message: str) -> None:
        self.ended = self.ended or message
        self._crashed.set()

    async def come_to_rest(self, seconds: float) -> None:
        """Wait until there is no news, and what the browser has queued has run; for at most some seconds."""
        end = time.monotonic() + seconds
        while not self._crashed.is_set():
            if time.monotonic() > end:
                self.ended = f"the page did not come to rest in {seconds:g} seconds"
                break
            quiet = QUIET_WITH_CALLS if self.notes.unsettled() else QUIET
            if time.monotonic() - self._heard < quiet:
                await asyncio.sleep(LOOK)
                continue
            before = self.notes.total
            await self._rest()
            if self.notes.total == before:
                break
        self._is_over = True

    async def _rest(self) -> None:
        door = f"Function.prototype.toString.call(Symbol.for('{self._secret}'))"
        for frame in self._page.frames:
            # A frame that has gone, or has no recorder, has nothing to say.
            with contextlib.suppress(Exception):
                await within(CLOSING, frame.evaluate(f"() => {door}.rest({ROUNDS})"))
