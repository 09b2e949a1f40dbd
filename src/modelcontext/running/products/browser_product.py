"""A product that runs programs one after the other in one page of a browser driven by Playwright."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from modelcontext.ground.problems import UnavailableError
from modelcontext.programs.program.notation import dialect
from modelcontext.programs.program.render import HttpResponse, Steering, pages
from modelcontext.running.products.base import Ending, Observation, Product
from modelcontext.running.products.limits import CLOSING
from modelcontext.running.products.program_page import PlaywrightBrowser, ProgramPage
from modelcontext.running.serving.http import Server
from modelcontext.running.serving.meetings import MEETINGS

if TYPE_CHECKING:
    from concurrent.futures import Future

    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.timetable import Timetable
    from modelcontext.running.products.target import Target

# Seconds after which a run that has not come to rest is given up.
PATIENCE = 15.0
# Seconds that canceled tasks have to end.
ENDING = 1.0
# Milliseconds without news after which a steered run counts as over: documents wait for each other.
QUIET = 1000
# The path of an empty page.
PROBE = "/probe"

T = TypeVar("T")


class BrowserProduct(Product):
    """One browser with one page, which is replaced after a crash or a hang.

    ``scripts`` run in every document, besides those of the target. With ``needs_api`` false, pages may be without the API.
    """

    is_steerable = True
    version = ""

    def __init__(
        self,
        target: Target,
        *,
        port: int = 0,
        patience: float = PATIENCE,
        scripts: Sequence[str] = (),
        needs_api: bool = True,
    ) -> None:
        self.target = target
        self.name = target.name
        self.revision = target.revision
        self._port = port
        self._patience = patience
        self._scripts = scripts
        self._needs_api = needs_api
        self._server: Server | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._browser: PlaywrightBrowser | None = None
        self._page: ProgramPage | None = None
        self._runs = itertools.count(1)

    def implements(self, revision: str) -> bool:
        """Return whether this is the revision of the browser."""
        return revision == self.revision

    def launch(self) -> None:
        """Start the browser and the server. Raises :class:`UnavailableError` or :class:`PortError`."""
        scripts = self._all_scripts()
        self._server = Server(self._port, self.target.folders())
        # Playwright lives on a thread of its own, so that waiting for it can be interrupted at any moment.
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="playwright", daemon=True)
        self._thread.start()
        try:
            self._browser = self._wait(PlaywrightBrowser.start(self.target, scripts))
            self.version = self._browser.version
            self._page = ProgramPage(self._browser)
            self._server.serve(PROBE, HttpResponse("<!DOCTYPE html><title>probe</title>", {}))
            accessor = dialect(self.revision).accessor
            self._wait(self._page.open(self._server.origins["A"] + PROBE))
            if self._page.error and self.target.inject:
                names = [str(path) for path in self.target.inject]
                who = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
                raise UnavailableError(f"{who} threw {self._page.error}", "correct the script")
            if self._needs_api and not self._wait(self._page.call(f"'modelContext' in {accessor}")):
                error = f"; its script threw {self._page.error}" if self._page.error else ""
                has = f"has no {accessor}.modelContext"
                if accessor == "document" and self._wait(self._page.call("'modelContext' in navigator")):
                    has += ", only navigator.modelContext of an earlier revision"
                raise UnavailableError(
                    f"{self._browser.find_binary()}, version {self.version}, {has}{error}", self.target.remedy
                )
        except BaseException:
            self.close()
            raise

    def run_steered(self, program: Program, timetable: Timetable) -> Observation:
        """Run the program once; its documents keep the timetable."""
        return self.run(program, timetable)

    def run(self, program: Program, timetable: Timetable | None = None) -> Observation:
        """Run the program once; its documents keep the timetable, if there is one."""
        if self._page is None:
            raise RuntimeError("launch the product before running a program")
        if not self.implements(program.revision):
            detail = f"{self.name} implements the revision {self.revision}; the program is for {program.revision}"
            return Observation(Ending.ERROR, detail=detail)
        if program.leaves and not self.target.runs_anywhere:
            return Observation(Ending.ERROR, detail=f"product {self.name} has no back/forward cache")
        key = str(next(self._runs))
        with (
            self._meeting(key, timetable) as steering,
            self._serving(program, key, self._patience, **steering) as (url, _top),
        ):
            begun = time.perf_counter()
            observation = self._wait(self._page.observe(url, self._patience + CLOSING, leaves=program.leaves))
            stuck = self._server.meetings.stuck(f"{MEETINGS}{key}") if self._server is not None else None
            return replace(observation, seconds=time.perf_counter() - begun, stuck=stuck)

    def close(self) -> None:
        """Stop the browser and the server."""
        if self._loop is not None and self._thread is not None:
            try:
                if self._browser is not None:
                    self._wait(self._browser.close())
            finally:
                self._browser = self._page = None
                self._wait(_finish_tasks())
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()
                self._loop = self._thread = None
        if self._server is not None:
            self._server.close()
            self._server = None

    @contextmanager
    def _meeting(self, key: str, timetable: Timetable | None) -> Iterator[Mapping[str, Any]]:
        """Let the documents of a run meet, if they keep a timetable; give the options of its pages."""
        if timetable is None:
            yield {}
            return
        assert self._server is not None
        steering = Steering(timetable, f"{MEETINGS}{key}")
        self._server.meetings.open(steering.meeting)
        try:
            yield {"steering": steering, "quiet": QUIET}
        finally:
            self._server.meetings.close(steering.meeting)

    @contextmanager
    def _serving(
        self, program: Program, key: str, patience: float, **options: Any
    ) -> Iterator[tuple[str, HttpResponse]]:
        """Serve the pages of a program below a key, with options of :func:`pages`; give the URL and page of the top one."""
        server = self._server
        assert server is not None

        def url(document: str) -> str:
            return f"{server.origins[program.documents[document].origin]}/{key}/{document}"

        rendered = pages(program, server.origins, url, patience, **options)
        for document, page in rendered.items():
            server.serve(f"/{key}/{document}", page)
        try:
            yield url("top"), rendered["top"]
        finally:
            for document in rendered:
                server.forget(f"/{key}/{document}")

    def _all_scripts(self) -> list[str]:
        return [*self.target.scripts(), *self._scripts]

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None
        future: Future[T] = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


async def _finish_tasks() -> None:
    """Cancel the tasks that an interrupt has left on the event loop, and wait a moment for them."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=ENDING)
    # A driver that an interrupt reached first leaves a transport behind, whose complaints are not of interest.
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
