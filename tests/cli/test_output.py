"""Progress of long work, where standard error is no terminal."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING

from modelcontext.people.cli import output

if TYPE_CHECKING:
    import pytest


def test_log_of_long_work_has_a_line_each_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = count(0, 25)
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    with output.one_bar("exploring", 1_200) as advance:
        for _ in range(6):
            advance(200)
    assert capsys.readouterr().err == "exploring: 600 of 1,200\nexploring: 1,200 of 1,200\n"


def test_log_of_short_work_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    with output.one_bar("exploring", None) as advance:
        advance(5)
    assert capsys.readouterr() == ("", "")
