"""The check of the findings' tests: it reports those that pass on their product, or fail on the model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import load
from modelcontext_fuzz.document import FOLDER
from modelcontext_fuzz.findings import Finding, keep_finding, load_finding
from modelcontext_fuzz.rerun import rerun

pytestmark = pytest.mark.usefixtures("starts_a_browser")

ROOT = Path(__file__).resolve().parents[3]
GOOD = "results-as-strings-4"


def with_findings(root: Path, findings: list[Finding]) -> None:
    for name in ("node_modules", "spec"):
        (root / name).symlink_to(ROOT / name)
    for finding in findings:
        keep_finding(finding, root / FOLDER / finding.product / finding.name)


def test_rerun_reports_findings_that_do_not_hold(tmp_path: Path) -> None:
    good = load_finding(ROOT / FOLDER / "chromium" / GOOD)
    # Chromium follows the text here.
    program = load(ROOT / "wpt_tests/programs/execution/echo.toml")
    gone = replace(good, name="gone", program=program, outcomes=(run_once(program).outcome,))
    wrong = replace(good, name="wrong", outcomes=(Outcome({"top": [{"in": "top", "log": 1}]}),))
    with_findings(tmp_path, [good, gone, wrong])
    assert list(rerun(tmp_path)) == [
        "wpt_tests/findings/chromium/gone: the test passes on chromium",
        "wpt_tests/findings/chromium/wrong: the test does not pass on the model",
    ]
