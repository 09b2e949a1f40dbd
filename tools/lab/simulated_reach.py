"""The reach of the suite in the simulated browser, which is faster by far than a page and lacks some of a browser's parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.coverage.reach import Reach
from modelcontext.programs.tracing.probes import Collector
from modelcontext.running.products.registry import SIMULATED, make_target
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext.wpt.discovery import find_tests
from modelcontext.wpt.simulated_session import Schedule, run_simulated
from modelcontext.wpt.suite import SUITES
from modelcontext.wpt.tree import checkout_tree

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext.wpt.discovery import Test
    from modelcontext.wpt.results import Result


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
