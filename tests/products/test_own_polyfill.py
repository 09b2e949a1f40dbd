"""A user's own polyfill as a product of each command: ``--inject FILE`` replaces the npm package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from modelcontext.ground.problems import UnavailableError
from modelcontext.people.cli import conformance, litmus, run, test
from modelcontext.running.products import ProductOptions, make_product
from modelcontext_fuzz import fuzz_command

pytestmark = pytest.mark.usefixtures("starts_a_browser")

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
POLYFILL = Path(__file__).parent / "tiny-polyfill.js"
ECHO = ROOT / "wpt_tests/programs/execution/echo.toml"
ACROSS_FRAMES = ROOT / "wpt_tests/programs/execution/across-frames.toml"
TEST = """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script>
test(() => assert_true("modelContext" in document), "The API is there");
test(() => assert_equals(new ModelContext().oninvented, undefined), "The API can be constructed, which only this one can");
test(() => assert_equals(typeof ToolActivatedEvent, "undefined"), "The browser's own API is off");
</script>
"""


def verb(module: object, *arguments: str | Path) -> Result:
    command = getattr(module, "command")  # noqa: B009 (modules have no type of their own)
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with one program, one test, and expectations that are true only of the npm package."""
    program = tmp_path / "wpt_tests/programs/execution/echo.toml"
    program.parent.mkdir(parents=True)
    program.write_text(ECHO.read_text(encoding="utf-8"), encoding="utf-8")
    page = tmp_path / "wpt_tests/webmcp/page.https.html"
    page.parent.mkdir()
    page.write_text(TEST, encoding="utf-8")
    expectations = tmp_path / "wpt_tests/expectations"
    expectations.mkdir()
    cause = 'reason = "product"\nstep = "imperative-execute-steps 12.a.3"\nnote = "it does otherwise"\n'
    (expectations / "polyfill.toml").write_text(
        f'[[program]]\nname = "execution/echo"\nobserved = "nothing"\n{cause}', encoding="utf-8"
    )
    (expectations / "wpt-polyfill.toml").write_text(
        '[[test]]\ntest = "/webmcp/page.https.html"\nsubtest = "The API is there"\nstatus = "FAIL"\n'
        f'reproducer = "../webmcp/page.https.html"\n{cause}',
        encoding="utf-8",
    )
    for name in ("node_modules", "spec"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_run_judges_the_outcomes_of_a_script() -> None:
    result = verb(run, ECHO, ACROSS_FRAMES, "--inject", POLYFILL, "--json")
    first, second = (one["products"] for one in json.loads(result.output)["programs"])
    assert list(first) == ["model", "polyfill"]
    assert first["polyfill"]["standing"] == "pass"
    # The polyfill does not know tools of other documents.
    assert second["polyfill"]["standing"] == "fail"
    assert result.exit_code == 1


def test_run_in_frames_shows_the_same_outcomes_as_in_pages() -> None:
    shown = [
        json.loads(verb(run, ECHO, ACROSS_FRAMES, "--inject", POLYFILL, "--json", *more).output)["programs"]
        for more in ([], ["--frames"])
    ]
    in_pages, in_frames = ([one["products"]["polyfill"]["outcome"] for one in programs] for programs in shown)
    assert in_pages == in_frames


def test_fuzz_names_its_folder_and_reports_deviations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("--inject", POLYFILL, "--examples", "2", "--seed", "3", "--json")
    result = verb(fuzz_command, *arguments)
    data = json.loads(result.output)
    assert data["product"] == "polyfill"
    assert data["version"].startswith("tiny-polyfill.js on Chromium ")
    assert data["folder"] == "build/fuzz/polyfill-tiny-polyfill-3"
    assert data["programs"] == sum(data["diagnoses"].values()) == 2
    assert data["diagnoses"].get("failed", 0) == 0
    assert data["findings"]
    assert result.exit_code == 1
    [words, *_] = Path(data["folder"]).glob("findings/*/finding.txt")
    assert f"--product polyfill --inject {POLYFILL}\n" in words.read_text(encoding="utf-8")
    other = tmp_path / "other.js"
    other.write_text("", encoding="utf-8")
    resumed = verb(fuzz_command, "--inject", other, "--resume", data["folder"], "--examples", "2", "--seed", "3")
    assert "belongs to another campaign" in resumed.output


def test_litmus_run_counts_outcomes_without_known_deviations() -> None:
    result = verb(litmus, "run", "register-notify/event-and-promise", "--inject", POLYFILL, "--repeat", "2", "--json")
    [sampled] = json.loads(result.output)["tests"]
    assert sampled["product"] == "polyfill"
    # The polyfill does not fire the event.
    assert result.exit_code == 1


def test_conformance_runs_programs_and_tests_without_the_expectations_of_the_package(checkout: Path) -> None:
    result = verb(conformance, "--inject", POLYFILL)
    rows = [" ".join(line.split()) for line in result.output.splitlines()]
    assert rows[0] == "model polyfill"
    assert "Programs (current revision) 1/1 1/1" in rows
    assert "Tests (current revision) - 3/3" in rows
    assert result.exit_code == 0, result.output


def test_conformance_takes_expectations_of_the_command_line(checkout: Path) -> None:
    asked = ("--programs", "wpt_tests/programs", "--expectations", "wpt_tests/expectations")
    result = verb(conformance, "--inject", POLYFILL, *asked)
    assert "vanished: the outcome is allowed now" in result.output
    assert result.exit_code == 1


def test_test_verb_replaces_the_browsers_own_api_by_the_script(checkout: Path) -> None:
    result = verb(test, "--inject", POLYFILL, "--json")
    assert result.exit_code == 0, result.output
    [product] = json.loads(result.output)["products"]
    assert product["version"].startswith("tiny-polyfill.js on Chromium ")
    assert [subtest["status"] for one in product["results"] for subtest in one["subtests"]] == ["PASS"] * 3


def test_another_product_gets_the_script_beside_its_own_api(checkout: Path) -> None:
    result = verb(test, "--product", "chromium", "--inject", POLYFILL, "--json")
    [product] = json.loads(result.output)["products"]
    assert product["version"].endswith(" with tiny-polyfill.js")
    statuses = [subtest["status"] for one in product["results"] for subtest in one["subtests"]]
    assert statuses == ["PASS", "PASS", "FAIL"]


@pytest.mark.usefixtures("takes_long")
def test_pytest_runs_tests_with_a_script(pytester: pytest.Pytester, checkout: Path) -> None:
    arguments = (
        "wpt_tests",
        "--webmcp-product",
        "polyfill",
        "--webmcp-inject",
        str(POLYFILL),
        "-p",
        "no:cacheprovider",
    )
    result = pytester.runpytest_subprocess(f"--rootdir={checkout}", *arguments)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["polyfill tiny-polyfill.js on Chromium *"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--webmcp-product", "polyfill", "--webmcp-inject", "missing.js"],
            "*--webmcp-inject: there is no file *missing.js",
        ),
        (["--webmcp-inject", str(POLYFILL)], "*--webmcp-binary and --webmcp-inject need --webmcp-product"),
    ],
)
def test_pytest_refuses_an_invalid_script(
    arguments: list[str], message: str, pytester: pytest.Pytester, checkout: Path
) -> None:
    result = pytester.runpytest_subprocess(f"--rootdir={checkout}", "wpt_tests", *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_scripts_share_one_scope_in_the_order_of_the_options(tmp_path: Path) -> None:
    library = tmp_path / "library.js"
    library.write_text("var make = () => ({ made: 1 });", encoding="utf-8")
    start = tmp_path / "start.js"
    start.write_text("document.modelContext = make();", encoding="utf-8")
    with make_product("polyfill", ProductOptions(inject=[library, start])) as product:
        assert product.version.startswith("library.js and start.js on Chromium ")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", r"has no document\.modelContext \(let the script define the API"),
        (b"(", r"mine\.js threw SyntaxError: "),
        (b"throw new TypeError('no');", r"mine\.js threw TypeError: no \("),
        (b"\xff", r"mine\.js: cannot be read: it is not UTF-8"),
    ],
)
def test_script_without_an_api_is_reported(content: bytes, problem: str, tmp_path: Path) -> None:
    script = tmp_path / "mine.js"
    script.write_bytes(content)
    with pytest.raises(UnavailableError, match=problem):
        make_product("polyfill", ProductOptions(inject=[script])).launch()


def test_script_that_throws_beside_the_browsers_own_api_is_reported(tmp_path: Path) -> None:
    script = tmp_path / "mine.js"
    script.write_text("throw new TypeError('no');", encoding="utf-8")
    with pytest.raises(UnavailableError, match=r"mine\.js threw TypeError: no"):
        make_product("chromium", ProductOptions(inject=[script])).launch()


def test_tests_do_not_run_with_a_script_that_cannot_be_read_as_javascript(tmp_path: Path) -> None:
    script = tmp_path / "mine.js"
    script.write_text("class {", encoding="utf-8")
    result = verb(test, "webmcp/imperative/get-tools.https.html", "--inject", script)
    assert result.exit_code == 2
    assert "mine.js threw SyntaxError" in result.stderr


def test_script_for_the_model_is_refused() -> None:
    result = verb(run, ECHO, "--product", "model", "--inject", POLYFILL)
    assert "--inject is for a browser, and model is not a browser" in result.output
    assert result.exit_code == 2
