"""One run of a scenario under one schedule."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.problems import UserError
from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Barrier, Chooser, GiveUp, Process
from modelcontext.ground.schedule.event_runs import EventRun, PastAction, Scheduled
from modelcontext.ground.schedule.fingerprint import State, Unordered, state
from modelcontext.platform.ecmascript.promise import PENDING
from modelcontext.platform.html.event_loop import EVENT_LOOP, Task, TaskSource
from modelcontext.platform.html.parallel import Strand
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.platform.webidl.boundary import Boundary
from modelcontext.programs.face.browser import Browser
from modelcontext.programs.face.describing import described
from modelcontext.programs.face.watching import Watcher
from modelcontext.spec.revisions.current import REVISION
from modelcontext_explore.outcomes import CallbackException, ScenarioOutcome
from modelcontext_explore.sharing import holds_anything, shared_object

if TYPE_CHECKING:
    from types import FrameType

    from modelcontext.ground.schedule.independence import Independence
    from modelcontext.platform.html.document import Document as HTMLDocument
    from modelcontext.platform.html.user_agent import UserAgent
    from modelcontext.programs.face.promises import Promise
    from modelcontext.spec.revisions.revision import Revision

#: A function that opens documents in a browser, starts scripts there, and returns a result.
Scenario = Callable[[Browser], Any]

#: All objects of Python that scripts of more than one event loop can share.
_SHARED: Final = footprint.Kind("objects of Python")
#: The end of all actions before the code of the scenario goes on.
_IDLE: Final = footprint.Kind("nothing can happen", activity=True)


class ScenarioError(UserError, ValueError):
    """A scenario that cannot be explored; the message says why."""


class UnsteadyError(ScenarioError):
    """A scenario of which two runs differ after the same choices."""

    def __init__(self) -> None:
        super().__init__(
            "the scenario is not deterministic: two runs differed after the same choices; create all state"
            " inside of the scenario, and use no clock, no random numbers and no order of sets"
        )


class SharedObjectError(Exception):
    """Scripts of two event loops share an object of Python, which they were taken not to do."""


@dataclass(slots=True)
class Trail:
    """The choices and events of the latest run, which the next one repeats up to a point.

    Each choice has the number of its options, a sign of the state before it, and the answer. A state has its fingerprint
    and the numbers of its processes, by the number of choices before it.
    """

    steps: list[tuple[int, Hashable, int]] = field(default_factory=list)
    events: list[PastAction] = field(default_factory=list)
    states: dict[int, tuple[bytes, list[int]]] = field(default_factory=dict)


class _Scheduled:
    """The scheduler of a scenario's browser. The code of the scenario is one more process, which acts when no other can."""

    def __init__(self, user_agent: UserAgent, barrier: Barrier) -> None:
        self._user_agent = user_agent
        self._barrier = barrier

    @property
    def running(self) -> Sequence[Any]:
        """The running tasks, outermost first."""
        return self._user_agent.running

    def processes(self) -> list[Any]:
        """Return all processes."""
        return [self._barrier, *self._user_agent.processes()]


class ScenarioRun(EventRun):
    """One run.

    Args:
        scenario: the scenario.
        leader: makes the free choices.
        independence: tells which actions clash; the same for all runs of an exploration.
        most_actions: the most actions of the run.
        isolated: whether scripts of different event loops are taken to share no objects of Python; the run ends if they do.
        trail: the choices of the run before.
        watcher: hears everything that scripts do.
        revision: the revision of the specification.
    """

    def __init__(
        self,
        scenario: Scenario,
        leader: Chooser,
        independence: Independence,
        *,
        most_actions: int,
        isolated: bool,
        trail: Trail,
        watcher: Watcher | None = None,
        revision: Revision = REVISION,
    ) -> None:
        super().__init__(leader, independence)
        self._scenario = scenario
        self._most_actions = most_actions
        self._isolated = isolated
        self._trail = trail
        self._steps: list[tuple[int, Hashable, int]] = []
        self._told: list[PastAction] = []
        self._states: dict[int, tuple[bytes, list[int]]] = {}
        self._phase = ""
        self._unsettled_promises = _Unsettled(self)
        self._is_repeating = True
        self._actions = 0
        self._is_over = False
        self._is_idling = False
        self._problem: Exception | None = None
        self._value: Any = None
        self._exception: Exception | None = None
        self.observations: list[tuple[str, tuple[str, str, str]]] = []
        self.exceptions: list[CallbackException] = []
        self.promises: list[tuple[HTMLDocument, str, Promise]] = []
        self.functions: list[tuple[HTMLDocument, object]] = []
        self.is_cut_off = False
        self._barrier = Barrier()
        self.browser: Browser = _ExploredBrowser(self, _Ear(self, watcher or Watcher()), revision)
        self._scheduled = _Scheduled(self.browser.world.user_agent, self._barrier)

    @property
    def scheduled(self) -> Scheduled:
        """The scheduler of the run."""
        return self._scheduled

    def run(self) -> ScenarioOutcome:
        """Run the scenario until nothing is left to do, and return the outcome.

        Raises:
            ScenarioError: if the scenario is not one.
        """
        try:
            self.record()
            try:
                self._perform()
            except GiveUp:
                pass
            except (SpecAssertionError, UserError):
                raise
            except Exception as error:
                self._exception = error
            if self._problem is not None:
                raise self._problem
            if self._is_over and not self.is_cut_off:
                raise GiveUp
            self.note_event()
            self.name_new_processes(self.fingerprint())  # A run that is cut off notes no event.
            self._leave_a_trail()
            return self.outcome()
        finally:
            self._is_over = True
            footprint.record_into(None)
            self.browser.close()

    def _perform(self) -> None:
        returned = self._scenario(self.browser)
        if inspect.iscoroutine(returned):
            returned.close()
            raise ScenarioError(
                "a scenario is a plain function; run coroutines in it as scripts: document.run(coroutine)"
            )
        self._value = returned
        if self.browser.world.user_agent.enabled_actions():
            self.browser.run_until_idle()

    def outcome(self) -> ScenarioOutcome:
        """Return the outcome so far."""
        logs: dict[str, list[tuple[str, str]]] = {}
        for stream, (url, kind, text) in self.observations:
            if kind == "log":
                logs.setdefault(stream, []).append((url, text))
        pending, abandoned = self._unsettled()
        return ScenarioOutcome(
            value=self._value,
            logs={name: _lines(logs[name]) for name in sorted(logs)},
            pending=pending,
            abandoned=abandoned,
            exception=self._exception,
            exceptions=tuple(self.exceptions),
        )

    def _unsettled(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the calls and scripts that have not ended, of documents that are there and of others."""
        pending: list[str] = []
        abandoned: list[str] = []
        for html, name, promise in self.promises:
            if promise.state == PENDING:
                (pending if html.is_fully_active else abandoned).append(f"{html.url}: {name}")
        return tuple(sorted(pending)), tuple(sorted(abandoned))

    def left(self) -> Hashable:
        """Return the part of the result that is not in the logs."""
        exception = described(self._exception) if self._exception is not None else None
        return described(self._value), exception, self._unsettled(), self.is_cut_off

    def streams(self) -> dict[str, list[tuple[str, str, str]]]:
        """Return the logs, by origin."""
        found: dict[str, list[tuple[str, str, str]]] = {}
        for stream, entry in self.observations:
            found.setdefault(stream, []).append(entry)
        return found

    # The free choices

    def pick(self, options: Sequence[Process]) -> int:
        """Let the leader choose what happens next.

        Where the leader gives up in the middle of a task, the task goes on to its end first: a script is not to see an
        exception that is not its own.
        """
        running = self.scheduled.running
        if self._is_over or self._problem is not None:
            return self._end(bool(running))
        self.note_event()
        self._actions += 1
        if self._actions > self._most_actions:
            self.is_cut_off = True
            return self._end(bool(running))
        sign = len(self.observations), *self.observations[-1:], len(self.promises), self.fingerprint()
        if not running:
            self._take_the_state()
            if options[0] is self._barrier:
                self._phase = self.fingerprint().hex()
        try:
            self._check(len(options), sign)
            index = self._leader.pick(options)
        except (GiveUp, ScenarioError, LookupError, StopIteration) as error:
            # A leader finds no way on if this run is not like those before it.
            unlike = isinstance(error, LookupError | StopIteration)
            self._problem = UnsteadyError() if unlike else error if isinstance(error, ScenarioError) else None
            self._leave_a_trail()
            return self._end(bool(running))
        self._note(len(options), sign, index)
        self.record()
        self.act(options[index])
        if not self._is_idling:
            # The scenario's own code goes on after this action without another choice, or acts in the middle of it.
            footprint.write(_SHARED)
        return index

    def _end(self, is_nested: bool) -> int:
        self._is_over = True
        if is_nested:
            return 0
        raise GiveUp

    def choose(self, label: str, count: int) -> int:
        """Let the leader make a free choice inside an action."""
        if self._is_over:
            return 0
        try:
            self._check(count, label)
            answer = self._leader.choose(label, count)
        except (UnsteadyError, LookupError, StopIteration):
            # A script that asks is not to see an exception that is not its own.
            self._problem, self._is_over = UnsteadyError(), True
            return 0
        self._note(count, label, answer)
        return self.answered(answer)

    def idles(self, run: Callable[[], None]) -> None:
        """Let the browser run until it is idle, and then the scenario go on."""
        outer, self._is_idling = self._is_idling, True
        if self._isolated:
            self._check_isolation()
        run()
        self._is_idling = outer
        self.pick([self._barrier])
        footprint.write(_IDLE)

    def _check_isolation(self) -> None:
        functions = [(html.event_loop, function) for html, function in self.functions]
        shared = shared_object(functions)
        if shared is not None and self._problem is None:
            self._problem = SharedObjectError(shared)

    def takes_function(self, html: HTMLDocument, function: object) -> None:
        """Note a function that a document gets, and check it if a script of another event loop gives it."""
        self.functions.append((html, function))
        current = self.browser.world.user_agent.current_event_loop
        if self._isolated and self._is_idling and current is not html.event_loop and holds_anything(function):
            self._problem = self._problem or SharedObjectError(
                "what a script has given to a document of another origin"
            )

    def note_event(self) -> None:
        """Note the action that has just happened. Each task that does anything can touch all objects of Python."""
        recorded = footprint.current
        if recorded is not None and any(key[0] is EVENT_LOOP for key in recorded.writes):
            (recorded.reads if self._isolated else recorded.writes).add((_SHARED,))
        super().note_event()
        if recorded is not None:
            self._told.append(self._events[-1])

    def relevant(self) -> tuple[object, ...]:
        """Return nothing: choices and observations decide nothing in the run."""
        return ()

    def _take_the_state(self) -> None:
        """Begin anew from the state, if no task is running and all objects in reach are of known types.

        The frames of the scenario stand still until the next barrier. They can hold values that cannot be read, such as the
        iterator of a loop. So the state says which phase it is of: one begins at each barrier, with the state there.
        """
        position = len(self._steps)
        if self._is_repeating and position in self._trail.states:
            fingerprint, numbers = self._trail.states[position]
            by_number = {process.sequence: process for process in self.scheduled.processes()}
            found = State(fingerprint, [by_number[number] for number in numbers])
        else:
            roots = (self._phase, self._barrier, self.browser.world.user_agent, self.browser, self._unsettled_promises)
            found = state(
                roots,
                processes=(Barrier, Strand, Task),
                constant=(Boundary, TaskSource),
                under_way_in=self._frames_of_the_scenario(),
            )
        if found.is_known:
            self.begin_anew(found)
            self._states[position] = found.fingerprint, [process.sequence for process in found.processes]

    def _frames_of_the_scenario(self) -> list[FrameType]:
        frame: FrameType | None = sys._getframe(1)
        frames = []
        while frame is not None and frame.f_code is not ScenarioRun._perform.__code__:
            module = str(frame.f_globals.get("__name__"))
            if not module.startswith(("modelcontext.", "modelcontext_explore.")):
                frames.append(frame)
            frame = frame.f_back
        return frames

    # The same choices again

    def known_event(self) -> PastAction | None:
        """Return the event if the run before has told it."""
        position = len(self._told)
        known = self._trail.events
        return known[position] if self._is_repeating and position < len(known) else None

    def _leave_a_trail(self) -> None:
        self._trail.steps, self._trail.events, self._trail.states = self._steps, self._told, self._states

    def _check(self, count: int, state: Hashable) -> None:
        position = len(self._steps)
        if self._is_repeating and position < len(self._trail.steps):
            known = self._trail.steps[position]
            if known[:2] != (count, state):
                raise UnsteadyError

    def _note(self, count: int, state: Hashable, answer: int) -> None:
        position = len(self._steps)
        steps = self._trail.steps
        self._is_repeating = self._is_repeating and position < len(steps) and steps[position][2] == answer
        self._steps.append((count, state, answer))


class _Unsettled:
    """The promises of a run that have not settled: the outcome names them."""

    def __init__(self, run: ScenarioRun) -> None:
        self._run = run

    def relevant(self) -> tuple[object, ...]:
        """Return the promises; their order does not matter."""
        promises = self._run.promises
        return (Unordered((html, name, one.javascript) for html, name, one in promises if one.state == PENDING),)


class _ExploredBrowser(Browser):
    """A browser whose runs are explored."""

    def __init__(self, run: ScenarioRun, watcher: Watcher, revision: Revision) -> None:
        super().__init__(chooser=run, watcher=watcher, revision=revision, keeps_log=False)
        self._run = run

    def run_until_idle(self) -> None:
        self._run.idles(super().run_until_idle)

    def takes(self, html: HTMLDocument, function: object) -> None:
        self._run.takes_function(html, function)


class _Ear(Watcher):
    """The ear of a run, which passes everything on to another watcher."""

    def __init__(self, run: ScenarioRun, watcher: Watcher) -> None:
        self._run = run
        self._watcher = watcher

    def calls(self, document: HTMLDocument, what: str, promise: Promise) -> None:
        self._run.promises.append((document, what, promise))
        self._watcher.calls(document, what, promise)

    def logs(self, document: HTMLDocument, text: str) -> None:
        self._observe(document, "log", text)
        self._watcher.logs(document, text)

    def raises(self, document: HTMLDocument, name: str, exception: Exception) -> None:
        self._note(document, name, exception, is_of_a_tool=False)

    def tool_raises(self, document: HTMLDocument, name: str, exception: Exception) -> None:
        self._note(document, name, exception, is_of_a_tool=True)

    def _note(self, document: HTMLDocument, name: str, exception: Exception, *, is_of_a_tool: bool) -> None:
        self._run.exceptions.append(CallbackException(document.url, name, exception, is_of_a_tool))
        self._observe(document, "exception", f"{name}: {described(exception)}")

    def _observe(self, document: HTMLDocument, kind: str, text: str) -> None:
        self._run.observations.append((document.event_loop.name, (document.url, kind, text)))


def _lines(entries: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Return the lines of a log, each with its document if there are several."""
    if len({url for url, _ in entries}) == 1:
        return tuple(text for _, text in entries)
    return tuple(f"[{url}] {text}" for url, text in entries)
