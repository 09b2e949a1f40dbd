"""Tests in the simulated browser: no network, no real time, and a schedule for each run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from modelcontext.ground.schedule.choose import Chooser, FirstInFirstOut, Seeded
from modelcontext.hosts.scripting.engine import EngineCrashError, HangError
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.judging.wpt.results import FileStatus, Result, TestsInterrupted, from_report
from modelcontext.judging.wpt.server.hosts import HOST
from modelcontext.judging.wpt.server.in_process import PORTS, server_of
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.running.products.simulated import start_for
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.observed import Observed
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.running.products.target import Target
    from modelcontext.spec.revisions.revision import Revision

#: Seconds of real time that a script may run until it is taken for a loop without an end.
PATIENCE = 10.0


@dataclass(frozen=True)
class Schedule:
    """A schedule: a ``seed``, or None for first in, first out."""

    seed: int | None = None

    def chooser(self) -> Chooser:
        """Return the chooser that makes the schedule."""
        return FirstInFirstOut() if self.seed is None else Seeded(self.seed)

    def __str__(self) -> str:
        return "first in, first out" if self.seed is None else f"seed {self.seed}"


FIRST_IN_FIRST_OUT: Final = Schedule()


def schedules(count: int) -> list[Schedule]:
    """Return first in, first out, and some sampled schedules."""
    return [Schedule(), *(Schedule(seed) for seed in range(1, count + 1))]


class SimulatedSession:
    """An engine in which tests run, with its ``version``; another one follows after a crash or an endless loop.

    Args:
        tree: the files of the tests.
        target: the product.

    Raises:
        UnavailableError: if the product cannot run here.
    """

    def __init__(self, tree: Tree, target: Target) -> None:
        self._server, self._scripts = server_of(tree), target.scripts()
        self._target = target
        self._process = start_for(target)
        self.version = self._process.version

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def run(
        self,
        test: Test,
        schedule: Schedule = FIRST_IN_FIRST_OUT,
        revision: Revision | None = None,
        noted: Callable[[str, ScriptedBrowser], None] | None = None,
    ) -> Result:
        """Run a test under a schedule; under a sampled one, timers may fire while other things wait.

        Args:
            test: the test.
            schedule: the schedule.
            revision: the algorithms, for example a copy with probes; without it those of the target.
            noted: called with each status of a subtest, with its name and the browser.
        """
        begun = time.perf_counter()
        browser = ScriptedBrowser(
            self._process,
            revision or REVISIONS[self._target.revision],
            self._server,
            schedule.chooser(),
            scripts=[*self._scripts, *test.scripts],
            reports=True,
            noted=None if noted is None else lambda name: noted(name, browser),
            hastens=schedule.seed is not None,
            seconds=PATIENCE,
        )
        scheme = "https" if test.secure else "http"
        try:
            observed = browser.run(f"{scheme}://{HOST}:{PORTS[scheme][0]}{test.path}")
            result, is_ready = _result(test, observed), observed.ended is None
        except NoMeaningError as error:
            result, is_ready = Result(test.path, FileStatus.ERROR, str(error)), False
        if not is_ready:
            self._process.close()
            self._process = start_for(self._target)
        return replace(result, seconds=time.perf_counter() - begun)


def run_simulated(
    tests: Iterable[Test],
    tree: Tree,
    target: Target,
    rounds: Sequence[Schedule],
    *,
    started: Callable[[str], None],
    finished: Callable[[Result], None],
    revision_for: Callable[[Test], Revision] | None = None,
) -> list[list[Result]]:
    """Run the tests once under each schedule, and return the results of each round.

    ``started`` is called with the version of the product, ``finished`` with each result. ``revision_for`` gives the
    algorithms that a test runs with, for example a copy with probes; without it they are those of the target.

    Raises:
        UnavailableError: if the product cannot run here.
        TestsInterrupted: at an interrupt.
    """
    queue = list(tests)
    results: list[Result] = []
    try:
        with SimulatedSession(tree, target) as session:
            started(session.version)
            for schedule in rounds:
                for test in queue:
                    revision = revision_for(test) if revision_for is not None else None
                    results.append(session.run(test, schedule, revision))
                    finished(results[-1])
    except KeyboardInterrupt:
        raise TestsInterrupted(dict(enumerate(results))) from None
    return [results[begin : begin + len(queue)] for begin in range(0, len(results), len(queue))]


def _result(test: Test, observed: Observed) -> Result:
    if observed.report is not None:
        return from_report(test.path, observed.report)
    ended = observed.ended
    if ended is not None:
        status = FileStatus.CRASH if isinstance(ended, EngineCrashError) else FileStatus.TIMEOUT
        if isinstance(ended, HangError):
            return Result(test.path, status, f"the test did not end within {PATIENCE:g} seconds: {ended}")
        return Result(test.path, status, str(ended))
    lacks = f"; the simulated browser lacks {', '.join(sorted(observed.missing))}" if observed.missing else ""
    said = f"; {observed.errors[0]}" if observed.errors else ""
    return Result(test.path, FileStatus.ERROR, f"the test has not reported{said}{lacks}")
