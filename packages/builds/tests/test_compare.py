"""``modelcontext compare``: two results, with one line for each cause."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from click.testing import Result as Ran

from modelcontext_builds.compare import command


def report(product: str, **subtests: tuple[str, str | None]) -> dict[str, Any]:
    """Return what ``test --json`` prints for one file, with the status and message of each subtest."""
    listed = [{"name": name, "status": status, "message": message} for name, (status, message) in subtests.items()]
    result = {"test": "/a.html", "status": "OK", "message": None, "subtests": listed}
    return {"products": [{"product": product, "results": [result]}]}


def compare(folder: Path, old: Any, new: Any, *options: str) -> Ran:
    for name, data in (("old.json", old), ("new.json", new)):
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    return CliRunner().invoke(command, [str(folder / "old.json"), str(folder / "new.json"), *options])


def test_failures_of_one_cause_are_one_line(tmp_path: Path) -> None:
    old = report("chromium", a=("PASS", None), b=("PASS", None))
    new = report("chromium", a=("FAIL", 'expected 1 but got "x"'), b=("FAIL", 'expected 2 but got "y"'))
    result = compare(tmp_path, old, new)
    assert result.exit_code == 1
    lines = result.output.splitlines()
    assert lines[0].startswith("new, 2 results: FAIL: ")
    assert lines[1:] == ['    /a.html: "a"', '    /a.html: "b"', "3 results: 2 new, 0 changed, 0 fixed, 0 gone"]


def test_failure_that_is_gone_is_fixed(tmp_path: Path) -> None:
    result = compare(tmp_path, report("chromium", a=("FAIL", "it throws")), report("chromium", a=("PASS", None)))
    assert result.exit_code == 0
    assert "fixed, 1 result: FAIL: it throws" in result.output


def test_failure_with_another_message_has_changed(tmp_path: Path) -> None:
    result = compare(tmp_path, report("chromium", a=("FAIL", "it throws")), report("chromium", a=("TIMEOUT", None)))
    assert result.exit_code == 1
    assert "changed, 1 result: TIMEOUT" in result.output


def test_failure_with_other_numbers_has_not_changed(tmp_path: Path) -> None:
    result = compare(tmp_path, report("chromium", a=("FAIL", "at 12")), report("chromium", a=("FAIL", "at 13")))
    assert (result.exit_code, result.output) == (0, "2 results: 0 new, 0 changed, 0 fixed, 0 gone\n")


def test_results_of_two_builds_are_compared(tmp_path: Path) -> None:
    result = compare(tmp_path, report("chromium:153", a=("PASS", None)), report("chromium", a=("FAIL", "no")), "--json")
    [change] = json.loads(result.output)["changes"]
    assert change == {"kind": "new", "cause": "FAIL: no", "names": ['/a.html: "a"'], "since": {}}


def test_subtest_that_is_absent_is_gone(tmp_path: Path) -> None:
    result = compare(
        tmp_path, report("chromium", a=("PASS", None), b=("PASS", None)), report("chromium", a=("PASS", None))
    )
    assert result.output == "2 results: 0 new, 0 changed, 0 fixed, 1 gone\n"


def test_programs_of_a_conformance_run_are_compared(tmp_path: Path) -> None:
    def programs(cell: dict[str, Any]) -> dict[str, Any]:
        return {"programs": [{"name": "results/null", "products": {"chromium": cell}}], "tests": []}

    failure = {"standing": "fail", "observed": "executeTool: fulfilled"}
    result = compare(tmp_path, programs({"standing": "pass"}), programs(failure))
    assert result.exit_code == 1
    assert "new, 1 result: FAIL: executeTool: fulfilled\n    results/null\n" in result.output


@pytest.mark.parametrize("text", ["", "[]", "1", "{}", '{"products": 1}', '{"products": [{}]}'])
def test_file_without_results_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "one.json"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(command, [str(path), str(path)])
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "has no results" in result.stderr
