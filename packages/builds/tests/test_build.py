"""Builds in the cache, and the text of each one's time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.ground.problems import UnavailableError
from modelcontext.people.cli import run
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext_builds.build import PROGRAM, RECORD, VARIABLE, Build, folder_of, installed, numbers, text_of_inputs
from modelcontext_builds.lightpanda import Lightpanda
from modelcontext_builds.products import makers

NEWER = Build("chromium:153", "153.0.8010.0", "document", ("getTools", "registerTool"), takes_text=True)
OLDER = Build("chromium:149", "149.0.7827.0", "navigator", ("registerTool",), takes_text=False)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path


def save(build: Build) -> None:
    folder = folder_of(build.name)
    folder.mkdir()
    build.save(folder)


def test_builds_of_the_cache_come_in_the_order_of_their_versions(cache: Path) -> None:
    save(NEWER)
    save(OLDER)
    assert installed() == [OLDER, NEWER]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 1}', '{"members": []}'])
def test_damaged_record_is_no_build(cache: Path, text: str) -> None:
    save(OLDER)
    save(NEWER)
    (folder_of(NEWER.name) / RECORD).write_text(text, encoding="utf-8")
    assert installed() == [OLDER]


def test_cache_without_builds_has_none(cache: Path) -> None:
    assert installed() == []
    assert list(makers()) == ["lightpanda"]


def test_accessor_decides_the_revision() -> None:
    assert (OLDER.revision, NEWER.revision) == ("2026-03", "current")


def test_products_of_builds_run_the_programs_in_the_cache(cache: Path) -> None:
    save(NEWER)
    product = makers()[NEWER.name]
    target = product.target  # type: ignore[attr-defined]
    assert (target.name, target.revision, target.binary) == (
        "chromium:153",
        "current",
        str(cache / "chromium-153" / PROGRAM),
    )


def test_versions_are_sorted_by_number() -> None:
    assert numbers("99.0.1") < numbers("147.0.7727.0")


def test_text_of_inputs_says_what_builds_with_text_do() -> None:
    text = text_of_inputs()
    assert not list(text.unclear())
    with NEWER.text():
        interfaces = REVISIONS["current"].definitions.interfaces
        arguments = interfaces["ModelContext"].operations["executeTool"].arguments
        assert [str(one.type.name) for one in arguments][1] == "DOMString"
    own = REVISIONS["current"].definitions.interfaces["ModelContext"].operations["executeTool"].arguments
    assert [str(one.type.name) for one in own][1] == "object"


def test_build_that_is_not_installed_is_told_how(cache: Path) -> None:
    result = CliRunner().invoke(run.command, ["results/undefined", "--product", "chromium:151"])
    assert result.exit_code == 2
    assert "`modelcontext setup chromium --version 151` installs a build" in result.output


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize(
    ("complaint", "told"),
    [
        (
            "libc.so.6: version `GLIBC_2.99' not found (required by browser)",
            "this machine lacks a library that the browser needs: version `GLIBC_2.99' not found",
        ),
        ("Segmentation fault", "does not start"),
    ],
)
def test_build_that_does_not_start_is_one_clear_line_and_stops_no_other_product(
    complaint: str, told: str, cache: Path
) -> None:
    save(NEWER)
    program = folder_of(NEWER.name) / PROGRAM
    program.write_text(f'#!/bin/sh\necho "{complaint}" >&2\nexit 1\n'.replace("`", "\\`"), encoding="utf-8")
    program.chmod(0o755)
    result = CliRunner().invoke(run.command, ["names/length", "--product", "chromium:153", "--product", "model"])
    assert result.exit_code == 2
    assert "model" in result.stdout
    assert "allowed" in result.stdout
    [line] = [line for line in result.stderr.splitlines() if line.startswith("modelcontext: ")]
    assert line.startswith("modelcontext: chromium:153 is NOTRUN: ")
    assert told in line
    assert "run `modelcontext setup chromium --version N` again" in result.stderr


def test_machine_without_lightpanda_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(UnavailableError, match=r"there is no lightpanda on this machine \(pip install lightpanda\)"):
        Lightpanda().launch()


def test_lightpanda_is_found_beside_the_interpreter_that_is_not_in_path(
    takes_long: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    program = tmp_path / "lightpanda"
    program.write_text("#!/bin/sh\necho it is old >&2\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(UnavailableError, match="it is old"):
        Lightpanda().launch()
