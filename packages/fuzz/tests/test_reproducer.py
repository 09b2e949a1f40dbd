"""Reproducers: tests in the format of web-platform-tests that pass for allowed outcomes, and fail for all others.

The model cannot open a page, so a page reports its outcomes to the test.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import SubtestStatus
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import DOCUMENT_OF_FINDINGS, checkout_tree
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import load
from modelcontext.running.products import make_target
from modelcontext_fuzz.reproducer import TEST, reproducer, reproducer_document

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[3]
CORPUS = ROOT / "wpt_tests/programs"
RACY = load(CORPUS / "races/done-and-aborted.toml")
# Programs, with the status of their tests in Chromium.
REAL = {
    "events/own-change": SubtestStatus.PASS,
    "exposure/two-origins": SubtestStatus.PASS,
    # Not policy/no-toolchange: on a busy machine Chromium can resolve the promise before it fires the event.
    "policy/allow-none": SubtestStatus.PASS,
    "policy/cross-origin-frame": SubtestStatus.PASS,
    "documents/sibling-frames": SubtestStatus.PASS,
    "results/undefined": SubtestStatus.FAIL,
    "execution/activated-before-callback": SubtestStatus.FAIL,
    # Nested frames, all of one origin.
    "events/depth-first": SubtestStatus.FAIL,
}


def reporting_page(outcome: Outcome) -> str:
    """Return a page that reports an outcome, and runs nothing."""
    report = json.dumps({"report": "reproducer", "result": {"outcome": outcome.canonical}}).replace("<", "\\u003c")
    return f"<!DOCTYPE html><script>opener.postMessage({report}, '*')</script>"


def statuses(root: Path) -> dict[str, SubtestStatus]:
    tree = replace(checkout_tree(ROOT), root=root)
    with TestServer(tree) as server:
        results = run_tests(find_tests(root, ["findings"]), server, make_target("chromium"))
    return {Path(result.test).parent.name: result.subtests[0].status for result in results}


def write(folder: Path, program: Program, outcomes: list[Outcome], complete: bool = True, document: str = "") -> None:
    folder.mkdir(parents=True)
    observed = None if complete else outcomes[0]
    (folder / TEST).write_text(reproducer(program, outcomes, complete, observed), encoding="utf-8")
    (folder.parent.parent / DOCUMENT_OF_FINDINGS).write_text(document or reproducer_document(), encoding="utf-8")


@pytest.mark.usefixtures("starts_a_browser")
def test_reproducer_passes_on_the_model_and_fails_on_other_outcomes(tmp_path: Path) -> None:
    allowed = list(allowed_outcomes(RACY).outcomes.values())
    model = run_once(RACY).outcome
    other = Outcome({"top": [{"in": "top", "log": 1}]})
    assert len(allowed) > 1
    write(tmp_path / "findings/a/chromium/model", RACY, allowed, document=reporting_page(model))
    write(tmp_path / "findings/b/chromium/other", RACY, allowed, document=reporting_page(other))
    write(tmp_path / "findings/c/chromium/ruled-out", RACY, [other], complete=False, document=reporting_page(other))
    write(tmp_path / "findings/d/chromium/not-ruled-out", RACY, [other], complete=False, document=reporting_page(model))
    assert statuses(tmp_path) == {
        "model": SubtestStatus.PASS,
        "other": SubtestStatus.FAIL,
        "ruled-out": SubtestStatus.FAIL,
        "not-ruled-out": SubtestStatus.PASS,
    }


@pytest.mark.usefixtures("starts_a_browser")
def test_reproducer_judges_chromium_like_the_model(tmp_path: Path) -> None:
    for name in REAL:
        program = load(CORPUS / f"{name}.toml")
        write(
            tmp_path / "findings/chromium" / name.replace("/", "-"),
            program,
            list(allowed_outcomes(program).outcomes.values()),
        )
    assert statuses(tmp_path) == {name.replace("/", "-"): status for name, status in REAL.items()}


@pytest.mark.parametrize("name", REAL)
def test_reproducer_contains_the_program_as_toml(name: str) -> None:
    program = load(CORPUS / f"{name}.toml")
    text = reproducer(program, [run_once(program).outcome], True)
    assert program.dumps_toml().splitlines()[0] in text
    assert "setTimeout" not in text
