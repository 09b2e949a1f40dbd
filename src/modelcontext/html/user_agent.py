"""The simulated user agent: all event loops and strands of one world, and the scheduler that picks what happens next."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from modelcontext.html.event_loop import Agent, EventLoop, Task, TaskSource
from modelcontext.html.parallel import ParallelQueue, ParallelSteps, Strand
from modelcontext.infra import footprint
from modelcontext.schedule.choose import Chooser, FirstInFirstOut

if TYPE_CHECKING:
    from modelcontext.html.document import Document
    from modelcontext.html.navigable import BrowsingContextGroup, Navigable
    from modelcontext.html.origin import Origin

Action: TypeAlias = Strand | tuple[EventLoop, TaskSource, Task]

#: Decides what happens next, given the enabled actions; None among them stands for going on with the running task.
Picker: TypeAlias = Callable[[Sequence[Action | None]], int]


class SpecificationHooks(Protocol):
    """What a specification adds to the platform's own algorithms; each revision brings one."""

    def initialize_document(self, document: Document) -> None:
        """Give a new document what the specification associates with every document."""

    def initialize_traversable(self, traversable: Navigable) -> None:
        """Give a new traversable navigable what the specification associates with each."""

    def unloading_document_cleanup_steps(self, document: Document) -> None:
        """The specification's unloading document cleanup steps."""


class Journal(Protocol):
    """Watches every action of a run, for exploration."""

    def before(self, identity: object) -> None:
        """An action begins; its identity is the same under every schedule."""

    def after(self, *, ended: bool = True) -> None:
        """The action has ended, or gives way in its middle; then another call of :meth:`before` resumes it."""

    def new_identity(self) -> object:
        """Return the identity of something that the action under way creates."""


class RunawayError(RuntimeError):
    """A run that does not become idle within its bound of actions."""


class UserAgent:
    """One world. ``locate`` tells, where asked to keep record, which step of which algorithm is running."""

    def __init__(self, hooks: SpecificationHooks, chooser: Chooser | None = None) -> None:
        self.hooks = hooks
        self.chooser: Chooser = chooser or FirstInFirstOut()
        self.picker: Picker = lambda actions: self.choose("what happens next", len(actions))
        self.event_loops: list[EventLoop] = []
        self.traversables: list[Navigable] = []
        self.current_event_loop: EventLoop | None = None
        self.sequence = 0
        self.journal: Journal | None = None
        self.locate: Callable[[], object] | None = None
        self.reported_exceptions: list[tuple[Document, object]] = []
        self._strands: list[Strand] = []
        self._running: list[tuple[EventLoop, Task]] = []
        self._queues: dict[Strand, ParallelQueue] = {}
        self._agents: dict[tuple[BrowsingContextGroup, Origin], Agent] = {}
        self._ids = itertools.count(1)

    def obtain_similar_origin_window_agent(self, origin: Origin, group: BrowsingContextGroup) -> Agent:
        """https://html.spec.whatwg.org/#obtain-similar-origin-window-agent"""
        agent = self._agents.get((group, origin))
        if agent is None:
            event_loop = EventLoop(self, str(origin))
            agent = self._agents[(group, origin)] = Agent(event_loop, origin)
            self.event_loops.append(event_loop)
        return agent

    def unique_id(self) -> int:
        """Return an id that no other call has returned."""
        return next(self._ids)

    def new_identity(self) -> object:
        """Return the schedule-independent identity of a new task or strand; None when nobody keeps a journal."""
        return self.journal.new_identity() if self.journal is not None else None

    def in_parallel(self, steps: ParallelSteps, queue: ParallelQueue | None = None) -> None:
        """Run steps in parallel; with a parallel queue, after everything enqueued there before."""
        strand = Strand(steps, getattr(steps, "__qualname__", "parallel steps"), self.new_identity())
        if queue is None:
            self._strands.append(strand)
            return
        footprint.write(("parallel queue", id(queue)))
        queue.waiting.append(strand)
        self._queues[strand] = queue
        if len(queue.waiting) == 1:
            self._strands.append(strand)

    def choose(self, label: str, count: int) -> int:
        """Make a free choice among ``count`` options; see :mod:`modelcontext.schedule.choose`."""
        return self.chooser.choose(label, count) if count > 1 else 0

    def enabled_actions(self) -> list[Action]:
        """Return what can happen next: each strand, and the first runnable task of each source, oldest first."""
        tasks: list[tuple[EventLoop, TaskSource, Task]] = []
        for event_loop in self.event_loops:
            for source, queue in event_loop.queues.items():
                if queue:
                    task = event_loop.first_runnable_task(source)
                    if task is not None:
                        tasks.append((event_loop, source, task))
        if len(tasks) > 1:
            tasks.sort(key=lambda option: option[2].sequence)
        return [*self._strands, *tasks]

    def perform(self, action: Action) -> None:
        """Perform one enabled action."""
        journal = self.journal
        if isinstance(action, Strand):
            if journal is not None:
                journal.before(action.identity)
            if not action.advance():
                self._finish(action)
        else:
            event_loop, source, task = action
            if journal is not None:
                journal.before(task.identity)
                event_loop.first_runnable_task(source)  # Again, so that what it reads is in the footprint.
            self._running.append((event_loop, task))
            event_loop.run(source, task)
            self._running.pop()
        if journal is not None:
            journal.after()

    def let_others_run(self) -> None:
        """Let steps in parallel, and tasks of other event loops, happen in the middle of the running task.

        A task runs to completion as far as its own event loop is concerned; whatever is in parallel to it goes on
        meanwhile. That can only be told where the task changes something that others read, so that is where they are
        let run: any number of actions, in any order, then the task goes on.
        """
        event_loop = self.current_event_loop
        if event_loop is None or (self.journal is None and type(self.chooser) is FirstInFirstOut):
            return
        journal = self.journal
        if journal is not None:
            event_loop.note_effect()
            footprint.write(("event loop", id(event_loop)))
            journal.after(ended=False)
        others = self._actions_beside_the_running_tasks()
        while others and (index := self.picker([None, *others])) > 0:
            self.current_event_loop = None
            self.perform(others[index - 1])
            self.current_event_loop = event_loop
            others = self._actions_beside_the_running_tasks()
        if journal is not None:
            journal.before(self._running[-1][1].identity)

    def _actions_beside_the_running_tasks(self) -> list[Action]:
        busy = [event_loop for event_loop, _ in self._running]
        return [action for action in self.enabled_actions() if isinstance(action, Strand) or action[0] not in busy]

    def run_script_now(self, document: Document, script: Callable[[], None]) -> None:
        """Run a script of a document: at once where its event loop is running, otherwise as a task would.

        Raises:
            RuntimeError: while a task of another event loop is running, since scripts cannot reach across.
        """
        event_loop = document.event_loop
        if self.current_event_loop is not None and self.current_event_loop is not event_loop:
            raise RuntimeError(f"{document.url} cannot be reached by a script of another origin")
        if self.current_event_loop is event_loop:
            event_loop.run_script(document.realm, script)
            return
        task = Task(lambda: event_loop.run_script(document.realm, script), document, 0, None)
        self._running.append((event_loop, task))
        self.current_event_loop = event_loop
        task.steps()
        self.current_event_loop = None
        self._running.pop()

    def _finish(self, strand: Strand) -> None:
        self._strands.remove(strand)
        queue = self._queues.pop(strand, None)
        if queue is not None:
            footprint.write(("parallel queue", id(queue)))
            queue.waiting.popleft()
            if queue.waiting:
                self._strands.append(queue.waiting[0])

    def run_until_idle(self, bound: int = 1_000_000) -> None:
        """Perform actions until none is enabled.

        Raises:
            RunawayError: after ``bound`` actions.
        """
        for _ in range(bound):
            if type(self.chooser) is FirstInFirstOut and self.journal is None and self._strands:
                strand = self._strands[0]
                if not strand.advance():
                    self._finish(strand)
                continue
            actions = self.enabled_actions()
            if not actions:
                return
            index = self.picker(actions)
            action = actions[index]
            assert action is not None
            self.perform(action)
        raise RunawayError(f"still not idle after {bound:,} actions; does a script schedule itself for ever?")
