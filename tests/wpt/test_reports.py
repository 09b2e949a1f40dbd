"""Files of results: wptreport.json in the schema of wptrunner, and JUnit XML."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from lxml import etree

from modelcontext.judging.wpt.expectations import Expectations, KnownResult
from modelcontext.judging.wpt.results import FileStatus, Result, Subtest, SubtestStatus
from modelcontext.judging.wpt.suite import SuiteRun
from modelcontext.judging.wpt.tree import Tree
from modelcontext.people.reports.junit import as_junit
from modelcontext.people.reports.wptreport import as_wptreport, describe_run
from modelcontext.running.products import make_target

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((Path(__file__).parent / "wptreport.schema.json").read_text(encoding="utf-8"))
# The schema that Jenkins has for such files; most others read what Jenkins reads.
XSD = ROOT / "node_modules/junit-processor/schemas/jenkins-junit.xsd"

# 2026-11-21T16:00:00Z
BEGUN = 1795276800.0

FILE = "/webmcp/imperative/result.https.html?variant"
HOSTILE = "</failure>\0\x1b[31m \ud800 &amp; \N{PILE OF POO}"


def known(status: str) -> KnownResult:
    step, reproducer = "imperative-execute-steps 12.a.3", "../programs/x.toml"
    return KnownResult("product", step, "<why>", link=None, quirk=None, status=status, reproducer=reproducer)


EXPECTATIONS: Expectations = {
    (FILE, "is known to fail"): known("FAIL"),
    (FILE, "passes against expectation"): known("FAIL"),
    (FILE, "times out instead"): known("FAIL"),
    ("/webmcp/crashes.html", None): known("CRASH"),
    ("/webmcp/does-not-run.html", None): known("TIMEOUT"),
}
RESULTS = [
    Result(
        FILE,
        FileStatus.OK,
        None,
        [
            Subtest("passes", SubtestStatus.PASS),
            Subtest("fails", SubtestStatus.FAIL, HOSTILE),
            Subtest("is known to fail", SubtestStatus.FAIL, "as ever"),
            Subtest("passes against expectation", SubtestStatus.PASS),
            Subtest("times out instead", SubtestStatus.TIMEOUT, "Test timed out"),
            Subtest("is optional", SubtestStatus.PRECONDITION_FAILED, "not here"),
            Subtest("does not run", SubtestStatus.NOTRUN),
            Subtest(HOSTILE, SubtestStatus.PASS),
        ],
        1.25,
    ),
    Result("/webmcp/crashes.html", FileStatus.CRASH, "the renderer process crashed", (), 0.5),
    Result("/webmcp/hangs.html", FileStatus.TIMEOUT, "no result within 13 seconds", (), 13.0),
    Result("/webmcp/throws.html", FileStatus.ERROR, "Error: no", [Subtest("passes", SubtestStatus.PASS)], 0.1),
    Result("/webmcp/optional.html", FileStatus.PRECONDITION_FAILED, None, (), 0.1),
    Result("/webmcp/does-not-run.html", FileStatus.NOTRUN, "there is no browser"),
]


def the_run(root: Path = ROOT, version: str | None = "156.0.1.2") -> SuiteRun:
    return SuiteRun(
        make_target("chromium"),
        Tree(root, {}, {}),
        version,
        [RESULTS],
        [],
        EXPECTATIONS,
        begun=BEGUN,
        ended=BEGUN + 15.5,
    )


def wptreport() -> dict[str, Any]:
    report: dict[str, Any] = json.loads(as_wptreport(the_run()))
    return report


def test_wptreport_matches_its_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    report = wptreport()
    assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(report)] == []
    assert report["run_info"]["product"] == "chromium"
    assert report["run_info"]["browser_version"] == "156.0.1.2"
    assert report["time_end"] - report["time_start"] == 15500
    assert [one["test"] for one in report["results"]] == [result.test for result in RESULTS]


@pytest.mark.parametrize(
    "change",
    [
        lambda report: report.pop("time_end"),
        lambda report: report["results"][0].pop("message"),
        lambda report: report["results"][0].update(seconds=1),
        lambda report: report["results"][0]["subtests"][0].update(status="OK"),
        lambda report: report["results"][0].update(status="NOTRUN"),
        lambda report: report["results"][0].update(duration=1.5),
        lambda report: report["run_info"].pop("product"),
    ],
)
def test_schema_of_wptreport_can_fail(change: Any) -> None:
    report = wptreport()
    change(report)
    assert not Draft202012Validator(SCHEMA).is_valid(report)


def test_wptreport_has_expected_only_where_it_differs() -> None:
    report = wptreport()
    subtests = {one["name"]: one for one in report["results"][0]["subtests"]}
    assert subtests["passes"] == {"name": "passes", "status": "PASS", "message": None}
    assert subtests["fails"]["expected"] == "PASS"
    assert subtests["is known to fail"] == {"name": "is known to fail", "status": "FAIL", "message": "as ever"}
    assert subtests["passes against expectation"]["expected"] == "FAIL"
    assert subtests["times out instead"]["expected"] == "FAIL"
    assert [(one["status"], one.get("expected")) for one in report["results"]] == [
        ("OK", None),
        ("CRASH", None),
        ("TIMEOUT", "OK"),
        ("ERROR", "OK"),
        ("PRECONDITION_FAILED", "OK"),
        ("SKIP", None),
    ]
    # wptrunner writes lone surrogates in this form.
    assert subtests["fails"]["message"] == HOSTILE.replace("\ud800", "U+d800")


def test_wptreport_has_the_revision_of_the_tests(tmp_path: Path) -> None:
    assert re.fullmatch("[0-9a-f]{40}", describe_run(the_run(ROOT / "wpt_tests"))["revision"])
    assert "revision" not in describe_run(the_run(tmp_path))
    assert "revision" not in describe_run(the_run(tmp_path / "absent"))


def test_wptreport_of_a_missing_product_has_no_version() -> None:
    report = json.loads(as_wptreport(the_run(version=None)))
    assert "browser_version" not in report["run_info"]
    assert Draft202012Validator(SCHEMA).is_valid(report)


def test_unexpected_result_of_several_rounds_counts() -> None:
    good, bad = (Result("/x.html", status) for status in (FileStatus.OK, FileStatus.TIMEOUT))
    for rounds in ([[good], [bad]], [[bad], [good]]):
        run = replace(the_run(), rounds=rounds)
        assert run.results == [bad]
        assert as_junit([run]).count("<error ") == 1


def junit() -> Any:
    return etree.fromstring(as_junit([the_run(), the_run()]).encode())


def test_junit_matches_its_schema() -> None:
    schema = etree.XMLSchema(etree.parse(XSD))
    assert schema.validate(junit()), schema.error_log
    broken = junit()
    broken.find(".//failure").set("because", "of this")
    assert not schema.validate(broken)


def test_junit_fails_unexpected_and_skips_known_results() -> None:
    root = junit()
    seen = {
        (case.get("classname").removeprefix("chromium: "), case.get("name")): [
            (child.tag, child.get("message") or child.text) for child in case
        ]
        for case in root.iter("testcase")
    }
    assert {key: value for key, value in seen.items() if value} == {
        (FILE, "fails"): [
            ("failure", "FAIL, expected PASS: </failure>\\u0000\\u001b[31m \\ud800 &amp; \N{PILE OF POO}")
        ],
        (FILE, "is known to fail"): [("skipped", "known FAIL (product; imperative-execute-steps 12.a.3): <why>")],
        (FILE, "passes against expectation"): [("failure", "PASS, expected FAIL")],
        (FILE, "times out instead"): [("failure", "TIMEOUT, expected FAIL: Test timed out")],
        (FILE, "is optional"): [("failure", "PRECONDITION_FAILED, expected PASS: not here")],
        (FILE, "does not run"): [("failure", "NOTRUN, expected PASS")],
        ("/webmcp/crashes.html", "(the file itself)"): [
            ("skipped", "known CRASH (product; imperative-execute-steps 12.a.3): <why>")
        ],
        ("/webmcp/hangs.html", "(the file itself)"): [("error", "TIMEOUT, expected OK: no result within 13 seconds")],
        ("/webmcp/throws.html", "(the file itself)"): [("error", "ERROR, expected OK: Error: no")],
        ("/webmcp/optional.html", "(the file itself)"): [("failure", "PRECONDITION_FAILED, expected OK")],
        ("/webmcp/does-not-run.html", "(the file itself)"): [
            ("error", "NOTRUN, expected TIMEOUT: there is no browser")
        ],
    }
    assert dict(root.attrib) == {
        "name": "modelcontext", "tests": "30", "failures": "12", "errors": "6", "time": "29.900"
    }  # fmt: skip
    assert dict(root[0].attrib) == {
        "name": f"chromium: {FILE}", "timestamp": "2026-11-21T16:00:00", "tests": "9", "failures": "5", "errors": "0",
        "skipped": "1", "time": "1.250",
    }  # fmt: skip
