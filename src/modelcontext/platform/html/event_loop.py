"""Agents, event loops, tasks and microtasks (https://html.spec.whatwg.org/#event-loops)."""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.platform.html.window import document_of

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.user_agent import UserAgent

Steps: TypeAlias = Callable[[], object]
R = TypeVar("R")

_TASK_QUEUE: Final = footprint.Kind("task queue")
#: The state of one event loop: each task that does anything writes it.
EVENT_LOOP: Final = footprint.Kind("event loop", ordered=True)
_HOLDING: Final = footprint.Kind("holding the event loop", ordered=True)
_GIVING_WAY: Final = footprint.Kind("giving way", ordered=True)
_GIVING_WAY_LATER: Final = footprint.Kind("giving way later")


@dataclass(eq=False, slots=True)
class TaskSource:
    """A task source; tasks from one source on one event loop run in the order in which they were queued."""

    name: str

    def __repr__(self) -> str:
        return self.name


DOM_MANIPULATION_TASK_SOURCE: Final = TaskSource("DOM manipulation task source")
NAVIGATION_AND_TRAVERSAL_TASK_SOURCE: Final = TaskSource("navigation and traversal task source")
POSTED_MESSAGE_TASK_SOURCE: Final = TaskSource("posted message task source")
TIMER_TASK_SOURCE: Final = TaskSource("timer task source")


@dataclass(eq=False, slots=True)
class Task:
    """A task: steps that run to completion. ``sequence`` counts the processes of a user agent in order of making."""

    can_be_seen: ClassVar[bool] = True

    steps: Steps
    document: Document | None
    event_loop: EventLoop
    source: TaskSource
    sequence: int

    @property
    def is_runnable(self) -> bool:
        """https://html.spec.whatwg.org/#concept-task-runnable"""
        return self.document is None or self.document.is_fully_active

    @property
    def place(self) -> tuple[object, int]:
        """The code of its steps, which groups similar tasks."""
        return getattr(self.steps, "__code__", self.steps), 0

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides this task's behavior, for fingerprints."""
        return self.steps, self.document


class EventLoop:
    """A window event loop: one queue of tasks per task source, and a microtask queue."""

    __slots__ = (
        "_name",
        "_performing_a_microtask_checkpoint",
        "_script_depth",
        "_task_is_inert",
        "current_realm",
        "microtasks",
        "name",
        "queues",
        "user_agent",
    )

    def __init__(self, user_agent: UserAgent, name: str) -> None:
        self.user_agent = user_agent
        self.name = name
        self.queues: defaultdict[TaskSource, deque[Task]] = defaultdict(deque)
        self.microtasks: deque[tuple[Steps, Realm | None]] = deque()
        self.current_realm: Realm | None = None
        self._name = footprint.new_name()
        self._script_depth = 0
        self._performing_a_microtask_checkpoint = False
        self._task_is_inert: bool | None = None

    def queue_a_task(self, source: TaskSource, document: Document | None, steps: Steps) -> None:
        """https://html.spec.whatwg.org/#queue-a-task"""
        if footprint.current is not None:
            footprint.write(_TASK_QUEUE, self._name, source)
        self.queues[source].append(Task(steps, document, self, source, self.user_agent.next_sequence()))

    def first_runnable_task(self, source: TaskSource) -> Task | None:
        """Return a source's first runnable task, or None; tasks of inactive documents do not block later ones."""
        for task in self.queues[source]:
            if task.is_runnable:
                return task
        return None

    def run(self, task: Task) -> None:
        """Take a task from its queue and run it, then perform a microtask checkpoint."""
        queue = self.queues[task.source]
        if footprint.current is not None:
            self.first_runnable_task(task.source)  # Again, to have its reads in the footprint.
        if queue[0] is task:
            queue.popleft()
        else:
            queue.remove(task)
        self._task_is_inert = None
        self.user_agent.current_event_loop = self
        task.steps()
        self.perform_a_microtask_checkpoint()
        self.user_agent.current_event_loop = None
        footprint.read(_HOLDING, self._name, task.source)
        if not self._task_is_inert:
            self.note_task(task)

    def note_task(self, task: Task) -> None:
        """Note that a task changes state of the event loop, so that others cannot change places with it."""
        footprint.write(EVENT_LOOP, self._name, task.source)

    def note_giving_way(self, task: Task) -> None:
        """Note that a task gives way: only tasks of other event loops can run, and end, in its middle."""
        footprint.give_way()
        footprint.write(_HOLDING, self._name, task.source)
        footprint.write(_GIVING_WAY, self._name)
        if not self._name:
            footprint.write(_GIVING_WAY_LATER)  # Event loops that are made later share one name.

    def note_inert(self) -> None:
        """Note a step of the running task without effect; a task with only such steps commutes with others."""
        if self._task_is_inert is None:
            self._task_is_inert = True

    def note_effect(self) -> None:
        """Note that the running task has changed state of the event loop, such as a promise."""
        self._task_is_inert = False

    def remove_tasks_of(self, document: Document) -> None:
        """Remove all tasks of a document, which is being destroyed, without running them."""
        for source, queue in self.queues.items():
            footprint.write(_TASK_QUEUE, self._name, source)
            kept = [task for task in queue if task.document is not document]
            queue.clear()
            queue.extend(kept)

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the event loop continues, for fingerprints."""
        queues = sorted((source.name, queue) for source, queue in self.queues.items() if queue)
        own = (self.current_realm, self._script_depth, self._performing_a_microtask_checkpoint, self._task_is_inert)
        return *own, self.microtasks, self._name, *itertools.chain.from_iterable(queues)

    def perform_a_microtask_checkpoint(self) -> None:
        """https://html.spec.whatwg.org/#perform-a-microtask-checkpoint"""
        if self._performing_a_microtask_checkpoint or not self.microtasks:
            return
        self._performing_a_microtask_checkpoint = True
        microtasks = self.microtasks
        while microtasks:
            steps, realm = microtasks.popleft()
            if realm is None:
                steps()
            elif document_of(realm).is_fully_active:
                self.run_script(realm, steps)
        self._performing_a_microtask_checkpoint = False

    def run_script(self, realm: Realm, script: Callable[[], R]) -> R:
        """Prepare to run script, run it, and clean up after it; the outermost script performs a microtask checkpoint."""
        self._task_is_inert = False
        outer_realm = self.current_realm
        self.current_realm = realm
        self._script_depth += 1
        try:
            returned = script()
        finally:
            self._script_depth -= 1
            self.current_realm = outer_realm
        if self._script_depth == 0:
            self.perform_a_microtask_checkpoint()
        return returned


@dataclass(eq=False, slots=True)
class Agent:
    """A similar-origin window agent, shared by the documents of one origin in one browsing context group."""

    event_loop: EventLoop

    def enqueue_promise_job(self, job: Steps, realm: Realm | None) -> None:
        """https://html.spec.whatwg.org/#hostenqueuepromisejob"""
        self.event_loop.note_effect()
        self.event_loop.microtasks.append((job, realm))

    def run_script(self, realm: Realm, script: Steps) -> None:
        """Prepare to run script, run it, and clean up after running script."""
        self.event_loop.run_script(realm, script)

    def report_an_exception(self, realm: Realm, value: JSValue) -> None:
        """https://html.spec.whatwg.org/#report-an-exception"""
        self.event_loop.user_agent.reported_exceptions.append((document_of(realm), value))
