"""Where a campaign's programs run: browsers in batches, or the model itself."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products import devtools
from modelcontext.products.base import Ending, Observation
from modelcontext.products.chromium import Chromium
from modelcontext.products.firefox import Firefox
from modelcontext.products.frames import Batching
from modelcontext.products.model import Model
from modelcontext.products.page import Page
from modelcontext.products.polyfill import Polyfill
from modelcontext.products.tabs import DevtoolsTab, OpenedTab, Tab
from modelcontext.program.interpreter import Run
from modelcontext.program.language import Program
from modelcontext.schedule.choose import Seeded
from modelcontext.serving.http import HOSTS

#: What ``--product`` can name.
NAMES = ("chromium", "firefox", "polyfill", "page", "model", "model:2026-03")


class Runner(Protocol):
    """A product that runs programs in batches."""

    @property
    def name(self) -> str:
        """The name of the product."""

    @property
    def version(self) -> str:
        """The version of what runs, once launched."""

    @property
    def revision(self) -> str:
        """The revision of the specification that it implements."""

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        """Run each program once."""

    def run_surely(self, program: Program) -> Observation:
        """Run one program as everywhere else, in the most careful way that there is."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class Unfollowed(Batching):
    """The pages of its lanes are in a Chromium that nothing follows: the headless shell, where there is one."""

    keeps_beside = True
    writes = True
    _chromium: devtools.DevtoolsBrowser | None = None
    _shell: Path | None = None

    def launch(self) -> None:
        """Start both browsers and the server."""
        super().launch()
        try:
            self._chromium = self._wait(self._start())
        except BaseException:
            self.close()
            raise

    def make_tab(self) -> Tab:
        """A tab for a lane."""
        assert self._chromium is not None
        return DevtoolsTab(self._chromium, is_drawn=self._shell is None)

    async def _start(self) -> devtools.DevtoolsBrowser:
        assert self._session is not None
        engine = self._target.engine
        flags = engine.devtools_flags([HOSTS["insecure"]], for_tests=False)
        assert flags is not None
        binary = self._target.find_binary() or Path(self._session._playwright.chromium.executable_path)
        self._shell = engine.find_shell(self._target.binary, binary)
        return await devtools.launch(self._shell or binary, flags, engine.remedy, attaches=False)

    def _scripts_to_load(self) -> Sequence[str]:
        return [*self._target.scripts(), *self.extra_scripts]

    def _is_running(self) -> bool:
        return super()._is_running() and self._chromium is not None and self._chromium.is_connected()

    async def _close_lanes(self) -> None:
        if self._chromium is not None:
            await self._chromium.close()
            self._chromium = None


class BatchingChromium(Unfollowed, Chromium):
    """Chromium in batches."""


class BatchingPolyfill(Unfollowed, Polyfill):
    """The polyfill in batches."""


class BatchingPage(Unfollowed, Page):
    """The model in a page, in batches. It finds documents from the top of their page on."""

    host_has_scripts = True
    keeps_beside = False
    writes = False

    def make_tab(self) -> Tab:
        """A tab for a lane."""
        assert self._chromium is not None
        return OpenedTab(self._chromium)


class BatchingFirefox(Batching, Firefox):
    """Firefox in batches."""

    host = "host.localhost"


class ModelRunner(Model):
    """The model under a schedule by chance: it can only find defects of the model, or of the specification."""

    def __init__(self, revision: str) -> None:
        self.revision = revision
        self._random = random.Random(0)

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        """Run each program once, under another schedule each time."""
        return [self.run_surely(program) for program in programs]

    def run_surely(self, program: Program) -> Observation:
        """Run the program under a schedule by chance."""
        try:
            run = Run(program, Seeded(self._random.getrandbits(32)))
            run.start()
            return Observation(Ending.OUTCOME, run.finish())
        except RunawayError as error:
            return Observation(Ending.TIMEOUT, detail=str(error))
        except (SpecAssertionError, Exception) as error:
            return Observation(Ending.ERROR, detail=f"{type(error).__name__}: {error}")


_BATCHING: Mapping[str, type[Batching]] = {
    "chromium": BatchingChromium,
    "firefox": BatchingFirefox,
    "polyfill": BatchingPolyfill,
    "page": BatchingPage,
}


#: The browsers that run programs in batches.
BATCHED = tuple(_BATCHING)


def make_batching(name: str, *, binary: str | None = None, port: int = 0) -> Batching:
    """A browser in batches, by the name of its product. Raises ``ValueError`` if there is none of that name."""
    if name not in _BATCHING:
        raise ValueError(f"there is no product {name} that is a browser in batches")
    return _BATCHING[name](binary, port=port)


def make_runner(name: str, *, binary: str | None = None, port: int = 0) -> Runner:
    """The runner of one of :data:`NAMES`. Raises ``ValueError`` for any other name."""
    match name:
        case "model":
            return ModelRunner("current")
        case "model:2026-03":
            return ModelRunner("2026-03")
    return make_batching(name, binary=binary, port=port)
