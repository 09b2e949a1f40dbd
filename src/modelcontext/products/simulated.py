"""Product ``simulated``: the simulated browser with V8 for scripts, on which tests run without a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from modelcontext.products.base import Ending, Observation, Product
from modelcontext.products.engine import Engine
from modelcontext.products.page import own_interfaces
from modelcontext.products.program_page import RESULT, observation_of
from modelcontext.products.target import Target
from modelcontext.program.render import pages
from modelcontext.revisions.registry import REVISIONS
from modelcontext.schedule.choose import Chooser, FirstInFirstOut
from modelcontext.scripting.browser import ScriptedBrowser
from modelcontext.scripting.process import EngineCrashError, EngineProcess
from modelcontext.scripting.resources import Answer, Request
from modelcontext.serving.http import HOSTS
from modelcontext.webidl import javascript

if TYPE_CHECKING:
    from modelcontext.program.language import Program
    from modelcontext.revisions.revision import Revision
    from modelcontext.scripting.observed import Observed

#: Has the first document report the result of the program, which its coordinator promises.
_REPORTING = f"if (self.modelcontextReport) addEventListener('load', () => {RESULT}.then(modelcontextReport));"
_ORIGINS = {letter: f"http://{host}:8000" for letter, host in HOSTS.items()}


class SimulatedEngine(Engine):
    """The place of a make of browser; nothing starts it but :func:`start_process`."""

    name: ClassVar[str] = "simulated"
    title: ClassVar[str] = "the simulated browser"
    variable: ClassVar[str] = ""
    binaries: ClassVar[Sequence[str]] = ()
    remedy: ClassVar[str] = "pip install 'modelcontext[js]'"
    package: ClassVar[str] = ""

    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Return nothing: Playwright does not start it."""
        return {}


@dataclass(frozen=True)
class SimulatedTarget(Target):
    """The simulated browser."""

    is_compared = False


class SimulatedProduct(Product):
    """The simulated browser, which runs the pages of a program under one schedule; a verdict considers the others.

    Args:
        target: the product.
        make_chooser: makes the chooser that decides the schedule of a run.
    """

    concurrent = False
    version = ""

    def __init__(self, target: Target, make_chooser: Callable[[], Chooser] = FirstInFirstOut) -> None:
        self.target = target
        self.name = target.name
        self.revision = target.revision
        self._make_chooser = make_chooser
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
            detail = f"{self.name} implements the revision {self.revision}; the program is of {program.revision}"
            return Observation(Ending.ERROR, detail=detail)
        if program.leaves:
            return Observation(Ending.ERROR, detail=f"product {self.name} has no back/forward cache")
        begun = time.perf_counter()

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
        observed = browser.run(url("top"))
        return replace(self._observation(observed), seconds=time.perf_counter() - begun)

    def _observation(self, observed: Observed) -> Observation:
        if observed.ended is not None:
            self.close()
            self.launch()
            ending = Ending.CRASH if isinstance(observed.ended, EngineCrashError) else Ending.TIMEOUT
            return Observation(ending, detail=str(observed.ended))
        if observed.report is None:
            why = "; ".join([*observed.errors[:1], *sorted(observed.missing)]) or "nothing was left to do"
            return Observation(Ending.TIMEOUT, detail=f"the run did not come to rest: {why}")
        return observation_of(observed.report)

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
