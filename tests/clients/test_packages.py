"""Counterexamples in a real browser, through the command line: with a real package, with a script, and with neither."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import playwright
import pytest
from click.testing import CliRunner

from modelcontext.people.cli.properties import command

if TYPE_CHECKING:
    from click.testing import Result

pytestmark = pytest.mark.usefixtures("starts_a_browser")

#: Playwright for Python brings the package that has Playwright's server.
DRIVER = Path(playwright.__file__).parent / "driver" / "package"


def played(client: str, adversary: str, property_: str, *arguments: str) -> Result:
    chosen = ["--client", client, "--adversary", adversary, "--property", property_]
    return CliRunner().invoke(command, ["check", "--live", *chosen, *arguments])


def test_missing_package_is_notrun_with_what_to_install(tmp_path: Path) -> None:
    result = played(
        "chrome-devtools-mcp",
        "consequential",
        "asks-before-a-consequential-tool-runs",
        *("--packages", str(tmp_path)),
    )
    assert result.exit_code == 2
    assert "chrome-devtools-mcp is NOTRUN" in result.output
    assert "npm install --prefix FOLDER chrome-devtools-mcp@1.11.0" in result.output


def test_real_package_runs_a_tool_that_it_has_not_shown_and_is_named_with_its_version(tmp_path: Path) -> None:
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules/playwright").symlink_to(DRIVER)
    result = played("playwright-mcp", "redescribes", "runs-what-was-shown", "--packages", str(tmp_path), "--json")
    assert result.exit_code == 1
    [run] = json.loads(result.output)["counterexamples"]
    assert (run["listed"], run["ran"], run["is_shown"]) == (True, "top pay 2", True)
    installed = json.loads((DRIVER / "package.json").read_text(encoding="utf-8"))["version"]
    assert run["package"] == f"playwright@{installed}"
    assert installed.startswith(version("playwright").rpartition(".")[0])


def test_script_in_the_place_of_a_client_shows_its_counterexample_in_chromium() -> None:
    result = played("naive-page-script", "redescribes", "runs-what-was-shown", "--repeat", "1")
    assert result.exit_code == 1
    assert "naive-page-script: runs-what-was-shown (redescribes): seen in 1 of 1 run, first in run 1" in result.output
    assert re.search(r"^seen with chromium [0-9.]+: 1 of 1 counterexample$", result.output, re.MULTILINE)
