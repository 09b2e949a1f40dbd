"""``pytest --webmcp-product``: collecting files, selecting them with ``-k``, and reporting their results."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from modelcontext.hosts.scripting import process
from modelcontext.running.products import TESTED

ROOT = Path(__file__).resolve().parents[2]
NASTY = Path(__file__).parent / "nasty"

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("starts_a_browser", "takes_long")

PAGE = """<!doctype html>
<title>A page</title>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script>
%s
</script>
"""
TWO = (
    PAGE
    % """
test(() => {}, "The early abort is seen");
test(() => {}, "The late signal is seen");
"""
)


@pytest.fixture
def checkout(pytester: pytest.Pytester, foreign: Path) -> Path:
    """Make a checkout of web-platform-tests with some tests; pytest runs in the folder above it."""
    root = pytester.path / "checkout"
    shutil.copytree(foreign / "resources", root / "resources")
    (root / "api").mkdir()
    write(root / "api/abort.html", PAGE % 'test(() => {}, "One");\ntest(() => {}, "Two");')
    write(root / "api/other.html", TWO)
    write(root / "api/mentions.html", PAGE % 'new AbortController();\ntest(() => {}, "Three");')
    return root


@pytest.fixture
def own(pytester: pytest.Pytester) -> Path:
    """Make the tests of a checkout like this project's own, which has expectations."""
    root = pytester.path / "wpt_tests"
    (root / "programs").mkdir(parents=True)
    (root / "expectations").mkdir()
    for suite in ("webmcp", "webmcp-2026-03"):
        (root / suite).mkdir()
        write(root / suite / "page.html", TWO)
    (pytester.path / "node_modules").symlink_to(ROOT / "node_modules")
    (pytester.path / "spec").symlink_to(ROOT / "spec")
    return root


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def run(pytester: pytest.Pytester, *arguments: str | Path) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def collect(pytester: pytest.Pytester, *arguments: str | Path) -> pytest.RunResult:
    """Run pytest in this process, for tests without a browser and a server."""
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def known(own: Path, *entries: str) -> None:
    head = 'reason = "product"\nstep = "valid-tool-name 1"\nnote = "it does otherwise"\nreproducer = "../webmcp/page.html"\n'
    text = "".join(f'[[test]]\ntest = "/webmcp/page.html"\n{head}{entry}\n' for entry in entries)
    write(own / "expectations/wpt-chromium.toml", text)


def test_files_are_tests_and_subtests_are_results(pytester: pytest.Pytester, checkout: Path) -> None:
    (checkout / "nasty").mkdir()
    for name in (
        "02-crashes.https.html",
        "04-closes-itself.html",
        "07-subtests.html",
        "15-any.any.js",
        "not-a-test.html",
    ):
        shutil.copy(NASTY / name, checkout / "nasty")
    shutil.copytree(NASTY / "support", checkout / "nasty/support")
    result = run(pytester, "checkout/nasty", "--webmcp-product", "chromium", "-v")
    result.stdout.fnmatch_lines(
        [
            "*02-crashes.https.html::chromium FAILED*",
            "*04-closes-itself.html::chromium FAILED*",
            "*07-subtests.html::chromium SUBFAILED[[]fails]*",
            "*15-any.any.js::chromium *",
            "chromium [1-9]*",
        ]
    )
    text = result.stdout.str()
    assert "CRASH, expected OK: the renderer process crashed" in text
    assert "ERROR, expected OK: the test closed its own page" in text
    assert "FAIL, expected PASS: no \N{REPLACEMENT CHARACTER} luck" in text
    assert "Traceback" not in text
    assert "not-a-test" not in text
    assert "support" not in text
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_keyword_selects_by_name_and_title(pytester: pytest.Pytester, checkout: Path) -> None:
    result = run(pytester, "checkout", "--webmcp-product", "chromium", "-v", "-k", "abort")
    # All subtests of the file with that name, and others with that title; a file that only mentions the word has none.
    result.stdout.fnmatch_lines(
        [
            "*abort.html::chromium SUBPASSED[[]One]*",
            "*abort.html::chromium SUBPASSED[[]Two]*",
            "*abort.html::chromium PASSED*",
            "*other.html::chromium SUBPASSED[[]The early abort is seen]*",
            "*other.html::chromium PASSED*",
        ]
    )
    result.stdout.no_fnmatch_line("*late signal*")
    result.stdout.no_fnmatch_line("*mentions.html*")
    result.assert_outcomes(passed=5, deselected=1)


def test_last_file_of_a_folder_can_be_deselected(pytester: pytest.Pytester, checkout: Path) -> None:
    (checkout / "zz").mkdir()
    write(checkout / "api/zz-mentions.html", PAGE % 'new AbortController();\ntest(() => {}, "Four");')
    write(checkout / "zz/abort.html", PAGE % 'test(() => {}, "Five");')
    result = run(pytester, "checkout", "--webmcp-product", "simulated", "-v", "-k", "abort")
    result.stdout.fnmatch_lines(["*zz/abort.html::simulated PASSED*"])
    result.assert_outcomes(passed=7, deselected=2)


def test_page_of_ones_own_runs(pytester: pytest.Pytester) -> None:
    (pytester.path / "node_modules").symlink_to(ROOT / "node_modules")
    write(pytester.path / "mine.https.html", PAGE % 'test(() => assert_true(isSecureContext), "Mine");')
    (pytester.path / "more").mkdir()
    write(pytester.path / "more/no-test.html", "<title>No test</title>")
    result = run(pytester, "mine.https.html", "more", "--webmcp-product", "simulated", "-v")
    assert "SUBPASSED[Mine]" in result.stdout.str()
    result.stdout.no_fnmatch_line("*no-test.html::*")


def test_test_of_a_finding_fails_on_its_product_by_design(pytester: pytest.Pytester, own: Path) -> None:
    for product in ("simulated", "chromium"):
        folder = own / "findings" / product / "one"
        folder.mkdir(parents=True)
        write(folder / "reproducer.https.html", PAGE % 'test(() => assert_true(false), "Fails");')
        write(folder / "finding.json", json.dumps({"product": product, "place": "top[0]"}))
    result = run(pytester, "wpt_tests", "--webmcp-product", "simulated", "-x", "-rx")
    result.stdout.fnmatch_lines(["*a finding of simulated: FAIL, expected PASS: * [[]top[[]0[]][]]"])
    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == 0


def test_keyword_can_exclude_titles(pytester: pytest.Pytester, checkout: Path) -> None:
    result = run(pytester, "checkout/api", "--webmcp-product", "chromium", "-v", "-k", "not abort")
    result.stdout.fnmatch_lines(
        ["*mentions.html::chromium SUBPASSED[[]Three]*", "*other.html::chromium SUBPASSED[[]The late*"]
    )
    result.stdout.no_fnmatch_line("*early*")
    result.assert_outcomes(passed=4, deselected=1)


def test_unselected_files_do_not_run(pytester: pytest.Pytester, checkout: Path) -> None:
    """Listed or unselected files do not need a browser."""
    missing = ("--webmcp-product", "chromium", "--webmcp-binary", "/no/browser")
    listed = collect(pytester, "checkout", *missing, "--collect-only", "-q")
    assert [line for line in listed.outlines if "::" in line] == [
        "checkout/api/abort.html::chromium",
        "checkout/api/mentions.html::chromium",
        "checkout/api/other.html::chromium",
    ]
    assert listed.ret == 0
    chosen = collect(pytester, "checkout", *missing, "--collect-only", "-q", "-k", "seen and late and not early")
    assert [line for line in chosen.outlines if "::" in line] == ["checkout/api/other.html::chromium"]
    assert collect(pytester, "checkout", *missing, "-k", "nowhere").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    wrong = collect(pytester, "checkout", *missing, "-k", "abort and")
    wrong.stderr.fnmatch_lines(["ERROR: Wrong expression passed to '-k': abort and*"])
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR


def test_known_deviation_is_an_expected_failure(pytester: pytest.Pytester, own: Path) -> None:
    write(own / "webmcp/page.html", PAGE % 'test(() => assert_true(false), "Fails");\ntest(() => {}, "Passes");')
    known(own, 'subtest = "Fails"\nstatus = "FAIL"')
    result = run(pytester, "wpt_tests", "--webmcp-product", "chromium", "-rx")
    result.stdout.fnmatch_lines(["*FAIL, product: it does otherwise [[]valid-tool-name 1]"])
    result.assert_outcomes(passed=2, xfailed=1)
    assert result.ret == 0


def test_unexpected_result_is_a_failure(pytester: pytest.Pytester, own: Path) -> None:
    known(
        own,
        'subtest = "The early abort is seen"\nstatus = "FAIL"',
        'subtest = "There is no such subtest"\nstatus = "FAIL"',
    )
    result = run(pytester, "wpt_tests", "--webmcp-product", "chromium", "-v")
    result.stdout.fnmatch_lines(
        [
            "*SUBFAILED[[]The early abort is seen]*",
            "*SUBPASSED[[]The late signal is seen]*",
            "*PASS, expected FAIL*",
            '*"There is no such subtest": an expectation names this subtest, but it does not exist*',
        ]
    )
    result.assert_outcomes(passed=1, failed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_known_status_of_a_file_is_an_expected_failure(pytester: pytest.Pytester, own: Path) -> None:
    write(own / "webmcp/page.html", PAGE % 'test(() => {}, "Passes");\nwindow.close();')
    known(own, 'status = "ERROR"')
    result = run(pytester, "wpt_tests/webmcp/page.html", "--webmcp-product", "chromium")
    result.assert_outcomes(xfailed=1)


def test_invalid_expectations_end_the_session(pytester: pytest.Pytester, own: Path) -> None:
    write(own / "expectations/wpt-chromium.toml", "[[tests]]\n")
    result = run(pytester, "wpt_tests", "--webmcp-product", "chromium")
    result.stdout.fnmatch_lines(["*Exit: *wpt-chromium.toml: a file of expectations must contain only*"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_invalid_metadata_is_an_error_of_collection(pytester: pytest.Pytester, checkout: Path) -> None:
    write(checkout / "api/broken.window.js", "// META: title\n")
    result = collect(pytester, "checkout", "--webmcp-product", "chromium")
    result.stdout.fnmatch_lines(['*broken.window.js: "// META: title" cannot be read; *'])
    result.stdout.no_fnmatch_line("*raise *")
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_each_product_has_the_files_of_its_revision(pytester: pytest.Pytester, own: Path) -> None:
    write(own / "webmcp/page.html", TWO + '<meta name="variant" content="?a"><meta name="variant" content="?b">')
    products = ("--webmcp-product", "chromium", "--webmcp-product", "firefox", "--webmcp-product", "polyfill")
    result = collect(pytester, "wpt_tests", *products, "--collect-only", "-q")
    assert [line for line in result.outlines if "::" in line] == [
        "wpt_tests/webmcp/page.html::chromium?a",
        "wpt_tests/webmcp/page.html::chromium?b",
        "wpt_tests/webmcp/page.html::polyfill?a",
        "wpt_tests/webmcp/page.html::polyfill?b",
        "wpt_tests/webmcp-2026-03/page.html::firefox",
    ]


def test_made_tests_of_findings_have_the_resources_of_the_checkout(pytester: pytest.Pytester, own: Path) -> None:
    made = pytester.path / "build/findings/chromium/a-finding"
    made.mkdir(parents=True)
    write(made / "reproducer.https.sub.html", TWO)
    result = run(pytester, "build/findings", "--webmcp-product", "simulated", "-v")
    result.stdout.fnmatch_lines(["*reproducer.https.sub.html::simulated SUBPASSED[[]The early abort is seen]*"])
    assert result.ret == pytest.ExitCode.OK


def test_first_failure_ends_the_session(pytester: pytest.Pytester, checkout: Path) -> None:
    write(checkout / "api/abort.html", PAGE % 'test(() => assert_true(false), "One");\ntest(() => {}, "Two");')
    result = run(pytester, "checkout", "--webmcp-product", "chromium", "-x", "-v")
    result.stdout.fnmatch_lines(["*abort.html::chromium SUBFAILED[[]One]*", "*stopping after * failures*"])
    result.stdout.no_fnmatch_line("*Two*")
    result.stdout.no_fnmatch_line("*other.html::*")


def test_simulated_browser_runs_files(pytester: pytest.Pytester, checkout: Path) -> None:
    write(checkout / "api/fails.html", PAGE % 'test(() => assert_true(false), "Four");')
    result = run(pytester, "checkout", "--webmcp-product", "simulated", "-v")
    result.stdout.fnmatch_lines(["*abort.html::simulated SUBPASSED[[]One]*", "*SUBFAILED[[]Four]*", "simulated V8*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_missing_engine_is_not_run(pytester: pytest.Pytester, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find_spec", lambda name: None)
    result = collect(pytester, "checkout", "--webmcp-product", "simulated", "-rs")
    result.stdout.fnmatch_lines(["SKIPPED * simulated is NOTRUN: *; what to do: pip install 'modelcontext[[]js]'"])
    result.assert_outcomes(skipped=3)
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_missing_browser_is_not_run(pytester: pytest.Pytester, checkout: Path) -> None:
    result = run(pytester, "checkout", "--webmcp-product", "chromium", "--webmcp-binary", "/no/browser", "-rs")
    result.stdout.fnmatch_lines(
        ["chromium is NOTRUN: * /no/browser*", "  what to do: *", "SKIPPED * chromium is NOTRUN: *; what to do: *"]
    )
    result.assert_outcomes(skipped=3)
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_wrong_usage_is_refused(pytester: pytest.Pytester, checkout: Path) -> None:
    result = collect(pytester, "checkout", "--webmcp-product", "netscape")
    result.stderr.fnmatch_lines(
        [f'ERROR: --webmcp-product: "netscape" is not a product; the products are {", ".join(TESTED)}']
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert collect(pytester, "checkout", "--webmcp-binary", "x").ret == pytest.ExitCode.USAGE_ERROR
    both = ("--webmcp-product", "chromium", "--webmcp-product", "firefox", "--webmcp-binary", "x")
    assert collect(pytester, "checkout", *both).ret == pytest.ExitCode.USAGE_ERROR


def test_plugin_without_a_product_does_nothing(pytester: pytest.Pytester, checkout: Path) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_nothing_was_imported():
            items, products = "modelcontext.judging.wpt.pytest_items", "modelcontext.running.products"
            assert not {"playwright", items, products} & set(sys.modules)
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1)


# A process that a shell starts in the background ignores the signal.
INTERRUPTIBLE = """
import signal, sys, pytest
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_interrupt_leaves_no_browser(pytester: pytest.Pytester, checkout: Path) -> None:
    shutil.copy(NASTY / "03-loops.html", checkout / "api/zz-loops.html")
    mark = f"interrupted-{pytester.path}"
    process = subprocess.Popen(
        [
            sys.executable,
            "-u",
            "-c",
            INTERRUPTIBLE,
            "-v",
            "-p",
            "no:cacheprovider",
            "checkout/api",
            "--webmcp-product",
            "chromium",
        ],
        cwd=pytester.path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark},
    )
    assert process.stdout is not None
    # The next test is an endless loop.
    for line in process.stdout:
        if "other.html::chromium PASSED" in line:
            break
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, output
    assert "KeyboardInterrupt" in output
    left = []
    for other in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (other / "environ").read_bytes():
                left.append((other / "cmdline").read_text())
        except OSError:
            continue
    assert left == []
