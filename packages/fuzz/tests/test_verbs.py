"""The verb ``fuzz``: its output and exit codes."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.programs.program.reading import from_data
from modelcontext_fuzz import fuzz_command
from modelcontext_fuzz.campaign import Campaign, CampaignReport
from modelcontext_fuzz.generators import numbered_program

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.usefixtures("takes_long")
def test_campaign_on_the_model_finds_nothing(tmp_path: Path) -> None:
    arguments = ["--product", "model:2026-03", "--examples", "20", "--output", str(tmp_path / "campaign"), "--json"]
    result = CliRunner().invoke(fuzz_command.command, arguments)
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["programs"] == 20
    assert data["findings"] == []

    again = CliRunner().invoke(fuzz_command.command, arguments)
    assert again.exit_code == 2
    assert "already has this campaign; continue with --resume" in again.output

    more = [*arguments[:3], "30", "--resume", str(tmp_path / "campaign"), "--json"]
    assert json.loads(CliRunner().invoke(fuzz_command.command, more).stdout)["programs"] == 30
    assert json.loads(CliRunner().invoke(fuzz_command.command, more).stdout)["programs"] == 30

    other = CliRunner().invoke(fuzz_command.command, [*more, "--seed", "2"])
    assert other.exit_code == 2
    assert "belongs to another campaign (product model:2026-03, seed 1" in other.output


def test_fuzz_verb_prints_a_program_by_its_number() -> None:
    result = CliRunner().invoke(fuzz_command.command, ["--product", "firefox", "--seed", "2", "--program", "3"])
    assert result.exit_code == 0, result.output
    assert from_data(tomllib.loads(result.stdout)) == numbered_program(2, 3, "2026-03")


def test_fuzz_verb_prints_a_program_about_forms() -> None:
    arguments = ["--product", "chromium", "--grammar", "forms", "--seed", "2", "--program", "3"]
    result = CliRunner().invoke(fuzz_command.command, arguments)
    assert result.exit_code == 0, result.output
    assert from_data(tomllib.loads(result.stdout)) == numbered_program(2, 3, grammar="forms")


def test_program_of_the_current_revision_needs_no_product() -> None:
    result = CliRunner().invoke(fuzz_command.command, ["--grammar", "forms", "--program", "3", "--json"])
    assert result.exit_code == 0, result.output
    assert from_data(json.loads(result.stdout)) == numbered_program(1, 3, grammar="forms")


def test_interrupted_campaign_prints_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(campaign: Campaign) -> None:
        campaign.report.programs = 7
        raise KeyboardInterrupt

    monkeypatch.setattr(Campaign, "run", interrupted)
    folder = str(tmp_path / "campaign")
    result = CliRunner().invoke(fuzz_command.command, ["--product", "model:2026-03", "--output", folder, "--json"])
    assert result.exit_code == 130
    assert json.loads(result.stdout)["programs"] == 7
    assert f"interrupted; continue with --resume {folder}" in result.stderr


def test_fuzz_verb_refuses_forms_for_a_revision_without_them() -> None:
    result = CliRunner().invoke(fuzz_command.command, ["--product", "firefox", "--grammar", "forms", "--program", "3"])
    assert result.exit_code == 2
    assert "firefox implements the revision 2026-03, which has no forms" in result.output


def test_fuzz_verb_prints_unjudged_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fuzz_command, "MOST_UNJUDGED", 1)
    unjudged = [{"number": number, "kind": "failed", "why": "no network\nat all"} for number in (4, 7)]
    fuzz_command._print(CampaignReport("chromium", "156", 8, Counter(allowed=6, failed=2), unjudged=unjudged), tmp_path)
    assert capsys.readouterr().out.splitlines()[1:3] == [
        "  failed: program 4: no network",
        f"  failed: 1 more; {tmp_path}/journal.jsonl lists them",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--product", "netscape"], '"netscape" is none of chromium'),
        (["--resume", "."], "there is no campaign in ."),
        (
            ["--binary", "/nowhere/chromium", "--product", "chromium"],
            "/nowhere/chromium, which does not exist",
        ),
        (["--cluster", "tcp://127.0.0.1:9"], "no scheduler of a Dask cluster answers at tcp://127.0.0.1:9"),
    ],
)
def test_fuzz_verb_refuses_wrong_arguments(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(fuzz_command.command, ["--product", "model", "--examples", "1", *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.mark.usefixtures("takes_long")
def test_fuzz_verb_refuses_the_profile_of_another_browser() -> None:
    result = CliRunner().invoke(fuzz_command.command, ["--product", "firefox", "--profile", "chromium_156"])
    assert result.exit_code == 2
    assert "--profile chromium_156 is for chromium, but the product is firefox: leave out --profile." in result.output
