"""What all products have in common that are real browsers, driven by Playwright."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from modelcontext.problems import UnavailableError
from modelcontext.products.base import Ending, Observation
from modelcontext.products.engine import start_playwright
from modelcontext.products.target import Target, origin_of
from modelcontext.program import outcome as outcomes
from modelcontext.program.language import Program
from modelcontext.program.notation import DIALECTS
from modelcontext.program.render import Page, pages
from modelcontext.serving.http import HOSTS, Server

# Seconds after which a run that came to no rest is given up, and those that closing a broken page or ending may take.
PATIENCE = 15.0
CLOSING = 5.0
ENDING = 1.0
# Seconds between two looks whether a page that has left is back.
AWAY = 0.05
# The path of an empty page.
PROBE = "/probe"
# Resolves when the coordinator of runtime.js says that the run is over.
RESULT = "window[Symbol.for('modelcontext.result')]"

T = TypeVar("T")


class Browser:
    """One browser with one page that is used for program after program; a new page after a crash or a hang."""

    session_type: ClassVar[type[Session]]
    #: The product as a target, given the user's choice of a build.
    make_target: ClassVar[Callable[[str | None], Target]]
    concurrent = True

    def __init__(self, binary: str | None = None, *, port: int = 0, patience: float = PATIENCE) -> None:
        self._target = type(self).make_target(binary)
        self._port = port
        self._patience = patience
        self._version = ""
        self._server: Server | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._session: Session | None = None
        self._runs = itertools.count(1)
        #: Scripts that run in every document beside those of the target; they count from the next launch on.
        self.extra_scripts: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name of the product."""
        return self._target.name

    @property
    def version(self) -> str:
        """The version of what runs, once launched."""
        return self._version

    def implements(self, revision: str) -> bool:
        """Whether it is the revision of this browser."""
        return revision == self._target.revision

    def launch(self) -> None:
        """Start the browser and the server. Raises :class:`UnavailableError` or :class:`PortError`."""
        binary = self._target.find_binary()
        scripts = [*self._target.scripts(), *self.extra_scripts]
        self._server = Server(self._port, self._target.folders())
        # Playwright lives on a thread of its own, so that whoever waits for it can be interrupted at any moment.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="playwright", daemon=True)
        self._thread.start()
        try:
            self._session = self._wait(self.session_type.start(self._target, binary, scripts))
            self._version = self._session.version
            self._server.serve(PROBE, Page("<!DOCTYPE html><title>probe</title>", {}))
            accessor = DIALECTS[self._target.revision].accessor
            if not self._wait(self._session.has_model_context(accessor, self._server.origins["A"] + PROBE)):
                raise UnavailableError(
                    f"{binary or 'the browser of Playwright'}, version {self._version}, has no {accessor}.modelContext",
                    f"{self._target.expected}; {self._target.engine.remedy}",
                )
        except BaseException:
            self.close()
            raise

    def run(self, program: Program) -> Observation:
        """Run the program once."""
        if self._server is None or self._session is None:
            raise RuntimeError("launch the product before running a program")
        if not self.implements(program.revision):
            detail = (
                f"{self.name} implements the revision {self._target.revision}; the program is of {program.revision}"
            )
            return Observation(Ending.ERROR, detail=detail)
        if program.leaves and not self._target.keeps_pages:
            return Observation(Ending.ERROR, detail=f"product {self.name} has no back/forward cache")
        server = self._server
        prefix = f"/{next(self._runs)}/"

        def url(document: str) -> str:
            return server.origins[program.documents[document].origin] + prefix + document

        rendered = pages(program, server.origins, url, self._patience)
        for document, page in rendered.items():
            server.serve(prefix + document, page)
        begun = time.perf_counter()
        try:
            patience = self._patience + CLOSING
            observation = self._wait(self._session.observe(url("top"), patience, leaves=program.leaves))
        finally:
            for document in rendered:
                server.forget(prefix + document)
        return Observation(observation.ending, observation.outcome, observation.detail, time.perf_counter() - begun)

    def close(self) -> None:
        """Stop the browser and the server."""
        if self._loop is not None and self._thread is not None:
            try:
                if self._session is not None:
                    self._wait(self._session.close())
            finally:
                self._session = None
                self._wait(_finish_tasks())
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()
                self._loop = self._thread = None
        if self._server is not None:
            self._server.close()
            self._server = None

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def __enter__(self) -> Self:
        self.launch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


async def _finish_tasks() -> None:
    """Cancel what an interrupt has left unfinished on the event loop, and give it a moment to end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=ENDING)
    # A driver that an interrupt reached first leaves a transport behind; what it would say about that is of no interest.
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)


class Session(ABC):
    """The part that lives on Playwright's event loop. ``version`` is that of what runs."""

    def __init__(self, playwright: Any, browser: Any, target: Target, scripts: Sequence[str]) -> None:
        self.version = target.version(browser)
        self._target = target
        self._playwright = playwright
        self._browser = browser
        self._scripts = scripts
        self._context: Any = None
        self._page: Any = None
        self._lasting: Sequence[Any] = ()
        self._opened_for = ""
        self._leaves = False
        self._crashed = asyncio.Event()
        self._fault: asyncio.Future[str] | None = None

    @abstractmethod
    async def result(self) -> dict[str, Any]:
        """Wait for the result of the coordinator in the page; empty where there is none."""

    @classmethod
    async def start(cls, target: Target, binary: Path | None, scripts: Sequence[str]) -> Self:
        """Start the browser, with these scripts in every document. Raises :class:`UnavailableError`."""
        playwright = await start_playwright()
        try:
            browser = await target.engine.launch(playwright, binary, [HOSTS["insecure"]])
        except BaseException:
            await playwright.stop()
            raise
        return cls(playwright, browser, target, scripts)

    async def close(self) -> None:
        """Stop the browser."""
        try:
            # One that takes longer, or whose driver is gone, ends with the driver.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._browser.close(), CLOSING)
        finally:
            await self._playwright.stop()

    async def fresh_page(self, url: str, *, leaves: bool = False) -> None:
        """Go on in a new page, with nothing in it of the old one, for documents of the origin of that URL.

        With ``leaves`` they can go into the back/forward cache.
        """
        if leaves and self._leaves and self._page is not None and self._opened_for == origin_of(url):
            # What is in the cache goes with its page.
            await self._page.close()
            self._page = await self._context.new_page()
            return
        if self._context is not None:
            # A page that hangs or is gone already is left behind and ends with the browser.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(self._context.close(), CLOSING)
        self._crashed.clear()
        self._context = await self._browser.new_context()
        for script in self._scripts:
            await self._context.add_init_script(script)
        self._fault = asyncio.get_running_loop().create_future()
        self._page = await self._target.open_page(self._context, url, self._note_fault, leaves=leaves)
        self._lasting = list(self._context.pages)
        self._opened_for = origin_of(url)
        self._leaves = leaves
        self._page.on("crash", lambda _page: self._crashed.set())
        self._context.on("page", lambda popup: popup.on("crash", lambda _popup: self._crashed.set()))

    def _note_fault(self, message: str) -> None:
        if self._fault is not None and not self._fault.done():
            self._fault.set_result(message)

    async def has_model_context(self, accessor: str, url: str) -> bool:
        """Whether that object has the API in the page at that address."""
        await self.fresh_page(url)
        await self._page.goto(url)
        return bool(await self._page.evaluate(f"() => 'modelContext' in {accessor}"))

    async def observe(self, url: str, patience: float, *, leaves: bool = False) -> Observation:
        """Run the program whose top document is at that address, for so many seconds at most.

        With ``leaves`` it goes into the back/forward cache and comes back.
        """
        from playwright.async_api import Error

        other_origin = self._target.binds_page_to_origin and self._opened_for != origin_of(url)
        if self._page is None or leaves or self._leaves or other_origin:
            await self.fresh_page(url, leaves=leaves)
        assert self._fault is not None
        fault = self._fault
        crash = asyncio.ensure_future(self._crashed.wait())
        run = asyncio.ensure_future(self._run(url, leaves))
        try:
            ends: set[asyncio.Future[Any]] = {crash, run, fault}
            await asyncio.wait(ends, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if fault.done():
                return await self._broken(
                    Observation(Ending.ERROR, detail=f"the product itself failed: {fault.result()}")
                )
            if crash.done():
                return await self._broken(Observation(Ending.CRASH, detail="the renderer process crashed"))
            if not run.done():
                return await self._broken(
                    Observation(Ending.TIMEOUT, detail=f"the run did not come to rest in {patience:g} seconds")
                )
            result = run.result()
        except Error as error:
            return await self._broken(Observation(Ending.ERROR, detail=error.message.splitlines()[0]))
        finally:
            crash.cancel()
            run.cancel()
            await asyncio.gather(crash, run, return_exceptions=True)
        if "timeout" in result:
            return await self._broken(Observation(Ending.TIMEOUT, detail=str(result["timeout"])))
        if "error" in result:
            return await self._broken(Observation(Ending.ERROR, detail=str(result["error"])))
        return Observation(Ending.OUTCOME, outcomes.loads(result["outcome"]))

    async def _run(self, url: str, leaves: bool) -> dict[str, Any]:
        await self._page.goto(url, wait_until="domcontentloaded")
        if leaves:
            return await self._result_of_one_that_leaves()
        result = await self.result()
        await self.close_popups()
        return result

    async def close_popups(self) -> None:
        """Close whatever pages those of the product have opened."""
        for page in self._context.pages:
            if page not in self._lasting:
                await page.close()

    async def _result_of_one_that_leaves(self) -> dict[str, Any]:
        """Wait for a result although waiting ends when the page leaves, and another page knows of none."""
        from playwright.async_api import Error

        while True:
            with contextlib.suppress(Error):
                result = await self.result()
                if result:
                    return result
            await asyncio.sleep(AWAY)

    async def _broken(self, observation: Observation) -> Observation:
        self._page = None
        return observation
