"""The command line of ``modelcontext record``, as far as no browser runs; test_recording.py has the browser."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext_record.record import command, fragment


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


def test_fragment_for_the_playground_has_the_program_and_the_schedule() -> None:
    packed, schedule = fragment("title = 'ü'", [0, 1]).removeprefix("#program=").split("&schedule=")
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS)
    assert (text.decode(), schedule) == ("title = 'ü'", "0,1")
