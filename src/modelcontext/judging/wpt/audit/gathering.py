"""The evidence about tests: each subtest under many schedules, on product ``page``, and in browsers.

A subtest that never ends keeps those after it from running, and each one may leave something behind. So a subtest that
does not pass is run again without those before it that did not pass either, and then without all that are before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from modelcontext.judging.wpt.audit.evidence import PAGE, Evidence, Gathered, IssueReading, Seen, find
from modelcontext.judging.wpt.audit.known_issues import IssueSearch
from modelcontext.judging.wpt.audit.notes import CourseWatch, Leftovers
from modelcontext.judging.wpt.results import Result, Subtest, SubtestStatus
from modelcontext.judging.wpt.simulated_session import Schedule, SimulatedSession
from modelcontext.judging.wpt.suite import SuiteInterrupted, run_suite
from modelcontext.running.products.registry import SIMULATED, make_target
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.suite import SuiteRun
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.running.products.target import Target


def gather(
    tests: Sequence[Test],
    tree: Tree,
    targets: Sequence[Target],
    schedules: Sequence[Schedule],
    *,
    issues: Sequence[IssueReading] = (),
    workers: int | None = None,
    finished: Callable[[str], None] = lambda what: None,
) -> Gathered:
    """Run the tests in the simulated browser under each schedule, and once on each target; return what was seen.

    Args:
        tests: the tests.
        tree: their files.
        targets: the products besides the simulated browser.
        schedules: the schedules, of which the first one is first in, first out.
        issues: the known Issues of the text.
        workers: the number of tests that run in browsers at a time.
        finished: called with a few words after each run of a file, and of a file on each target.

    Raises:
        UnavailableError: if the simulated browser cannot run here.
        KeyboardInterrupt: at an interrupt after the runs, which say nothing alone. One during the runs ends only these.
    """
    simulated = make_target(SIMULATED)
    under: list[dict[Schedule, Result]] = []
    left_behind: list[Mapping[str, Sequence[str]]] = []
    runs: list[SuiteRun] = []
    with SimulatedSession(tree, simulated) as session:
        try:
            for test in tests:
                leftovers = Leftovers()
                under.append(_run(session, test, schedules, finished, leftovers))
                left_behind.append(leftovers.left())
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
        watch = CourseWatch(session, REVISIONS[simulated.revision])
        search = IssueSearch(session, issues)
        found: list[tuple[Test, Evidence]] = []
        for index, test in enumerate(tests):
            products = {name: run.results[index] for name, run in ran.items()}
            of_file: list[Evidence] = []
            for one in _evidence(test.path, under[index], products):
                one = replace(one, leaves=left_behind[index].get(one.subtest or "", ()))
                alone, one = _by_itself(session, test, one, under[index], finished)
                one = _first_of_all(session, test, one, under[index].values(), finished)
                before = _names_before(one.subtest, next(iter(under[index].values()), None))
                of_file.append(_explained(watch, search, alone, one, before))
            found += [(test, one) for one in _with_victims(of_file)]
    for run in ran.values():
        found = _alone_on(run, found, tree, workers)
    return Gathered(
        [one for _, one in found],
        {simulated.name: session.version, **{name: run.version or "" for name, run in ran.items()}},
        {run.target.name: run.unavailable for run in runs if run.unavailable is not None},
        schedules,
        left,
    )


def _run(
    session: SimulatedSession,
    test: Test,
    schedules: Sequence[Schedule],
    finished: Callable[[str], None],
    leftovers: Leftovers | None = None,
) -> dict[Schedule, Result]:
    """Run a test under schedules; the run under the first one takes the notes about leftovers."""
    results: dict[Schedule, Result] = {}
    for schedule in schedules:
        noted = leftovers.note if leftovers is not None and not results else None
        results[schedule] = session.run(test, schedule, noted=noted)
        finished(f"{SIMULATED} {test.path}")
    return results


def _evidence(test: str, under: Mapping[Schedule, Result], products: Mapping[str, Result]) -> Iterator[Evidence]:
    every = [*under.values(), *products.values()]
    for name in dict.fromkeys(name for result in every for name in result.statuses()):
        seen = {product: find(result, name) for product, result in products.items()}
        reached = {product: one for product, one in seen.items() if one is not None}
        yield Evidence(test, name, _seen(name, under), reached)


def _seen(subtest: str | None, under: Mapping[Schedule, Result]) -> dict[Schedule, Seen]:
    found = {schedule: find(result, subtest) for schedule, result in under.items()}
    return {schedule: one for schedule, one in found.items() if one is not None}


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


def _by_itself(
    session: SimulatedSession,
    test: Test,
    evidence: Evidence,
    under: Mapping[Schedule, Result],
    finished: Callable[[str], None],
) -> tuple[Test, Evidence]:
    """Return a test and evidence without the subtests that keep this one from passing, and the one that is the cause.

    Without those that did not pass either it is judged in any case; without all others only if this makes it pass.
    """
    stood_in_the_way = _failing_before(evidence.subtest, under.values())
    alone = _skipping(test, stood_in_the_way) if stood_in_the_way else test
    seen = evidence.simulated
    if stood_in_the_way:
        seen = _seen(evidence.subtest, _run(session, alone, list(under), finished))
        evidence = replace(evidence, simulated=seen, alone=True)
    suspects = stood_in_the_way if evidence.passing else []
    before = _names_before(evidence.subtest, next(iter(under.values()), None))
    if not evidence.passing and evidence.failing and before:
        first = next(iter(evidence.failing))
        others = _skipping(test, before)
        again = _seen(evidence.subtest, _run(session, others, [first], finished))
        if any(one.passes for one in again.values()):
            again = _seen(evidence.subtest, _run(session, others, list(under), finished))
            alone, evidence, suspects = others, replace(evidence, simulated=again, alone=True), before
    return alone, replace(evidence, after=_cause(session, test, evidence.subtest, suspects, under, finished))


def _cause(
    session: SimulatedSession,
    test: Test,
    subtest: str | None,
    suspects: Sequence[str],
    under: Mapping[Schedule, Result],
    finished: Callable[[str], None],
) -> str | None:
    """Return the last of the suspects without which alone the subtest passes; None if there is no such one."""
    for suspect in reversed(suspects):
        one = _seen(subtest, _run(session, _skipping(test, [suspect]), list(under)[:1], finished))
        if one and all(seen.passes for seen in one.values()):
            return suspect
    return None


def _failing_before(subtest: str | None, results: Iterable[Result]) -> list[str]:
    """Return the names of the subtests that did not pass, and stand before one that did not pass either."""
    found = {one.name: None for result in results for one in _before(result, subtest)}
    return list(found)


def _names_before(subtest: str | None, result: Result | None) -> list[str]:
    names = [one.name for one in result.subtests] if result is not None else []
    return names[: names.index(subtest)] if subtest in names else []


def _with_victims(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence about a file, in which each subtest knows the others that fail because of it."""
    return [
        replace(one, breaks=[other.subtest for other in evidence if other.subtest and other.after == one.subtest])
        if one.subtest is not None
        else one
        for one in evidence
    ]


def _explained(
    watch: CourseWatch, search: IssueSearch, test: Test, evidence: Evidence, before: Sequence[str]
) -> Evidence:
    """Return the evidence with the course of its first failure and the Issues that may explain it, if it has one.

    The steps may be the last ones of a subtest ``before`` it. If it fails in the same way without these, they are.
    """
    schedule = next(iter(evidence.failing), None)
    if schedule is None or evidence.subtest is None:
        return evidence
    course = watch.course(test, evidence.subtest, schedule)
    if course.steps and before:
        solo = watch.course(_skipping(test, before), evidence.subtest, schedule)
        if not solo.steps and solo.message is not None and solo.message == course.message:
            course = solo
    issues = search.issues(test, evidence.subtest, list(evidence.failing), course)
    return replace(evidence, step=course.last, steps=course.steps, missing=course.missing, issues=issues)


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


def _alone_on(
    run: SuiteRun, found: Sequence[tuple[Test, Evidence]], tree: Tree, workers: int | None
) -> list[tuple[Test, Evidence]]:
    """Run subtests on a product without those that keep them from passing there.

    These are the ones that fail because of another one in the simulated browser. On product page, they are also those
    that pass under no schedule.
    """
    name = run.target.name
    results = {result.test: result for result in run.results}
    again: dict[int, Test] = {}
    for index, (test, one) in enumerate(found):
        others = [] if one.passing or name != PAGE else _failing_before(one.subtest, [results[test.path]])
        others += [one.after] if one.after is not None and one.after not in others else []
        if others:
            again[index] = _skipping(test, sorted(others))
    if not again:
        return list(found)
    more = run_suite(list(again.values()), tree, run.target, workers=workers)
    changed = list(found)
    for index, result in zip(again, more.results, strict=True):
        test, one = found[index]
        seen = find(result, one.subtest)
        products = {each: value for each, value in one.products.items() if each != name}
        changed[index] = (test, replace(one, products={name: seen, **products} if seen is not None else products))
    return changed
