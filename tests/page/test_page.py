"""The page host in a headless Chromium: its visibility to pages, and faults of the host itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.conformance.expectations import vocabulary
from modelcontext.judging.litmus.expectations import known_deviations
from modelcontext.judging.litmus.language import CATALOGUE, Litmus, read_catalogue
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.suite import known_results, run_suite
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.people.cli.page import command
from modelcontext.programs.program.reading import from_data
from modelcontext.running.products import Ending, Product, make_product, make_target

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "in_page"


@pytest.fixture(scope="module")
def results(starts_a_browser: None) -> Mapping[str, Result]:
    """Return the result of each file in ``in_page``."""
    target = make_target("page")
    tree = checkout_tree(ROOT)
    tests = find_tests(FOLDER, ["."])
    with TestServer(Tree(FOLDER, tree.files, tree.folders).with_folders(target.folders())) as server:
        return {result.test: result for result in run_tests(tests, server, target)}


@pytest.mark.parametrize("name", ["synchronous", "untouched", "tasks", "elsewhere", "forms"])
def test_in_page_tests_pass(results: Mapping[str, Result], name: str) -> None:
    result = results[f"/{name}.https.html"]
    assert result.status is FileStatus.OK, result.message
    assert [f"{subtest.name}: {subtest.message}" for subtest in result.subtests if subtest.status != "PASS"] == []
    assert len(result.subtests) >= 3


def test_exception_of_python_is_an_error_of_the_run(results: Mapping[str, Result]) -> None:
    result = results["/fault.https.html"]
    assert result.status is FileStatus.ERROR
    assert result.message is not None
    assert "the product itself failed" in result.message
    assert "KeyError" in result.message


@pytest.mark.usefixtures("starts_a_browser")
def test_program_runs_in_documents_of_two_origins() -> None:
    program = from_data(
        {
            "title": "A frame of another origin calls a tool of its parent",
            "documents": {"child": {"parent": "top", "origin": "B", "allow": "tools"}},
            "script": {
                "top": [
                    {
                        "do": "registerTool",
                        "tool": {"name": "t", "description": "d"},
                        "options": {"exposedTo": ["{B}"]},
                        "callback": {"resolves": {"a": 1}},
                    },
                    {"do": "tell", "to": "child", "message": "registered"},
                ],
                "child": [
                    {"do": "waitFor", "message": "registered"},
                    {
                        "do": "executeTool",
                        "tool": {"name": "t", "description": "d", "window": {"$window": "top"}, "origin": "{A}"},
                    },
                ],
            },
        }
    )
    with make_product("page") as product:
        observation = product.run(program)
    assert observation.ending is Ending.OUTCOME, observation.detail
    assert observation.outcome is not None
    logs = [entry for log in observation.outcome.logs.values() for entry in log]
    assert {"in": "child", "promise": "executeTool", "fulfilled": '{"a":1}'} in logs


@pytest.fixture(scope="module")
def page(starts_a_browser: None) -> Iterator[Product]:
    with make_product("page") as product:
        yield product


@pytest.mark.parametrize(
    "test",
    [test for test in read_catalogue(ROOT / CATALOGUE) if test.program.leaves],
    ids=lambda test: test.name,
)
def test_outcomes_of_pages_in_the_back_forward_cache_are_promoted_ones(page: Product, test: Litmus) -> None:
    outcomes = [page.run(test.program).outcome for _ in range(3)]
    known = known_deviations(ROOT / "wpt_tests/expectations/litmus-page.toml", vocabulary("page", "current"))
    explained = {
        outcome.canonical
        for outcome in outcomes
        if outcome and any(deviation.explains(outcome) for deviation in known.get(test.name, ()))
    }
    allowed = {one.canonical for one in test.promoted() or ()}
    # A page that may be cached cannot wait for the end of a task: a message can come when the page has been shown again.
    hidden_then_aborted = (
        '{"in":"top","abort":"t","reason":{"$error":"AbortError"}},{"in":"top","pageTransition":"pageshow"}'
    )
    shown_first = '{"in":"top","pageTransition":"pageshow"},{"in":"top","abort":"t","reason":{"$error":"AbortError"}}'
    late = {one.replace(hidden_then_aborted, shown_first) for one in allowed}
    assert {outcome and outcome.canonical for outcome in outcomes} <= allowed | late | explained


def test_program_runs_after_one_that_uses_the_back_forward_cache(page: Product) -> None:
    leaving = read_catalogue(ROOT / CATALOGUE, ["back-forward-cache/list-in-flight"])[0].program
    staying = from_data({"title": "t", "script": {"top": [{"do": "getTools"}]}})
    for _ in range(2):
        assert [page.run(program).ending for program in (leaving, staying)] == [Ending.OUTCOME] * 2


@pytest.mark.usefixtures("starts_a_browser")
def test_frames_of_the_revision_2026_03_give_the_known_results() -> None:
    target = make_target("page-2026-03")
    tests = find_tests(ROOT / "wpt_tests", ["webmcp-2026-03/imperative/frames.https.html"])
    known = known_results(ROOT / "wpt_tests/expectations/wpt-page-2026-03.toml", make_target("page-2026-03"))
    run = run_suite(tests, checkout_tree(ROOT, "2026-03"), target, known=known)
    assert [str(finding) for finding in run.findings] == []
    assert {test for test, _ in known} == {result.test for result in run.results}


def test_missing_pyodide_is_an_unavailable_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wpt_tests/programs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError, match="node_modules/pyodide is missing") as caught:
        make_product("page").launch()
    assert caught.value.remedy == f"run `npm ci --ignore-scripts` in {tmp_path}"


@pytest.mark.usefixtures("starts_a_browser")
def test_page_build_writes_a_reproducible_folder(tmp_path: Path) -> None:
    out = tmp_path / "site"
    built = CliRunner().invoke(command, ["build", str(out), "--json"])
    assert built.exit_code == 0, built.output
    files = json.loads(built.output)["files"]
    assert {"bootstrap.html", "init.js", "modelcontext.zip", "pyodide/pyodide.asm.wasm"} <= set(files)
    archive = (out / "modelcontext.zip").read_bytes()
    assert CliRunner().invoke(command, ["build", str(out)]).exit_code == 0
    assert (out / "modelcontext.zip").read_bytes() == archive


def test_page_build_into_an_unwritable_folder_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(command, ["build", str(tmp_path / "file" / "site")])
    assert result.exit_code == 2
    assert "cannot be written" in result.output
