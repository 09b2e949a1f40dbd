"""Proposals: their pages hold the outcomes of their texts, and wrong tables and answers are errors."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest
from click.testing import CliRunner

from modelcontext.ground.tables import TableError
from modelcontext.people.cli.spec import command
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.proposals.effects import EFFECTS, Effects, in_words
from modelcontext_prose.proposals.outcomes import revision_of
from modelcontext_prose.proposals.page import page, page_of
from modelcontext_prose.proposals.proposal import PROPOSALS, Proposal, read_proposals
from modelcontext_prose.trial import ChangedOutcome, Trial

ROOT = Path(__file__).resolve().parents[3]
EVERY = read_proposals(ROOT)


def named(name: str) -> Proposal:
    return next(one for one in EVERY if one.name == name)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return the root of a copy of a proposal and the text."""
    copytree(ROOT / PROPOSALS / "handles", tmp_path / PROPOSALS / "handles")
    (tmp_path / CURRENT.text).write_bytes((ROOT / CURRENT.text).read_bytes())
    return tmp_path


@pytest.mark.parametrize("proposal", EVERY, ids=[one.name for one in EVERY])
def test_page_has_the_outcomes_of_programs_and_answers(proposal: Proposal, takes_long: None) -> None:
    del takes_long
    known = (ROOT / page_of(proposal)).read_text(encoding="utf-8")
    assert page(proposal, known[known.index(EFFECTS) :]) == known


def test_proposals_have_questions_demos_and_issues_that_they_remove() -> None:
    assert sum(len(one.questions) for one in EVERY) >= 25
    assert sum(1 for one in EVERY if one.removes) >= 3
    assert all((ROOT / one.folder / "demo.html").is_file() for one in EVERY)


@pytest.mark.usefixtures("takes_long")
def test_unredeemed_token_leaves_a_call_pending() -> None:
    proposal = named("continuations")
    found = allowed_outcomes(proposal.programs["nobody-redeems"], revision=revision_of(proposal.text))
    assert [one.pending for one in found.outcomes.values()] == [("top: call",)]


@pytest.mark.usefixtures("takes_long")
def test_answers_with_the_same_outcomes_are_an_error(copied: Path) -> None:
    questions = copied / PROPOSALS / "handles" / "questions.toml"
    text = questions.read_text(encoding="utf-8").replace(
        'programs = ["replaced-after-listing"]', 'programs = ["two-lists"]'
    )
    questions.write_text(text, encoding="utf-8")
    [proposal] = read_proposals(copied)
    with pytest.raises(SpecificationError, match="question 1: two answers have the same outcomes"):
        page(proposal, "")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            '[[question]]\nasks = "?"\nprograms = ["none"]\nanswer = []',
            r'question\[0\].programs: unknown program "none"',
        ),
        ('[[question]]\nasks = "?"\nprograms = ["two-lists"]\nanswer = []', "a question needs two answers or more"),
        ('[[question]]\nasks = "?"\nprograms = []\nanswer = []', "a question needs a program"),
        ('[[questions]]\nasks = "?"', 'unknown key "questions"'),
    ],
)
def test_wrong_table_of_questions_is_an_error(copied: Path, table: str, message: str) -> None:
    (copied / PROPOSALS / "handles" / "questions.toml").write_text(table, encoding="utf-8")
    with pytest.raises(TableError, match=message):
        read_proposals(copied)


def test_unclear_step_of_a_proposal_is_an_error(copied: Path) -> None:
    change = copied / PROPOSALS / "handles" / "change.patch"
    text = change.read_text(encoding="utf-8").replace("Let |wanted definition| be null.", "Frobnicate |tool|.")
    change.write_text(text, encoding="utf-8")
    [proposal] = read_proposals(copied)
    with pytest.raises(SpecificationError, match=r"does not understand this step of the proposal: .*executetool 16 "):
        revision_of(proposal.text)


def test_command_prints_the_text_with_an_answer() -> None:
    result = CliRunner().invoke(command, ["proposals", "handles", "--answer", "2b"])
    assert result.exit_code == 0
    assert "  required Tool handle;" in result.stdout
    unknown = CliRunner().invoke(command, ["proposals", "handles", "--answer", "9z"])
    assert unknown.exit_code == 2
    assert 'there is no answer "9z"' in unknown.stderr


def test_effects_are_told_in_words() -> None:
    changed = Trial(come=(ChangedOutcome(Outcome({}, ()), (), ()),), pending=("top: call",))
    programs = {"one": changed, "two": Trial(lost="no meaning"), "three": Trial()}
    words = in_words(Effects(programs, {}, ["new"], 1, {}, {}))
    assert "2 of the 3 programs of this project have other outcomes: `one`, `two`." in words
    assert "`two` has no result: no meaning." in words
    assert "* 1 program can now leave a promise pending: `one`." in words
    assert "* 1 of the 1 program above can leave a promise pending: `new`." in words
