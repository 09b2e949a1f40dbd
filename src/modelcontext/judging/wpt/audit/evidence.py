"""The evidence about tests: each subtest under many schedules, on product ``page``, and in browsers.

A subtest that never ends keeps those after it from running, and one that fails may leave something behind. So a subtest that
did not pass after another one that did not is run again without the others.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from modelcontext.judging.wpt.results import FileStatus, Result, Subtest, SubtestStatus
from modelcontext.judging.wpt.simulated_session import Schedule, SimulatedSession
from modelcontext.judging.wpt.suite import SuiteInterrupted, run_suite
from modelcontext.programs.tracing.probes import with_probes
from modelcontext.running.products.registry import SIMULATED, make_target
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.ground.problems import UnavailableError
    from modelcontext.hosts.scripting.observed import Observed
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.suite import SuiteRun
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.programs.tracing.instrumentation import StepOf
    from modelcontext.running.products.target import Target
    from modelcontext.spec.revisions.revision import Revision

#: The product that has the same algorithms and the platform of a real browser.
PAGE: Final = "page"
PASSES = (SubtestStatus.PASS, FileStatus.OK)
_UNREACHED = (SubtestStatus.NOTRUN, FileStatus.NOTRUN)


@dataclass(frozen=True)
class Seen:
    """One result of a subtest, or of a file: its status, its message, and the places of the failure."""

    status: str
    message: str | None = None
    stack: str | None = None

    @property
    def passes(self) -> bool:
        """True if the subtest passes."""
        return self.status in PASSES


@dataclass(frozen=True)
class Evidence:
    """The results of a subtest, or of a file itself where ``subtest`` is ``None``.

    ``simulated`` has a result for each schedule under which the subtest was reached, ``products`` one for each product that
    reached it. ``step`` is the step of the specification that was followed last before the first failure in the simulated
    browser; ``missing`` are the parts of the platform that the subtest reached for there, and that are not there. ``alone``
    is true if other subtests of the file, which do not pass either, were left out.
    """

    test: str
    subtest: str | None
    simulated: Mapping[Schedule, Seen]
    products: Mapping[str, Seen] = field(default_factory=dict)
    step: str | None = None
    missing: Sequence[str] = ()
    alone: bool = False

    @property
    def failing(self) -> Mapping[Schedule, Seen]:
        """The schedules under which the subtest does not pass."""
        return {schedule: seen for schedule, seen in self.simulated.items() if not seen.passes}

    @property
    def passing(self) -> Mapping[Schedule, Seen]:
        """The schedules under which the subtest passes."""
        return {schedule: seen for schedule, seen in self.simulated.items() if seen.passes}


@dataclass(frozen=True)
class Gathered:
    """The evidence about a suite, the versions of the products, and the products that are not available.

    An interrupt has ``left`` out so many runs of files.
    """

    evidence: Sequence[Evidence]
    versions: Mapping[str, str]
    unavailable: Mapping[str, UnavailableError]
    schedules: Sequence[Schedule]
    left: int = 0


def gather(
    tests: Sequence[Test],
    tree: Tree,
    targets: Sequence[Target],
    schedules: Sequence[Schedule],
    *,
    workers: int | None = None,
    finished: Callable[[str], None] = lambda what: None,
) -> Gathered:
    """Run the tests in the simulated browser under each schedule, and once on each target; return what was seen.

    Args:
        tests: the tests.
        tree: their files.
        targets: the products besides the simulated browser.
        schedules: the schedules, of which the first one is first in, first out.
        workers: the number of tests that run in browsers at a time.
        finished: called with a few words after each run of a file, and of a file on each target.

    Raises:
        UnavailableError: if the simulated browser cannot run here.
        KeyboardInterrupt: at an interrupt after the runs, which say nothing alone. One during the runs ends only these.
    """
    simulated = make_target(SIMULATED)
    under: list[dict[Schedule, Result]] = []
    runs: list[SuiteRun] = []
    with SimulatedSession(tree, simulated) as session:
        try:
            for test in tests:
                under.append(_run(session, test, schedules, finished))  # noqa: PERF401 (an interrupt keeps the list)
            for target in targets:
                runs.append(  # noqa: PERF401
                    run_suite(
                        *(tests, tree, target),
                        workers=workers,
                        finished=lambda result, name=target.name: finished(f"{name} {result.test}"),  # type: ignore[misc]
                    )
                )
        except SuiteInterrupted as stop:
            runs.append(stop.run)
        except KeyboardInterrupt:
            if not under:
                raise
        every = len(tests)
        left = (every - len(under)) * len(schedules) + sum(run.not_run for run in runs if run.unavailable is None)
        left += (len(targets) - len(runs)) * every
        tests = tests[: len(under)]
        ran = {run.target.name: run for run in runs if run.unavailable is None}
        watch = _Watch(session, REVISIONS[simulated.revision])
        found: list[tuple[Test, Evidence]] = []
        for index, test in enumerate(tests):
            products = {name: run.results[index] for name, run in ran.items()}
            for one in _evidence(test.path, under[index], products):
                alone = _without(test, one.subtest, under[index].values())
                if alone is not None:
                    again = _run(session, alone, schedules, finished)
                    one = replace(one, simulated=_seen(one.subtest, again), alone=True)
                one = _first_of_all(session, test, one, under[index].values(), finished)
                found.append((test, watch.explain(alone or test, one)))
    if PAGE in ran:
        found = _alone_on_page(found, ran[PAGE], tree, workers)
    return Gathered(
        [one for _, one in found],
        {simulated.name: session.version, **{name: run.version or "" for name, run in ran.items()}},
        {run.target.name: run.unavailable for run in runs if run.unavailable is not None},
        schedules,
        left,
    )


def _run(
    session: SimulatedSession, test: Test, schedules: Sequence[Schedule], finished: Callable[[str], None]
) -> dict[Schedule, Result]:
    results = {}
    for schedule in schedules:
        results[schedule] = session.run(test, schedule)
        finished(f"{SIMULATED} {test.path}")
    return results


def _evidence(test: str, under: Mapping[Schedule, Result], products: Mapping[str, Result]) -> Iterator[Evidence]:
    every = [*under.values(), *products.values()]
    for name in dict.fromkeys(name for result in every for name in result.statuses()):
        seen = {product: _find(result, name) for product, result in products.items()}
        reached = {product: one for product, one in seen.items() if one is not None}
        yield Evidence(test, name, _seen(name, under), reached)


def _seen(subtest: str | None, under: Mapping[Schedule, Result]) -> dict[Schedule, Seen]:
    found = {schedule: _find(result, subtest) for schedule, result in under.items()}
    return {schedule: one for schedule, one in found.items() if one is not None}


def _find(result: Result, name: str | None) -> Seen | None:
    """Return the result of a subtest if it was reached; a file that only waited for a subtest is no result of its own."""
    if name is None:
        waits = any(subtest.status is SubtestStatus.TIMEOUT for subtest in result.subtests)
        status = FileStatus.OK if waits and result.status is FileStatus.TIMEOUT else result.status
        return Seen(status, result.message) if status not in _UNREACHED else None
    for subtest in result.subtests:
        if subtest.name == name and subtest.status not in _UNREACHED:
            return Seen(subtest.status, subtest.message, subtest.stack)
    return None


def _first_of_all(
    session: SimulatedSession,
    test: Test,
    evidence: Evidence,
    results: Iterable[Result],
    finished: Callable[[str], None],
) -> Evidence:
    """Return the evidence without passes that only an earlier subtest explains.

    A subtest that fails first in, first out, and under no schedule passes without all others, never passes by itself: an
    event of another one came late.
    """
    first = next(iter(evidence.simulated.items()), None)
    if evidence.subtest is None or first is None or first[1].passes or not evidence.passing:
        return evidence
    others = sorted({one.name for result in results for one in result.subtests if one.name != evidence.subtest})
    again = _seen(evidence.subtest, _run(session, _skipping(test, others), list(evidence.simulated), finished))
    if not again or any(seen.passes for seen in again.values()):
        return evidence
    return replace(evidence, simulated=again, alone=True)


def _without(test: Test, subtest: str | None, results: Iterable[Result]) -> Test | None:
    """Return the test without the subtests that may have kept this one from passing; ``None`` if there are none."""
    others = {one.name for result in results for one in _before(result, subtest)}
    return _skipping(test, sorted(others)) if others else None


def _before(result: Result, subtest: str | None) -> Sequence[Subtest]:
    """Return the subtests that did not pass and stand before one that did not pass either."""
    names = [one.name for one in result.subtests]
    if subtest not in names:
        return ()
    place = names.index(subtest)
    if result.subtests[place].status is SubtestStatus.PASS:
        return ()
    return [one for one in result.subtests[:place] if one.status is not SubtestStatus.PASS]


def _skipping(test: Test, names: Sequence[str]) -> Test:
    return replace(test, scripts=(*test.scripts, f"self.modelcontextSkipped = {json.dumps(names)};"))


def _alone_on_page(
    found: Sequence[tuple[Test, Evidence]], run: SuiteRun, tree: Tree, workers: int | None
) -> list[tuple[Test, Evidence]]:
    """Run what passes neither in the simulated browser nor on the page without what stood in its way there."""
    results = {result.test: result for result in run.results}
    again: dict[int, Test] = {}
    for index, (test, one) in enumerate(found):
        alone = None if one.passing else _without(test, one.subtest, [results[test.path]])
        if alone is not None:
            again[index] = alone
    if not again:
        return list(found)
    more = run_suite(list(again.values()), tree, run.target, workers=workers)
    changed = list(found)
    for index, result in zip(again, more.results, strict=True):
        test, one = found[index]
        seen = _find(result, one.subtest)
        products = {name: each for name, each in one.products.items() if name != PAGE}
        changed[index] = (test, replace(one, products={PAGE: seen, **products} if seen is not None else products))
    return changed


class _Watch:
    """Runs tests once more with probes in the algorithms, and says what went before a failure."""

    def __init__(self, session: SimulatedSession, revision: Revision) -> None:
        self._session = session
        self._last: StepOf | None = None
        self._revision = with_probes(revision, self._reach)
        self._known: dict[tuple[Test, Schedule], Mapping[str, tuple[str | None, Sequence[str]]]] = {}

    def _reach(self, step: StepOf) -> None:
        self._last = step

    def explain(self, test: Test, evidence: Evidence) -> Evidence:
        """Return the evidence with the step and the missing parts of its first failure, if it has one."""
        schedule = next(iter(evidence.failing), None)
        if schedule is None or evidence.subtest is None:
            return evidence
        if (test, schedule) not in self._known:
            self._known[test, schedule] = self._notes(test, schedule)
        step, missing = self._known[test, schedule].get(evidence.subtest, (None, ()))
        return replace(evidence, step=step, missing=missing)

    def _notes(self, test: Test, schedule: Schedule) -> dict[str, tuple[str | None, Sequence[str]]]:
        notes: dict[str, tuple[str | None, Sequence[str]]] = {}
        before: Counter[str] = Counter()
        self._last = None

        # A test has a status whenever one of its steps begins; the last one is its result.
        def note(name: str, observed: Observed) -> None:
            nonlocal before
            since = observed.missing - before if name in notes else Counter[str]()
            before = observed.missing.copy()
            _, missing = notes.get(name, (None, ()))
            notes[name] = (str(self._last) if self._last is not None else None, sorted({*missing, *since}))

        self._session.run(test, schedule, self._revision, note)
        return notes
