"""``modelcontext spec coverage`` on a small checkout: table, JSON, HTML, problems and exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.people.cli.spec import command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("spec", "wpt_tests/programs-2026-03", "wpt_tests/litmus/register-notify"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "index.bs", tmp_path)
    (tmp_path / "wpt_tests/programs").mkdir()
    shutil.copy(ROOT / "wpt_tests/programs/execution/echo.toml", tmp_path / "wpt_tests/programs")
    return tmp_path


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(command, ["coverage", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_frozen_revision_is_covered_completely(checkout: Path) -> None:
    code, stdout, _ = run("--root", checkout, "--revision", "2026-03", "--check", "--json")
    data = json.loads(stdout)
    assert data["problems"] == []
    assert code == 0
    assert data["totals"]["all"]["steps"] == data["totals"]["all"]["of steps"] > 0
    (step,) = [
        one for one in data["steps"] if (one["algorithm"], one["step"]) == ("dom-modelcontext-registertool", "3")
    ]
    assert step["standing"] == "full"
    assert step["conditions"][0]["code"] == "tool_map.exists(tool_name)"
    assert data["tests"][step["conditions"][0]["yes"]["tests"][0]]["name"] == "documents/initial-about-blank"


def test_unreached_step_and_sunken_floor_are_problems(checkout: Path) -> None:
    code, stdout, _ = run("--root", checkout, "--check")
    assert code == 1
    assert "not reached: dom-modelcontext-gettools 6.2" in stdout
    assert "programs reach 1" in stdout.replace("\n", " ")


@pytest.mark.usefixtures("takes_long")
def test_second_raise_of_the_floors_changes_nothing(checkout: Path) -> None:
    (checkout / "spec/current/coverage.toml").unlink()
    assert "wrote spec/current/coverage.toml" in run("--root", checkout, "--raise")[2]
    written = (checkout / "spec/current/coverage.toml").read_text(encoding="utf-8")
    assert "[litmus]" in written
    assert "wrote" not in run("--root", checkout, "--raise")[2]
    assert (checkout / "spec/current/coverage.toml").read_text(encoding="utf-8") == written


def test_recorded_reach_counts_and_missing_recording_is_an_error(checkout: Path, tmp_path: Path) -> None:
    path = tmp_path / "reached.json"
    path.write_text(json.dumps({"revision": "current", "tests": {"x.html": ["valid-tool-name 2 1 yes"]}}))
    data = json.loads(run("--root", checkout, "--recorded", path, "--json")[1])
    assert data["totals"]["wpt"]["sides"] == 1
    code, _, stderr = run("--root", checkout, "--recorded", tmp_path / "missing.json")
    assert code == 2
    assert "cannot be read" in stderr
