"""Known deviations of a product from tests, in ``wpt_tests/expectations/wpt-PRODUCT.toml``.

Each entry is one cause. It covers a file, a subtest, several subtests of a file, or, in a table, subtests of several files:

.. code-block:: toml

    [[test]]
    test = "/webmcp/imperative/result.https.html"
    subtest = "A callback that resolves with undefined fails"  # without it the entry is about the file itself
    status = "FAIL"
    reason = "product"                  # who is wrong: "product", "spec" or "test"
    step = "imperative-execute-steps 12.a.3"
    note = "what a reader should know"
    reproducer = "../programs/results/undefined.toml"  # the shortest program or test that shows it, relative to this file
    link = "https://..."                # the report; one of these two is enough

    [[test]]
    status = "FAIL"
    reason = "product"
    step = "imperative-execute-steps 7"
    note = "what a reader should know"
    reproducer = "../programs/execution/activated-before-callback.toml"
    [test.subtests]
    "/webmcp/imperative/toolactivated.https.html" = ["It is fired at the ModelContext", "It is trusted"]
    "/webmcp/imperative/event-handlers.https.html" = ["ontoolactivated is called"]

If the product's profile has the cause as a quirk, ``quirk`` names it, and the keys that the quirk has are left out.

A list ``subtests`` can replace ``subtest``, and a list ``tests`` of files, with the status of the files themselves,
``test``. Files that are not listed are expected to be OK, and subtests to PASS. Every other result is a finding.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from modelcontext.judging.conformance.expectations import ExpectationEntry, KnownCause, Vocabulary, read_entries
from modelcontext.judging.wpt.results import FileStatus, Result, SubtestStatus

_BAD: Final = {
    FileStatus: [status.value for status in FileStatus if status is not FileStatus.OK],
    SubtestStatus: [status.value for status in SubtestStatus if status is not SubtestStatus.PASS],
}
_KEYS: Final = ("test", "tests", "subtest", "subtests", "status", "reproducer")


@dataclass(frozen=True, kw_only=True)
class KnownResult(KnownCause):
    """The known cause of one result, with its status."""

    status: str
    reproducer: str | None


@dataclass(frozen=True)
class UnexpectedResult:
    """A result that is not the expected one."""

    test: str
    subtest: str | None
    text: str

    def __str__(self) -> str:
        subtest = f'"{self.subtest}": ' if self.subtest is not None else ""
        return f"{self.test}: {subtest}{self.text}"


#: The known results by test and subtest, which is ``None`` for the file itself.
Expectations = Mapping[tuple[str, str | None], KnownResult]


def load_expectations(path: Path, vocabulary: Vocabulary) -> Expectations:
    """Return the expectations of a file, which may be missing. Raises :class:`ExpectationError`."""
    expectations: dict[tuple[str, str | None], KnownResult] = {}
    for entry in read_entries(path, "test", _KEYS):
        cause = entry.cause(vocabulary)
        reproducer = _reproducer(entry, cause, path.parent)
        for test, subtest in _covered(entry):
            known = _BAD[FileStatus if subtest is None else SubtestStatus]
            status = entry.choice("status", entry.text("status"), known)
            if (test, subtest) in expectations:
                what = test if subtest is None else f'{test}, "{subtest}"'
                raise entry.error(f"this is listed twice: {what}")
            expectations[test, subtest] = KnownResult(**vars(cause), status=status, reproducer=reproducer)
    return expectations


def _covered(entry: ExpectationEntry) -> Iterator[tuple[str, str | None]]:
    """Yield every file and subtest that an entry is about; ``None`` stands for the file itself."""
    table = entry.table
    given = {key for key in ("test", "tests", "subtest", "subtests") if key in table}
    if given == {"test"}:
        yield entry.text("test"), None
    elif given == {"tests"}:
        for test in _texts(entry, "tests", table["tests"]):
            yield test, None
    elif given == {"test", "subtest"}:
        yield entry.text("test"), entry.text("subtest")
    elif given == {"test", "subtests"}:
        for subtest in _texts(entry, "subtests", table["subtests"]):
            yield entry.text("test"), subtest
    elif given == {"subtests"} and isinstance(table["subtests"], dict) and table["subtests"]:
        for test, subtests in table["subtests"].items():
            for subtest in _texts(entry, test, subtests):
                yield test, subtest
    else:
        raise entry.error(
            'an entry needs a "test" (and a "subtest", or a list "subtests"), a list "tests", '
            'or a table "subtests" with a list for each test'
        )


def _texts(entry: ExpectationEntry, key: str, values: Any) -> list[str]:
    if not isinstance(values, list) or not values or not all(isinstance(one, str) and one.strip() for one in values):
        raise entry.error(f'"{key}" is not a list of strings, is empty, or has a blank string')
    return values


def _reproducer(entry: ExpectationEntry, cause: KnownCause, folder: Path) -> str | None:
    if "reproducer" in entry.table:
        reproducer = entry.text("reproducer")
    elif cause.quirk is not None:
        reproducer = f"../{cause.quirk.reproducer}.toml"
    elif cause.link is not None or "builds" in entry.table:
        return None
    else:
        raise entry.error('a "reproducer" (a program or test, relative to this file) or a "link" is missing')
    if not (folder / reproducer).is_file():
        raise entry.error(f'there is no file "{reproducer}" (relative to {folder})')
    return reproducer


def expected_status(expectations: Expectations, test: str, subtest: str | None = None) -> str:
    """Return the expected status of a subtest, or of a file itself."""
    known = expectations.get((test, subtest))
    if known is not None:
        return known.status
    return FileStatus.OK if subtest is None else SubtestStatus.PASS


def find(results: Sequence[Result], expectations: Expectations) -> list[UnexpectedResult]:
    """Return every unexpected result, and every expectation about a subtest that did not appear."""
    findings = []
    for result in results:
        statuses, messages = result.statuses(), result.messages()
        for subtest, status in statuses.items():
            expected = expected_status(expectations, result.test, subtest)
            if status != expected:
                message = messages[subtest]
                is_good = status in (FileStatus.OK, SubtestStatus.PASS)
                text = f"{status}, expected {expected}" + (f": {message}" if message and not is_good else "")
                findings.append(UnexpectedResult(result.test, subtest, text))
        findings += [
            UnexpectedResult(test, subtest, "an expectation names this subtest, but it does not exist")
            for test, subtest in expectations
            if test == result.test and subtest not in statuses
        ]
    return findings


def find_strays(tests: Container[str], expectations: Expectations) -> list[UnexpectedResult]:
    """Return every expectation about a file that is not among the tests."""
    return [
        UnexpectedResult(test, subtest, "an expectation names this test, but it does not exist")
        for test, subtest in expectations
        if test not in tests
    ]
