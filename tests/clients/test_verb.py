"""``modelcontext properties``: its output and exit codes."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.people.cli import properties as module
from modelcontext.people.cli.properties import command

if TYPE_CHECKING:
    from collections.abc import Iterator


def properties(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_check_of_a_host_that_breaks_nothing_ends_with_0() -> None:
    result = properties("check", "--client", "agent-host", "--adversary", "redescribes")
    assert result.exit_code == 0
    assert "spaces: 1, complete: 1; runs: " in result.output
    assert "agent-host: runs-what-was-shown: holds in 1, except for 2 traces" in result.output


def test_check_says_where_a_property_is_broken() -> None:
    arguments = (
        "--client",
        "kilo",
        "--property",
        "asks-before-a-consequential-tool-runs",
        "--adversary",
        "consequential",
    )
    result = properties("check", *arguments)
    assert result.exit_code == 1
    assert "consequential: call 1: top pay ran, and no person had approved the call" in result.output


def test_check_of_the_text_with_the_change_of_an_issue_has_no_exceptions() -> None:
    result = properties("check", "--client", "agent-host", "--adversary", "redescribes", "--issue", "73")
    assert result.exit_code == 0
    assert "agent-host: runs-what-was-shown: holds in 1\n" in result.output


def test_issue_without_a_change_that_can_be_run_is_wrong_usage() -> None:
    result = properties("check", "--issue", "16")
    assert result.exit_code == 2
    assert "Issue 16 has no proposed change that runs; these Issues have one: 1, 4, 6, 7, " in result.output


def test_change_of_an_issue_is_not_played_in_a_browser() -> None:
    result = properties("check", "--issue", "73", "--live")
    assert result.exit_code == 2
    assert "--live uses the text without changes: leave out --issue" in result.output


def test_save_without_a_browser_is_wrong_usage() -> None:
    result = properties("check", "--save")
    assert result.exit_code == 2
    assert "--save stores the results of a browser: give --live" in result.output


def test_check_says_undecided_where_the_bound_is_hit() -> None:
    result = properties("check", "--client", "agent-host", "--adversary", "redescribes", "--bound", "2", "--json")
    [space] = json.loads(result.output)["spaces"]
    assert not space["complete"]
    assert result.exit_code == 2
    text = properties("check", "--client", "agent-host", "--adversary", "redescribes", "--bound", "2").output
    assert "agent-host: runs-what-was-shown: undecided: 1 cut off" in text


def test_check_counts_the_traces_that_no_client_can_help() -> None:
    arguments = ("--client", "agent-host", "--adversary", "redescribes", "--property", "runs-what-was-shown")
    result = properties("check", *arguments)
    assert result.exit_code == 0
    assert "by name: 1 trace breaks it in a way that no client can exclude" in result.output


@pytest.mark.usefixtures("takes_long")
def test_explain_does_not_deny_a_breach_where_spaces_are_cut_off() -> None:
    result = properties("explain", "agent-host", "runs-at-most-once", "--bound", "1")
    assert result.exit_code == 2
    assert "undecided: 40 of 45 spaces reached the limit of 1 run; give a larger --bound" in result.output


def test_explain_tells_the_run_and_gives_the_program() -> None:
    result = properties("explain", "naive-page-script", "runs-what-was-shown")
    assert result.exit_code == 1
    assert "▶ top: unregisters the tool of “top pay”" in result.output
    assert "[[script.client]]" in result.output


def test_unknown_adversary_is_wrong_usage() -> None:
    result = properties("check", "--adversary", "nobody")
    assert result.exit_code == 2
    assert 'there is no adversary "nobody"' in result.output


def test_liveness_names_the_programs_that_are_cut_off() -> None:
    result = properties("liveness", "--actions", "1", "--bound", "1")
    assert result.exit_code == 2
    cut = "undecided, because the search reached 1 run: a page and a frame that navigates: top: navigate"
    assert cut in result.output.splitlines()


def interrupt_after(count: int, function: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a function of the verb yield some results, and then be interrupted."""
    whole = getattr(module, function)

    def cut(*args: Any, **others: Any) -> Iterator[Any]:
        yield from islice(whole(*args, **others), count)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, function, cut)


def test_interrupted_check_tells_the_spaces_that_it_has_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after(1, "check_all", monkeypatch)
    arguments = ("check", "--client", "agent-host", "--adversary", "redescribes", "--adversary", "consequential")
    result = properties(*arguments)
    assert result.exit_code == 130
    assert "spaces: 1, complete: 1; runs: " in result.stdout
    assert result.stderr.endswith("modelcontext: interrupted; it had explored 1 of 2 spaces\n")
    assert json.loads(properties(*arguments, "--json").stdout)["interrupted"]


def test_interrupted_check_plays_nothing_in_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after(0, "check_all", monkeypatch)
    result = properties("check", "--client", "kilo", "--adversary", "redescribes", "--live")
    assert result.exit_code == 130
    assert result.stdout == "spaces: 0, complete: 0; runs: 0\n"
    assert result.stderr.endswith("modelcontext: interrupted; it had explored 0 of 1 space\n")


def test_interrupted_liveness_tells_what_it_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after(2, "liveness_verdicts", monkeypatch)
    result = properties("liveness", "--actions", "1")
    assert result.exit_code == 130
    assert result.stdout.startswith("2 programs, 0 of them cut off; ")
    assert "modelcontext: interrupted; it had explored 2 of " in result.stderr


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(range(256)), "cannot be read: it is not UTF-8"),
        (b"{}", "the file has been changed after it was written"),
    ],
)
def test_report_refuses_a_broken_file_before_it_explores(
    content: bytes, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt_after(0, "check_all", monkeypatch)
    (tmp_path / "index.bs").write_bytes(b"")
    (tmp_path / "docs/agents").mkdir(parents=True)
    (tmp_path / "docs/agents/live.json").write_bytes(content)
    result = properties("report", "--root", str(tmp_path))
    assert result.exit_code == 2
    assert words in result.stderr
