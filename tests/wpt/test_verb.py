"""``modelcontext test``: its output, its exit codes, and interrupts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from lxml import etree

from modelcontext.people.cli.test import command
from modelcontext.running.products import make_target

pytestmark = pytest.mark.usefixtures("starts_a_browser", "takes_long")

SCHEMA = json.loads((Path(__file__).parent / "wptreport.schema.json").read_text(encoding="utf-8"))


def run(*arguments: str | Path, **environment: str) -> Result:
    """Run the verb in this process."""
    runner = CliRunner(env={"COLUMNS": "200", **environment})
    result = runner.invoke(command, [*map(str, arguments)], prog_name="modelcontext test")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def assert_is_clear(result: Result, code: int, words: str) -> None:
    assert result.exit_code == code
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_expected_results_exit_with_0(foreign: Path) -> None:
    result = run("nasty/01-passes.https.html", "--wpt", foreign)
    assert result.exit_code == 0, result.stderr
    assert "/nasty/01-passes.https.html  OK         1/1" in result.stdout
    assert result.stdout.endswith("1 file, 1 subtest: 1 PASS; 0 known deviations, 0 unexpected\n")


def test_findings_of_repeated_runs_are_listed_once(foreign: Path) -> None:
    tests = ["nasty/01-passes.https.html", "nasty/07-subtests.html"]
    result = run(*tests, "--wpt", foreign, "--repeat", "2", "--json")
    assert result.exit_code == 1, result.stderr
    (data,) = json.loads(result.stdout)["products"]
    assert data["product"] == "chromium"
    assert [one["test"] for one in data["results"]] == [f"/{test}" for test in tests] * 2
    # Both rounds were the same, so each finding is there once, and none is about a difference.
    assert [(one["subtest"], one["finding"]) for one in data["findings"]] == [
        (None, "TIMEOUT, expected OK"),
        ("fails", "FAIL, expected PASS: no \N{REPLACEMENT CHARACTER} luck"),
        ("is optional", "PRECONDITION_FAILED, expected PASS: it is optional"),
        ("times out", "TIMEOUT, expected PASS: Test timed out"),
    ]


def test_shard_runs_its_tests_only(foreign: Path) -> None:
    tests = ["nasty/01-passes.https.html", "nasty/11-isolated.html", "nasty/12-isolated.html"]
    result = run(*tests, "--wpt", foreign, "--shard", "2/3", "--json")
    (data,) = json.loads(result.stdout)["products"]
    assert [one["test"] for one in data["results"]] == ["/nasty/11-isolated.html"]


def test_expectations_can_be_given(foreign: Path, tmp_path: Path) -> None:
    expectations = tmp_path / "known.toml"
    expectations.write_text(
        '[[test]]\ntest = "/nasty/06-harness-error.html"\nstatus = "ERROR"\nreason = "test"\n'
        'step = "dom-document-modelcontext 1"\nnote = "on purpose"\nlink = "https://bugs.example/1"\n',
        encoding="utf-8",
    )
    result = run("nasty/06-harness-error.html", "--wpt", foreign, "--expectations", expectations)
    assert result.exit_code == 0, result.stdout
    assert "1 known deviation, 0 unexpected" in result.stdout


def test_wrong_usage_is_refused(foreign: Path) -> None:
    assert_is_clear(run("nasty/absent.html", "--wpt", foreign), 2, "nasty/absent.html: there is no such file")
    assert_is_clear(run("nasty/support", "--wpt", foreign), 2, "nasty/support: there is no test")
    assert_is_clear(run("--wpt", foreign / "absent"), 2, "does not exist")
    assert_is_clear(run("--shard", "4/3"), 2, '"4/3" is not a part')
    assert_is_clear(run("--product", "netscape"), 2, "netscape")


def test_folder_without_testharness_is_refused(foreign: Path, tmp_path: Path) -> None:
    result = run("nasty/01-passes.https.html", "--wpt", tmp_path)
    assert_is_clear(result, 2, f"{tmp_path} has no resources/testharness.js\n  what to do: name the top folder")
    assert_is_clear(run("--wpt", foreign / "nasty"), 2, f"what to do: name {foreign} instead")


PAGE = """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script src="own.js"></script>
<script>test(() => assert_true("modelContext" in document && own), "It is there");</script>
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Make a folder with a test and its script, outside of every checkout."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "page.https.html").write_text(PAGE, encoding="utf-8")
    (folder / "own.js").write_text("const own = true;", encoding="utf-8")
    return folder


def test_test_outside_of_the_suite_runs_where_it_stands(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(own / "page.https.html")
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "/page.https.html  OK         1/1" in result.stdout
    monkeypatch.chdir(own.parent)
    assert "/own/page.https.html  OK         1/1" in run("own").stdout


def test_tests_of_two_trees_are_refused(own: Path) -> None:
    result = run(own / "page.https.html", "webmcp/imperative/get-tools.https.html")
    assert_is_clear(result, 2, "run the tests of each folder with a separate command")


def test_known_deviations_of_a_named_file_are_listed() -> None:
    name = "webmcp/imperative/execute-tool-results.https.html"
    result = run(name, "--json")
    assert result.exit_code == 0, result.stderr
    [product] = json.loads(result.stdout)["products"]
    listed = {one["subtest"] for one in product["known"]}
    assert listed == {one["name"] for one in product["results"][0]["subtests"] if one["status"] == "FAIL"}
    assert listed
    assert f"known FAIL /{name}: " in run(name).stdout


def test_missing_browser_is_not_run(foreign: Path) -> None:
    result = run("nasty/01-passes.https.html", "--wpt", foreign, "--json", MODELCONTEXT_CHROMIUM="/no/chromium")
    assert_is_clear(result, 2, "what to do: run `modelcontext setup chromium`")
    (data,) = json.loads(result.stdout)["products"]
    assert [one["status"] for one in data["results"]] == ["NOTRUN"]


def test_result_files_are_written(foreign: Path, tmp_path: Path) -> None:
    tests = ["nasty/01-passes.https.html", "nasty/07-subtests.html"]
    files = {"--wptreport": tmp_path / "new/wptreport.json", "--junit": tmp_path / "new/junit.xml"}
    files["--html"] = tmp_path / "new/report.html"
    result = run(*tests, "--wpt", foreign, *(part for pair in files.items() for part in pair))
    assert result.exit_code == 1, result.stderr
    report = json.loads(files["--wptreport"].read_text(encoding="utf-8"))
    assert list(Draft202012Validator(SCHEMA).iter_errors(report)) == []
    assert report["run_info"]["product"] == "chromium"
    assert [(one["test"], one["status"]) for one in report["results"]] == [
        ("/nasty/01-passes.https.html", "OK"),
        ("/nasty/07-subtests.html", "TIMEOUT"),
    ]
    assert {one["name"]: one.get("expected") for one in report["results"][1]["subtests"]}["fails"] == "PASS"
    cases = {case.get("name"): case for case in etree.parse(files["--junit"]).iter("testcase")}
    assert cases["fails"].find("failure") is not None
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["junit.xml", "report.html", "wptreport.json"]
    page: Any = lxml.html.document_fromstring(files["--html"].read_text(encoding="utf-8"))
    article = page.get_element_by_id("/nasty/07-subtests.html")
    assert article.xpath(".//img/@src")[0].startswith("data:image/jpeg;base64,")
    assert article.xpath("div[contains(h5, 'fails')]/dl/dd/text()")[0].startswith("no ")


def test_unwritable_file_is_refused_before_a_test_runs(foreign: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("nasty/01-passes.https.html", "--wpt", foreign, "--junit", tmp_path / "file/junit.xml")
    assert_is_clear(result, 2, "junit.xml cannot be written: ")
    assert result.stdout == ""


def test_wptreport_of_two_products_is_refused(foreign: Path, tmp_path: Path) -> None:
    products = ["--product", "chromium", "--product", "polyfill"]
    result = run("--wpt", foreign, *products, "--wptreport", tmp_path / "wptreport.json")
    assert_is_clear(result, 2, "A wptreport.json describes one product")


def test_help_shows_an_example() -> None:
    assert "modelcontext test " in run("--help").stdout.split("Example:")[1]


# The command itself, which prints a line at each finished test.
INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from modelcontext.people.cli import test
from modelcontext.judging.wpt import suite
run_tests = suite.run_tests
def say(*args, finished, **others):
    def and_say(result):
        finished(result)
        print("a test", flush=True)
    return run_tests(*args, finished=and_say, **others)
suite.run_tests = say
test.command(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("product", "number", "whole_group"),
    [
        ("chromium", signal.SIGINT, False),
        ("chromium", signal.SIGINT, True),
        ("chromium", signal.SIGTERM, False),
        ("chromium", signal.SIGTERM, True),
        ("firefox", signal.SIGINT, False),
        ("firefox", signal.SIGINT, True),
        ("firefox", signal.SIGTERM, False),
        ("firefox", signal.SIGTERM, True),
    ],
)
def test_interrupted_run_leaves_no_process(
    foreign: Path, tmp_path: Path, number: int, whole_group: bool, product: str
) -> None:
    mark = f"interrupted-{tmp_path}"
    tests = ["nasty/01-passes.https.html", "nasty/03-loops.html"]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *tests, "--wpt", str(foreign), "--product", product],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark},
        start_new_session=True,
    )
    assert process.stdout is not None
    if process.stdout.readline() == "":
        # Every other cause would also fail the same test in Chromium.
        assert (product, process.wait()) == ("firefox", 2)
        pytest.skip("NOTRUN: there is no Firefox")
    # The other test, an endless loop, is running. A terminal's Ctrl-C also goes to Playwright's driver.
    if whole_group:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    found = "the command shows the results so far, and writes them to the files that you named"
    assert errors.strip() == f"modelcontext: interrupted; NOTRUN: 1 of 2 files on {product}; {found}"
    assert marked(mark) == {}


def test_killed_run_leaves_no_browser(foreign: Path, tmp_path: Path) -> None:
    mark = f"killed-{tmp_path}"
    tests = ["nasty/01-passes.https.html", "nasty/03-loops.html"]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *tests, "--wpt", str(foreign)],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "a test\n"
    assert len(marked(mark)) > 1
    process.kill()
    process.communicate(timeout=60)
    # The processes have no parent that ends them; they end because their pipes close.
    deadline = time.monotonic() + 60
    while marked(mark):
        assert time.monotonic() < deadline, marked(mark)


# All browsers except Chromium are driven in this way.
BY_PLAYWRIGHT = """
from modelcontext.judging.wpt import browsers, runner
runner.make_pools = lambda target: [browsers.PlaywrightPool(target, target.find_binary())]
"""


@pytest.mark.parametrize(("prelude", "what"), [("", "--remote-debugging-pipe"), (BY_PLAYWRIGHT, "run-driver")])
def test_run_survives_a_killed_browser_or_driver(foreign: Path, tmp_path: Path, prelude: str, what: str) -> None:
    mark = f"survived-{tmp_path}"
    tests = ["nasty/01-passes.https.html", "nasty/02-crashes.https.html", "nasty/20-after.html"]
    process = subprocess.Popen(
        [sys.executable, "-c", prelude + INTERRUPTIBLE, *tests, "--wpt", str(foreign), "--workers", "1", "--json"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "a test\n"
    killed = [number for number, command in marked(mark).items() if what in command and "--type=" not in command]
    assert killed != []
    for number in killed:
        os.kill(number, signal.SIGKILL)
    output, errors = process.communicate(timeout=120)
    assert errors == ""
    results = json.loads(output[output.index("{") :])["products"][0]["results"]
    assert [result["status"] for result in results] == ["OK", "CRASH", "OK"]
    assert process.returncode == 1
    assert marked(mark) == {}


def test_tests_are_not_run_when_the_browser_does_not_start_again(foreign: Path, tmp_path: Path) -> None:
    chromium = shutil.which(str(make_target("chromium").find_binary()))
    binary = tmp_path / "once"
    # The first start only finds out whether the browser has the API.
    starts = f'for start in first second; do mkdir "$0.$start" 2>&- && exec {chromium} "$@"; done'
    binary.write_text(f"#!/bin/sh\n{starts}\nexit 1\n")
    binary.chmod(0o755)
    tests = ["nasty/01-passes.https.html", "nasty/02-crashes.https.html", "nasty/20-after.html"]
    result = run(*tests, "--wpt", foreign, "--workers", "1", "--json", "--binary", binary)
    results = json.loads(result.stdout)["products"][0]["results"]
    assert [result["status"] for result in results] == ["OK", "CRASH", "NOTRUN"]
    assert f"{binary} does not start" in results[2]["message"]
    assert result.exit_code == 1


def marked(mark: str) -> dict[int, str]:
    """Return the command lines, by process, of the descendants of a process with that mark in its environment."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found[int(process.name)] = (process / "cmdline").read_text()
        except OSError:
            continue
    return found
