"""``modelcontext agent check``, on pages in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.people.forms.page_report import Code
from modelcontext.running.serving.http import Server
from modelcontext_agent.checking.tool_finding import RULES
from modelcontext_agent.cli.agent import command

ROOT = Path(__file__).resolve().parents[4]
DOCS = (ROOT / "docs/agent-check.md").read_text(encoding="utf-8")

CLEAN = """<!DOCTYPE html>
<title>Clean</title>
<form toolname="book" tooldescription="Books a table."><label>Day <input name="day" type="date"></label>
<button>Go</button></form>
<script>
document.modelContext.registerTool({
  name: "get_menu", description: "Returns the menu.", annotations: { readOnlyHint: true }, execute: async () => fetch("menu"),
});
</script>
"""
LIES = """<!DOCTYPE html>
<title>Lies</title>
<input id="box">
<script>
const note = (name, execute) => document.modelContext.registerTool({
  name, description: `Reads ${name}.`, annotations: { readOnlyHint: true }, execute,
});
note("sends", async () => fetch("log", { method: "POST" }).then(() => 1, () => 1));
note("beacons", async () => navigator.sendBeacon("log"));
note("fills", async () => { box.value = "x"; });
note("stores", async () => { localStorage.setItem("a", "b"); });
note("throws", async () => { throw new TypeError("no"); });
note("hangs", () => new Promise(() => {}));
document.modelContext.registerTool({ name: "long", description: "a".repeat(300000), execute: async () => 1 });
note("no name", async () => 1).catch(() => {});
note("reads", async () => fetch("lies.html").then((answer) => answer.status));
</script>
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "clean.html").write_text(CLEAN, encoding="utf-8")
    (folder / "lies.html").write_text(LIES, encoding="utf-8")
    with Server(folders={"/": folder}) as server:
        yield f"http://a.localhost:{server.port}"


def check(*arguments: str) -> Result:
    result = CliRunner().invoke(command, ["check", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


@pytest.fixture(scope="module")
def example(starts_a_browser: None) -> dict[str, Any]:
    result = check(str(ROOT / "docs/examples/check/shop.html"), "--run", "--json")
    assert result.exit_code == 1, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    return data


def test_rules_are_those_of_the_documentation() -> None:
    assert re.findall(r"^\| `([a-z-]+)` \|", DOCS, re.MULTILINE) == list(RULES)


def test_example_breaks_what_its_page_says(example: dict[str, Any]) -> None:
    found = {(one["tool"], one["rule"]) for one in example["findings"] if one["level"] != "note"}
    assert found == {
        ("delete-order", "decoy"),
        ("delete-order", "destructive-autosubmit"),
        ("find_teas", "failed-registration"),
        ("get_price", "instructing-words"),
        ("get_price", "undescribed-parameter"),
        ("get_price", "read-only-changes"),
    }


def test_findings_of_a_file_have_its_lines(example: dict[str, Any]) -> None:
    (decoy,) = [one for one in example["findings"] if one["rule"] == "decoy"]
    assert decoy["line"] == 8
    assert decoy["source"].endswith("shop.html")


@pytest.mark.usefixtures("starts_a_browser")
def test_documentation_shows_the_report_and_sarif_has_every_finding(
    example: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    match = re.search(r"```console\n\$ modelcontext agent check (docs/\S+ --run)\n(.*?)```", DOCS, re.DOTALL)
    assert match is not None
    assert check(*match[1].split()).stdout.splitlines() == match[2].splitlines()
    (run,) = json.loads(check(*match[1].split(), "--sarif").stdout)["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == rules == {one["rule"] for one in example["findings"]}
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"docs/examples/check/shop.html"}
    assert {"startLine": 8} in [place.get("region") for place in places]


@pytest.mark.usefixtures("starts_a_browser")
def test_clean_page_has_exit_code_0(url: str) -> None:
    result = check(f"{url}/clean.html", "--run", "--format", "mcp")
    assert (result.exit_code, result.stdout) == (0, "1 page, 2 tools: 0 errors, 0 warnings, 0 notes\n")


@pytest.mark.usefixtures("starts_a_browser")
def test_tool_that_says_it_reads_and_changes_something_is_told(url: str) -> None:
    result = check(f"{url}/lies.html", "--run", "--call-limit", "1", "--json")
    findings = json.loads(result.stdout)["findings"]
    found = {(one["tool"], one["rule"], one["message"]) for one in findings}
    changes = {tool: message for tool, rule, message in found if rule == "read-only-changes"}
    assert changes == {
        "sends": changes["sends"],
        "beacons": changes["beacons"],
        "fills": "it changed the value of a form control",
        "stores": "it changed localStorage",
    }
    assert changes["sends"].startswith("the page sent POST http")
    failed = {tool: message for tool, rule, message in found if rule == "failed-run"}
    assert failed.keys() == {"throws", "hangs"}
    assert "TypeError: no (http" in failed["throws"]
    advice = {one["tool"]: one["advice"] for one in findings if one["rule"] == "failed-registration"}
    assert advice == {"no name": "give it a name of 1 to 128 ASCII letters, digits, _, - and ."}


@pytest.mark.usefixtures("starts_a_browser")
def test_read_only_tools_run_only_if_asked(url: str) -> None:
    found = {one["rule"] for one in json.loads(check(f"{url}/lies.html", "--json").stdout)["findings"]}
    assert "read-only-changes" not in found
    assert "left-out-tool" in found


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("http://a.localhost:9/", "cannot be opened"),
        ("nowhere.html", "cannot be read: No such file or directory"),
        ("ftp://a.test/", "ftp://a.test/ cannot be opened: give a URL with http or https, or the path of a file"),
    ],
)
def test_page_that_is_not_available_is_one_clear_error(source: str, message: str) -> None:
    result = check(source)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_codes_of_forms_are_no_rules_about_tools() -> None:
    assert not {code.value for code in Code} & set(RULES)
