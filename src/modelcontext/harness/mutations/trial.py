"""Tries whether a suite of tests notices mutations.

A subtest notices a mutation if it passes without it, and fails or times out with it, twice in a row. It also has to pass
where scripts stand between it and the browser, as in a mutation, and change nothing; where a file only times out it has to
do so once more, since a slow machine could be the reason. A file that crashes and a subtest that is not reached notice
nothing; neither does one that is known to fail and passes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from modelcontext.harness.mutations.catalogue import Mutation, unchanged
from modelcontext.harness.wpt.discovery import Test
from modelcontext.harness.wpt.expectations import Expectations, Finding, find
from modelcontext.harness.wpt.results import Result, SubtestStatus

#: Runs tests, each with its scripts, and gives their results in the same order.
Runner = Callable[[Sequence[Test]], Sequence[Result]]

_NOTICED = (SubtestStatus.FAIL, SubtestStatus.TIMEOUT)


class BaselineError(Exception):
    """Without any mutation the suite does not do what is expected of it, so that nothing can be said."""

    def __init__(self, findings: Sequence[Finding]) -> None:
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
class Verdict:
    """What became of one mutation. ``catches`` is empty if it survived.

    ``unconfirmed`` are subtests that noticed it once, but not twice. ``files`` is how many files were run with it, and
    ``failed`` how many of them noticed.
    """

    mutation: Mutation
    catches: Sequence[Catch]
    unconfirmed: Sequence[Catch]
    files: int
    failed: int


def try_mutations(
    mutations: Sequence[Mutation],
    tests: Sequence[Test],
    algorithms: Mapping[str, Sequence[str]],
    known: Expectations,
    run: Runner,
    *,
    exhaustive: bool = False,
    decided: Callable[[Verdict], None] = lambda verdict: None,
) -> list[Verdict]:
    """Hold the suite against each mutation, in their order. Raises :class:`BaselineError`.

    ``algorithms`` has the ids of the algorithms that a test is about, by its path: with each mutation those about the
    broken algorithm come first. It ends with the first file that notices, unless all files are to be run (``exhaustive``).
    ``decided`` hears each verdict as soon as it is there.
    """
    baseline = run(tests)
    findings = find(baseline, known)
    if findings:
        raise BaselineError(findings)
    passing = _passing(baseline)
    wrapped = [_with_script(test, unchanged()) for test in tests if passing[test.path]]
    passing |= _passing_wrapped(wrapped, passing, run)
    usable = [test for test in tests if passing[test.path]]
    open_trials = [_Trial(mutation, _in_order(mutation, usable, algorithms)) for mutation in mutations]
    verdicts: dict[str, Verdict] = {}
    size = len(usable) if exhaustive else 1
    while open_trials:
        for trial, results in zip(open_trials, _run_next(open_trials, size, run), strict=True):
            trial.candidates += [catch for result in results for catch in _catches(result, passing)]
        # What seemed to notice runs again; of several files only the first one, where one is enough.
        again = [trial.to_confirm(everything=exhaustive) for trial in open_trials]
        results_again = _run_batches(again, run)
        controls = [_controls(results, passing, wrapped) for results in results_again]
        for trial, results, control in zip(open_trials, results_again, _run_batches(controls, run), strict=True):
            trial.confirm(results, control, passing)
        for trial in open_trials:
            if trial.is_over(exhaustive=exhaustive):
                verdicts[trial.mutation.name] = trial.verdict()
                decided(verdicts[trial.mutation.name])
        open_trials = [trial for trial in open_trials if trial.mutation.name not in verdicts]
        # Most are noticed by the first files; the others take larger steps, so that a browser is not started for each.
        size *= 2
    return [verdicts[mutation.name] for mutation in mutations]


class _Trial:
    """One mutation on its way through the files."""

    def __init__(self, mutation: Mutation, files: Sequence[Test]) -> None:
        self.mutation = mutation
        self.candidates: list[Catch] = []
        self._files = [_with_script(test, mutation.script) for test in files]
        self._next = 0
        self._catches: list[Catch] = []
        self._unconfirmed: list[Catch] = []

    def take(self, count: int) -> list[Test]:
        """The next files to run."""
        taken = self._files[self._next : self._next + count]
        self._next += len(taken)
        return taken

    def to_confirm(self, *, everything: bool) -> list[Test]:
        """The files to run again."""
        noticed = {catch.test for catch in self.candidates}
        files = [test for test in self._files if test.path in noticed]
        return files if everything else files[:1]

    def confirm(self, results: Sequence[Result], controls: Sequence[Result], passing: Mapping[str, set[str]]) -> None:
        """What noticed a second time counts, unless it does so without the mutation (``controls``), too."""
        run_again = {result.test for result in results}
        without = {(catch.test, catch.subtest) for result in controls for catch in _catches(result, passing)}
        twice = {(catch.test, catch.subtest) for result in results for catch in _catches(result, passing)} - without
        for catch in self.candidates:
            if (catch.test, catch.subtest) in twice:
                self._catches.append(catch)
            elif catch.test in run_again:
                self._unconfirmed.append(catch)
        self.candidates = [catch for catch in self.candidates if catch.test not in run_again]

    def is_over(self, *, exhaustive: bool) -> bool:
        if self._catches and not exhaustive:
            return True
        return self._next >= len(self._files) and not self.candidates

    def verdict(self) -> Verdict:
        failed = len({catch.test for catch in self._catches})
        return Verdict(self.mutation, self._catches, self._unconfirmed, self._next, failed)


def _run_next(trials: Sequence[_Trial], size: int, run: Runner) -> list[list[Result]]:
    # One whose candidates were not all run again yet only waits for that.
    return _run_batches([[] if trial.candidates else trial.take(size) for trial in trials], run)


def _run_batches(batches: Sequence[Sequence[Test]], run: Runner) -> list[list[Result]]:
    tests = [test for batch in batches for test in batch]
    results = iter(run(tests) if tests else [])
    return [[next(results) for _ in batch] for batch in batches]


def _controls(results: Sequence[Result], passing: Mapping[str, set[str]], tests: Sequence[Test]) -> list[Test]:
    """The files to run without the mutation: those that only timed out with it."""
    slow = {
        result.test
        for result in results
        if {catch.status for catch in _catches(result, passing)} == {SubtestStatus.TIMEOUT}
    }
    return [test for test in tests if test.path in slow]


def _in_order(mutation: Mutation, tests: Sequence[Test], algorithms: Mapping[str, Sequence[str]]) -> list[Test]:
    def key(test: Test) -> tuple[int, bool, int]:
        # Where a mutation makes tests hang, those that are given up sooner save a minute.
        about = algorithms.get(test.path, ())
        if mutation.algorithm in about:
            return 0, test.long, len(about)
        if any(through in about for through in mutation.through):
            return 1, test.long, len(about)
        return 2, test.long, 0

    return sorted(tests, key=key)


def _with_script(test: Test, script: str) -> Test:
    return replace(test, scripts=(*test.scripts, script))


def _passing(results: Sequence[Result]) -> dict[str, set[str]]:
    return {
        result.test: {subtest.name for subtest in result.subtests if subtest.status is SubtestStatus.PASS}
        for result in results
    }


def _passing_wrapped(wrapped: Sequence[Test], passing: Mapping[str, set[str]], run: Runner) -> dict[str, set[str]]:
    """The subtests that pass where nothing is changed, in one of two runs: what a slow machine does it does once."""
    first = _passing(run(wrapped))
    doubtful = [test for test in wrapped if passing[test.path] - first[test.path]]
    second = _passing(run(doubtful)) if doubtful else {}
    return {test: passing[test] & (names | second.get(test, set())) for test, names in first.items()}


def _catches(result: Result, passing: Mapping[str, set[str]]) -> list[Catch]:
    return [
        Catch(result.test, subtest.name, subtest.status, subtest.message)
        for subtest in result.subtests
        if subtest.status in _NOTICED and subtest.name in passing[result.test]
    ]
