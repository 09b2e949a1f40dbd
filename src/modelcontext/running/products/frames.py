"""A product that runs many programs per page load, each in a fresh frame of a page that stays.

A lane is a page that runs programs one after the other, each in a frame of its own that is then removed. Programs of
different lanes cannot see each other, because their pages are different traversables. A program whose top document is
not of the page's origin runs in a window that the page opens and closes; one with history runs in a page of its own.

Frames serve to look for something. Each finding is then checked in a page of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.programs.program.render import HttpResponse, shared_runtime
from modelcontext.running.products.base import Ending, Observation
from modelcontext.running.products.browser_product import BrowserProduct
from modelcontext.running.products.devtools.pipe import ProtocolError
from modelcontext.running.products.engine import is_driver_gone
from modelcontext.running.products.limits import CLOSING, within
from modelcontext.running.products.program_page import Tab, in_turn, observation_of
from modelcontext.running.products.tabs import Tabs, tabs_for

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.timetable import Timetable
    from modelcontext.running.products.target import Target

#: The number of pages that run programs at the same time: while one waits in vain, the others work.
LANES = 1 + (os.cpu_count() or 2)
#: Milliseconds without news after which a run counts as over; a frame that was too impatient costs another look.
QUIET = 150
#: Seconds after which a run in a frame is given up.
PATIENCE = 4.0
#: A part of the coordinator's message about a document that gets no answers: now and then Chromium 156 answers no call of a
#: frame that has only just loaded, and shows its tools to nobody. The program runs again then, in another frame.
NOT_READY = "did not get ready"
#: Seconds that a page for frames may take to load.
OPENING = 60.0
#: The number of programs that one page runs; replacing the page frees what the browser keeps of removed frames.
PROGRAMS_PER_PAGE = 400
#: The path below which the scripts of every document are served; a browser compiles each once.
SCRIPTS = "/scripts/"
#: The number of times that a browser may end before the program that was running counts as the cause.
DEATHS = 2

HOST = "/host"
# Frames of all sites keep their processes running, so that a program with such frames need not start one. In Chromium
# they are in another page than the programs, because each frame has to be announced to all processes of its page.
KEEPER = "/keeper"
KEPT = "/kept"
_KEPT = HttpResponse("<!DOCTYPE html><title>keeps the process of its site alive</title>", {})
_HOST = Path(__file__).with_name("host.html").read_text(encoding="utf-8")


class BrowserGoneError(Exception):
    """The whole browser ended while programs were running."""


class FramesProduct(BrowserProduct):
    """A browser that runs many programs at a time, in frames of pages that stay.

    A run in a frame is given up after ``patience_in_frames`` seconds. Once there are lanes, ``tabs`` makes their pages.
    """

    batch = 50

    def __init__(self, target: Target, *, patience_in_frames: float = PATIENCE, **options: Any) -> None:
        super().__init__(target, **options)
        self.patience_in_frames = patience_in_frames
        self.tabs: Tabs | None = None
        self._lanes: list[_Lane] = []
        self._loaded: Sequence[str] = ()

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        """Run each program once. A crash or a hang is the observation of the program that was running."""
        observations: list[Observation | None] = [None] * len(programs)
        deaths: Counter[int] = Counter()
        while None in observations:
            missing = (index for index, observation in enumerate(observations) if observation is None)
            waiting = deque(index for index in missing if not programs[index].leaves)
            try:
                if waiting and self.tabs is None:
                    self._open_tabs()
                self._wait(self._run_in_frames(programs, observations, waiting, deaths))
                for index in [index for index, observation in enumerate(observations) if observation is None]:
                    deaths[index] += 1
                    observations[index] = self._run_alone(programs[index])
                    self._check()
                    deaths[index] -= 1
            except BrowserGoneError:
                self._start_again()
                for index, count in deaths.items():
                    if count > DEATHS:
                        observations[index] = Observation(Ending.CRASH, detail="the browser ended")
        return [observation for observation in observations if observation is not None]

    def run(self, program: Program, timetable: Timetable | None = None) -> Observation:
        """Run one program in a fresh page, starting the browser again if it has ended."""
        for _ in range(DEATHS):
            with contextlib.suppress(BrowserGoneError):
                observation = self.run_in_a_fresh_page(program, timetable)
                self._check()
                return observation
            self._start_again()
        return Observation(Ending.CRASH, detail="the browser ended")

    def run_in_a_fresh_page(self, program: Program, timetable: Timetable | None = None) -> Observation:
        """Run one program in a page that nothing has run in before. Raises :class:`BrowserGoneError`."""
        assert self._page is not None
        self._page.abandon()
        return self._run_alone(program, timetable)

    def close(self) -> None:
        """Stop the browser and the server."""
        if self.tabs is not None:
            with contextlib.suppress(Exception):
                self._wait(self.tabs.close())
        self._lanes = []
        self.tabs = None
        super().close()

    def _run_alone(self, program: Program, timetable: Timetable | None = None) -> Observation:
        from playwright.async_api import Error

        try:
            return super().run(program, timetable)
        except Exception as error:
            if is_driver_gone(error) or (isinstance(error, Error) and not self._is_running()):
                raise BrowserGoneError from error
            raise

    def _is_running(self) -> bool:
        is_connected = self._browser is not None and self._browser.is_connected()
        return is_connected and (self.tabs is None or self.tabs.browser.is_connected())

    def _check(self) -> None:
        if not self._is_running():
            raise BrowserGoneError

    def _start_again(self) -> None:
        with contextlib.suppress(Exception):
            self.close()
        self.launch()

    def _open_tabs(self) -> None:
        """Start the browser whose pages run programs in frames; what only runs programs alone never needs it."""
        assert self._server is not None
        assert self._browser is not None
        self.tabs = self._wait(tabs_for(self._browser))
        host = self.target.engine.host
        kept = [self._server.origins[letter] + KEPT for letter in ("BCD" if host is None else "ABCD")]
        frames = "".join(f'<iframe src="{url}"></iframe>' for url in kept)
        self._server.serve(KEPT, _KEPT)
        self._server.serve(KEEPER, HttpResponse(f"<!DOCTYPE html><title>keeps processes alive</title>{frames}", {}))
        sites = [] if self.tabs.keep_beside else kept
        own = self._all_scripts() if self.tabs.need_scripts else []
        self._loaded = [f"{SCRIPTS}{number}.js" for number in range(len(own) + 1)]
        for path, text in zip(self._loaded, [*own, shared_runtime()], strict=True):
            self._server.serve(path, HttpResponse(text, {"Cache-Control": "max-age=86400"}))
        # In product page, a program finds the documents with Python from the top of its page.
        in_host = self._loaded[:-1] if self.target.binds_page_to_origin else []
        loaded = "".join(f'<script src="{path}"></script>\n' for path in in_host)
        host_page = _HOST.replace("SITES", repr(sites)).replace("<body>\n", f"<body>\n{loaded}")
        self._server.serve(HOST, HttpResponse(host_page, {}))

    async def _run_in_frames(
        self,
        programs: Sequence[Program],
        observations: list[Observation | None],
        waiting: deque[int],
        deaths: Counter[int],
    ) -> None:
        """Run the waiting programs, by their indices, several at a time."""
        while self.tabs is not None and len(self._lanes) < LANES:
            self._lanes.append(_Lane(self.tabs.make(), self._own_url(HOST), self._own_url(KEEPER)))

        async def work(lane: _Lane) -> None:
            while waiting:
                index = waiting.popleft()
                deaths[index] += 1
                observation = await self._observe(lane, programs[index])
                self._check()
                if observation.ending is Ending.ERROR and NOT_READY in observation.detail:
                    observation = await self._observe(lane, programs[index])
                    self._check()
                observations[index] = observation
                deaths[index] -= 1

        await in_turn(work, self._lanes, len(self._lanes))

    def _own_url(self, path: str) -> str:
        assert self._server is not None
        host = self.target.engine.host
        origin = self._server.origins["A"] if host is None else f"http://{host}:{self._server.port}"
        return origin + path

    async def _observe(self, lane: _Lane, program: Program) -> Observation:
        assert self.tabs is not None
        key = str(next(self._runs))
        place = "frame" if fits_into_a_frame(program) else "window"
        patience = self.patience_in_frames
        with self._serving(program, key, patience, quiet=QUIET, report=key, scripts=self._loaded) as (url, top):
            text = top.body if self.tabs.keep_beside and not top.headers else None
            begun = time.perf_counter()
            observation = await lane.observe(url, key, place, text, patience + CLOSING)
            return replace(observation, seconds=time.perf_counter() - begun)


def fits_into_a_frame(program: Program) -> bool:
    """Return whether a frame of a page of origin A can stand for the tab of the program."""
    return program.documents["top"].origin == "A" and not program.leaves


class _Lane:
    """A page that runs programs in frames, one after the other."""

    def __init__(self, tab: Tab, host: str, keeper: str) -> None:
        self._tab = tab
        self._host = host
        self._keeper = keeper
        self._left = 0

    async def observe(self, url: str, key: str, place: str, text: str | None, patience: float) -> Observation:
        from playwright.async_api import Error

        try:
            if self._left > 0 and self._tab.crashed.is_set():
                again = await within(OPENING, self._tab.open_again(self._host))
                self._left = self._left if again else 0
            if self._left == 0:
                await within(OPENING, self._tab.open(self._host, self._keeper))
                self._left = PROGRAMS_PER_PAGE
            self._left -= 1
            arguments = ", ".join(map(json.dumps, (url, key, place, text)))
            result = await self._tab.result_of(self._tab.call(f"run({arguments})"), patience)
            if result is None:
                return self._broken(Ending.TIMEOUT, "the page does not answer")
            if Ending.CRASH in result:
                return observation_of(result)
            await within(OPENING, self._tab.close_popups())
        except TimeoutError:
            return self._broken(Ending.ERROR, "the page that runs programs does not load")
        except (Error, ProtocolError) as error:
            return self._broken(Ending.ERROR, str(error).splitlines()[0])
        except Exception as error:
            if not is_driver_gone(error):
                raise
            raise BrowserGoneError from error
        if Ending.OUTCOME not in result and not await self._tab.is_sound():
            self._left = 0
        return observation_of(result)

    def _broken(self, ending: Ending, detail: str) -> Observation:
        self._left = 0
        return Observation(ending, detail=detail)
