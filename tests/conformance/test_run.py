"""Runs of a corpus: verdicts, surprises and unsound runs.

The product is a puppet, so that every kind of verdict occurs; the verdicts are the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from modelcontext.ground.checkout import find_checkout
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.corpus import Case, read_corpus
from modelcontext.judging.conformance.expectations import Expectation
from modelcontext.judging.conformance.run import CONFIRMATIONS, CorpusReport, run_corpus
from modelcontext.judging.conformance.verdict import Standing, Verdicts
from modelcontext.people.reports.conformance import Conformance
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data
from modelcontext.running.products import Ending, Observation, Product
from modelcontext.running.products.model import Model

UNDEFINED = {"$js": "undefined"}
OBSERVED = Outcome(
    {
        "top": [
            {"in": "top", "promise": "registerTool", "fulfilled": UNDEFINED},
            {"in": "top", "callback": "t", "input": {}, "aborted": False},
            {"in": "top", "promise": "call", "fulfilled": "undefined"},
        ]
    }
)
KNOWN = Expectation(
    "product",
    "imperative-execute-steps 12.a.3",
    "note",
    name="results/disagrees",
    observed='call: fulfilled with "undefined"',
)


# The model's observations, by the name of the program; made before a run, because the model works on one thread at a time.
ALLOWED: dict[str, Observation] = {}


class Puppet(Product):
    """A product with given observations, by the name of the program."""

    name = "puppet"
    version = "1"

    def __init__(self, shows: Mapping[str, Observation]) -> None:
        self.shows = shows
        self.is_running = False
        self.runs = 0

    def implements(self, revision: str) -> bool:
        return revision == "current"

    def launch(self) -> None:
        self.is_running = True

    def run(self, program: Program) -> Observation:
        assert self.is_running
        self.runs += 1
        return self.shows.get(program.name) or ALLOWED[program.name]

    def close(self) -> None:
        self.is_running = False


class Reader(Puppet):
    """A product that reads programs in its own words, and is held against its own text; it cannot run some."""

    name = "reader"

    def __init__(self, shows: Mapping[str, Observation], unreadable: str) -> None:
        super().__init__(shows)
        self.unreadable = unreadable
        self.texts = 0

    def reads(self, program: Program) -> Program | None:
        return None if program.name == self.unreadable else replace(program, note="as it is read")

    @contextmanager
    def text(self) -> Iterator[None]:
        self.texts += 1
        yield


class Missing(Puppet):
    def launch(self) -> None:
        raise UnavailableError("there is none", "install one")


@pytest.fixture
def cases(corpus: Path) -> list[Case]:
    found = read_corpus(corpus / "programs")
    ALLOWED.update({case.program.name: Model().run(case.program) for case in found})
    return found


def run(cases: list[Case], puppet: Puppet, *known: Expectation) -> CorpusReport:
    return run_corpus(cases, [puppet], {puppet.name: {expectation.name: expectation for expectation in known}})


def exit_code(report: CorpusReport) -> int:
    return Conformance((), [report], []).exit_code


DISAGREEING = {"disagrees": Observation(Ending.OUTCOME, OBSERVED)}


def test_verdict_names_the_allowed_entry_and_the_step(cases: list[Case]) -> None:
    row = run(cases, Puppet(DISAGREEING)).rows[1]
    verdict = row.verdicts["puppet"]
    assert verdict.standing is Standing.FAIL
    assert verdict.place == "top[3]"
    assert verdict.observed == 'call: fulfilled with "undefined"'
    assert verdict.allowed_text == "call: rejected with UnknownError"
    assert all(step.startswith("dom-modelcontext-executetool ") for step in verdict.steps)
    assert len(verdict.steps) == 1
    assert row.listing is not None
    assert row.listing.complete
    assert [outcome.logs["top"][-1]["rejected"] for outcome in row.listing.outcomes] == [{"$error": "UnknownError"}]


def test_new_disagreement_is_a_surprise(cases: list[Case]) -> None:
    report = run(cases, Puppet(DISAGREEING))
    assert exit_code(report) == 1
    assert [surprise.text for surprise in report.surprises] == ["new: this disagreement is not among the expectations"]


def test_known_disagreement_is_not_a_surprise(cases: list[Case]) -> None:
    report = run(cases, Puppet(DISAGREEING), KNOWN)
    assert exit_code(report) == 0
    assert [row.case.name for row, _, _ in report.disagreements] == ["results/disagrees"]


def test_vanished_disagreement_is_a_surprise(cases: list[Case]) -> None:
    report = run(cases, Puppet({}), KNOWN)
    assert exit_code(report) == 1
    assert report.surprises[0].text.startswith("vanished: the outcome is allowed now")


def test_changed_disagreement_is_a_surprise(cases: list[Case]) -> None:
    report = run(cases, Puppet({"disagrees": Observation(Ending.CRASH, detail="it crashed")}), KNOWN)
    assert exit_code(report) == 1
    assert report.surprises[0].text.startswith("changed: the expectation was: call: fulfilled")
    assert report.rows[1].verdicts["puppet"].observed == "crash: it crashed"


def test_expectation_about_a_missing_program_is_a_surprise(cases: list[Case]) -> None:
    stray = Expectation("product", "valid-tool-name 1", "y", name="results/typo", observed="x")
    report = run(cases, Puppet(DISAGREEING), KNOWN, stray)
    assert exit_code(report) == 1
    assert report.surprises[0].program == "results/typo"


def test_hang_is_a_disagreement(cases: list[Case]) -> None:
    report = run(cases, Puppet({"agrees": Observation(Ending.TIMEOUT, detail="no end")}))
    assert report.rows[0].verdicts["puppet"].standing is Standing.FAIL


def test_verdict_that_does_not_show_again_is_unsteady(cases: list[Case]) -> None:
    class Wavering(Puppet):
        def run(self, program: Program) -> Observation:
            observation = super().run(program)
            self.shows = {}
            return observation

    for ending, text in ((Ending.TIMEOUT, "timeout: no end"), (Ending.ERROR, "no end")):
        report = run(cases, Wavering({"agrees": Observation(ending, detail="no end")}))
        assert exit_code(report) == 0
        assert [(item.program, item.text) for item in report.unsteady] == [
            ("listing/agrees", f"once {text}, then pass")
        ]


def test_error_is_tried_again_and_makes_the_run_unsound(cases: list[Case]) -> None:
    puppet = Puppet({"agrees": Observation(Ending.ERROR, detail="the harness failed")})
    report = run(cases, puppet)
    assert puppet.runs == len(cases) + CONFIRMATIONS
    assert exit_code(report) == 2
    assert [verdict.observed for _, _, verdict in report.unsound] == ["the harness failed"]


def test_missing_product_is_not_run(cases: list[Case]) -> None:
    report = run(cases, Missing({}), KNOWN)
    assert exit_code(report) == 2
    assert {row.verdicts["puppet"].standing for row in report.rows} == {Standing.NOTRUN}
    assert report.versions == {}
    assert report.unavailable["puppet"].reason == "there is none"
    # The known disagreement has not vanished, because nothing ran.
    assert report.surprises == []


def test_program_of_another_revision_has_no_verdict(cases: list[Case]) -> None:
    script = {"top": [{"do": "log", "value": 1}]}
    older = replace(cases[0], program=from_data({"title": "older", "revision": "2026-03", "script": script}))
    puppet = Puppet({})
    report = run_corpus([older, cases[0]], [Model(), puppet], {})
    assert [list(row.verdicts) for row in report.rows] == [["model"], ["model", "puppet"]]
    assert puppet.runs == 1
    # A product without programs does not start.
    report = run_corpus([older], [Model(), Missing({})], {})
    assert (list(report.versions), report.unavailable) == (["model"], {})


def test_program_runs_and_is_judged_as_the_product_reads_it(cases: list[Case]) -> None:
    reader = Reader({}, cases[1].program.name)
    report = run_corpus(cases, [Model(), reader], {})
    assert [list(row.verdicts) for row in report.rows][:2] == [["model", "reader"], ["model"]]
    assert reader.runs == reader.texts == len(cases) - 1


def test_search_that_was_cut_off_is_undecided(cases: list[Case]) -> None:
    steps = [{"do": "timer"}, {"do": "registerTool", "tool": {"name": "t", "description": "d"}}]
    race = replace(cases[0], program=from_data({"title": "a race", "script": {"top": steps}}))
    never = Observation(Ending.OUTCOME, Outcome({"top": [{"in": "top", "log": "never"}]}))
    report = run_corpus([race], [Puppet({race.program.title: never})], {}, all_verdicts=Verdicts(bound=1))
    assert report.rows[0].verdicts["puppet"].standing is Standing.UNDECIDED
    assert exit_code(report) == 2


def test_model_agrees_with_itself(cases: list[Case]) -> None:
    report = run_corpus(cases, [Model()], {})
    assert exit_code(report) == 0
    assert {row.verdicts["model"].standing for row in report.rows} == {Standing.PASS}


def test_interrupt_stops_the_products(cases: list[Case]) -> None:
    puppet = Puppet({})

    def interrupt(row: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_corpus(cases, [puppet], {}, interrupt)
    assert not puppet.is_running


def test_corpus_is_read_by_section(corpus: Path, tmp_path: Path) -> None:
    assert [(case.name, case.section) for case in read_corpus(corpus / "programs")] == [
        ("listing/agrees", "listing"),
        ("results/disagrees", "results"),
    ]
    assert find_checkout(corpus / "programs" / "listing") == tmp_path
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ProgramError, match="no program in this folder"):
        read_corpus(empty)
