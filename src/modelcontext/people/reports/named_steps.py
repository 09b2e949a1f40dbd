"""The steps that a page names, so that it can show their algorithms."""

from __future__ import annotations

from collections.abc import Iterable

from modelcontext.spec.specification import Algorithm, Step, load_algorithms


class NamedSteps:
    """The steps that the page names, so that their algorithms can be shown."""

    def __init__(self) -> None:
        self._algorithms: dict[str, dict[str, Algorithm]] = {}
        self._named: set[tuple[str, str]] = set()

    def algorithms(self, revision: str, names: Iterable[str]) -> list[Algorithm]:
        """Return those of the named algorithms that exist."""
        if revision not in self._algorithms:
            self._algorithms[revision] = {algorithm.id: algorithm for algorithm in load_algorithms(revision)}
        known = [name for name in names if name in self._algorithms[revision]]
        self._named |= {(revision, name) for name in known}
        return [self._algorithms[revision][name] for name in known]

    def step(self, revision: str, step: str) -> tuple[Algorithm, Step]:
        """Return a step, given as ``algorithm number``, with its algorithm."""
        name, _, number = step.partition(" ")
        [algorithm] = self.algorithms(revision, [name])
        return algorithm, next(one for one in algorithm.steps if one.number == number)

    def named(self) -> list[tuple[str, Algorithm]]:
        """Return the named algorithms with their revisions, in the order of the text."""
        return [
            (revision, algorithm)
            for revision, algorithms in self._algorithms.items()
            for name, algorithm in algorithms.items()
            if (revision, name) in self._named
        ]
