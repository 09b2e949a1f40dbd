"""The committed page of the vocabulary is that of the phrasebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

import tools.vocabulary
from tools.vocabulary import PAGE, command

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_committed_page_is_up_to_date() -> None:
    assert CliRunner().invoke(command, ["--check"]).exit_code == 0


def test_changed_page_is_found_and_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.vocabulary, "project_root", lambda: tmp_path)
    page = tmp_path / PAGE
    page.parent.mkdir()
    page.write_text("another page\n", encoding="utf-8")
    checked = CliRunner().invoke(command, ["--check"])
    assert (checked.exit_code, checked.stderr) == (
        1,
        "docs/vocabulary.md is out of date; run `python -m tools.vocabulary`\n",
    )
    assert CliRunner().invoke(command).exit_code == 0
    assert page.read_bytes() == (ROOT / PAGE).read_bytes()
