"""``modelcontext run``, ``conformance`` and ``setup``: their output, their exit codes, and mistakes of users."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

if TYPE_CHECKING:
    import click


ROOT = Path(__file__).resolve().parents[2]


def modelcontext(verb: str, *arguments: str | Path, cwd: str | Path = ".", **environment: str) -> Result:
    """Run a verb in this process, which is much faster than in one of its own."""
    command: click.Command = importlib.import_module(f"modelcontext.people.cli.{verb}").command
    with contextlib.chdir(cwd):
        result = CliRunner().invoke(
            command, [*map(str, arguments)], env={"COLUMNS": "200", **environment}, prog_name=f"modelcontext {verb}"
        )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def process(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from modelcontext.people.cli import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        timeout=120,
        check=False,
    )


BOTH = ("--product", "model", "--product", "chromium")


def conformance(corpus: Path, *arguments: str, **environment: str) -> Result:
    if "--product" not in arguments:
        arguments = (*BOTH, *arguments)
    return modelcontext(
        "conformance", "--programs", corpus / "programs", "--output", corpus / "build", *arguments, **environment
    )


def assert_is_clear(result: Result, code: int, *words: str) -> None:
    assert result.exit_code == code, result.stderr
    for word in words:
        assert word in result.stderr


# conformance


@pytest.mark.usefixtures("starts_a_browser")
def test_sound_run_prints_known_disagreements_and_writes_both_reports(corpus: Path) -> None:
    result = conformance(corpus)
    assert result.exit_code == 0, result.stdout + result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["listing", "1/1", "1/1"] in rows
    assert ["results", "1/1", "0/1", "(1", "known)"] in rows
    assert not {"agrees", "disagrees"} & {row[0] for row in rows if row}
    assert "chromium results/disagrees — " not in result.stdout
    products = ("--programs", corpus / "programs", "--output", corpus / "build", *BOTH)
    in_full = process("conformance", *products, "--all").stdout.splitlines()
    assert ["agrees", "pass", "pass"] in [line.split() for line in in_full]
    assert ["disagrees", "pass", "known", "(product)"] in [line.split() for line in in_full]
    line = next(line for line in in_full if "chromium results/disagrees — " in line)
    assert line.startswith("known (product) ")
    assert "allowed is call: rejected with UnknownError (by dom-modelcontext-executetool 20.5.1)" in line
    assert 'observed: call: fulfilled with "undefined"' in line
    assert (corpus / "build" / "report.html").is_file()
    assert json.loads((corpus / "build" / "conformance.json").read_text())["sound"] is True


@pytest.mark.usefixtures("starts_a_browser")
def test_disagreement_without_expectation_is_a_finding_with_exit_code_1(corpus: Path) -> None:
    (corpus / "expectations" / "chromium.toml").unlink()
    result = conformance(corpus, "--json")
    assert result.exit_code == 1
    assert [finding["program"] for finding in json.loads(result.stdout)["findings"]] == ["results/disagrees"]


def test_product_option_restricts_the_run_to_one_product(corpus: Path) -> None:
    result = conformance(corpus, "--product", "model", "--json")
    assert result.exit_code == 0, result.stderr
    assert list(json.loads(result.stdout)["products"]) == ["model"]


def test_comparison_with_an_earlier_run_says_what_is_new_and_what_is_fixed(corpus: Path, tmp_path: Path) -> None:
    earlier = json.loads(conformance(corpus, "--product", "model", "--json").stdout)
    one, other = (program["products"]["model"] for program in earlier["programs"])
    one |= {"standing": "fail", "observed": "t: undefined"}
    old = tmp_path / "old.json"
    old.write_text(json.dumps(earlier), encoding="utf-8")
    result = conformance(corpus, "--product", "model", "--compare", str(old))
    assert result.exit_code == 0
    assert "fixed, 1 result: FAIL: t: undefined" in result.stdout
    assert "2 results: 0 new, 0 changed, 1 fixed, 0 gone" in result.stdout
    data = json.loads(conformance(corpus, "--product", "model", "--compare", str(old), "--json").stdout)
    assert [change["kind"] for change in data["compared"]["changes"]] == ["fixed"]
    assert other["standing"] == "pass"


@pytest.mark.usefixtures("starts_a_browser")
def test_missing_browser_is_notrun_with_a_remedy(corpus: Path) -> None:
    result = conformance(corpus, MODELCONTEXT_CHROMIUM="/no/chromium")
    assert result.exit_code == 2
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["listing", "1/1", "NOTRUN"] in rows
    assert [version("modelcontext"), "NOTRUN"] in rows
    assert "NOTRUN chromium: MODELCONTEXT_CHROMIUM names /no/chromium" in result.stdout
    assert "what to do: run `modelcontext setup chromium`" in result.stdout


@pytest.mark.usefixtures("starts_a_browser")
def test_unexpected_disagreement_is_printed_with_its_step(corpus: Path) -> None:
    (corpus / "expectations" / "chromium.toml").unlink()
    result = conformance(corpus)
    assert result.exit_code == 1
    assert ["disagrees", "pass", "FAIL", "(unexpected)"] in [line.split() for line in result.stdout.splitlines()]
    line = next(line for line in result.stdout.splitlines() if "chromium results/disagrees — " in line)
    assert line.startswith("unexpected ")
    assert "(by dom-modelcontext-executetool 20.5.1)" in line


@pytest.mark.usefixtures("starts_a_browser")
def test_product_without_programs_is_an_error_if_named_and_left_out_otherwise(corpus: Path) -> None:
    result = conformance(corpus, "--product", "model", "--product", "firefox")
    assert_is_clear(result, 2, "this folder has no program for the revision that firefox implements")
    # Without --product, Firefox has no column.
    missing = {"MODELCONTEXT_CHROMIUM": "/no/chromium", "MODELCONTEXT_FIREFOX": "/no/firefox"}
    result = modelcontext(
        "conformance", "--programs", corpus / "programs", "--output", corpus / "build", "--json", **missing
    )
    assert list(json.loads(result.stdout)["products"]) == ["model", "chromium", "polyfill", "simulated"]
    assert result.exit_code == 2


def test_wrong_usage_of_conformance_exits_with_2(corpus: Path) -> None:
    assert_is_clear(
        modelcontext("conformance", "--expectations", corpus / "expectations"), 2, "for the programs of --programs"
    )
    result = modelcontext("conformance", "--binary", "/no/browser")
    assert_is_clear(result, 2, "--binary is for one browser, but chromium and firefox and polyfill are several")


@pytest.mark.usefixtures("starts_a_browser")
def test_matrix_is_printed_although_the_report_cannot_be_written(corpus: Path) -> None:
    (corpus / "build" / "report.html").mkdir(parents=True)
    result = conformance(corpus, "--product", "model")
    assert_is_clear(result, 2, "report.html cannot be written: ")
    assert "Programs (current revision)" in result.stdout


@pytest.fixture
def checkout(corpus: Path) -> Path:
    """Make a checkout with a program of each revision, one test of the current one, and links to npm packages and text."""
    program = corpus / "programs-2026-03" / "registration" / "empty-name.toml"
    program.parent.mkdir(parents=True)
    program.write_text(
        'title = "An empty name throws"\nrevision = "2026-03"\n'
        '[[script.top]]\ndo = "registerTool"\ntool = { name = "", description = "d" }\n'
    )
    test = corpus / "webmcp" / "imperative" / "there.https.html"
    test.parent.mkdir(parents=True)
    test.write_text(TEST)
    for name in ("node_modules", "spec"):
        (corpus.parent / name).symlink_to(ROOT / name)
    return corpus.parent


TEST = """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script>
test(() => assert_true("modelContext" in document), "The API is there");
test(() => assert_unreached(), "Nothing passes this");
</script>
"""


@pytest.mark.usefixtures("starts_a_browser")
def test_report_has_programs_and_tests_of_every_revision_and_clients(checkout: Path) -> None:
    result = modelcontext("conformance", "--client", "browsers-agent", cwd=checkout, MODELCONTEXT_FIREFOX="/no/firefox")
    assert result.exit_code == 2, result.stderr
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert rows[0] == "model chromium firefox polyfill simulated"
    assert "Programs (current revision) 2/2 1/2 (1 known) other revision 1/2 (1 unexpected) 2/2" in rows
    assert "Programs (revision 2026-03) 1/1 other revision NOTRUN other revision other revision" in rows
    assert "Tests (current revision) - 1/2 (1 unexpected) other revision 1/2 (1 unexpected) 1/2 (1 unexpected)" in rows
    assert "there.https.html - 1/2 (1 unexpected) other revision 1/2 (1 unexpected) 1/2 (1 unexpected)" in rows
    assert [row for row in rows if row.startswith("NOTRUN firefox: MODELCONTEXT_FIREFOX names /no/firefox")]
    assert (
        "what to do: run `modelcontext setup firefox`, or name a binary with --binary or MODELCONTEXT_FIREFOX" in rows
    )
    assert rows[-3:-1] == [
        "clients in the model: 45 of 45 spaces are complete",
        "browsers-agent keeps 11 of 18 properties",
    ]
    [kept] = (checkout / "build" / "explored").iterdir()
    assert len(json.loads(kept.read_text())) == 3
    data = json.loads((checkout / "build" / "conformance.json").read_text())
    assert {one["client"] for one in data["clients"]} == {"browsers-agent"}
    assert data["products"]["firefox"] is None
    assert [(one["product"], one.get("program") or one["subtest"]) for one in data["findings"]] == [
        ("polyfill", "results/disagrees"),
        ("chromium", "Nothing passes this"),
        ("polyfill", "Nothing passes this"),
        ("simulated", "Nothing passes this"),
    ]


@pytest.mark.usefixtures("starts_a_browser")
def test_programs_run_without_the_npm_packages_and_tests_are_notrun(checkout: Path) -> None:
    (checkout / "node_modules").unlink()
    result = modelcontext("conformance", *BOTH, cwd=checkout)
    assert result.exit_code == 2, result.stderr
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "Programs (current revision) 2/2 1/2 (1 known)" in rows
    assert "there.https.html - NOTRUN" in rows
    assert f"what to do: run `npm ci --ignore-scripts` in {checkout}" in rows
    # Products were named, so the run is about them.
    assert not [row for row in rows if row.startswith("clients")]


def test_invalid_program_exits_with_2_and_names_its_place(corpus: Path) -> None:
    (corpus / "programs" / "listing" / "broken.toml").write_text('title = "t"\n[[script.top]]\ndo = "getTool"\n')
    result = conformance(corpus)
    assert_is_clear(result, 2, "broken.toml: script.top[0].do: unknown operation", '(did you mean "getTools"?)')
    assert not (corpus / "build").exists()


def test_invalid_expectations_exit_with_2_and_name_their_place(corpus: Path) -> None:
    (corpus / "expectations" / "chromium.toml").write_text("[[program]]\nname = 1\n")
    assert_is_clear(conformance(corpus), 2, 'chromium.toml: program 1: the key "name" is missing')


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_conformance_run_reports_what_it_found_and_leaves_no_process(corpus: Path, number: int) -> None:
    text = (corpus / "programs" / "listing" / "agrees.toml").read_text()
    for index in range(400):
        (corpus / "programs" / "listing" / f"{index}.toml").write_text(text)
    mark = f"interrupted-{corpus}"
    build = corpus / "build"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, str(corpus / "programs"), str(build)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "MARK": mark},
    )
    assert process.stdout is not None
    # The first finished row shows that the browser runs and the run is under way.
    assert process.stdout.readline() == "a row\n"
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    found = re.fullmatch(r"modelcontext: interrupted; NOTRUN: (\d+) of 402 programs; the report has .*", errors.strip())
    assert found is not None, errors
    report = json.loads((build / "conformance.json").read_text(encoding="utf-8"))
    assert len(report["programs"]) == 402 - int(found[1]) > 0
    assert report["interrupted"] == f"NOTRUN: {found[1]} of 402 programs"
    assert report["interrupted"] in (build / "report.html").read_text(encoding="utf-8")
    assert marked(mark) == []


# The command itself, which also prints a line for each finished row.
INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from modelcontext.people.cli import conformance
from modelcontext.judging.conformance.run import run_corpus
def run(cases, products, known, progress, *rest):
    def say(row):
        progress(row)
        print("a row", flush=True)
    return run_corpus(cases, products, known, say, *rest)
conformance.run_corpus = run
products = ["--product", "model", "--product", "chromium"]
conformance.command(["--programs", sys.argv[1], "--output", sys.argv[2], *products])
"""


def marked(mark: str) -> list[str]:
    """Return the command lines of processes that have the mark in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found


# run


@pytest.mark.usefixtures("starts_a_browser")
def test_run_judges_each_program_and_observe_judges_none(corpus: Path) -> None:
    agrees, disagrees = (corpus / "programs" / name for name in ("listing/agrees.toml", "results/disagrees.toml"))
    result = modelcontext("run", agrees, disagrees)
    assert result.exit_code == 1, result.stderr
    assert "the specification allows 1 outcome" in result.stdout
    assert "top[3]: allowed is call: rejected with UnknownError" in result.stdout
    assert modelcontext("run", agrees).exit_code == 0
    data = json.loads(modelcontext("run", disagrees, "--json", "--product", "chromium").stdout)["programs"][0]
    assert data["products"]["chromium"]["standing"] == "fail"
    assert data["allowed"][0]["logs"]["top"][-1]["rejected"] == {"$error": "UnknownError"}
    observed = modelcontext("run", disagrees, "--product", "chromium", "--observe")
    assert observed.exit_code == 0
    assert 'call: fulfilled with "undefined"' in observed.stdout


@pytest.mark.usefixtures("starts_a_browser")
def test_repeat_counts_each_outcome(corpus: Path) -> None:
    agrees, disagrees = (corpus / "programs" / name for name in ("listing/agrees.toml", "results/disagrees.toml"))
    result = modelcontext("run", agrees, disagrees, "--product", "chromium", "--repeat", "4", "--frames")
    assert result.exit_code == 1, result.stderr
    assert "allowed (4 of 4 runs)" in result.stdout
    assert "NOT allowed (4 of 4 runs)" in result.stdout
    data = json.loads(modelcontext("run", agrees, "--product", "model", "--repeat", "2", "--json").stdout)["programs"][
        0
    ]
    assert data["products"]["model"]["times"] == 2


def test_program_runs_on_products_that_implement_its_revision(corpus: Path, tmp_path: Path) -> None:
    current = corpus / "programs" / "listing" / "agrees.toml"
    earlier = tmp_path / "earlier.toml"
    earlier.write_text(
        'title = "An empty name throws"\nrevision = "2026-03"\n'
        '[[script.top]]\ndo = "registerTool"\ntool = { name = "", description = "d" }\n'
    )
    # The error names the browser that was chosen: neither is installed, and nothing is launched before.
    missing = {"MODELCONTEXT_CHROMIUM": "/no/chromium", "MODELCONTEXT_FIREFOX": "/no/firefox"}
    assert_is_clear(modelcontext("run", earlier, **missing), 2, "firefox is NOTRUN")
    assert_is_clear(modelcontext("run", current, **missing), 2, "chromium is NOTRUN")
    for product, others in (("chromium", "model or firefox"), ("polyfill", "model or firefox")):
        result = modelcontext("run", earlier, "--product", product, **missing)
        assert_is_clear(result, 2, f"of the revision 2026-03, which {product} does not implement: run it on {others}")
    result = modelcontext("run", current, "--product", "model", "--product", "firefox", **missing)
    assert_is_clear(result, 2, "of the revision current, which firefox does not implement: run it on model or chromium")
    neutral = tmp_path / "neutral.toml"
    neutral.write_text(earlier.read_text().replace('revision = "2026-03"\n', ""))
    assert_is_clear(modelcontext("run", neutral, "--revision", "2026-03", **missing), 2, "firefox is NOTRUN")
    result = modelcontext("run", neutral, "--revision", "2026-03", "--product", "chromium", **missing)
    assert_is_clear(result, 2, "which chromium does not implement")
    assert_is_clear(
        modelcontext("run", current, earlier, "--binary", "/no/browser"), 2, "chromium and firefox are several"
    )
    both = modelcontext("run", current, earlier, "--product", "model", "--json")
    assert both.exit_code == 0, both.stderr
    assert [list(one["products"]) for one in json.loads(both.stdout)["programs"]] == [["model"], ["model"]]


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
def test_wrong_usage_of_run_exits_with_2(corpus: Path) -> None:
    agrees = corpus / "programs" / "listing" / "agrees.toml"
    assert_is_clear(modelcontext("run", agrees, "--product", "cromium"), 2, '(did you mean "chromium"?)')
    assert_is_clear(modelcontext("run", corpus / "missing.toml"), 2, "missing.toml: cannot be read")
    assert_is_clear(modelcontext("run", agrees, "--binary", "/no/chromium"), 2, "--binary names /no/chromium")
    assert_is_clear(modelcontext("run", agrees, "--port", "70000"), 2, "70000 is not in the range")
    missing = process("run")
    assert (missing.returncode, "Traceback" in missing.stderr) == (2, False)
    assert "Missing argument" in missing.stderr


def test_occupied_port_exits_with_2(corpus: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = modelcontext("run", corpus / "programs" / "listing" / "agrees.toml", "--port", str(port))
    assert_is_clear(result, 2, f"port {port} is in use")


# setup


@pytest.mark.usefixtures("starts_a_browser")
def test_setup_finds_the_browser_or_says_that_it_is_not_ready() -> None:
    assert modelcontext("setup", "--check", "chromium").stdout == "chromium is ready\n"
    missing = modelcontext("setup", "--check", "--json", "chromium", MODELCONTEXT_CHROMIUM="/no/chromium")
    assert missing.exit_code == 2
    assert json.loads(missing.stdout)["chromium"]["ready"] is False
    # The user has to repair a binary that the user named: nothing is installed for it.
    assert_is_clear(modelcontext("setup", "chromium", MODELCONTEXT_CHROMIUM="/no/chromium"), 2, "chromium is not ready")
    assert_is_clear(modelcontext("setup", "netscape"), 2, "netscape")


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
@pytest.mark.parametrize("verb", ["run", "conformance", "setup"])
def test_help_shows_an_example(verb: str) -> None:
    assert f"modelcontext {verb} " in process(verb, "--help").stdout.split("Example:")[1]
