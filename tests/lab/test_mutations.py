"""``python -m tools.lab mutations``: the mutations, the rules for noticing one, and the output."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.judging.wpt.discovery import Test, find_tests
from modelcontext.judging.wpt.runner import TestSession, run_tests, with_session
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import checkout_tree, foreign_tree
from modelcontext.running.products import make_target
from modelcontext.spec.specification import load_algorithms
from tools.lab.__main__ import lab
from tools.lab.mutations.catalogue import SCRIPTS, MutationError, load_mutations, unchanged, whole_script
from tools.lab.mutations.trial import Trial, try_mutations

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result as TestResult

ROOT = Path(__file__).resolve().parents[2]
TESTHARNESS = ROOT / "node_modules/wpt-runner/testharness/testharness.js"

HEAD = """<!DOCTYPE html><meta charset="utf-8"><title>t</title>{metadata}
<link rel="help" href="https://webmachinelearning.github.io/webmcp/#{algorithm}">
<script src="/resources/testharness.js"></script><script src="/resources/testharnessreport.js"></script>
<body><script>
"use strict";
const {{ modelContext }} = document;
const tool = {{ name: "t", description: "d", async execute() {{ return 1; }} }};
{text}
</script>
"""

NAMES = """
promise_test(() => modelContext.registerTool({ ...tool, name: "n".repeat(128) }), "A name can be long");
promise_test((t) => promise_rejects_dom(t, "InvalidStateError", modelContext.registerTool({ ...tool, name: "\\u00e4" })),
             "A name is ASCII");
"""

EVENTS = """
setup({ timeout_multiplier: 0.2 });
promise_test(async () => {
  const changed = new Promise((resolve) => { modelContext.ontoolchange = resolve; });
  await modelContext.registerTool(tool);
  await changed;
}, "A registration is a change");
"""

# A page that compares the surface of the API in two frames.
SURFACE = """
const scripts = SCRIPTS;
function surface_of(target) {
  const properties = (object) => Reflect.ownKeys(object).map((key) => {
    const { configurable, enumerable, writable, value, get, set } = target.Object.getOwnPropertyDescriptor(object, key);
    const shape = (part) => typeof part === "function" ? [part.name, part.length, "prototype" in part] : typeof part;
    return [String(key), configurable, enumerable, writable, shape(value), shape(get), shape(set)];
  });
  return JSON.stringify({
    prototype: properties(target.ModelContext.prototype),
    accessor: properties(target.Document.prototype).filter(([key]) => key === "modelContext"),
    window: Object.getOwnPropertyNames(target).sort(),
    event: properties(target.ToolActivatedEvent.prototype),
  });
}
async function frame_with(t, script) {
  const frame = document.createElement("iframe");
  t.add_cleanup(() => frame.remove());
  document.body.append(frame);
  frame.contentWindow.eval(script);
  return frame;
}
for (const [name, script] of Object.entries(scripts)) {
  promise_test(async (t) => {
    const untouched = surface_of((await frame_with(t, "")).contentWindow);
    const { contentWindow, contentDocument } = await frame_with(t, script);
    assert_equals(surface_of(contentWindow), untouched);
    assert_equals(contentDocument.modelContext, contentDocument.modelContext);
    for (const method of ["registerTool", "getTools", "executeTool"]) {
      const promise = contentWindow.ModelContext.prototype[method].call({}, {});
      assert_true(promise instanceof contentWindow.Promise);
      await promise_rejects_js(t, contentWindow.TypeError, promise);
    }
  }, name);
}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Make a folder like a checkout of web-platform-tests, with testharness.js and without tests."""
    (tmp_path / "resources").mkdir()
    shutil.copy(TESTHARNESS, tmp_path / "resources")
    (tmp_path / "webmcp").mkdir()
    return tmp_path


def write(suite: Path, name: str, text: str, algorithm: str = "valid-tool-name", metadata: str = "") -> None:
    page = HEAD.format(algorithm=algorithm, text=text, metadata=metadata)
    (suite / f"webmcp/{name}.https.html").write_text(page, encoding="utf-8")


def run(*arguments: str | Path) -> Result:
    """Run the verb in this process."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(lab, ["mutations", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def run_json(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    result = run(*arguments, "--json")
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def test_every_algorithm_has_two_mutations_or_more() -> None:
    mutations = load_mutations()
    assert len(mutations) >= 60
    counts = Counter(mutation.algorithm for mutation in mutations)
    entries = tomllib.loads((ROOT / "spec/current/unreachable.toml").read_text(encoding="utf-8"))["unreachable"]
    # What no test reaches, no test can notice. Observations can be noticed by what they must not do.
    whole = {entry["algorithm"] for entry in entries if entry["step"] == "*"} - set(counts)
    assert {algorithm.id for algorithm in load_algorithms() if counts[algorithm.id] < 2} == whole


def test_every_script_is_a_mutation_with_a_summary() -> None:
    mutations = load_mutations()
    scripts = {path.relative_to(SCRIPTS).with_suffix("").as_posix() for path in SCRIPTS.rglob("*.js")}
    assert scripts == {mutation.name for mutation in mutations} | {"prelude", "unchanged"}
    suite = {test.path.rpartition("/")[2] for test in find_tests(ROOT / "wpt_tests", ["webmcp"])}
    assert {mutation.noticed_by for mutation in mutations} <= suite | {None}
    for mutation in mutations:
        assert re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", mutation.name)
        assert re.fullmatch(r".{15,}\.", mutation.summary)
    # No two mutations are the same.
    assert len({(mutation.rule, mutation.algorithm, mutation.summary) for mutation in mutations}) == len(mutations)


def test_mutations_are_selected_by_name() -> None:
    assert [one.name for one in load_mutations(["valid-tool-name/length-below-128"])] == [
        "valid-tool-name/length-below-128"
    ]
    assert {one.algorithm for one in load_mutations(["valid-tool-name/"])} == {"valid-tool-name"}
    with pytest.raises(MutationError, match='there is no mutation "valid-tool-name"'):
        load_mutations(["valid-tool-name"])


@pytest.mark.usefixtures("starts_a_browser")
def test_mutations_keep_the_surface_of_the_api(suite: Path) -> None:
    """Every mutation that is not about Web IDL runs in a frame, and must not change the properties of the API."""
    mutations = [one for one in load_mutations() if one.step is not None]
    scripts = {one.name: one.script for one in mutations} | {"unchanged": unchanged()}
    text = SURFACE.replace("SCRIPTS", json.dumps(scripts).replace("</", "<\\/"))
    # The comparison notices even one property that differs.
    text += SURFACE_CONTROL.replace("SCRIPT", json.dumps(whole_script("prototype.getTools = () => {};", "control")))
    # It takes some seconds, and more on a busy machine.
    write(suite, "surface", text, metadata='<meta name="timeout" content="long">')
    with TestServer(foreign_tree(suite)) as server:
        [result] = run_tests(find_tests(suite, ["webmcp"]), server, make_target("chromium"))
    assert [(one.name, one.message) for one in result.subtests if one.status != "PASS"] == []
    assert len(result.subtests) == len(scripts) + 1


SURFACE_CONTROL = """
promise_test(async (t) => {
  const untouched = surface_of((await frame_with(t, "")).contentWindow);
  assert_not_equals(surface_of((await frame_with(t, SCRIPT)).contentWindow), untouched);
}, "a method that is replaced carelessly");
"""


@pytest.mark.usefixtures("starts_a_browser")
def test_wrapped_api_has_the_same_results() -> None:
    # Without frames, because Chromium sometimes never answers the first use of a frame's API before its load event.
    sample = (
        "register-tool-names",
        "register-tool-strings",
        "get-tools",
        "event-constructors",
        "input-schema-errors",
    )
    tests = find_tests(ROOT / "wpt_tests", [f"webmcp/imperative/{name}.https.html" for name in sample])
    with TestServer(checkout_tree(ROOT)) as server:
        target = make_target("chromium")
        plain = run_tests(tests, server, target)
        wrapped = run_tests([replace(test, scripts=(unchanged(),)) for test in tests], server, target)
    assert [result.statuses() for result in wrapped] == [result.statuses() for result in plain]


@pytest.mark.usefixtures("starts_a_browser")
def test_suite_notices_mutations_of_names() -> None:
    names = load_mutations(["valid-tool-name/"])
    code, data = run_json("webmcp/imperative/register-tool-names.https.html", "--mutation", "valid-tool-name/")
    assert code == 0
    assert data["survivors"] == []
    assert [one["name"] for one in data["mutations"]] == [one.name for one in names]
    assert all(one["subtests"] and one["files"] == 1 for one in data["mutations"])


@pytest.mark.usefixtures("starts_a_browser")
def test_report_names_noticed_and_surviving_mutations(suite: Path) -> None:
    write(suite, "names", NAMES)
    chosen = [f"valid-tool-name/{name}" for name in ("length-below-128", "any-letter", "no-full-stop")]
    arguments = ["--wpt", str(suite), *(part for name in chosen for part in ("--mutation", name))]
    code, data = run_json(*arguments)
    assert code == 1
    assert data["survivors"] == ["valid-tool-name/no-full-stop"]
    by_name = {one["name"]: one for one in data["mutations"]}
    assert [one["subtest"] for one in by_name["valid-tool-name/length-below-128"]["subtests"]] == ["A name can be long"]
    assert [one["subtest"] for one in by_name["valid-tool-name/any-letter"]["subtests"]] == ["A name is ASCII"]
    result = run(*arguments)
    assert result.exit_code == 1
    assert 'names.https.html: "A name is ASCII"' in result.stdout
    assert "3 mutations, 2 noticed by 2 subtests in 1 file, 1 survived" in result.stdout
    assert "SURVIVED valid-tool-name/no-full-stop (step 3.1)" in result.stdout


@pytest.mark.usefixtures("starts_a_browser")
def test_files_about_the_broken_algorithm_run_first(suite: Path) -> None:
    write(suite, "a", NAMES, "dom-modelcontext-gettools")
    write(suite, "b", NAMES)
    chosen = ["--wpt", str(suite), "--mutation", "valid-tool-name/length-below-128"]
    code, data = run_json(*chosen)
    assert code == 0
    [mutation] = data["mutations"]
    assert [one["test"] for one in mutation["subtests"]] == ["/webmcp/b.https.html"]
    assert (mutation["files"], mutation["failed"]) == (1, 1)
    _, data = run_json(*chosen, "--every-file")
    [mutation] = data["mutations"]
    assert {one["test"] for one in mutation["subtests"]} == {"/webmcp/a.https.html", "/webmcp/b.https.html"}
    assert (mutation["files"], mutation["failed"]) == (2, 2)
    assert "breaks more than one rule? 2 of 2 files notice it" in run(*chosen, "--every-file").stdout


@pytest.mark.usefixtures("starts_a_browser")
def test_timeout_because_of_the_mutation_counts(suite: Path) -> None:
    write(suite, "events", EVENTS, "notify-documents-of-a-tool-change")
    code, data = run_json("--wpt", suite, "--mutation", "notify-documents-of-a-tool-change/not-at-the-owner")
    assert code == 0
    assert [one["status"] for one in data["mutations"][0]["subtests"]] == ["TIMEOUT"]


@pytest.mark.usefixtures("starts_a_browser")
def test_subtest_that_notices_only_once_does_not_count(suite: Path) -> None:
    write(suite, "names", NAMES)
    # The runs are: without a mutation, with a script that changes nothing, and three with the mutation.
    [trial] = try_with(suite, "valid-tool-name/length-below-128", [3, 4], lambda test: replace(test, scripts=()))
    assert trial.catches == []
    assert [catch.subtest for catch in trial.unconfirmed] == ["A name can be long"]
    [trial] = try_with(suite, "valid-tool-name/length-below-128", [3], lambda test: replace(test, scripts=()))
    assert [catch.subtest for catch in trial.catches] == ["A name can be long"]


@pytest.mark.usefixtures("starts_a_browser")
def test_timeout_without_the_mutation_does_not_count(suite: Path) -> None:
    write(suite, "events", EVENTS, "notify-documents-of-a-tool-change")
    [mutation] = load_mutations(["notify-documents-of-a-tool-change/not-at-the-owner"])
    # The fifth run checks that the machine is not slow.
    [trial] = try_with(suite, mutation.name, [4], lambda test: replace(test, scripts=(mutation.script,)))
    assert trial.catches == []
    assert [catch.status for catch in trial.unconfirmed] == ["TIMEOUT"]


def try_with(suite: Path, name: str, runs: Sequence[int], change: Callable[[Test], Test]) -> list[Trial]:
    """Try a mutation, with tests that are changed in some runs (by their numbers, from 0)."""
    numbers = itertools.count()
    tests = find_tests(suite, ["webmcp"])
    with TestServer(foreign_tree(suite)) as server:

        async def work(session: TestSession) -> list[Trial]:
            async def run(test: Test) -> TestResult:
                return await session.run(change(test) if next(numbers) in runs else test, server)

            return await try_mutations(load_mutations([name]), tests, {}, {}, run, workers=1)

        return with_session(make_target("chromium"), work)


@pytest.mark.usefixtures("starts_a_browser")
def test_subtest_that_notices_the_wrapping_does_not_count(suite: Path) -> None:
    text = """
test(() => assert_true(Function.prototype.toString.call(modelContext.registerTool).includes("[native code]")),
     "The method is native");
"""
    write(suite, "native", text)
    code, data = run_json("--wpt", suite, "--mutation", "valid-tool-name/length-below-128")
    assert code == 1
    assert data["survivors"] == ["valid-tool-name/length-below-128"]


@pytest.mark.usefixtures("starts_a_browser")
def test_unexpected_results_without_a_mutation_end_the_trials(suite: Path) -> None:
    write(suite, "fails", 'test(() => assert_true(false), "Fails");')
    result = run("--wpt", suite, "--mutation", "valid-tool-name/length-below-128")
    assert result.exit_code == 2
    assert 'UNEXPECTED /webmcp/fails.https.html: "Fails": FAIL, expected PASS' in result.stderr
    assert "modelcontext: without any mutation there are unexpected results" in result.stderr
    assert result.stdout == ""


@pytest.mark.usefixtures("starts_a_browser")
def test_wrong_usage_of_mutations_is_refused() -> None:
    for arguments, words in (
        (["--mutation", "absent"], 'there is no mutation "absent"'),
        (["nowhere.html"], "nowhere.html: there is no such file or folder"),
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert words in result.stderr
        assert "Traceback" not in result.stderr
