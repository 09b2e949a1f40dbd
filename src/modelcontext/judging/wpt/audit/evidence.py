"""The evidence about a subtest: its results under schedules and on products, and what explains them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from modelcontext.judging.wpt.results import FileStatus, Result, SubtestStatus

if TYPE_CHECKING:
    from modelcontext.ground.problems import UnavailableError
    from modelcontext.judging.wpt.simulated_session import Schedule
    from modelcontext.spec.revisions.revision import Revision

#: The product that has the same algorithms and the platform of a real browser.
PAGE: Final = "page"
PASSES = (SubtestStatus.PASS, FileStatus.OK)
_UNREACHED = (SubtestStatus.NOTRUN, FileStatus.NOTRUN)


@dataclass(frozen=True)
class Seen:
    """One result of a subtest, or of a file: its status, its message, and the places of the failure."""

    status: str
    message: str | None = None
    stack: str | None = None

    @property
    def passes(self) -> bool:
        """True if the subtest passes."""
        return self.status in PASSES


@dataclass(frozen=True)
class IssueReading:
    """A known Issue of the text: its number, its title, and the steps that it is about.

    ``reading`` is the name of another reading of the text, and ``revision`` makes the algorithms of this reading.
    """

    number: int
    title: str
    steps: frozenset[str]
    reading: str = ""
    revision: Callable[[], Revision] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Evidence:
    """The results of a subtest, or of a file itself where ``subtest`` is ``None``.

    ``simulated`` has a result for each schedule under which the subtest was reached, ``products`` one for each product that
    reached it. ``step`` is the step of the specification that was followed last before the first failure in the simulated
    browser, and ``steps`` has those that were followed since the subtest began, the latest first, and is
    None if nobody has watched. ``missing`` are the parts of the platform that
    the subtest reached for there, and that are not there. ``alone`` is true if other subtests of the file were left out.

    ``leaves`` are the tools, frames and windows that the subtest leaves behind for the next one. ``after`` is the subtest
    without which this one passes, and ``breaks`` are the subtests that fail because of this one. ``issues`` are the known
    Issues that may explain the failure.
    """

    test: str
    subtest: str | None
    simulated: Mapping[Schedule, Seen]
    products: Mapping[str, Seen] = field(default_factory=dict)
    step: str | None = None
    steps: Sequence[str] | None = None
    missing: Sequence[str] = ()
    alone: bool = False
    leaves: Sequence[str] = ()
    after: str | None = None
    breaks: Sequence[str] = ()
    issues: Sequence[IssueReading] = ()

    @property
    def failing(self) -> Mapping[Schedule, Seen]:
        """The schedules under which the subtest does not pass."""
        return {schedule: seen for schedule, seen in self.simulated.items() if not seen.passes}

    @property
    def passing(self) -> Mapping[Schedule, Seen]:
        """The schedules under which the subtest passes."""
        return {schedule: seen for schedule, seen in self.simulated.items() if seen.passes}


@dataclass(frozen=True)
class Gathered:
    """The evidence about a suite, the versions of the products, and the products that are not available.

    An interrupt has ``left`` out so many runs of files.
    """

    evidence: Sequence[Evidence]
    versions: Mapping[str, str]
    unavailable: Mapping[str, UnavailableError]
    schedules: Sequence[Schedule]
    left: int = 0


def find(result: Result, name: str | None) -> Seen | None:
    """Return the result of a subtest if it was reached; a file that only waited for a subtest is no result of its own."""
    if name is None:
        waits = any(subtest.status is SubtestStatus.TIMEOUT for subtest in result.subtests)
        status = FileStatus.OK if waits and result.status is FileStatus.TIMEOUT else result.status
        return Seen(status, result.message) if status not in _UNREACHED else None
    for subtest in result.subtests:
        if subtest.name == name and subtest.status not in _UNREACHED:
            return Seen(subtest.status, subtest.message, subtest.stack)
    return None
