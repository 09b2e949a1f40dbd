"""Results as JUnit XML, which most systems for continuous integration show.

Each file of tests is a suite, whose cases are the file itself and its subtests. A case has failed if its result is not
the expected one. Known deviations are skipped, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from modelcontext.judging.wpt.expectations import Expectations, expected_status
from modelcontext.judging.wpt.results import FileStatus, Result

if TYPE_CHECKING:
    from modelcontext.judging.wpt.suite import SuiteRun

# The characters that XML 1.0 cannot represent.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_UNFINISHED = {FileStatus.ERROR, FileStatus.TIMEOUT, FileStatus.CRASH, FileStatus.NOTRUN}


def as_junit(runs: Sequence[SuiteRun]) -> str:
    """Return the runs of all products as JUnit XML."""
    root = ET.Element("testsuites", name="modelcontext")
    seconds = 0.0
    for run in runs:
        timestamp = datetime.fromtimestamp(run.begun, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        for result in run.results:
            name = _text(f"{run.target.name}: {result.test}")
            suite = ET.SubElement(root, "testsuite", name=name, timestamp=timestamp)
            properties = ET.SubElement(suite, "properties")
            ET.SubElement(properties, "property", name="product", value=run.target.name)
            ET.SubElement(properties, "property", name="version", value=_text(run.version or ""))
            _add_case(suite, result, None, result.status, result.message, run.known)
            for subtest in result.subtests:
                _add_case(suite, result, subtest.name, subtest.status, subtest.message, run.known)
            _count(suite, result.seconds)
            seconds += result.seconds
    _count(root, seconds)
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _add_case(
    suite: ET.Element, result: Result, subtest: str | None, status: str, message: str | None, expectations: Expectations
) -> None:
    name = "(the file itself)" if subtest is None else subtest
    case = ET.SubElement(suite, "testcase", name=_text(name), classname=suite.get("name", ""), status=status)
    expected = expected_status(expectations, result.test, subtest)
    known = expectations.get((result.test, subtest))
    if status != expected:
        kind = "error" if subtest is None and status in _UNFINISHED else "failure"
        text = f"{status}, expected {expected}" + (f": {message}" if message else "")
        ET.SubElement(case, kind, type=status, message=_text(text))
    elif known is not None:
        text = f"known {status} {known.words}"
        ET.SubElement(case, "skipped").text = _text(text)


def _count(element: ET.Element, seconds: float) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        # The root element does not have this attribute.
        if element.tag == "testsuite" or tag != "skipped":
            element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    element.set("time", f"{seconds:.3f}")


def _text(text: str) -> str:
    return _ILLEGAL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
