"""Product ``polyfill``: an npm package, or another script, in a Chromium without WebMCP of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.expectations import find_strays
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.suite import known_results
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.programs.program.reading import from_data
from modelcontext.running.products import Ending, make_product, make_target, polyfill

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = {
    "title": "A tool is registered and called",
    "script": {
        "top": [
            {"do": "registerTool", "tool": {"name": "t", "description": "d"}, "callback": {"resolves": 1}},
            {"do": "getTools"},
        ]
    },
}


@pytest.mark.usefixtures("starts_a_browser")
def test_polyfill_runs_programs() -> None:
    installed = json.loads((ROOT / "node_modules" / polyfill.PACKAGE / "package.json").read_text(encoding="utf-8"))[
        "version"
    ]
    with make_product("polyfill") as product:
        assert product.name == "polyfill"
        assert product.version.startswith(f"{installed} on Chromium ")
        observation = product.run(from_data(PROGRAM))
    assert observation.ending is Ending.OUTCOME


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize("place", ["parent", "opener"])
def test_document_that_takes_over_a_window_has_the_polyfill(place: str) -> None:
    script = [
        {"do": "same", "values": [{"$modelContext": "other"}, {"$modelContext": "other"}]},
        {"do": "log", "value": {"$modelContext": "other"}},
        {"do": "registerTool", "tool": {"name": "t", "description": "d"}},
    ]
    program = from_data({"title": "x", "documents": {"other": {place: "top"}}, "script": {"other": script}})
    with make_product("polyfill") as product:
        observation = product.run(program)
    assert observation.ending is Ending.OUTCOME, observation.detail
    assert observation.outcome is not None
    (log,) = observation.outcome.logs.values()
    assert [{key: value for key, value in entry.items() if key != "in"} for entry in log] == [
        {"step": "same", "value": True},
        {"log": {"$platform": "ModelContext"}},
        {"promise": "registerTool", "fulfilled": {"$js": "undefined"}},
    ]


def test_every_expectation_names_a_program_or_a_test() -> None:
    of_programs = load_expectations(ROOT / "wpt_tests/expectations/polyfill.toml", vocabulary("polyfill", "current"))
    assert of_programs
    assert set(of_programs) <= {case.name for case in read_corpus(ROOT / "wpt_tests/programs")}
    of_tests = known_results(ROOT / "wpt_tests/expectations/wpt-polyfill.toml", make_target("polyfill"))
    assert of_tests
    assert find_strays({test.path for test in find_tests(ROOT / "wpt_tests", ["webmcp"])}, of_tests) == []


@pytest.mark.usefixtures("starts_a_browser")
def test_injected_script_replaces_the_package(tmp_path: Path) -> None:
    script = tmp_path / "empty.js"
    script.write_text("", encoding="utf-8")
    versions: list[str] = []
    tests = find_tests(ROOT / "wpt_tests", ["webmcp/imperative/accessor.https.html"])
    with TestServer(checkout_tree(ROOT)) as server:
        target = make_target("polyfill", inject=[script])
        (result,) = run_tests(tests, server, target, started=versions.append)
    assert versions[0].startswith("empty.js on Chromium ")
    # The page has neither the npm package nor Chromium's own API.
    assert result.subtests
    assert {subtest.status for subtest in result.subtests} == {"FAIL"}


def test_missing_package_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wpt_tests/programs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError, match="node_modules/@mcp-b/webmcp-polyfill is missing") as caught:
        make_product("polyfill").launch()
    assert caught.value.remedy == f"run `npm ci --ignore-scripts` in {tmp_path}"
