"""The search for the known Issues of the text that explain why a subtest fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from modelcontext.judging.wpt.audit.evidence import IssueReading, find
from modelcontext.spec.revisions.current import REVISION as CURRENT

if TYPE_CHECKING:
    from modelcontext.judging.wpt.audit.notes import Course
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.results import Result
    from modelcontext.judging.wpt.simulated_session import Schedule, SimulatedSession
    from modelcontext.spec.revisions.revision import Revision

#: The failing schedules under which another reading of the text must make a subtest pass.
MOST_TRIED: Final = 3
#: The Issues whose readings are tried: those about the steps that were followed last. A reading takes seconds to compile.
MOST_READ: Final = 12
#: The most Issues that are named for a failure.
MOST_NAMED: Final = 3


class IssueSearch:
    """The search for Issues that explain failures: those whose other reading makes a subtest pass, or about its last step."""

    def __init__(self, session: SimulatedSession, issues: Sequence[IssueReading]) -> None:
        self._session = session
        self._issues = issues
        self._results: dict[tuple[Test, Schedule, IssueReading], Result] = {}

    def issues(self, test: Test, subtest: str, failing: Sequence[Schedule], course: Course) -> list[IssueReading]:
        """Return the Issues that explain a failure of a subtest under the first schedules that show it."""
        place = {step: index for index, step in enumerate(course.steps)}
        near = sorted(
            (
                (min(place[step] for step in one.steps & place.keys()), one)
                for one in self._issues
                if one.steps & place.keys()
            ),
            key=lambda pair: pair[0],
        )
        found: list[IssueReading] = []
        tried: set[int] = set()
        for _, one in near:
            tried.add(one.number)
            if len(tried) > MOST_READ:
                break
            if (revision := self._revision(one)) is not None:
                results = [self._result(test, schedule, one, revision) for schedule in failing[:MOST_TRIED]]
                seen = [find(result, subtest) for result in results]
                if all(each is not None and each.passes for each in seen):
                    found.append(one)
        numbers = {one.number for one in found}
        last = _last_steps(course)
        about = {one.number: replace(one, reading="", revision=None) for one in self._issues if one.steps & last}
        return [*found, *(one for number, one in about.items() if number not in numbers)][:MOST_NAMED]

    @staticmethod
    def _revision(issue: IssueReading) -> Revision | None:
        """Return the algorithms of the Issue's reading; None if they have another interface, which the engine lacks."""
        revision = issue.revision() if issue.revision is not None else None
        return revision if revision is not None and revision.definitions == CURRENT.definitions else None

    def _result(self, test: Test, schedule: Schedule, issue: IssueReading, revision: Revision) -> Result:
        key = (test, schedule, issue)
        if key not in self._results:
            self._results[key] = self._session.run(test, schedule, revision)
        return self._results[key]


def _last_steps(course: Course) -> set[str]:
    """Return the last step, those that contain it, and the last step of the algorithm before, which may have called it."""
    if not course.steps:
        return set()
    algorithm, _, number = course.steps[0].partition(" ")
    parts = number.split(".")
    around = {f"{algorithm} {'.'.join(parts[:length])}" for length in range(1, len(parts) + 1)}
    return around | set([step for step in course.steps if not step.startswith(f"{algorithm} ")][:1])
