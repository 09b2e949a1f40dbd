"""The check of the tests of committed findings: each has to fail on its product, and pass on the model.

The model opens no pages, so for the model a page that reports its outcome takes the place of the page that runs programs.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import DOCUMENT_OF_FINDINGS, checkout_tree
from modelcontext.programs.program.exploration import run_once
from modelcontext.running.products import make_target
from modelcontext_fuzz.document import FOLDER, committed_findings, make_findings
from modelcontext_fuzz.reproducer import TEST, reproducer

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext_fuzz.findings import Finding

#: The number of runs in which a test may pass on its product: a race does not show every time.
ATTEMPTS = 4


def rerun(root: Path, finished: Callable[[Result], None] = lambda result: None) -> Iterator[str]:
    """Run every test, and yield a message for each wrong result.

    Raises:
        UnavailableError: if a product cannot be launched.
    """
    findings = committed_findings(root)
    with tempfile.TemporaryDirectory() as folder:
        make_findings(root, Path(folder))
        for product, those in findings.items():
            paths = [f"{product}/{finding.name}" for finding in those]
            for _ in range(ATTEMPTS):
                passing = _passing(root, Path(folder), paths, product, finished)
                paths = [path for path in paths if path in passing]
                if not paths:
                    break
            yield from (f"{FOLDER.as_posix()}/{path}: the test passes on {product}" for path in paths)
    with tempfile.TemporaryDirectory() as folder:
        paths = list(_with_the_model(Path(folder), [finding for those in findings.values() for finding in those]))
        passing = _passing(root, Path(folder), paths, "chromium", finished)
        yield from (
            f"{FOLDER.as_posix()}/{path.partition('/')[2]}: the test does not pass on the model"
            for path in paths
            if path not in passing
        )


def _passing(
    root: Path, tests: Path, paths: Sequence[str], product: str, finished: Callable[[Result], None]
) -> set[str]:
    """Return the folders whose test passes."""
    with TestServer(replace(checkout_tree(root), root=tests)) as server:
        results = run_tests(find_tests(tests, list(paths)), server, make_target(product), finished=finished)
    return {
        Path(result.test.lstrip("/")).parent.as_posix()
        for result in results
        if result.subtests and result.passed() == len(result.subtests)
    }


def _with_the_model(folder: Path, findings: Sequence[Finding]) -> Iterator[str]:
    """Write each test with a page that reports the model's outcome, and yield its path."""
    for number, finding in enumerate(findings):
        path = Path(f"model-{number}", finding.product, finding.name)
        (folder / path).mkdir(parents=True)
        text = reproducer(finding.program, finding.outcomes, finding.complete, finding.outcome)
        (folder / path / TEST).write_text(text, encoding="utf-8")
        page = reporting_page(run_once(finding.program).outcome)
        (folder / path.parent.parent / DOCUMENT_OF_FINDINGS).write_text(page, encoding="utf-8")
        yield path.as_posix()


def reporting_page(outcome: Outcome) -> str:
    """Return a page that reports an outcome, and runs nothing."""
    report = json.dumps({"report": "reproducer", "result": {"outcome": outcome.canonical}}).replace("<", "\\u003c")
    return f"<!DOCTYPE html><script>opener.postMessage({report}, '*')</script>"
