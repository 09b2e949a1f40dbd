"""The weights of the fragments of generated programs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.spec.revisions.registry import CURRENT, FILES
from tools.lab import weights
from tools.lab.__main__ import lab

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.usefixtures("takes_long")
def test_fragments_are_weighed_by_the_programs_of_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for files in FILES.values():
        (tmp_path / files.programs).mkdir(parents=True)
        shutil.copy(min((ROOT / files.programs).glob("registration/*.toml")), tmp_path / files.programs)
        (tmp_path / files.weights).parent.mkdir(parents=True)
        (tmp_path / files.weights).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(weights, "SAMPLES", 5)
    check = CliRunner().invoke(lab, ["weights", "--check"])
    assert check.exit_code == 1
    assert "weights.json is not what the programs give now; run `python -m tools.lab weights`" in check.output
    assert CliRunner().invoke(lab, ["weights"]).exit_code == 0
    assert '"registrations": ' in (tmp_path / CURRENT.weights).read_text(encoding="utf-8")
    assert CliRunner().invoke(lab, ["weights", "--check"]).exit_code == 0
