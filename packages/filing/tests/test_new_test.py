"""``modelcontext test new``: programs as tests in the format of web-platform-tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from modelcontext.ground.checkout import project_root
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.suite import run_suite
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.people.cli import load_verb
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import load, loads_toml
from modelcontext.running.products import make_target
from modelcontext_filing.new_test import command
from modelcontext_filing.plain.subtest import subtest
from modelcontext_filing.plain.view import PlainError

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = project_root()
PROGRAMS = ROOT / "wpt_tests/programs"
#: Programs of each kind that a test can have: what they use, and where it once went wrong.
KINDS = (
    "results/undefined",  # what the callback shows is no result of it
    "results/never",  # a promise stays pending
    "declarative/busy",  # allowed outcomes of different lengths
    "documents/removal-is-no-change",  # a body
    "execution/across-frames",  # a message that comes before the frame has loaded
    "execution/wrong-origin",  # another origin
    "listing/of-a-frame",  # a list of another realm
    "signals/reasons",  # null as a reason
)


def written(name: str) -> str:
    program = load(PROGRAMS / f"{name}.toml")
    return subtest(program, program.title, "https://example.org/", [*allowed_outcomes(program).outcomes.values()], None)


def statuses(folder: Path, product: str) -> Mapping[str, str]:
    own = checkout_tree(ROOT)
    tree = Tree(folder, own.files, own.folders)
    run = run_suite(find_tests(folder, ["."]), tree, make_target(product))
    assert run.unavailable is None
    return {one.test: one.subtests[0].status if one.subtests else one.status for one in run.rounds[0]}


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize("product", ["simulated", "page"])
def test_written_tests_pass_on_the_products_that_run_the_text(product: str, tmp_path: Path) -> None:
    for name in KINDS:
        (tmp_path / f"{name.replace('/', '--')}.https.html").write_text(written(name), encoding="utf-8")
    found = statuses(tmp_path, product)
    assert len(found) == len(KINDS)
    assert {test: status for test, status in found.items() if status != "PASS"} == {}


@pytest.mark.usefixtures("starts_a_browser")
def test_written_test_fails_if_the_outcome_is_not_allowed(tmp_path: Path) -> None:
    program = load(PROGRAMS / "results/string.toml")
    right = next(iter(allowed_outcomes(program).outcomes.values()))
    wrong = Outcome({"top": [*right.logs["top"][:-1], {**right.logs["top"][-1], "fulfilled": "a"}]})
    (tmp_path / "a.https.html").write_text(subtest(program, "t", "https://example.org/", [wrong], None))
    assert statuses(tmp_path, "simulated") == {"/a.https.html": "FAIL"}


@pytest.mark.usefixtures("starts_a_browser")
def test_command_writes_a_test_that_it_has_run(tmp_path: Path) -> None:
    path = tmp_path / "undefined.https.html"
    result = CliRunner().invoke(command, ["results/undefined", "--out", str(path), "--title", "No result"])
    assert result.exit_code == 0, result.output
    assert result.output == f"wrote {path}; run it: modelcontext test {path}\n"
    text = path.read_text(encoding="utf-8")
    assert '}, "No result");' in text
    assert '<link rel="help" href="https://webmachinelearning.github.io/webmcp/#dom-modelcontext-executetool">' in text
    assert statuses(tmp_path, "simulated") == {"/undefined.https.html": "PASS"}


@pytest.mark.usefixtures("starts_a_browser")
def test_command_refuses_a_test_that_does_not_pass_on_the_model(tmp_path: Path) -> None:
    path = tmp_path / "same.https.html"
    result = CliRunner().invoke(command, ["signals/reason-same-object", "--out", str(path)])
    assert result.exit_code == 2
    assert "the code of the test does not have the same outcomes as the program" in result.output
    assert not path.exists()


@pytest.mark.usefixtures("starts_a_browser")
def test_command_reads_a_program_from_standard_input_and_counts_the_outcomes_of_a_race() -> None:
    text = (PROGRAMS / "races/caller-removed-and-done.toml").read_text(encoding="utf-8")
    count = len(allowed_outcomes(loads_toml(text)).outcomes)
    result = CliRunner().invoke(command, ["-"], input=text)
    assert result.exit_code == 0
    assert result.stdout.startswith("<!DOCTYPE html>\n")
    assert (f"the text allows {count} outcomes" in result.stderr) is (count > 1)


@pytest.mark.parametrize(
    ("arguments", "given", "words"),
    [
        (["results/undefined", "--out", "a.html"], "", "the name of a test ends with .https.html, and not a.html"),
        (["-"], b"\xff", "standard input: the text is not UTF-8"),
        (["-"], "title = ", "standard input"),
        (["exposure/not-exposed"], "", "a subtest of one file has documents of one origin"),
    ],
)
def test_wrong_usage_of_the_command_is_one_clear_line(arguments: list[str], given: str | bytes, words: str) -> None:
    result = CliRunner().invoke(command, arguments, input=given)
    assert result.exit_code == 2
    assert words in result.output


def test_verb_of_two_words_is_the_command() -> None:
    assert load_verb("test new") is command


def test_lines_with_the_origin_of_another_server_have_no_test() -> None:
    program = load(PROGRAMS / "results/string.toml")
    right = next(iter(allowed_outcomes(program).outcomes.values()))
    other = Outcome({"top": [*right.logs["top"][:-1], {**right.logs["top"][-1], "fulfilled": "{B}"}]})
    with pytest.raises(PlainError, match="the origin of another server"):
        subtest(program, "t", "https://example.org/", [other], None)
