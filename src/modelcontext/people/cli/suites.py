"""Plans and runs of the tests in the format of web-platform-tests, for all verbs that run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from modelcontext.ground.checkout import project_root
from modelcontext.judging.conformance.expectations import file_about
from modelcontext.judging.wpt.discovery import Test, find_tests, take_shard
from modelcontext.judging.wpt.expectations import Expectations, UnexpectedResult, find_strays
from modelcontext.judging.wpt.suite import SUITES, SuiteRun, known_results, run_suite
from modelcontext.judging.wpt.tree import Tree, checkout_tree, foreign_tree, tree_around
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from rich.progress import Progress

    from modelcontext.judging.wpt.results import Result
    from modelcontext.running.products import Target


@dataclass(frozen=True)
class SuitePlan:
    """The tests to run on one product; ``strays`` are its expectations about tests that do not exist."""

    target: Target
    tree: Tree
    tests: Sequence[Test]
    known: Expectations
    strays: Sequence[UnexpectedResult]

    def run(
        self,
        progress: Progress,
        *,
        repeat: int = 1,
        workers: int | None = None,
        sampled: int = 0,
        seed: int | None = None,
    ) -> SuiteRun:
        """Run the tests, with a bar of their own; strays are findings if the product is available.

        ``sampled`` is the number of schedules besides first in, first out; ``seed`` is the only schedule. Raises
        :class:`SuiteInterrupted`.
        """
        name = self.target.name
        task = progress.add_task(name, total=len(self.tests) * repeat * (sampled + 1))

        def finished(result: Result) -> None:
            progress.update(task, advance=1, description=escape(f"{name} {result.test}"))

        run = run_suite(
            *(self.tests, self.tree, self.target),
            known=self.known,
            repeat=repeat,
            workers=workers,
            sampled=sampled,
            seed=seed,
            finished=finished,
        )
        return replace(run, findings=[*run.findings, *self.strays]) if run.version is not None else run


def plan_suite(
    target: Target,
    tree: Tree,
    expectations: Path | None,
    paths: Sequence[str] = (),
    shard: tuple[int, int] = (1, 1),
) -> SuitePlan:
    """Plan the tests at some paths, or else those of the target's revision.

    Raises:
        DiscoveryError: if a path has no tests.
        ExpectationError: if the file of expectations cannot be read.
    """
    tests = find_tests(tree.root, paths or (SUITES[target.revision],))
    known = known_results(expectations, target) if expectations is not None else {}
    strays = [] if paths else find_strays({test.path for test in tests}, known)
    return SuitePlan(target, tree, take_shard(tests, *shard), known, strays)


def plan_at(
    target: Target,
    paths: Sequence[str],
    wpt: Path | None,
    expectations: Path | None = None,
    shard: tuple[int, int] = (1, 1),
    *,
    is_known: bool = True,
) -> SuitePlan:
    """Plan tests as the options of a verb name them: those of ``wpt``, another checkout, or of this one, or of anybody.

    Without ``is_known`` the project's known deviations do not apply.
    """
    if wpt is not None:
        return plan_suite(target, foreign_tree(wpt), expectations, paths, shard)
    root = project_root()
    own = checkout_tree(root, target.revision)
    tree = tree_around(own, paths)
    known = expectations or (expectations_file(root, target) if tree is own and is_known else None)
    return plan_suite(target, tree, known, paths, shard)


def expectations_file(root: Path, target: Target) -> Path | None:
    """Return the file with the known results of a target; with injected scripts, nothing is known."""
    return file_about(root / CURRENT.expectations, target.name, "wpt-") if not target.inject else None
