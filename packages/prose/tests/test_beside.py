"""`spec beside`: steps of another text that do what ours do; and the table of the published text."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.exit_codes import UNREADABLE
from modelcontext.people.cli.spec import command
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext.spec.specification import load_algorithms
from modelcontext.spec.specification.text.published import published_step, published_steps
from modelcontext_prose.matching import matched
from modelcontext_prose.other_text import read_other_text
from modelcontext_prose.renumbering import Moved, Renumbering
from packages.prose.tests.small_texts import algorithm, compiled

ROOT = Path(__file__).resolve().parents[3]
CONTAINED = "To <dfn>list the containers</dfn>, given a {{Document}} |document|"
ACTIVE = "To <dfn>check a document</dfn>, given a {{Document}} |document|"
OURS = algorithm(
    CONTAINED,
    "Let |navigable| be |document|'s [=node navigable=].",
    "If |navigable| is null, then return null.",
    "Return |navigable|'s [=navigable/top-level traversable=].",
) + algorithm(ACTIVE, "If |document| is [=Document/fully active=], then return true.", "Return false.")


def test_steps_match_in_other_words_and_in_another_algorithm() -> None:
    theirs = algorithm(
        "To <dfn>do everything</dfn>, given a {{Document}} |doc|",
        "If |doc| is [=Document/fully active=], then return null.",
        "Let |nav| be |doc|'s [=node navigable=].",
        "If |nav| is null, return null.",
        "Return |nav|'s [=navigable/top-level traversable=].",
    )
    found = matched(compiled(OURS).program.text, compiled(theirs).program.text)
    assert {place: partner for place, partner in found.items() if place.startswith("list-the-containers")} == {
        "list-the-containers 1": "do-everything 2",
        "list-the-containers 2": "do-everything 3",
        "list-the-containers 3": "do-everything 4",
    }


def test_each_step_of_a_text_is_its_own_partner() -> None:
    text = compiled(OURS).program.text
    assert all(place == partner for place, partner in matched(text, text).items())
    assert len(matched(text, text)) == 5


def test_text_about_something_else_has_no_partners() -> None:
    theirs = algorithm("To <dfn>count</dfn>, given a [=list=] |list|", "Return |list|'s [=list/size=].")
    assert matched(compiled(OURS).program.text, compiled(theirs).program.text) == {}


def test_table_names_steps_of_the_current_text() -> None:
    table = json.loads((ROOT / CURRENT.published).read_text(encoding="utf-8"))["steps"]
    places = {f"{one.id} {step.number}" for one in load_algorithms() for step in one.steps}
    looked_up = tomllib.loads((ROOT / CURRENT.beside).read_text(encoding="utf-8"))
    by_hand = looked_up.keys()
    assert table.keys() | by_hand <= places
    found = [partner for step, partner in table.items() if step not in by_hand]
    assert len(found) == len(set(found)) > 70


def test_pairs_that_a_person_has_looked_up_take_precedence() -> None:
    text = compiled(OURS).program.text
    known = {"list-the-containers 1": "list-the-containers 3", "check-a-document 1": ""}
    found = matched(text, text, known)
    assert found == {
        "list-the-containers 1": "list-the-containers 3",
        "list-the-containers 2": "list-the-containers 2",
        "check-a-document 2": "check-a-document 2",
    }


def test_only_a_step_of_the_current_text_has_one_in_the_published_text() -> None:
    step = "dom-modelcontext-registertool 3"
    assert published_step("current", step) == step
    assert published_step("2026-03", step) is None
    assert published_step("current", "valid-tool-name 4") is None
    assert published_steps("current", [step, "valid-tool-name 4", step]) == [step]
    with REVISIONS.standing_in(CURRENT.name, read_other_text(str(ROOT / CURRENT.text))):
        assert published_step("current", step) is None


@pytest.fixture
def checkout(tmp_path: Path, takes_long: None) -> Path:
    """Make a checkout with the current text only."""
    shutil.copy(ROOT / CURRENT.text, tmp_path / CURRENT.text)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "wpt_tests" / "programs").mkdir(parents=True)
    (tmp_path / CURRENT.package).mkdir(parents=True)
    return tmp_path


def test_table_is_written_and_checked(checkout: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        text = str(ROOT / CURRENT.text)
        result = CliRunner().invoke(command, ["beside", text, "--root", str(checkout), *arguments])
        return result.exit_code, result.output

    code, output = run("--check")
    assert (code, output) == (1, f"{CURRENT.published} is outdated: run `modelcontext spec beside`\n")
    assert not (checkout / CURRENT.published).exists()
    assert run()[0] == 0
    steps = json.loads((checkout / CURRENT.published).read_text(encoding="utf-8"))["steps"]
    assert steps["dom-modelcontext-registertool 3"] == "dom-modelcontext-registertool 3"
    assert run("--check")[0] == 0


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ('"valid-tool-name 9" = {}', "our text has no step valid-tool-name 9: look it up again"),
        ('"valid-tool-name 1" = { a = "1" }', "the published text has no step a 1: look it up again"),
        ('"valid-tool-name 1" = "a 1"', "each key must be a step, with a table of one step"),
        ("[", "each key must be a step, with a table of one step"),
    ],
)
def test_pair_of_a_step_that_is_not_there_is_refused(checkout: Path, pairs: str, message: str) -> None:
    path = checkout / CURRENT.beside
    path.parent.mkdir(parents=True)
    path.write_text(pairs, encoding="utf-8")
    result = CliRunner().invoke(command, ["beside", str(ROOT / CURRENT.text), "--root", str(checkout)])
    assert result.exit_code == UNREADABLE
    assert f"{path}" in result.stderr
    assert message in result.stderr


def test_renumbering_moves_our_step_of_a_pair_and_not_the_published_one() -> None:
    renumbering = Renumbering({("pay", "1"): Moved("pay", "2", "Return.", "Return.")})
    assert renumbering.apply('"pay 1" = { pay = "1" }').content == '"pay 2" = { pay = "1" }'
