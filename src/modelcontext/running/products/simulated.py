"""Product ``simulated``: the simulated browser with V8 for scripts, on which tests run without a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.choose import Chooser, FirstInFirstOut
from modelcontext.hosts.scripting.engine import EndOfRunError, EngineCrashError
from modelcontext.hosts.scripting.process import EngineProcess
from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.platform.webidl import javascript
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.render import pages
from modelcontext.programs.program.staged import StagedRun
from modelcontext.running.products.base import Ending, Observation, Product
from modelcontext.running.products.page import own_interfaces
from modelcontext.running.products.program_page import RESULT, observation_of
from modelcontext.running.serving.http import HOSTS
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.observed import Observed
    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.target import Target
    from modelcontext.spec.revisions.revision import Revision

#: Has the first document report the result of the program, which its coordinator promises.
_REPORTING = f"if (self.modelcontextReport) addEventListener('load', () => {RESULT}.then(modelcontextReport));"
_ORIGINS = {letter: f"http://{host}:8000" for letter, host in HOSTS.items()}


class SimulatedProduct(Product):
    """The simulated browser, which runs the pages of a program under one schedule; a verdict considers the others.

    Args:
        target: the product.
        make_chooser: makes the chooser that decides the schedule of a run.
        on_stage: run every program on the stage of the model, where a schedule decides about everything, timers included. By
            default programs run as the pages that browsers get, but for those that go into the back/forward cache.
    """

    concurrent = False
    version = ""

    def __init__(
        self, target: Target, make_chooser: Callable[[], Chooser] = FirstInFirstOut, *, on_stage: bool = False
    ) -> None:
        self.target = target
        self.name = target.name
        self.revision = target.revision
        self._make_chooser = make_chooser
        self._on_stage = on_stage
        self._process: EngineProcess | None = None

    def implements(self, revision: str) -> bool:
        """Return whether this is the revision of the target."""
        return revision == self.revision

    def launch(self) -> None:
        """Start the engine. Raises :class:`UnavailableError`."""
        self._process = start_for(self.target)
        self.version = self._process.version

    def run(self, program: Program) -> Observation:
        """Run the program once."""
        if self._process is None:
            raise RuntimeError("launch the product before running a program")
        if not self.implements(program.revision):
            detail = f"{self.name} implements the revision {self.revision}; the program is for {program.revision}"
            return Observation(Ending.ERROR, detail=detail)
        begun = time.perf_counter()
        observation = self._run_on_stage(program) if self._on_stage or program.leaves else self._run_pages(program)
        return replace(observation, seconds=time.perf_counter() - begun)

    def _run_on_stage(self, program: Program) -> Observation:
        """Run a program without pages, whose timers have real time and whose documents cannot leave."""
        assert self._process is not None
        try:
            run = StagedRun(self._process, program, self._make_chooser(), self.target.scripts())
            return Observation(Ending.OUTCOME, run.run())
        except (EndOfRunError, NoMeaningError, ProgramError, RunawayError) as error:
            return self._ended(error)

    def _run_pages(self, program: Program) -> Observation:
        assert self._process is not None

        def url(document: str) -> str:
            return f"{_ORIGINS[program.documents[document].origin]}/{document}"

        rendered = pages(program, _ORIGINS, url)

        def serve(request: Request) -> Answer:
            page = rendered.get(request.url.partition("?")[0].rpartition("/")[2])
            if page is None:
                return Answer(404)
            headers = [(name.lower(), value) for name, value in page.headers.items()]
            return Answer(200, (("content-type", "text/html"), *headers), page.body.encode())

        scripts = [*self.target.scripts(), _REPORTING]
        browser = ScriptedBrowser(
            self._process, REVISIONS[self.revision], serve, self._make_chooser(), scripts=scripts, reports=True
        )
        try:
            return self._observation(browser.run(url("top")))
        except NoMeaningError as error:
            return self._ended(error)

    def _observation(self, observed: Observed) -> Observation:
        if observed.ended is not None:
            return self._ended(observed.ended)
        if observed.report is None:
            why = "; ".join([*observed.errors[:1], *sorted(observed.missing)]) or "no work was left"
            return Observation(Ending.TIMEOUT, detail=f"the run did not come to rest: {why}")
        return observation_of(observed.report)

    def _ended(self, error: BaseException) -> Observation:
        """Return what a run without an outcome says; the engine, which may be in the middle of a call, is replaced."""
        self.close()
        self.launch()
        endings = {EngineCrashError: Ending.CRASH, NoMeaningError: Ending.ERROR, ProgramError: Ending.ERROR}
        return Observation(endings.get(type(error), Ending.TIMEOUT), detail=str(error))

    def close(self) -> None:
        """Stop the engine, if it is running."""
        if self._process is not None:
            self._process.close()
            self._process = None


def start_process(revision: Revision) -> EngineProcess:
    """Start an engine whose realms have the API of a revision.

    Raises:
        UnavailableError: if Node.js is not installed.
    """
    return EngineProcess(javascript.bindings(revision.definitions, own_interfaces(revision)))


def start_for(target: Target) -> EngineProcess:
    """Start an engine for a target; raises as :func:`start_process`."""
    return start_process(REVISIONS[target.revision])
