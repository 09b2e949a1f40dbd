"""``modelcontext properties``: its output and exit codes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from modelcontext.people.cli.properties import command


def properties(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_check_of_a_host_that_breaks_nothing_ends_with_0() -> None:
    result = properties("check", "--client", "agent-host", "--adversary", "redescribes")
    assert result.exit_code == 0
    assert "spaces: 1, complete: 1; runs: " in result.output
    assert "agent-host: runs-what-was-shown: holds in 1, but for 2 traces" in result.output


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
    assert "consequential: call 1: top pay ran, and nobody had approved the call" in result.output


def test_check_of_the_text_with_the_change_of_an_issue_has_no_exceptions() -> None:
    result = properties("check", "--client", "agent-host", "--adversary", "redescribes", "--issue", "73")
    assert result.exit_code == 0
    assert "agent-host: runs-what-was-shown: holds in 1\n" in result.output


def test_issue_without_a_change_that_can_be_run_is_wrong_usage() -> None:
    result = properties("check", "--issue", "16")
    assert result.exit_code == 2
    assert "Issue 16 has no proposed change that can be run; these have: 1, 7, " in result.output


def test_change_of_an_issue_is_not_played_in_a_browser() -> None:
    result = properties("check", "--issue", "73", "--live")
    assert result.exit_code == 2
    assert "--live plays the text as it is: leave out --issue" in result.output


def test_save_without_a_browser_is_wrong_usage() -> None:
    result = properties("check", "--save")
    assert result.exit_code == 2
    assert "--save keeps what a browser shows: give --live" in result.output


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
    assert "by name: 1 traces break it in a way that no client can prevent" in result.output


@pytest.mark.usefixtures("takes_long")
def test_explain_does_not_deny_a_breach_where_spaces_are_cut_off() -> None:
    result = properties("explain", "agent-host", "runs-at-most-once", "--bound", "1")
    assert result.exit_code == 2
    assert "undecided: 40 of 45 spaces were cut off at 1 runs; give a larger --bound" in result.output


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
    cut = "cut off at 1 runs, and undecided: a page and a frame that navigates: top: navigate"
    assert cut in result.output.splitlines()
