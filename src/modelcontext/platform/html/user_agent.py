"""The simulated user agent: all event loops and strands of one world, and their scheduler."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, FirstInFirstOut
from modelcontext.ground.schedule.fingerprint import State, Unordered, frames_under_way, state
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, Agent, EventLoop, Task, TaskSource
from modelcontext.platform.html.parallel import ParallelQueue, ParallelSteps, Strand
from modelcontext.platform.webidl.boundary import Boundary

if TYPE_CHECKING:
    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.nodes import Node, TreeScope
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement
    from modelcontext.platform.html.forms.submission import SubmitEvent
    from modelcontext.platform.html.navigable import BrowsingContextGroup, Navigable
    from modelcontext.platform.html.origin import Origin

#: An action that can happen next: a strand advances, a task starts, or the running task continues.
Action: TypeAlias = Strand | Task

R = TypeVar("R")


class SpecificationHooks(Protocol):
    """The hooks of a specification into the platform's algorithms; each revision implements them."""

    def initialize_document(self, document: Document) -> None:
        """Associate the specification's objects with a new document."""

    def initialize_traversable(self, traversable: Navigable) -> None:
        """Associate the specification's objects with a new traversable navigable."""

    def unloading_document_cleanup_steps(self, document: Document) -> None:
        """Run the specification's unloading document cleanup steps."""

    def form_change_steps(self, form: HTMLFormElement) -> None:
        """Run the specification's steps after a form was inserted, removed or moved."""

    def tree_change_steps(self, root: TreeScope) -> None:
        """Run the specification's steps after a change of a tree."""

    def begin_a_submission(self, form: HTMLFormElement) -> bool:
        """Return the agentInvoked attribute of a ``submit`` event that is about to be fired."""

    def invalid_submission_steps(self, form: HTMLFormElement) -> None:
        """Run the specification's steps after a form was found not to be valid as it was submitted."""

    def submit_event_steps(self, form: HTMLFormElement, event: SubmitEvent) -> None:
        """Run the specification's steps after a ``submit`` event was fired."""

    def submit_method_steps(self, form: HTMLFormElement) -> None:
        """Run the specification's steps where the ``submit()`` method submits a form."""

    def reset_steps(self, form: HTMLFormElement) -> None:
        """Run the specification's steps where a form is reset, after the event."""

    def matches(self, element: Element, pseudo_class: str) -> bool:
        """Return whether an element matches a pseudo-class of the specification's."""


class RunawayError(RuntimeError):
    """A run that exceeds its bound of actions, or of nested calls."""


class UserAgent:
    """The user agent of one world.

    ``locate`` returns the running step, if the run records steps. ``further_elements`` are the classes of elements that only
    this user agent has, by local name; "-" stands for names of custom elements. ``submit`` goes on with the submission of a
    form after its event, ``set_handler`` takes the event handler content attributes of elements with their names.
    """

    def __init__(self, hooks: SpecificationHooks, chooser: Chooser | None = None) -> None:
        self.hooks = hooks
        self.chooser: Chooser = chooser or FirstInFirstOut()
        self.event_loops: list[EventLoop] = []
        self.traversables: list[Navigable] = []
        self.current_event_loop: EventLoop | None = None
        self._sequence = 0
        self.further_elements: dict[str, type[HTMLElement]] = {}
        self.submit: Callable[[HTMLFormElement, HTMLElement | None], None] = lambda form, submitter: None
        self.set_handler: Callable[[Node, str, str | None], None] = lambda element, name, body: None
        self.locate: Callable[[], object] | None = None
        self.reported_exceptions: list[tuple[Document, object]] = []
        self._strands: list[Strand] = []
        self.running: list[Task] = []
        self._queues: dict[Strand, ParallelQueue] = {}
        self._agents: dict[tuple[BrowsingContextGroup, Origin], Agent] = {}
        self._ids = itertools.count(1)
        self._random_numbers = itertools.count(1)

    def obtain_similar_origin_window_agent(self, origin: Origin, group: BrowsingContextGroup) -> Agent:
        """https://html.spec.whatwg.org/#obtain-similar-origin-window-agent"""
        agent = self._agents.get((group, origin))
        if agent is None:
            event_loop = EventLoop(self, str(origin))
            agent = self._agents[(group, origin)] = Agent(event_loop)
            self.event_loops.append(event_loop)
        return agent

    def unique_id(self) -> int:
        """Return an id that no other call returns."""
        return next(self._ids)

    def next_random_number(self) -> int:
        """Return a number that stands for a random one, and that no other call returns."""
        return next(self._random_numbers)

    def next_sequence(self) -> int:
        """Return the number of a new process, larger than those of all before."""
        self._sequence += 1
        return self._sequence

    def in_parallel(self, steps: ParallelSteps, queue: ParallelQueue | None = None) -> None:
        """Run steps in parallel; with a parallel queue, after all steps enqueued there before."""
        strand = Strand(steps, getattr(steps, "__qualname__", "parallel steps"), self.next_sequence())
        if queue is None:
            self._strands.append(strand)
            return
        queue.changes()
        queue.waiting.append(strand)
        self._queues[strand] = queue
        if len(queue.waiting) == 1:
            self._strands.append(strand)

    def choose(self, label: str, count: int) -> int:
        """Make a free choice among ``count`` options; see :mod:`modelcontext.ground.schedule.choose`."""
        return self.chooser.choose(label, count) if count > 1 else 0

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the run continues, for fingerprints; the order of strands does not."""
        strands = Unordered(self._queues.get(strand, strand) for strand in self._strands)
        return self.event_loops, self.traversables, self.running, self.current_event_loop, self._agents, strands

    def state(self, *roots: object, constant: tuple[type, ...] = ()) -> State:
        """Return the state between two actions.

        Args:
            roots: further objects that decide how the run continues.
            constant: types whose objects never change.
        """
        inner, outer = UserAgent.let_others_run.__code__, UserAgent.run_until_idle.__code__
        frames = frames_under_way(inner, outer) if self.running else ()
        constant = (*constant, Boundary, TaskSource)
        return state((self, *roots), processes=(Strand, Task), constant=constant, under_way_in=frames)

    def processes(self) -> list[Action]:
        """Return all strands and tasks: those that run, those that are enabled, and those that wait."""
        waiting = dict.fromkeys(self._queues.values())
        queued = (strand for queue in waiting for strand in itertools.islice(queue.waiting, 1, None))
        tasks = (task for event_loop in self.event_loops for queue in event_loop.queues.values() for task in queue)
        return [*self.running, *self._strands, *queued, *tasks]

    def enabled_actions(self) -> list[Action]:
        """Return the enabled actions: each strand, and the first runnable task of each source, oldest first."""
        tasks: list[Task] = []
        waiting = [(loop, source) for loop in self.event_loops for source, queue in loop.queues.items() if queue]
        if not waiting:
            return [*self._strands]
        with footprint.unrecorded():
            for event_loop, source in waiting:
                if (task := event_loop.first_runnable_task(source)) is not None:
                    tasks.append(task)
        if len(tasks) > 1:
            tasks.sort(key=lambda task: task.sequence)
        return [*self._strands, *tasks]

    def perform(self, action: Action) -> None:
        """Perform one enabled action.

        Raises:
            RunawayError: if its calls are nested without an end.
        """
        try:
            if isinstance(action, Strand):
                if not action.advance():
                    self._finish(action)
            else:
                self.running.append(action)
                action.event_loop.run(action)
                self.running.pop()
        except RecursionError:
            raise RunawayError("calls are nested too deeply: look for a listener that triggers its own event") from None

    def let_others_run(self) -> None:
        """Let steps in parallel, and tasks of other event loops, act in the middle of the running task.

        A task runs to completion as far as its own event loop is concerned, while everything in parallel to it continues.
        The difference shows only if the task changes state that others read, so they act just before such a change: any
        number of actions, in any order, then the task continues.
        """
        event_loop = self.current_event_loop
        if event_loop is None or (type(self.chooser) is FirstInFirstOut and footprint.current is None):
            return
        task = self.running[-1]
        event_loop.note_effect()
        event_loop.note_task(task)
        event_loop.note_giving_way(task)
        others = self.actions_beside_the_running_tasks()
        if not others:
            return
        while (index := self.chooser.pick([task, *others])) > 0:
            self.current_event_loop = None
            self.perform(others[index - 1])
            self.current_event_loop = event_loop
            others = self.actions_beside_the_running_tasks()

    def actions_beside_the_running_tasks(self) -> list[Action]:
        """Return the enabled actions that can happen in the middle of the running tasks."""
        busy = [task.event_loop for task in self.running]
        enabled = self.enabled_actions()
        return [action for action in enabled if isinstance(action, Strand) or action.event_loop not in busy]

    def run_script_now(self, document: Document, script: Callable[[], R]) -> R:
        """Run a script of a document and return its result: directly if its event loop is running, else like a task.

        Raises:
            RuntimeError: if a task of another event loop is running, since scripts cannot reach across event loops.
        """
        event_loop = document.event_loop
        if self.current_event_loop is not None and self.current_event_loop is not event_loop:
            raise RuntimeError(f"{document.url} cannot be reached by a script of another origin")
        if self.current_event_loop is event_loop:
            return event_loop.run_script(document.realm, script)
        steps = functools.partial(event_loop.run_script, document.realm, script)
        task = Task(steps, document, event_loop, DOM_MANIPULATION_TASK_SOURCE, self.next_sequence())
        self.running.append(task)
        self.current_event_loop = event_loop
        returned = steps()
        self.current_event_loop = None
        self.running.pop()
        return returned

    def _finish(self, strand: Strand) -> None:
        self._strands.remove(strand)
        queue = self._queues.pop(strand, None)
        if queue is not None:
            queue.changes()
            queue.waiting.popleft()
            if queue.waiting:
                self._strands.append(queue.waiting[0])

    def run_until_idle(self, bound: int = 1_000_000) -> None:
        """Perform actions until none is enabled.

        Raises:
            RunawayError: after ``bound`` actions.
        """
        for _ in range(bound):
            if type(self.chooser) is FirstInFirstOut and footprint.current is None and self._strands:
                self.perform(self._strands[0])
                continue
            actions = self.enabled_actions()
            if not actions:
                return
            self.perform(actions[self.chooser.pick(actions)])
        raise RunawayError(
            f"the run was stopped after {bound:,} actions: look for a script that starts new work forever"
        )
