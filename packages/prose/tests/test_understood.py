"""`spec read`: how much of each text has a meaning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.spec import command
from packages.prose.tests.small_texts import algorithm, text_of

GIVEN = "given a {{Document}} |document|"
TEXT = algorithm(f"To <dfn>do it</dfn>, {GIVEN}", "Frobnicate |document|.", "Return |document|.") + algorithm(
    f"To <dfn>do more</dfn>, {GIVEN}", "Let |x| be |other|.", "Return |x|."
)
WHOLE = algorithm(f"To <dfn>do it</dfn>, {GIVEN}", "Return |document|.") + algorithm(
    f"To <dfn>do more</dfn>, {GIVEN}", "TODO: write this."
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with two texts that are read, and one that is not."""
    (tmp_path / "b.bs").write_text(text_of(TEXT), encoding="utf-8")
    (tmp_path / "a.bs").write_text(text_of(WHOLE), encoding="utf-8")
    (tmp_path / "c.bs").write_text("No metadata.", encoding="utf-8")
    return tmp_path


def test_steps_with_a_meaning_are_counted_and_a_text_that_is_not_read_is_named(folder: Path) -> None:
    result = CliRunner().invoke(command, ["read", str(folder)])
    assert result.exit_code == 0
    first, second, third = result.output.splitlines()
    assert first == f"{folder / 'a.bs'}: 1 of 2 steps (1 not written yet) have a meaning, 100.0%; 1 of 2 algorithms"
    assert second == f"{folder / 'b.bs'}: 2 of 4 steps have a meaning, 50.0%; 0 of 2 algorithms"
    assert third.startswith(f"{folder / 'c.bs'}: not read: ")


def test_json_has_the_counts(folder: Path) -> None:
    result = CliRunner().invoke(command, ["read", str(folder / "b.bs"), "--json"])
    [found] = json.loads(result.output)["texts"]
    assert (found["steps"], found["with_meaning"], found["share"]) == (4, 2, 0.5)
    assert (found["algorithms"], found["whole_algorithms"], found["problem"]) == (2, 0, None)


def test_no_text_that_can_be_read_is_an_error(folder: Path) -> None:
    result = CliRunner().invoke(command, ["read", str(folder / "c.bs"), str(folder / "missing.bs")])
    assert result.exit_code == 3
    assert [line.partition(": ")[2].partition(": ")[0] for line in result.stdout.splitlines()] == ["not read"] * 2
    assert result.stderr == "modelcontext: none of the texts can be read\n"


def test_steps_of_an_algorithm_are_printed_with_their_numbers_and_problems(folder: Path) -> None:
    result = CliRunner().invoke(command, ["read", str(folder / "b.bs"), "--steps", "Do it"])
    assert result.exit_code == 0
    head, first, problem, second = result.output.splitlines()
    assert (head, first, second) == (
        f"do-it ({folder / 'b.bs'})",
        "  1. Frobnicate document.",
        "  2. Return document.",
    )
    assert "not understood at 'Frobnicate |document|.'" in problem
    data = json.loads(CliRunner().invoke(command, ["read", str(folder / "a.bs"), "--steps", "do-it", "--json"]).output)
    assert data["algorithms"] == [
        {"algorithm": "do-it", "steps": [{"number": "1", "text": "Return document.", "problem": None}]}
    ]


def test_unknown_algorithm_names_the_nearest_one(folder: Path) -> None:
    result = CliRunner().invoke(command, ["read", str(folder / "b.bs"), "--steps", "do-mor"])
    assert result.exit_code == 2
    assert 'has no algorithm "do-mor" (did you mean "do-more"?)' in result.output
