"""The reach of the suite in the simulated browser, which is faster by far than a page and lacks some of a browser's parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.judging.coverage.reach import Reach
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.simulated_session import Schedule, run_simulated
from modelcontext.judging.wpt.suite import SUITES
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.programs.tracing.probes import Collector
from modelcontext.running.products.registry import SIMULATED, make_target
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.results import Result
    from modelcontext.spec.revisions.revision import Revision


def record_simulated(
    root: Path, paths: Sequence[str] = (), finished: Callable[[Result], None] = lambda result: None
) -> list[Reach]:
    """Run the current suite in the simulated browser, first in, first out; as :func:`record_suite` otherwise.

    Raises:
        UnavailableError: if Node.js of the extra ``js``, or testharness.js is missing.
    """
    target = make_target(SIMULATED)
    tree = checkout_tree(root, target.revision)
    collectors: dict[str, Collector] = {}

    def with_probes(test: Test) -> Revision:
        collector = collectors[test.path.removeprefix("/")] = Collector(REVISIONS[target.revision])
        return collector.revision

    run_simulated(
        find_tests(tree.root, paths or (SUITES[target.revision],)),
        tree,
        target,
        [Schedule()],
        started=lambda version: None,
        finished=finished,
        revision_for=with_probes,
    )
    return [Reach("wpt", name, collector.keys) for name, collector in sorted(collectors.items())]
