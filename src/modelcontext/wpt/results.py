"""Results of tests, under the names that web-platform-tests has for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class FileStatus(StrEnum):
    """How the run of a file ended."""

    OK = "OK"
    ERROR = "ERROR"
    TIMEOUT = "TIMEOUT"
    PRECONDITION_FAILED = "PRECONDITION_FAILED"
    CRASH = "CRASH"
    NOTRUN = "NOTRUN"


class SubtestStatus(StrEnum):
    """The result of one subtest."""

    PASS = "PASS"
    FAIL = "FAIL"
    TIMEOUT = "TIMEOUT"
    NOTRUN = "NOTRUN"
    PRECONDITION_FAILED = "PRECONDITION_FAILED"


# The numbers that testharness.js has for them are the places in these tuples.
_FILE = (FileStatus.OK, FileStatus.ERROR, FileStatus.TIMEOUT, FileStatus.PRECONDITION_FAILED)
_SUBTEST = (
    SubtestStatus.PASS,
    SubtestStatus.FAIL,
    SubtestStatus.TIMEOUT,
    SubtestStatus.NOTRUN,
    SubtestStatus.PRECONDITION_FAILED,
)


@dataclass(frozen=True)
class Subtest:
    """The result of one ``test()``, ``async_test()`` or ``promise_test()``."""

    name: str
    status: SubtestStatus
    message: str | None = None


@dataclass(frozen=True)
class Result:
    """The result of one file. ``test`` is its path below the root, with its variant; ``seconds`` is how long it took.

    ``screenshot`` is a JPEG of the page, where it did not come to its end as it should.
    """

    test: str
    status: FileStatus
    message: str | None = None
    subtests: Sequence[Subtest] = ()
    seconds: float = 0.0
    screenshot: bytes | None = field(default=None, repr=False)

    def passed(self) -> int:
        """How many subtests passed."""
        return sum(subtest.status is SubtestStatus.PASS for subtest in self.subtests)

    def statuses(self) -> dict[str | None, str]:
        """Every status by the name of its subtest; that of the file itself under ``None``."""
        return {None: self.status, **{subtest.name: subtest.status for subtest in self.subtests}}

    def to_data(self) -> dict[str, Any]:
        """As in wptreport.json."""
        return {
            "test": self.test,
            "status": self.status,
            "message": self.message,
            "duration": round(self.seconds * 1000),
            "subtests": [
                {"name": subtest.name, "status": subtest.status, "message": subtest.message}
                for subtest in self.subtests
            ],
        }


def file_status(report: dict[str, Any]) -> FileStatus:
    """The status of a file whose harness has reported."""
    return _FILE[report["status"]]


def from_report(test: str, report: dict[str, Any], seconds: float, screenshot: bytes | None = None) -> Result:
    """The result of a file whose harness has reported."""
    subtests = [Subtest(one["name"], _SUBTEST[one["status"]], one["message"]) for one in report["subtests"]]
    return Result(test, file_status(report), report["message"], subtests, seconds, screenshot)
