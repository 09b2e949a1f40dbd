"""Running the tests of committed findings again: each has to fail on the product that it was found on, and pass on the model.

The model opens no pages. Its outcome comes to the test through a page that reports it, in place of the one that runs programs.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.fuzz.document import FOLDER, products_with_findings
from modelcontext.fuzz.findings import Finding, load_findings
from modelcontext.fuzz.reproducer import DOCUMENT, TEST, reproducer
from modelcontext.products import make_target
from modelcontext.program.explore import run_once
from modelcontext.wpt.discovery import find_tests
from modelcontext.wpt.runner import run_tests
from modelcontext.wpt.server.server import TestServer
from modelcontext.wpt.tree import checkout_tree

if TYPE_CHECKING:
    from modelcontext.program.outcome import Outcome
    from modelcontext.wpt.results import Result

#: How often a test may pass on its product: what races does not show every time.
ATTEMPTS = 4


def rerun(root: Path, finished: Callable[[Result], None] = lambda result: None) -> Iterator[str]:
    """Run every test, and say of which something else is true. Raises :class:`UnavailableError`."""
    findings = {product: load_findings(root / FOLDER / product) for product in products_with_findings(root)}
    for product, those in findings.items():
        paths = [f"findings/{product}/{finding.name}" for finding in those]
        for _ in range(ATTEMPTS):
            passing = _passing(root, root / "wpt_tests", paths, product, finished)
            paths = [path for path in paths if path in passing]
            if not paths:
                break
        yield from (f"wpt_tests/{path}/{TEST} passes on {product}" for path in paths)
    with tempfile.TemporaryDirectory() as folder:
        paths = list(_with_the_model(Path(folder), [finding for those in findings.values() for finding in those]))
        passing = _passing(root, Path(folder), paths, "chromium", finished)
        yield from (
            f"{path.partition('/')[2]}/{TEST} does not pass on the model" for path in paths if path not in passing
        )


def _passing(
    root: Path, tests: Path, paths: Sequence[str], product: str, finished: Callable[[Result], None]
) -> set[str]:
    """The folders whose test passes."""
    with TestServer(replace(checkout_tree(root), root=tests)) as server:
        results = run_tests(find_tests(tests, list(paths)), server, make_target(product), finished=finished)
    return {
        Path(result.test.lstrip("/")).parent.as_posix()
        for result in results
        if result.subtests and result.passed() == len(result.subtests)
    }


def _with_the_model(folder: Path, findings: Sequence[Finding]) -> Iterator[str]:
    """Write each test with a page that reports what the model shows."""
    for number, finding in enumerate(findings):
        path = Path(f"model-{number}", finding.product, finding.name)
        (folder / path).mkdir(parents=True)
        text = reproducer(finding.program, finding.outcomes, finding.complete, finding.outcome)
        (folder / path / TEST).write_text(text, encoding="utf-8")
        page = reporting_page(run_once(finding.program).outcome)
        (folder / path.parent.parent / DOCUMENT).write_text(page, encoding="utf-8")
        yield path.as_posix()


def reporting_page(outcome: Outcome) -> str:
    """A page that reports an outcome, and runs nothing."""
    report = json.dumps({"report": "reproducer", "result": {"outcome": outcome.dumps()}}).replace("<", "\\u003c")
    return f"<!DOCTYPE html><script>opener.postMessage({report}, '*')</script>"
