"""The real packages of clients are NOTRUN where they are missing."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from modelcontext.cli.properties import command


def test_missing_package_is_notrun_with_what_to_install(tmp_path: Path) -> None:
    arguments = ["check", "--live", "--packages", str(tmp_path), "--client", "chrome-devtools-mcp"]
    arguments += ["--adversary", "consequential", "--property", "asks-before-a-consequential-tool-runs"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert "chrome-devtools-mcp is NOTRUN" in result.output
    assert "npm install --prefix FOLDER chrome-devtools-mcp@1.11.0" in result.output
