"""Campaigns: their findings are complete, small and kept, and a profile explains them.

The product is the model with the quirks of Firefox's profile, so that the findings are known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.pools import cluster_pool
from modelcontext.judging.profiles import Profile, Quirk, load_profile
from modelcontext.programs.program.outcome import Outcome
from modelcontext.running.products.base import Ending, Observation
from modelcontext_fuzz import campaign as module
from modelcontext_fuzz.campaign import Campaign, CampaignReport, Plan, diagnose_one
from modelcontext_fuzz.causes import diagnose
from modelcontext_fuzz.document import explanation
from modelcontext_fuzz.findings import load_findings
from modelcontext_fuzz.generators import numbered_program
from packages.fuzz.tests.conftest import Quirky

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

PROFILE = load_profile("firefox_153")
PLAN = Plan(seed=1, examples=60)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 20)


def summary(report: CampaignReport) -> object:
    return {name: finding.to_data() for name, finding in report.findings.items()}, report.seen, report.kinds


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(scope="module")
def whole(folder: Path) -> CampaignReport:
    """Run the plan from its start to its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PART", 20)
        return Campaign(Quirky("firefox_153"), PLAN, folder).run()


@pytest.fixture(scope="module")
def of_twenty(tmp_path_factory: pytest.TempPathFactory) -> CampaignReport:
    """Run a short plan in this process."""
    return Campaign(Quirky("firefox_153"), Plan(1, 20), tmp_path_factory.mktemp("of-twenty")).run()


@pytest.mark.usefixtures("takes_long")
def test_campaign_finds_and_shrinks_quirks(whole: CampaignReport, folder: Path) -> None:
    report = whole
    found = {explanation(PROFILE, finding) for finding in report.findings.values()}
    assert {("duplicates-replace",), ("unknown-names-are-ignored",), ("schemas-are-objects",)} <= found
    assert () not in found
    assert all(finding.operations <= 4 for finding in report.findings.values())
    assert report.programs == 60
    assert report.kinds["forbidden"] == sum(report.seen.values())
    written = {finding.name: finding for finding in load_findings(folder / "findings")}
    assert written == report.findings


@pytest.mark.usefixtures("takes_long")
def test_campaign_with_the_profile_finds_nothing(firefox: Quirky, tmp_path: Path) -> None:
    report = Campaign(firefox, PLAN, tmp_path, PROFILE).run()
    assert report.findings == {}
    assert sum(report.explained.values()) == report.kinds["explained"] > 10


@pytest.mark.usefixtures("takes_long")
def test_stopped_campaign_resumes_without_loss(whole: CampaignReport, tmp_path: Path) -> None:
    batches = 0

    def stop(programs: Sequence[Program]) -> None:
        nonlocal batches
        batches += 1
        if batches % 40 == 0:
            raise KeyboardInterrupt

    stopped = tmp_path / "stopped"
    stops = 0
    while True:
        try:
            report = Campaign(Quirky("firefox_153", stop), PLAN, stopped).run()
            break
        except KeyboardInterrupt:
            stops += 1
            # A line that was cut off when the campaign was killed.
            with (stopped / "journal.jsonl").open("a", encoding="utf-8") as journal:
                journal.write('{"first": 40, "prog\n')
    assert stops > 1
    assert summary(report) == summary(whole)


@pytest.mark.usefixtures("takes_long")
def test_report_names_unjudged_programs(tmp_path: Path) -> None:
    class Offline(Quirky):
        runs = 0

        def run(self, program: Program) -> Observation:
            self.runs += 1
            return Observation(Ending.ERROR, detail="no network") if self.runs == 8 else super().run(program)

    report = Campaign(Offline("firefox_153"), Plan(1, 20), tmp_path, PROFILE).run()
    assert report.unjudged == [{"number": 7, "kind": "failed", "why": "no network"}]
    assert report.kinds["failed"] == 1
    again = Campaign(Quirky("firefox_153"), Plan(1, 20), tmp_path, PROFILE).run()
    assert again.unjudged == report.unjudged


def test_bug_of_a_quirk_fails_the_judgement(firefox: Quirky) -> None:
    def by(go_on: object, this: object, name: str, arguments: object) -> NoReturn:
        raise KeyError("a bug")

    quirk = Quirk("buggy", "dom-modelcontext-registertool 1", changes=[by])
    buggy = Profile("buggy", "firefox", PROFILE.revision, (quirk,))
    for number in range(20):
        program = numbered_program(1, number, PROFILE.revision.name)
        observation = firefox.run(program)
        if diagnose(program, observation).kind == "forbidden":
            break
    diagnosis = diagnose_one(program, observation, buggy)
    assert diagnosis.kind == "failed"
    assert re.fullmatch(r"the profile buggy failed: KeyError: 'a bug' \(test_campaign\.py:\d+\)", diagnosis.detail)


@pytest.mark.usefixtures("takes_long")
def test_known_cause_is_not_a_finding(of_twenty: CampaignReport, firefox: Quirky, tmp_path: Path) -> None:
    known = list(of_twenty.findings.values())
    after = Campaign(firefox, Plan(1, 20), tmp_path, known=known).run()
    assert after.findings == {}
    assert sum(after.explained.values()) == sum(of_twenty.seen.values()) > 0
    assert set(after.explained) <= {f"has the cause of {finding.name}" for finding in known}


@pytest.mark.usefixtures("takes_long")
def test_cluster_judges_like_this_process(of_twenty: CampaignReport, firefox: Quirky, tmp_path: Path) -> None:
    from distributed import LocalCluster

    # A worker with two threads: the model must still run in one at a time.
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster:  # type: ignore[no-untyped-call]
        there = Campaign(firefox, Plan(1, 20), tmp_path, pool=lambda: cluster_pool(cluster.scheduler_address)).run()
    assert summary(there) == summary(of_twenty)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "tcp://127.0.0.1:99999"])
def test_unreachable_cluster_is_an_error(address: str) -> None:
    with (
        pytest.raises(UnavailableError, match=f"no scheduler of a Dask cluster answers at {address}"),
        cluster_pool(address),
    ):
        pass


def test_parts_of_a_plan_have_every_program_once() -> None:
    assert [number for part in Plan(1, 1000).parts() for number in part] == list(range(1000))


@pytest.mark.usefixtures("takes_long")
def test_cause_that_does_not_show_again_is_unsteady(tmp_path: Path) -> None:
    class Moody(Quirky):
        first = True

        def run_many(self, programs: Sequence[Program]) -> list[Observation]:
            self._profile = PROFILE if self.first else Profile("nothing", "firefox", PROFILE.revision, ())
            self.first = False
            return super().run_many(programs)

    report = Campaign(Moody("firefox_153"), Plan(1, 20), tmp_path).run()
    assert report.findings == {}
    lines = [json.loads(line) for line in (tmp_path / "unsteady.jsonl").read_text().splitlines()]
    assert lines == report.unsteady
    assert len(lines) > 3


def test_search_that_is_cut_off_excludes_nothing(firefox: Quirky) -> None:
    program = numbered_program(1, 21, PROFILE.revision.name)
    assert PROFILE.membership(program, firefox.run(program)) == "allowed"
    nothing = Observation(Ending.OUTCOME, Outcome())
    assert PROFILE.membership(program, nothing) == "forbidden"
    assert PROFILE.membership(program, nothing, bound=1) == "undecided"
