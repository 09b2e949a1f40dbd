"""The command line of ``modelcontext record``, as far as no browser runs; test_recording.py has the browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext_record.record import command


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nowhere.html",), "nowhere.html is neither a URL with http or https nor a file"),
        (("ftp://shop.example/",), "neither a URL with http or https nor a file"),
        (("page.html", "--out", "seen.json"), "give seen.toml"),
        (("page.html", "--shrink"), "give --out FILE"),
        (("page.html", "--product", "firefox"), '"firefox" is none of chromium'),
        (("http://localhost/", "--product", "page"), "records only a page that is a FILE"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: tuple[str, ...], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert problem in result.output
