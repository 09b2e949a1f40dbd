"""Results of tests, with the names of web-platform-tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class FileStatus(StrEnum):
    """The status of a file."""

    OK = "OK"
    ERROR = "ERROR"
    TIMEOUT = "TIMEOUT"
    PRECONDITION_FAILED = "PRECONDITION_FAILED"
    CRASH = "CRASH"
    NOTRUN = "NOTRUN"


class SubtestStatus(StrEnum):
    """The status of a subtest."""

    PASS = "PASS"
    FAIL = "FAIL"
    TIMEOUT = "TIMEOUT"
    NOTRUN = "NOTRUN"
    PRECONDITION_FAILED = "PRECONDITION_FAILED"


# The numbers that testharness.js has for statuses are the places in these lists.
_FILE = list(FileStatus)[:4]
_SUBTEST = list(SubtestStatus)


@dataclass(frozen=True)
class Subtest:
    """The result of one ``test()``, ``async_test()`` or ``promise_test()``; ``stack`` has the places of a failure."""

    name: str
    status: SubtestStatus
    message: str | None = None
    stack: str | None = field(default=None, repr=False, compare=False)

    def to_data(self) -> dict[str, Any]:
        """Return the result as in wptreport.json."""
        return {"name": self.name, "status": self.status, "message": self.message}


@dataclass(frozen=True)
class Result:
    """The result of one file, whose ``test`` is the path below the root with the variant, and which took ``seconds``.

    ``screenshot`` is a JPEG of the page, if the file did not end as it should and the page could still be drawn.
    """

    test: str
    status: FileStatus
    message: str | None = None
    subtests: Sequence[Subtest] = ()
    seconds: float = 0.0
    screenshot: bytes | None = field(default=None, repr=False)

    def passed(self) -> int:
        """Return the number of subtests that passed."""
        return sum(subtest.status is SubtestStatus.PASS for subtest in self.subtests)

    def statuses(self) -> dict[str | None, str]:
        """Return every status by the name of its subtest; ``None`` stands for the file itself."""
        return {None: self.status, **{subtest.name: subtest.status for subtest in self.subtests}}

    def messages(self) -> dict[str | None, str | None]:
        """Return every message, by the same keys."""
        return {None: self.message, **{subtest.name: subtest.message for subtest in self.subtests}}

    def to_data(self) -> dict[str, Any]:
        """Return the result as in wptreport.json."""
        return {
            "test": self.test,
            "status": self.status,
            "message": self.message,
            "duration": round(self.seconds * 1000),
            "subtests": [subtest.to_data() for subtest in self.subtests],
        }


def from_report(test: str, report: dict[str, Any]) -> Result:
    """Return the result of a file whose harness has reported."""
    subtests = [
        Subtest(one["name"], _SUBTEST[one["status"]], one["message"], one.get("stack")) for one in report["subtests"]
    ]
    return Result(test, _FILE[int(report["status"])], report["message"], subtests)


class TestsInterrupted(KeyboardInterrupt):
    """An interrupt of running tests; ``results`` has those of the tests that have ended, by the number of the test."""

    __test__ = False  # for pytest, which takes the name for that of a test

    def __init__(self, results: Mapping[int, Result]) -> None:
        super().__init__()
        self.results = results
