"""Damaged texts: the lint answers each with a clear line."""

from __future__ import annotations

import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tools.lab import damage_texts
from tools.lab.__main__ import lab
from tools.lab.damage_texts import DAMAGES, DamagedText, damaged, problem_with

SAMPLE = Path(__file__).resolve().parents[2] / "packages/speclint/tests/styles/markdown.bs"
CONTENTS = {SAMPLE.name: SAMPLE.read_bytes()}


@pytest.mark.parametrize("number", range(len(DAMAGES)), ids=lambda number: DAMAGES[number].__name__)
def test_lint_answers_a_text_with_each_damage(number: int, tmp_path: Path) -> None:
    text = damaged(number, CONTENTS)
    assert text == damaged(number, CONTENTS)
    assert text.content != CONTENTS[SAMPLE.name]
    assert problem_with(text, tmp_path)[0] == ""


def test_block_with_ten_thousand_dfns_is_read(tmp_path: Path) -> None:
    content = CONTENTS[SAMPLE.name] + b"\n\n" + b"<dfn>a</dfn>" * 10_000
    assert problem_with(DamagedText(1, SAMPLE.name, "repeat_marks", content), tmp_path)[0] == ""


def _fail(path: Path) -> None:
    raise IndexError(path)


def _hang(path: Path) -> None:
    while True:
        time.process_time()


def _be_silent(path: Path) -> None:
    click.echo("a text", err=True)


def _be_long(path: Path) -> None:
    click.echo(f"{path}: {'x' * 1_000}", err=True)


def _refuse(path: Path) -> None:
    raise click.UsageError(str(path))


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (_fail, "IndexError in test_damaged_texts.py"),
        (_hang, "no answer after 0.05 seconds of processor time"),
        (_be_silent, "no line that names the text"),
        (_be_long, "a line of 1,0"),
        (_refuse, "exit code 2"),
    ],
)
def test_answer_that_is_not_clear_is_named(
    answer: object, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(answer)
    command = click.Command("lint", callback=answer, params=[click.Argument(["path"], type=click.Path(path_type=Path))])
    monkeypatch.setattr(damage_texts, "command", command)
    monkeypatch.setattr(damage_texts, "MOST_SECONDS", 0.05)
    assert problem_with(DamagedText(1, "a.bs", "cut_end", b"a"), tmp_path)[0].startswith(problem)


def test_command_counts_the_texts(tmp_path: Path) -> None:
    (tmp_path / "a.bs").write_bytes(CONTENTS[SAMPLE.name])
    result = CliRunner().invoke(lab, ["damage", str(tmp_path / "a.bs"), "--count", "2", "--first", "3"])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("2 damaged texts, 0 without a clear answer; ")
