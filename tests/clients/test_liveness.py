"""Liveness: which small programs can leave a promise pending for ever, and by which gap of the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.judging.clients.liveness import MENDS, LivenessCase, cases, liveness_verdict, mended
from modelcontext.programs.program.exploration import allowed_outcomes

pytestmark = pytest.mark.usefixtures("takes_long")

ROOT = Path(__file__).resolve().parents[2]
REMOVED = LivenessCase(
    "a page and a frame of another origin", {"top": ("execute child", "remove"), "child": ("register",)}
)


def test_programs_over_the_alphabet_are_counted_once() -> None:
    every = list(cases(3))
    assert len({case.words for case in every}) == len(every) == 338


def test_call_of_a_target_that_is_removed_can_stay_pending_until_issue_17_is_mended() -> None:
    verdict = liveness_verdict(REMOVED)
    assert verdict.complete
    assert verdict.pending == ("top: executeTool",)
    assert verdict.causes == (17,)
    assert verdict.after_mending == ()


def test_every_promise_settles_where_no_document_goes() -> None:
    verdict = liveness_verdict(LivenessCase("one document", {"top": ("register", "execute top", "cancel")}))
    assert verdict.complete
    assert verdict.pending == ()


def test_mending_changes_no_outcome_where_no_target_of_a_call_goes() -> None:
    for case in cases(2):
        if not case.calls_what_goes:
            after = allowed_outcomes(case.program, revision=mended(*MENDS))
            assert set(after.outcomes) == set(allowed_outcomes(case.program).outcomes), case.words
    assert REMOVED.calls_what_goes


def test_page_about_liveness_lists_programs_of_the_alphabet_whose_frame_goes() -> None:
    every = {(case.shape, *(", ".join(script) for script in case.scripts.values())): case for case in cases(4)}
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in (ROOT / "docs/liveness.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| a page and")
    ]
    of_three = {case.words for case in cases(3)}
    assert len(every) == 1737
    assert len(rows) == 41
    assert all(every[row[:-1]].calls_what_goes for row in rows)
    assert all(pending.startswith("executeTool") for *_, pending in rows)
    with_three = [row for row in rows if every[row[:-1]].words in of_three]
    assert [liveness_verdict(every[row[:-1]]).pending for row in with_three] == [("top: executeTool",)] * 3
