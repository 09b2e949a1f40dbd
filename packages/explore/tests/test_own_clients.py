"""Clients and adversaries in files of Python, checked by ``modelcontext properties``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.checking import check_space
from modelcontext.people.cli import properties
from modelcontext_explore.own_clients import read_adversary, read_client
from packages.explore.tests.scenarios import PAGE

#: The naive page script of the catalogue.
NAIVE = '''
"""A naive page script."""

STANDPOINT = "page"


async def turn(client):
    tools = await client.tools_of_the_page()
    client.make_known(tools)
    call = await client.call_of_the_model(tools)
    if call is not None:
        client.answer(call, await client.execution(call, call.tool))
'''


def block(start: str) -> str:
    """Return a block of code of the page."""
    found = re.search(rf"```python\n({re.escape(start)}.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def written(folder: Path, text: str) -> Path:
    path = folder / "own.py"
    path.write_text(text)
    return path


def check(*arguments: str) -> Result:
    return CliRunner().invoke(properties.command, ["check", *arguments])


def test_client_in_a_file_has_the_space_of_the_same_client_of_the_catalogue(tmp_path: Path) -> None:
    own, known = read_client(written(tmp_path, NAIVE)), CLIENTS["naive-page-script"]
    for name in ("quiet", "redescribes", "swap-after-approval"):
        mine, theirs = (check_space(client, adversaries()[name]) for client in (own, known))
        assert (mine.complete, mine.traces, mine.findings) == (True, theirs.traces, theirs.findings)


def test_client_of_the_page_is_checked(tmp_path: Path) -> None:
    path = str(written(tmp_path, block('"""A client that refuses')))
    result = check("--client", path, "--adversary", "redescribes", "--property", "a-refused-call-never-runs")
    assert result.exit_code == 0, result.output
    assert f"{path}: a-refused-call-never-runs: " in result.output


def test_adversary_of_the_page_is_checked(tmp_path: Path) -> None:
    path = written(tmp_path, block('"""A page that registers'))
    assert read_adversary(path).says == "A page that registers its tool again with another description, twice."
    result = check("--client", "naive-page-script", "--adversary", str(path), "--property", "runs-what-was-shown")
    assert result.exit_code == 1, result.output
    assert "the model meant first, but third ran, with another description" in result.output


def test_client_keeps_no_state_from_one_run_to_the_next(tmp_path: Path) -> None:
    counting = NAIVE.replace("async def turn(client):", "seen = []\n\n\nasync def turn(client):\n    seen.append(1)")
    own = read_client(written(tmp_path, f"{counting}    assert len(seen) < 3\n"))
    assert check_space(own, adversaries()["two-tools"]).complete


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a client needs a function: async def turn(client)"),
        ("def turn(client): pass", "a client needs a function: async def turn(client)"),
        ("async def turn(client): pass", "STANDPOINT is None, and must be one of page, frames, devtools, browser"),
        ("x = 1 / 0", "line 1 raised ZeroDivisionError"),
        ("async def turn(", "SyntaxError"),
        (NAIVE.replace("client.make_known", "client.make"), "line 9 raised AttributeError"),
        (NAIVE.replace("call.tool))", "1))"), "it raised AttributeError"),
    ],
)
def test_file_without_a_client_is_an_error_in_one_line(text: str, words: str, tmp_path: Path) -> None:
    result = check("--client", str(written(tmp_path, text)), "--adversary", "quiet")
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "an adversary needs the steps of its documents"),
        ("SCRIPTS = {'top': 1}", "an adversary needs the steps of its documents"),
        ("SCRIPTS = {'top': [{}]}", "script.top[0]"),
        ("SCRIPTS = {}\nDOCUMENTS = 1", "DOCUMENTS must be a table"),
        ("import nothing_", "nothing_"),
    ],
)
def test_file_without_an_adversary_is_an_error_in_one_line(text: str, words: str, tmp_path: Path) -> None:
    result = check("--adversary", str(written(tmp_path, text)), "--client", "persona")
    assert result.exit_code == 2
    assert words in result.output


def test_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = check("--client", str(tmp_path / "nothing.py"))
    assert result.exit_code == 2
    assert "nothing.py" in result.output
