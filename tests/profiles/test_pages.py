"""The committed pages about profiles are those of the quirks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

import tools.profiles
from modelcontext.judging.profiles import load_profile
from tools.profiles import command, page

if TYPE_CHECKING:
    import pytest


def test_committed_pages_are_up_to_date() -> None:
    assert CliRunner().invoke(command, ["--check"]).exit_code == 0


def test_changed_page_is_found_and_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.profiles, "project_root", lambda: tmp_path)
    (tmp_path / "docs").mkdir()
    checked = CliRunner().invoke(command, ["--check"])
    assert (checked.exit_code, checked.stderr) == (
        1,
        "docs/browsers/chromium.md is out of date; run `python -m tools.profiles`\n",
    )
    assert CliRunner().invoke(command).exit_code == 0
    assert CliRunner().invoke(command, ["--check"]).exit_code == 0


def test_page_has_the_first_build_that_shows_a_quirk() -> None:
    profile = load_profile("chromium_156")
    shown = page(profile, {profile.quirks[0].name: "152.0.7977.0"})
    assert shown.count("The [first build](builds.md) that shows it: 152.0.7977.0") == 1


def test_page_has_the_whole_words_of_a_step_that_the_patch_abbreviates() -> None:
    shown = page(load_profile("firefox_153"), {}).splitlines()
    whole = 'serializing a JavaScript value to a JSON string given tool["inputSchema"]. Rethrow any exception.'
    assert f"* <del>7.1. Let serialized be the result of {whole}</del>" in shown
    assert "* <ins>7.2. If that threw an exception, then throw a TypeError.</ins>" in shown
