"""What a product is known to do otherwise than a test says: ``wpt_tests/expectations/wpt-PRODUCT.toml``.

.. code-block:: toml

    [[test]]
    test = "/webmcp/imperative/result.https.html"
    subtest = "A callback that resolves with undefined fails"  # left out: the status of the file itself
    status = "FAIL"
    reason = "product"                  # who is wrong: "product", "spec" or "test"
    step = "imperative-execute-steps 12.a.3"
    note = "what a reader should know"

What is not listed is expected to be OK and to PASS. A result that is not the expected one is a finding, either way.
"""

from __future__ import annotations

import tomllib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.harness.expectations import REASONS, ExpectationError
from modelcontext.harness.wpt.results import FileStatus, Result, SubtestStatus

_REQUIRED = ("test", "status", "reason", "step", "note")


@dataclass(frozen=True)
class Expectation:
    """One known result; ``subtest`` is ``None`` where it is that of the file."""

    test: str
    subtest: str | None
    status: str
    reason: str
    step: str
    note: str


@dataclass(frozen=True)
class Finding:
    """A result that is not the expected one."""

    test: str
    subtest: str | None
    text: str

    def __str__(self) -> str:
        subtest = f'"{self.subtest}": ' if self.subtest is not None else ""
        return f"{self.test}: {subtest}{self.text}"


Expectations = Mapping[tuple[str, str | None], Expectation]


def load_expectations(path: Path, steps: Container[str]) -> Expectations:
    """The expectations of a file; none if there is no file. Raises :class:`ExpectationError`.

    ``steps`` has every step of the specification as ``algorithm number``.
    """
    if not path.exists():
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExpectationError(f"{path}: {error}") from None
    except OSError as error:
        raise ExpectationError(f"{path}: cannot be read: {error.strerror}") from None
    tables = data.get("test", [])
    if set(data) - {"test"} or not isinstance(tables, list):
        raise ExpectationError(f"{path}: a file of expectations is a list of [[test]] tables, and nothing else")
    expectations: dict[tuple[str, str | None], Expectation] = {}
    for number, table in enumerate(tables, 1):
        expectation = _read(table, steps, f"{path}: test {number}")
        key = (expectation.test, expectation.subtest)
        if key in expectations:
            raise ExpectationError(f"{path}: test {number}: this test and subtest stand there twice")
        expectations[key] = expectation
    return expectations


def _read(table: Any, steps: Container[str], place: str) -> Expectation:
    if not isinstance(table, dict):
        raise ExpectationError(f"{place}: this is no table")
    for key in table:
        if key not in (*_REQUIRED, "subtest"):
            raise ExpectationError(f'{place}: unknown key "{key}"; allowed: {", ".join(_REQUIRED)}, subtest')
    for key in (*_REQUIRED, *(["subtest"] if "subtest" in table else [])):
        if not isinstance(table.get(key), str) or not table[key].strip():
            raise ExpectationError(f'{place}: the key "{key}" is missing, or is no string with something in it')
    if table["reason"] not in REASONS:
        raise ExpectationError(f'{place}: the reason "{table["reason"]}" is none of {", ".join(REASONS)}')
    if table["step"] not in steps:
        raise ExpectationError(
            f'{place}: the specification has no step "{table["step"]}" (an id of an algorithm, a number)'
        )
    statuses = SubtestStatus if "subtest" in table else FileStatus
    known = [status.value for status in statuses if status not in (SubtestStatus.PASS, FileStatus.OK)]
    if table["status"] not in known:
        raise ExpectationError(f'{place}: the status "{table["status"]}" is none of {", ".join(known)}')
    return Expectation(**{"subtest": None, **table})


def find(results: Sequence[Result], expectations: Expectations) -> list[Finding]:
    """Every unexpected result, and every expectation about a subtest that was not there."""
    findings = []
    for result in results:
        statuses = result.statuses()
        for subtest, status in statuses.items():
            expected = expectations.get((result.test, subtest))
            good = FileStatus.OK if subtest is None else SubtestStatus.PASS
            wanted = expected.status if expected is not None else good
            if status != wanted:
                message = result.message if subtest is None else _message(result, subtest)
                text = f"{status}, expected {wanted}" + (f": {message}" if message and status != good else "")
                findings.append(Finding(result.test, subtest, text))
        findings += [
            Finding(test, subtest, "an expectation names this subtest, but there is none")
            for test, subtest in expectations
            if test == result.test and subtest not in statuses
        ]
    return findings


def find_strays(tests: Container[str], expectations: Expectations) -> list[Finding]:
    """Every expectation about a file that is not among the tests."""
    return [
        Finding(test, subtest, "an expectation names this test, but there is none")
        for test, subtest in expectations
        if test not in tests
    ]


def _message(result: Result, name: str) -> str | None:
    return next(subtest.message for subtest in result.subtests if subtest.name == name)
