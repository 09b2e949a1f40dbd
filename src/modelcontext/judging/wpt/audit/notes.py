"""The notes of one run of a test: the steps that each subtest follows, the parts that it lacks, and what it leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from modelcontext.programs.tracing.probes import with_probes

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.simulated_session import Schedule, SimulatedSession
    from modelcontext.programs.tracing.instrumentation import StepOf
    from modelcontext.spec.revisions.revision import Revision

#: The algorithms that run at every change of a tree, also where a test has nothing to do with forms.
_EVERYWHERE: Final = ("tree-change-steps",)


class Leftovers:
    """The tools, frames and windows that stand when each subtest of a run begins."""

    def __init__(self) -> None:
        self._notes: list[tuple[str, Counter[str]]] = []

    def note(self, name: str, browser: ScriptedBrowser) -> None:
        """Take a note at a status of a subtest: the first one comes as it begins."""
        self._notes.append((name, browser.standing()))

    def left(self) -> Mapping[str, Sequence[str]]:
        """Return what each subtest leaves behind for the next one, after its clean-up.

        If two subtests run at the same time, nobody knows which of them leaves what stands afterwards.
        """
        begins: dict[str, int] = {}
        for place, (name, _) in enumerate(self._notes):
            begins.setdefault(name, place)
        found = {}
        for (name, begin), (_, end) in pairwise(begins.items()):
            more = self._notes[end][1] - self._notes[begin][1]
            if more and not any(begins[later] < end for later, _ in self._notes[end:]):
                found[name] = tuple(sorted(more.elements()))
        return found


@dataclass(frozen=True)
class Course:
    """The course of a subtest: the last step before its end, and the steps since it began, the latest first.

    ``missing`` has the parts of the platform that it lacks, and ``message`` is that of its failure.
    """

    last: str | None
    steps: Sequence[str]
    missing: Sequence[str]
    message: str | None = None


class CourseWatch:
    """Runs tests once more with probes in the algorithms, and tells the course of each subtest."""

    def __init__(self, session: SimulatedSession, revision: Revision) -> None:
        self._session = session
        self._count = 0
        self._reached: dict[StepOf, int] = {}
        self._last: StepOf | None = None
        self._revision = with_probes(revision, self._reach)
        self._known: dict[tuple[Test, Schedule], Mapping[str, Course]] = {}

    def _reach(self, step: StepOf) -> None:
        if step.algorithm in _EVERYWHERE:
            return
        self._count += 1
        self._reached[step] = self._count
        self._last = step

    def course(self, test: Test, subtest: str, schedule: Schedule) -> Course:
        """Return the course of a subtest under a schedule."""
        if (test, schedule) not in self._known:
            self._known[test, schedule] = self._courses(test, schedule)
        return self._known[test, schedule].get(subtest, Course(None, (), ()))

    def _courses(self, test: Test, schedule: Schedule) -> Mapping[str, Course]:
        courses: dict[str, Course] = {}
        begins: dict[str, int] = {}
        before: Counter[str] = Counter()
        self._reached, self._last = {}, None

        # A test has a status whenever one of its steps begins; the last one is its result.
        def note(name: str, browser: ScriptedBrowser) -> None:
            nonlocal before
            missing = browser.observed.missing
            lacks = missing - before if name in courses else Counter[str]()
            before = missing.copy()
            begin = begins.setdefault(name, self._count)
            since = sorted(((last, str(step)) for step, last in self._reached.items() if last > begin), reverse=True)
            known = courses[name].missing if name in courses else ()
            last = str(self._last) if self._last is not None else None
            courses[name] = Course(last, [step for _, step in since], sorted({*known, *lacks}))

        result = self._session.run(test, schedule, self._revision, note)
        messages = result.messages()
        return {name: replace(course, message=messages.get(name)) for name, course in courses.items()}
