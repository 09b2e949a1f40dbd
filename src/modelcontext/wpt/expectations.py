"""What a product is known to do otherwise than a test says: ``wpt_tests/expectations/wpt-PRODUCT.toml``.

An entry is one cause. It covers a file, a subtest, several subtests of a file, or, in a table, subtests of several files:

.. code-block:: toml

    [[test]]
    test = "/webmcp/imperative/result.https.html"
    subtest = "A callback that resolves with undefined fails"  # left out: the status of the file itself
    status = "FAIL"
    reason = "product"                  # who is wrong: "product", "spec" or "test"
    step = "imperative-execute-steps 12.a.3"
    note = "what a reader should know"
    reproducer = "../programs/results/undefined.toml"  # the shortest thing that shows it, as seen from this file
    link = "https://..."                # where it is reported; one of these two is enough

    [[test]]
    status = "FAIL"
    reason = "product"
    step = "imperative-execute-steps 7"
    note = "what a reader should know"
    reproducer = "../programs/execution/activated-before-callback.toml"
    [test.subtests]
    "/webmcp/imperative/toolactivated.https.html" = ["It is fired at the ModelContext", "It is trusted"]
    "/webmcp/imperative/event-handlers.https.html" = ["ontoolactivated is called"]

Instead of ``subtest`` there may be ``subtests``, a list, and instead of ``test`` ``tests``, a list of files whose own
status it is. What is not listed is expected to be OK and to PASS. A result that is not the expected one is a finding,
either way.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.conformance.expectations import ExpectationError, read_cause, read_entries, read_text
from modelcontext.wpt.results import FileStatus, Result, SubtestStatus

_BAD: Final = {
    FileStatus: [status.value for status in FileStatus if status is not FileStatus.OK],
    SubtestStatus: [status.value for status in SubtestStatus if status is not SubtestStatus.PASS],
}
_KEYS: Final = ("test", "tests", "subtest", "subtests", "status", "reproducer")


@dataclass(frozen=True)
class Expectation:
    """One known result; ``subtest`` is ``None`` where it is that of the file."""

    test: str
    subtest: str | None
    status: str
    reason: str
    step: str
    note: str
    link: str | None
    reproducer: str | None


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
    expectations: dict[tuple[str, str | None], Expectation] = {}
    for place, table in read_entries(path, "test"):
        cause = read_cause(table, _KEYS, steps, place)
        status = read_text(table, "status", place)
        reproducer = _reproducer(table, path.parent, place)
        for test, subtest in _covered(table, place):
            known = _BAD[FileStatus if subtest is None else SubtestStatus]
            if status not in known:
                raise ExpectationError(f'{place}: the status "{status}" is none of {", ".join(known)}')
            if (test, subtest) in expectations:
                what = test if subtest is None else f'{test}, "{subtest}"'
                raise ExpectationError(f"{place}: this stands there twice: {what}")
            expectations[test, subtest] = Expectation(
                test=test, subtest=subtest, status=status, reproducer=reproducer, **cause
            )
    return expectations


def _covered(table: Mapping[str, Any], place: str) -> Iterator[tuple[str, str | None]]:
    """Every file and subtest that an entry is about; for the status of a file itself without a subtest."""
    given = {key for key in ("test", "tests", "subtest", "subtests") if key in table}
    if given == {"test"}:
        yield read_text(table, "test", place), None
    elif given == {"tests"}:
        for test in _texts(table["tests"], "tests", place):
            yield test, None
    elif given == {"test", "subtest"}:
        yield read_text(table, "test", place), read_text(table, "subtest", place)
    elif given == {"test", "subtests"}:
        for subtest in _texts(table["subtests"], "subtests", place):
            yield read_text(table, "test", place), subtest
    elif given == {"subtests"} and isinstance(table["subtests"], dict) and table["subtests"]:
        for test, subtests in table["subtests"].items():
            for subtest in _texts(subtests, test, place):
                yield test, subtest
    else:
        raise ExpectationError(
            f'{place}: an entry has a "test" (and a "subtest", or a list "subtests"), a list "tests", '
            'or a table "subtests" with a list for each test'
        )


def _texts(values: Any, key: str, place: str) -> list[str]:
    if not isinstance(values, list) or not values or not all(isinstance(one, str) and one.strip() for one in values):
        raise ExpectationError(f'{place}: "{key}" is no list of strings with something in them')
    return values


def _reproducer(table: Mapping[str, Any], folder: Path, place: str) -> str | None:
    if "reproducer" not in table:
        if "link" not in table:
            raise ExpectationError(
                f'{place}: a "reproducer" (a program or test, as seen from here) or a "link" is missing'
            )
        return None
    reproducer = read_text(table, "reproducer", place)
    if not (folder / reproducer).is_file():
        raise ExpectationError(f'{place}: there is no file "{reproducer}" (as seen from {folder})')
    return reproducer


def expected_status(expectations: Expectations, test: str, subtest: str | None = None) -> str:
    """The status that a subtest is expected to have, or a file itself."""
    known = expectations.get((test, subtest))
    if known is not None:
        return known.status
    return FileStatus.OK if subtest is None else SubtestStatus.PASS


def find(results: Sequence[Result], expectations: Expectations) -> list[Finding]:
    """Every unexpected result, and every expectation about a subtest that was not there."""
    findings = []
    for result in results:
        statuses = result.statuses()
        for subtest, status in statuses.items():
            expected = expected_status(expectations, result.test, subtest)
            if status != expected:
                message = result.message if subtest is None else _message(result, subtest)
                is_good = status in (FileStatus.OK, SubtestStatus.PASS)
                text = f"{status}, expected {expected}" + (f": {message}" if message and not is_good else "")
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
