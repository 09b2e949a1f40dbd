"""The changelog has dated versions, sections by reader, and well-formed fragments for the next version."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
READERS = {one["directory"]: one["name"] for one in PROJECT["tool"]["towncrier"]["type"]}
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
LONGEST = 240


def problems(name: str, text: str) -> list[str]:
    """Return what is wrong with a fragment."""
    found = []
    if not re.fullmatch(rf"[a-z0-9-]+\.(?:{'|'.join(READERS)})\.md", name):
        found.append(f"{name} is not NAME.READER.md; READER is one of {', '.join(READERS)}")
    if text.count("\n") != 1 or not text.endswith(".\n"):
        found.append(f"{name} is to have one line, which ends with a full stop")
    if text[:1] in "*-# " or len(text) > LONGEST:
        found.append(f"{name} is to have a sentence of at most {LONGEST} characters, without a bullet")
    return found


def fragments() -> dict[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "changes").iterdir())
        if path.name not in PROJECT["tool"]["towncrier"]["ignore"]
    }


def test_fragments_are_well_formed() -> None:
    assert [problem for name, text in fragments().items() for problem in problems(name, text)] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.readers.md", "A line.\n"),
        ("a.md", "A line.\n"),
        ("a.vendors.txt", "A line.\n"),
        ("a.vendors.md", "A line\n"),
        ("a.vendors.md", "One line.\nAnother line.\n"),
        ("a.vendors.md", "* A line.\n"),
        ("a.vendors.md", f"{'A' * LONGEST}.\n"),
    ],
)
def test_malformed_fragment_is_found(name: str, text: str) -> None:
    assert problems(name, text) != []


@pytest.mark.usefixtures("takes_long")
def test_next_section_has_each_fragment_under_its_reader() -> None:
    command = [sys.executable, "-m", "towncrier", "build", "--draft", "--version", "9.0.0", "--date", "2030-01-01"]
    drawn = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert drawn.startswith("## 9.0.0 (2030-01-01)\n")
    for name, text in fragments().items():
        section = drawn.partition(f"### {READERS[name.split('.')[1]]}\n")[2].partition("\n### ")[0]
        assert f"\n* {text}" in section


def test_versions_are_dated_and_begin_with_that_of_the_package() -> None:
    versions = re.findall(r"^## (.*)$", CHANGELOG, re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)", version) for version in versions)
    assert versions[0].startswith(f"{PROJECT['project']['version']} ")
    assert set(re.findall(r"^### (.*)$", CHANGELOG, re.MULTILINE)) == set(READERS.values())
