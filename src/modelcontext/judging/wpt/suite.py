"""Runs of tests on a product, and their comparison with expectations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.expectations import vocabulary
from modelcontext.judging.wpt.expectations import (
    Expectations,
    UnexpectedResult,
    expected_status,
    find,
    load_expectations,
)
from modelcontext.judging.wpt.results import FileStatus, Result, TestsInterrupted
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.spec.revisions.registry import FILES

if TYPE_CHECKING:
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.simulated_session import Schedule
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.running.products.target import Target

#: The folder of this project's tests, by the revision that they are about.
SUITES = {name: files.suite.name for name, files in FILES.items()}


@dataclass(frozen=True)
class SuiteRun:
    """The results of one product in one or more rounds of the tests, and its ``version``.

    If the product is not available, ``unavailable`` says why, and every result is NOTRUN. ``findings`` are the results
    that differ from the ``known`` ones. ``begun`` and ``ended`` are times in seconds since the epoch.
    """

    target: Target
    tree: Tree
    version: str | None
    rounds: Sequence[Sequence[Result]]
    findings: Sequence[UnexpectedResult]
    known: Expectations = field(default_factory=dict)
    unavailable: UnavailableError | None = None
    begun: float = 0.0
    ended: float = 0.0

    @property
    def not_run(self) -> int:
        """The number of files that the last round has no result of."""
        return sum(result.status is FileStatus.NOTRUN for result in self.rounds[-1])

    @property
    def results(self) -> list[Result]:
        """One result for each file: of several rounds the first that was not as expected, else the last."""
        return [
            next((result for result in results if find([result], self.known)), results[-1])
            for results in zip(*self.rounds, strict=True)
        ]


class SuiteInterrupted(KeyboardInterrupt):
    """An interrupt of a run; ``run`` has the results of the tests that have ended, and the others are NOTRUN."""

    def __init__(self, run: SuiteRun) -> None:
        super().__init__()
        self.run = run


def known_results(path: Path, target: Target) -> Expectations:
    """Return the expectations of a file about a product in tests. Raises :class:`ExpectationError`."""
    return load_expectations(path, vocabulary(target.name, target.revision))


def run_suite(
    tests: Sequence[Test],
    tree: Tree,
    target: Target,
    *,
    known: Expectations | None = None,
    repeat: int = 1,
    workers: int | None = None,
    sampled: int = 0,
    seed: int | None = None,
    finished: Callable[[Result], None] = lambda result: None,
) -> SuiteRun:
    """Run the tests of a tree on a product, in ``repeat`` rounds, ``workers`` of them at a time.

    In the simulated browser, which has no workers, ``sampled`` schedules follow first in, first out; with a ``seed`` this
    is the only schedule.

    ``finished`` is called with each result, in the order of the tests. A product that this machine does not have gives a
    run, too. Raises :class:`SuiteInterrupted` after all browsers are closed.
    """
    versions: list[str] = []
    known = known if known is not None else {}
    waiting = {test.path for test in tests if test.long and expected_status(known, test.path) == FileStatus.TIMEOUT}
    every = [*tests] * repeat
    begun = time.time()
    if target.is_simulated:
        from modelcontext.judging.wpt.simulated_session import Schedule, schedules  # It takes long to import.

        under = schedules(sampled) if seed is None else [Schedule(seed)]
        return _run_simulated(tests, tree, target, known, under * repeat, finished)
    try:
        with TestServer(tree.with_folders(target.folders())) as server:
            results = run_tests(
                every, server, target, workers=workers, waiting=waiting, started=versions.append, finished=finished
            )
    except UnavailableError as error:
        return not_run(tests, tree, target, known, error)
    except TestsInterrupted as stop:
        raise _interrupted(stop, tests, tree, target, known, versions, begun) from None
    rounds = [results[number * len(tests) : (number + 1) * len(tests)] for number in range(repeat)]
    return SuiteRun(target, tree, versions[0], rounds, _findings(rounds, known), known, None, begun, time.time())


def _run_simulated(
    tests: Sequence[Test],
    tree: Tree,
    target: Target,
    known: Expectations,
    under: Sequence[Schedule],
    finished: Callable[[Result], None],
) -> SuiteRun:
    from modelcontext.judging.wpt.simulated_session import run_simulated

    versions: list[str] = []
    begun = time.time()
    try:
        rounds = run_simulated(tests, tree, target, under, started=versions.append, finished=finished)
    except UnavailableError as error:
        return not_run(tests, tree, target, known, error)
    except TestsInterrupted as stop:
        raise _interrupted(stop, tests, tree, target, known, versions, begun) from None
    findings = _findings(rounds, known, list(map(str, under)))
    return SuiteRun(target, tree, versions[0], rounds, findings, known, None, begun, time.time())


def _interrupted(
    stop: TestsInterrupted,
    tests: Sequence[Test],
    tree: Tree,
    target: Target,
    known: Expectations,
    versions: Sequence[str],
    begun: float,
) -> SuiteInterrupted:
    """Return the interrupt of a run with its complete rounds, or the first one as far as it came."""
    rounds: list[list[Result]] = []
    for first in range(0, max(stop.results, default=0) + 1, len(tests)):
        numbers = range(first, first + len(tests))
        if not rounds or all(number in stop.results for number in numbers):
            missing = "the run was interrupted before this test had ended"
            rounds.append(
                [
                    stop.results.get(number, Result(tests[number - first].path, FileStatus.NOTRUN, missing))
                    for number in numbers
                ]
            )
    findings = list(dict.fromkeys(find(list(stop.results.values()), known)))
    version = versions[0] if versions else None
    return SuiteInterrupted(SuiteRun(target, tree, version, rounds, findings, known, None, begun, time.time()))


def not_run(tests: Sequence[Test], tree: Tree, target: Target, known: Expectations, why: UnavailableError) -> SuiteRun:
    """Return the run of a product that is not available: every result is NOTRUN."""
    results = [Result(test.path, FileStatus.NOTRUN, why.reason) for test in tests]
    now = time.time()
    return SuiteRun(target, tree, None, [results], [], known, why, now, now)


def _findings(
    rounds: Sequence[Sequence[Result]], known: Expectations, names: Sequence[str] = ()
) -> list[UnexpectedResult]:
    """Return what is unexpected in some round, or differs between rounds; ``names`` are those of their schedules."""
    findings = dict.fromkeys(finding for results in rounds for finding in find(results, known))
    for runs in zip(*rounds, strict=True):
        seen = [result.statuses() for result in runs]
        for subtest in dict.fromkeys(name for statuses in seen for name in statuses):
            statuses = [one.get(subtest, "missing") for one in seen]
            if len(set(statuses)) > 1:
                if names:
                    first = [f"{status} ({names[statuses.index(status)]})" for status in dict.fromkeys(statuses)]
                    text = f"differs by the schedule: {', '.join(first)}"
                else:
                    text = f"differs from run to run: {', '.join(statuses)}"
                findings[UnexpectedResult(runs[0].test, subtest, text)] = None
    return list(findings)
