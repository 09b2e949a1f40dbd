"""The verbs ``fuzz`` and ``findings``: their output and exit codes."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.ground.checkout import MADE_FINDINGS
from modelcontext.judging.wpt.pytest_items import find_root
from modelcontext.judging.wpt.tree import DOCUMENT_OF_FINDINGS
from modelcontext.people.cli import test as suite
from modelcontext.programs.program.reading import from_data
from modelcontext_fuzz import findings_command, fuzz_command
from modelcontext_fuzz.campaign import Campaign, CampaignReport
from modelcontext_fuzz.document import FOLDER, findings_document
from modelcontext_fuzz.findings import PROGRAM, RECORD, WORDS, FindingsError
from modelcontext_fuzz.generators import numbered_program
from modelcontext_fuzz.reproducer import TEST

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
    assert "--profile chromium_156 is of chromium, and the product is firefox: leave it out." in result.output


def test_findings_document_refuses_findings_that_do_not_hold(tmp_path: Path) -> None:
    source = ROOT / FOLDER / "chromium/callback-first"
    folder = tmp_path / FOLDER / "chromium" / source.name
    shutil.copytree(source, folder)
    data = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    log = data["outcome"]["logs"]["top"]

    data["outcome"] = data["outcomes"][0]
    (folder / RECORD).write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(FindingsError, match="shows an outcome that the specification now allows; remove the folder"):
        findings_document(tmp_path)

    data["outcome"] = {"logs": {"top": log[:-1]}, "pending": []}
    (folder / RECORD).write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(
        FindingsError, match="shows an outcome that the profile chromium_156 does not predict; add a quirk"
    ):
        findings_document(tmp_path)


def test_finding_about_a_script_has_to_name_its_deviations(tmp_path: Path) -> None:
    source = ROOT / FOLDER / "polyfill/no-exposure"
    folder = tmp_path / FOLDER / "polyfill" / source.name
    shutil.copytree(source, folder)
    data = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    assert data["quirks"] == ["no-exposure"]
    for quirks in ([], ["no-such-deviation"]):
        (folder / RECORD).write_text(json.dumps({**data, "quirks": quirks}), encoding="utf-8")
        with pytest.raises(FindingsError, match="no-exposure names no deviation of polyfill_5: give its finding"):
            findings_document(tmp_path)


def test_checkout_keeps_only_what_cannot_be_made() -> None:
    kept = {folder: {file.name for file in folder.iterdir()} for folder in (ROOT / FOLDER).glob("*/*")}
    assert kept
    assert {folder.name: names for folder, names in kept.items() if names != {PROGRAM, RECORD}} == {}


def test_tests_of_findings_are_made_in_a_new_folder(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    result = CliRunner().invoke(findings_command.command, ["--output", str(folder)])
    assert (result.exit_code, result.output) == (0, f"made {folder}\n")
    assert "AUTOGENERATED" in (folder / DOCUMENT_OF_FINDINGS).read_text(encoding="utf-8")
    made = {path.relative_to(folder): {file.name for file in path.iterdir()} for path in folder.glob("*/*")}
    assert made.keys() == {path.relative_to(ROOT / FOLDER) for path in (ROOT / FOLDER).glob("*/*")}
    assert {name: files for name, files in made.items() if files != {PROGRAM, RECORD, WORDS, TEST}} == {}

    again = CliRunner().invoke(findings_command.command, ["--output", str(folder)])
    assert again.exit_code == 2
    assert f"{folder} already has files: name a new folder." in again.output


@pytest.mark.usefixtures("starts_a_browser")
def test_made_test_runs_where_it_stands(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    assert CliRunner().invoke(findings_command.command, ["--output", str(folder)]).exit_code == 0
    result = CliRunner().invoke(suite.command, [str(folder / "chromium/callback-first-2"), "--json"])
    assert result.exit_code == 1, result.output
    [shown] = json.loads(result.stdout)["products"][0]["results"]
    assert [(one["name"], one["status"]) for one in shown["subtests"]] == [
        ("At imperative-execute-steps 7: event toolactivated", "FAIL")
    ]


@pytest.mark.parametrize("other", [["--check"], ["--output", "new"]])
def test_findings_are_added_only_where_the_checkout_may_change(other: list[str]) -> None:
    result = CliRunner().invoke(findings_command.command, ["--add", ".", *other])
    assert result.exit_code == 2
    assert "--add changes a checkout" in result.output


def test_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(findings_command.command, ["--output", str(tmp_path / "file/made")])
    assert result.exit_code == 2
    assert "cannot be written" in result.output


def test_checkout_has_its_tests_made_where_pytest_finds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wpt_tests", "spec"):
        (tmp_path / name).mkdir()
    for name in (
        "index.bs",
        "spec/2026-03",
        "spec/current",
        "spec/profiles",
        "wpt_tests/programs",
        "wpt_tests/programs-2026-03",
    ):
        (tmp_path / name).symlink_to(ROOT / name)
    source = ROOT / FOLDER / "chromium/callback-first"
    shutil.copytree(source, tmp_path / FOLDER / "chromium/callback-first")
    stale = tmp_path / MADE_FINDINGS / "chromium/gone"
    stale.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(findings_command.command, [])
    assert result.exit_code == 0, result.output
    assert [path.name for path in (tmp_path / MADE_FINDINGS / "chromium").iterdir()] == ["callback-first"]
    assert "| [callback-first](wpt_tests/findings/chromium/callback-first/program.toml) |" in (
        tmp_path / "FINDINGS.md"
    ).read_text(encoding="utf-8")
    root = find_root((tmp_path / MADE_FINDINGS / "chromium").resolve())
    assert root is not None
    assert root.folder == tmp_path / MADE_FINDINGS
