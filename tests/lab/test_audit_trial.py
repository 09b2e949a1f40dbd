"""The audit on trial: wrong tests that are planted in our suite."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.ground.checkout import project_root
from modelcontext.judging.wpt.audit import Auditor, gather
from modelcontext.judging.wpt.simulated_session import schedules
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.people.reports.audit import AuditReport, as_html
from modelcontext.spec.revisions.registry import REVISIONS
from tools.lab.__main__ import lab
from tools.lab.wrong_tests import WrongTestError, load_wrong_tests, plant, results

ROOT = project_root()
#: A few of each kind; `python -m tools.lab audit` tries all of them.
SAMPLE = (
    "expectations: The reactions of the promise run after abort() has returned",
    "orders: Lists arrive in the order in which they were asked for",
    "timings: It has been fired when a timer of 0 ms runs",
    "timings: It can be waited for after the promise is fulfilled",
)


@pytest.mark.usefixtures("starts_a_browser")
def test_planted_wrong_tests_are_named_and_no_right_one_is_accused(tmp_path: Path) -> None:
    wrong = [one for one in load_wrong_tests(ROOT) if one.name in SAMPLE]
    assert len(wrong) == len(SAMPLE)
    tree, tests = plant(wrong, checkout_tree(ROOT), tmp_path)
    gathered = gather(tests, tree, [], schedules(8))
    auditor = Auditor(tree, REVISIONS["current"])
    found = results(wrong, tests, [auditor.judgment_on(one) for one in gathered.evidence])
    assert [one.wrong.name for one in found if not one.is_named] == []
    assert [accused for one in found for accused in one.accused] == []
    contradicting = next(one for one in found if one.wrong.kind == "expectations").judgments[0]
    assert contradicting.evidence.step == "dom-modelcontext-executetool 19.3.2"
    assert re.search(r"wrong-\d+-execute-tool-signal\.https\.html:\d+$", contradicting.place or "")
    report = AuditReport(gathered, [auditor.judgment_on(one) for one in gathered.evidence], None)
    page = as_html(report)
    assert all(one.wrong.subtests[0] in page for one in found)
    order = next(one for one in found if one.wrong.kind == "orders").judgments[0]
    assert dict(report.commands(order))["fails"].startswith("modelcontext test --product simulated --seed ")


def test_wrong_tests_are_twenty_of_each_kind_and_fit_their_files() -> None:
    kinds = Counter(one.kind for one in load_wrong_tests(ROOT))
    assert kinds == {"expectations": 20, "orders": 20, "timings": 20}


def test_wrong_test_that_does_not_fit_its_file_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "wrong-tests"
    folder.mkdir()
    (tmp_path / "wpt_tests").mkdir()
    (tmp_path / "wpt_tests/a.html").write_text("a")
    (folder / "x.toml").write_text(
        '[[wrong]]\ntest = "a.html"\nsubtests = ["s"]\nbelief = "b"\nverdict = ["order"]\nfind = "b"\nreplace = "c"\n'
    )
    with pytest.raises(WrongTestError, match=r'"s": a\.html has the text to find 0 times'):
        load_wrong_tests(tmp_path, folder)


def test_browser_of_an_earlier_revision_is_refused_in_one_line() -> None:
    result = CliRunner().invoke(lab, ["audit", "--product", "firefox"])
    assert result.exit_code == 2
    assert "firefox implements the revision 2026-03" in re.sub(r"\s+", " ", result.output)
