"""Errors that users cause: one line on standard error, and an exit code."""

from __future__ import annotations

import pytest

from modelcontext.cli.exit_codes import USAGE, exit_on_problems
from modelcontext.html.patterns import compiled_pattern_regular_expression


def test_pattern_that_is_too_large_ends_a_command_with_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught, exit_on_problems():
        compiled_pattern_regular_expression("(" * 5_000 + ")" * 5_000)
    assert caught.value.code == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("modelcontext: the pattern '((((")
