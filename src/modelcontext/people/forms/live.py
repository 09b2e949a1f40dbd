"""Reading a page from its URL: the HTML of the trees that its scripts have made, frame by frame, in Chromium."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from modelcontext.ground.files import is_url
from modelcontext.ground.joining import function_of_modules
from modelcontext.ground.problems import UnavailableError
from modelcontext.people.forms.check import Source
from modelcontext.people.forms.hiding import MARK
from modelcontext.people.forms.reading import checked
from modelcontext.people.forms.texts import uncaught
from modelcontext.platform.html.url import url_parser
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.limits import within
from modelcontext.running.products.registry import make_target

#: Seconds for the page to load, and as many for it to answer.
_PATIENCE: Final = 30
#: Seconds for all of its frames to answer.
_FRAMES: Final = 10
#: Seconds for what is still loaded after the document.
_QUIET: Final = 5

#: Of more errors of scripts the first are told.
_MOST_ERRORS: Final = 5

T = TypeVar("T")

_READ: Final = function_of_modules(
    Path(__file__).with_name("read.js"),
    "mark",
    "const html = copied(mark);\nreturn { html, names: [...names].filter(isFormAssociated) };",
)


async def read_url(url: str, *, binary: str | None = None) -> list[Source]:
    """Return the documents of a page, its frames among them.

    Args:
        url: the URL.
        binary: the build of Chromium to run instead of this machine's.

    Raises:
        UnavailableError: if there is no Playwright or no Chromium, or the page cannot be opened.
        SourceError: if a document is too long.
    """
    if url_parser(url) is None:
        raise UnavailableError(f"{url} is not a valid URL", "check the address")
    target = make_target("chromium", binary=binary)
    found = target.find_binary()
    playwright = await start_playwright()
    try:
        browser = await target.engine.launch(playwright, found, [])
        try:
            return await read_page(await browser.new_page(), url)
        finally:
            await browser.close()
    finally:
        await playwright.stop()


async def read_page(page: Any, url: str) -> list[Source]:
    """Go to a URL in a page of Playwright's, and return its documents.

    Raises:
        UnavailableError: if the page cannot be opened, or does not answer.
        SourceError: if a document is too long.
    """
    from playwright.async_api import Error

    reader = _FrameReader(page)
    page.on("response", reader.note)
    page.on("pageerror", reader.note_error)
    try:
        response = await page.goto(url, timeout=_PATIENCE * 1000, wait_until="domcontentloaded")
    except Error as error:
        reason = error.message.splitlines()[0].removeprefix("Page.goto: ")
        raise UnavailableError(f"{url} cannot be opened: {reason}", "check the address") from None
    if response is not None and response.status >= 400:
        raise UnavailableError(f"{url} answers with status {response.status}", "check the address")
    with contextlib.suppress(Error):
        await page.wait_for_load_state("networkidle", timeout=_QUIET * 1000)
    try:
        main = await within(_PATIENCE, page.main_frame.evaluate(_READ, MARK))
    except TimeoutError:
        raise UnavailableError(f"{url} does not answer: a script keeps it busy", "check its scripts") from None
    except Error:
        raise UnavailableError(
            f"{url} navigated or closed while the command was reading it", "check its scripts, and try again"
        ) from None
    reader.deadline = asyncio.get_running_loop().time() + _FRAMES
    await reader.read(page.main_frame, main)
    return reader.sources


@dataclass
class _FrameReader:
    """A reader of the frames of a page.

    Attributes:
        page: the page.
        policies: the headers of the documents, by frame.
        sources: the documents that have been read.
        errors: the errors of scripts, in words.
        deadline: the time of the event loop at which frames that have not answered are given up.
    """

    page: Any
    policies: dict[Any, str] = field(default_factory=dict)
    sources: list[Source] = field(default_factory=list)
    deadline: float = 0
    errors: list[str] = field(default_factory=list)

    def note_error(self, error: Any) -> None:
        """Note an error that no script catches: forms may be missing for it."""
        self.errors.append(f"A script threw {uncaught(error)}")

    def note(self, response: Any) -> None:
        """Note a header of the response to a navigation."""
        if response.request.is_navigation_request():
            self.policies[response.frame] = response.headers.get("permissions-policy", "")

    async def read(self, frame: Any, content: Any, parent: int | None = None) -> None:
        """Add the document of a frame, and those of the frames in it."""
        index = len(self.sources)
        allow, sandbox = await self._attributes(frame) if parent is not None else ("", None)
        self.sources.append(
            Source(
                name="page" if parent is None else f"frame-{index}",
                html=checked(content["html"], frame.url),
                # Of the others, an empty document and one that stands in an attribute have the origin of their parent.
                url=frame.url if is_url(frame.url) else "about:blank",
                parent=parent,
                allow=allow,
                sandbox=sandbox,
                permissions_policy=self.policies.get(frame, ""),
                form_associated=content["names"],
                notes=[*content.get("notes", ()), *(self.errors[:_MOST_ERRORS] if parent is None else ())],
            )
        )
        for child in frame.child_frames:
            await self.read(child, await self._content(child), index)

    async def _content(self, frame: Any) -> Any:
        from playwright.async_api import Error

        try:
            return await self._in_time(frame.evaluate(_READ, MARK))
        except (Error, TimeoutError):
            return {"html": "", "names": (), "notes": ["The frame does not answer, and is not read."]}

    async def _attributes(self, frame: Any) -> tuple[str, str | None]:
        """Return the attributes ``allow`` and ``sandbox`` of the element of a frame."""
        from playwright.async_api import Error

        with contextlib.suppress(Error, TimeoutError):
            element = await self._in_time(frame.frame_element())
            allow = await self._in_time(element.get_attribute("allow"))
            return allow or "", await self._in_time(element.get_attribute("sandbox"))
        return "", None

    async def _in_time(self, answer: Awaitable[T]) -> T:
        """Return an answer of the browser; raise TimeoutError at the deadline."""
        return await within(self.deadline - asyncio.get_running_loop().time(), answer)
