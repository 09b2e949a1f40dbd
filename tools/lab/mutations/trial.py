"""Trials of whether a suite of tests notices mutations.

A subtest notices a mutation if it passes without it, and fails or times out with it in two of three runs. It also has to
pass with a script that wraps the API as mutations do and changes nothing. If subtests only time out, they have to pass
with that script once more, because a slow machine could be the reason. A file that crashes does not notice a mutation,
nor does a subtest that is not reached, or one that is known to fail and passes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from modelcontext.judging.wpt.discovery import Test
from modelcontext.judging.wpt.expectations import Expectations, UnexpectedResult, find
from modelcontext.judging.wpt.results import Result, SubtestStatus
from modelcontext.running.products.program_page import in_turn
from tools.lab.mutations.catalogue import Mutation, unchanged

#: Runs one test, with its scripts.
Runner = Callable[[Test], Awaitable[Result]]

_NOTICED = (SubtestStatus.FAIL, SubtestStatus.TIMEOUT)
# With a mutation many tests wait in vain. Each is given up after this multiple of the seconds that it takes without one,
# but not before this number of seconds; it has to pass in that time without the mutation, too.
PATIENCE = 5.0
LEAST_PATIENCE = 3.0


class BaselineError(Exception):
    """The suite has unexpected results without any mutation, so that trials would say nothing."""

    def __init__(self, findings: Sequence[UnexpectedResult]) -> None:
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        super().__init__(f"without any mutation there are unexpected results: {findings[0]}{more}")
        self.findings = findings


@dataclass(frozen=True)
class Catch:
    """A subtest that noticed a mutation."""

    test: str
    subtest: str
    status: SubtestStatus
    message: str | None


@dataclass(frozen=True)
class Trial:
    """The trial of one mutation. ``catches`` is empty if it survived.

    ``unconfirmed`` are subtests that noticed it once, but not twice. ``files`` is the number of files that ran with it,
    and ``failed`` the number of those that noticed it.
    """

    mutation: Mutation
    catches: Sequence[Catch]
    unconfirmed: Sequence[Catch]
    files: int
    failed: int


@dataclass(frozen=True)
class _Subject:
    """A file that can notice mutations: the test, with its patience, and the subtests that pass without a mutation."""

    test: Test
    passing: frozenset[str]


async def try_mutations(
    mutations: Sequence[Mutation],
    tests: Sequence[Test],
    algorithms: Mapping[str, Sequence[str]],
    known: Expectations,
    run: Runner,
    *,
    workers: int,
    exhaustive: bool = False,
    decided: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Try each mutation on the suite, ``workers`` of them at a time. Raises :class:`BaselineError`.

    ``algorithms`` has the ids of the algorithms that a test is about, by its path; files about the broken algorithm run
    first. A trial ends with the first file that notices, unless it is ``exhaustive``. ``decided`` is called with each
    trial as soon as it ends.
    """
    subjects = await _subjects(tests, known, run, workers)

    async def try_one(mutation: Mutation) -> Trial:
        trial = await _try(mutation, _in_order(mutation, subjects, algorithms), run, exhaustive=exhaustive)
        decided(trial)
        return trial

    return await in_turn(try_one, mutations, workers)


async def _subjects(tests: Sequence[Test], known: Expectations, run: Runner, workers: int) -> list[_Subject]:
    """Return the subtests that pass, also in one of two runs with the unchanged API: one may fail on a slow machine."""
    baseline = await _run_all(tests, run, workers)
    findings = find([baseline[test.path] for test in tests], known)
    if findings:
        raise BaselineError(findings)
    usable = [_with_script(test, unchanged()) for test in tests if _passing(baseline[test.path])]
    first = await _run_all(usable, run, workers)
    doubtful = [test for test in usable if _passing(baseline[test.path]) - _passing(first[test.path])]
    second = await _run_all(doubtful, run, workers)
    subjects = []
    for test in tests:
        if test.path in first:
            runs = [result[test.path] for result in (first, second) if test.path in result]
            passing = _passing(baseline[test.path]) & frozenset().union(*map(_passing, runs))
            patience = max(LEAST_PATIENCE, PATIENCE * max(result.seconds for result in runs))
            subjects.append(_Subject(replace(test, patience=min(patience, test.harness_timeout)), passing))
    return [subject for subject in subjects if subject.passing]


async def _run_all(tests: Sequence[Test], run: Runner, workers: int) -> dict[str, Result]:
    return {result.test: result for result in await in_turn(run, tests, workers)}


async def _try(mutation: Mutation, subjects: Sequence[_Subject], run: Runner, *, exhaustive: bool) -> Trial:
    catches: list[Catch] = []
    unconfirmed: list[Catch] = []
    files = 0
    for subject in subjects:
        files += 1
        noticed, doubtful = await _notices(mutation, subject, run)
        catches += noticed
        unconfirmed += doubtful
        if catches and not exhaustive:
            break
    return Trial(mutation, catches, unconfirmed, files, len({catch.test for catch in catches}))


async def _notices(mutation: Mutation, subject: _Subject, run: Runner) -> tuple[list[Catch], list[Catch]]:
    """Return the subtests of one file that notice the mutation, and those that do so only once."""
    changed = _with_script(subject.test, mutation.script)
    once = _catches(await run(changed), subject)
    if not once:
        return [], []
    again = _catches(await run(changed), subject) or _catches(await run(changed), subject)
    noticing = {catch.subtest for catch in again}
    if {catch.status for catch in again} == {SubtestStatus.TIMEOUT}:
        control = await run(_with_script(subject.test, unchanged()))
        noticing -= {catch.subtest for catch in _catches(control, subject)}
    return (
        [catch for catch in once if catch.subtest in noticing],
        [catch for catch in once if catch.subtest not in noticing],
    )


def _in_order(
    mutation: Mutation, subjects: Sequence[_Subject], algorithms: Mapping[str, Sequence[str]]
) -> list[_Subject]:
    def key(subject: _Subject) -> tuple[int, int]:
        about = algorithms.get(subject.test.path, ())
        if mutation.noticed_by is not None and subject.test.path.endswith(f"/{mutation.noticed_by}"):
            return 0, 0
        if mutation.algorithm in about:
            return 1, len(about)
        if any(through in about for through in mutation.through):
            return 2, len(about)
        return 3, 0

    return sorted(subjects, key=key)


def _with_script(test: Test, script: str) -> Test:
    return replace(test, scripts=(*test.scripts, script))


def _passing(result: Result) -> frozenset[str]:
    return frozenset(subtest.name for subtest in result.subtests if subtest.status is SubtestStatus.PASS)


def _catches(result: Result, subject: _Subject) -> list[Catch]:
    return [
        Catch(result.test, subtest.name, subtest.status, subtest.message)
        for subtest in result.subtests
        if subtest.status in _NOTICED and subtest.name in subject.passing
    ]
