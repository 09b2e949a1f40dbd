"""``modelcontext spec lint``: the command of speclint under its name here."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from modelcontext.people.cli.spec import command

ROOT = Path(__file__).resolve().parents[2]


def test_own_text_has_no_findings() -> None:
    result = CliRunner().invoke(command, ["lint", str(ROOT / "index.bs")])
    assert (result.exit_code, result.stdout) == (0, "")


def test_bad_text_is_refused_under_the_name_of_this_program(tmp_path: Path) -> None:
    path = tmp_path / "bad.bs"
    path.write_text("Hello.\n", encoding="utf-8")
    result = CliRunner().invoke(command, ["lint", str(path)], prog_name="modelcontext")
    assert result.exit_code == 3
    assert result.stderr.startswith(f"modelcontext: {path}: this is not Bikeshed source")


def test_help_lists_it_and_its_examples_name_this_program() -> None:
    assert "\n  lint " in CliRunner().invoke(command, ["--help"]).stdout
    assert (
        "\n  modelcontext lint index.bs\n"
        in CliRunner().invoke(command, ["lint", "--help"], prog_name="modelcontext").stdout
    )
