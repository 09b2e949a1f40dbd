"""The steps of docs/agent.md from a page of one's own to a check in CI: the page shows the files, and each step works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from modelcontext_agent.cli.agent import command
from packages.agent.tests.cli.test_serve import serving

ROOT = Path(__file__).resolve().parents[4]
FOLDER = ROOT / "docs/examples/recipes"
PAGE = str(FOLDER / "index.html")
TEXT = (ROOT / "docs/agent.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the blocks of code of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def test_documentation_shows_the_files() -> None:
    assert (FOLDER / "answers.toml").read_text(encoding="utf-8") in blocks("toml")
    first = json.loads((FOLDER / "evals.json").read_text(encoding="utf-8"))[:1]
    assert first in [json.loads(block) for block in blocks("json")]


def test_documentation_names_files_that_there_are() -> None:
    for name in re.findall(r"docs/examples/recipes/[\w.]+", TEXT):
        assert (ROOT / name).is_file()


@pytest.mark.usefixtures("starts_a_browser")
def test_tools_check_and_evaluations_take_the_file_of_the_page() -> None:
    tools = CliRunner().invoke(command, ["tools", PAGE])
    assert [tool["name"] for tool in json.loads(tools.stdout)] == ["delete_recipe", "list_recipes"]
    check = CliRunner().invoke(command, ["check", PAGE, "--run"])
    assert (check.exit_code, check.stdout) == (0, "1 page, 2 tools: 0 errors, 0 warnings, 0 notes\n")
    evaluations = [str(FOLDER / "evals.json"), "--page", PAGE, "--model", "expected"]
    assert CliRunner().invoke(command, ["eval", *evaluations, "--approve"]).exit_code == 0


@pytest.mark.usefixtures("starts_a_browser")
def test_script_lists_and_calls_the_tools_over_mcp() -> None:
    page = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    [(script, output)] = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert re.sub(r"localhost:\d+", "localhost:41235", ran.stdout) == output, ran.stderr


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
def test_chat_asks_for_approval_and_deletes_the_recipe(tmp_path: Path) -> None:
    script = FOLDER / "answers.toml"
    assert len(tomllib.loads(script.read_text(encoding="utf-8"))["answers"]) == 3
    options = ("--page", PAGE, "--model", f"scripted:{script}", "--database", f"sqlite:///{tmp_path / 'chats.db'}")
    with (
        serving(*options) as (_, address, token),
        httpx2.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, trust_env=False) as http,
    ):
        path = f"/chats/{http.post('/chats', json={'message': 'Delete the pancakes.'}).json()['id']}"
        with http.sse(f"{path}/events") as events:
            announced: Any = next(event for event in events if event.event == "approval_required").json()
            [asked] = announced["tool_calls"]
            assert asked["tool_name"] == "delete_recipe"
        decision = {"tool_call_id": asked["tool_call_id"], "decision": "approve"}
        assert http.post(f"{path}/approvals", json=decision).status_code == 204
        with http.sse(f"{path}/events") as events:
            assert any(event.event == "done" for event in events)
        calls = [call for item in http.get(path).json()["transcript"] for call in item.get("tool_calls", ())]
    assert [(call["tool_name"], call["result"]["output"]) for call in calls] == [
        ("list_recipes", ["Pancakes"]),
        ("delete_recipe", "deleted Pancakes"),
    ]


def test_page_that_is_neither_a_file_nor_a_url_is_told_in_one_line() -> None:
    result = CliRunner().invoke(command, ["tools", "nowhere.html"])
    assert result.exit_code == 2
    assert "nowhere.html cannot be read: No such file or directory" in result.stderr
    assert "give the path of a file, or a URL with http or https" in result.stderr
