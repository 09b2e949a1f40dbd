"""What the lint would have said of the defects that a git history repaired."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from tools.lab.__main__ import lab

pytestmark = pytest.mark.usefixtures("takes_long")

HEAD = "<pre class=metadata>\nTitle: A\n</pre>\n"
ALGORITHM = "<div algorithm>\nTo <dfn export>{}</dfn>, given |x|:\n\n1. Do |x| and |{}|.\n</div>\n\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository whose history adds defects, repairs one of them, and takes away an algorithm with another."""

    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    for title, algorithms in [
        ("Begin", {"go": "x", "stay": "old"}),
        ("Break", {}),
        ("Add", {"go": "late", "stay": "old", "leave": "gone"}),
        ("Repair", {"go": "x", "stay": "x"}),
    ]:
        content = HEAD + "".join(ALGORITHM.format(*one) for one in algorithms.items()) if algorithms else "no text"
        (tmp_path / "index.bs").write_text(content, encoding="utf-8")
        git("add", ".")
        git("commit", "-qm", title)
    return tmp_path


def test_repairs_are_listed_with_the_first_commit_that_is_warned_of(repository: Path) -> None:
    result = CliRunner().invoke(lab, ["history", str(repository), "--json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    assert data["commits"] == 4
    assert {one["title"] for one in data["repairs"]} == {"Repair"}
    repairs = {one["algorithm"]: one for one in data["repairs"]}
    assert [(name, one["message"].partition(" ")[0]) for name, one in repairs.items()] == [
        ("go", "late"),
        ("stay", "old"),
    ]
    assert len({one["since"] for one in repairs.values()} - {""}) == 2
    table = CliRunner().invoke(lab, ["history", str(repository)]).stdout
    assert table.splitlines()[0] == "| repaired by | rule | what the lint says of the text before | since |"
    assert table.count("Repair | undefined-variable |") == 2


def test_folder_without_history_is_refused_in_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(lab, ["history", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
