"""Rules about tasks: their order, the global object for which they run, and documents that are gone when they run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from speclint.finding import Context, LintFinding, at, of
from speclint.flow.conditions import canonical
from speclint.flow.graph import nodes_behind
from speclint.flow.queued_tasks import QueuedTask, TaskQueues, task_of
from speclint.flow.values_of_variables import PATH, THIS, owners_of, values_of
from speclint.rules.script_effects import algorithms_with_script, runs_script
from speclint.rules.strands import state_in, written
from speclint.rules.wrong_values import kind_of_variable
from speclint.text.markup import readable

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode

_SETTLES = re.compile(rf"\b(?:resolve|reject)(?:=\])? ({PATH})", re.IGNORECASE)
_FIRES = re.compile(
    rf"\[=(?:fir(?:e|ing)|dispatch\w*)\b[^=]*=\].*? (?:at|on) ({PATH}|the \{{\{{\w+\}}\}})", re.IGNORECASE
)
_WAITS = re.compile(r"\bwait\b", re.IGNORECASE)
_IS_THERE = re.compile(r"\b(?:fully active|destroyed|discarded|detached|execution ready)\b")
_OF_WORKER = re.compile(r"WorkerGlobalScope|\|\w*worker\|'s", re.IGNORECASE)
_RUNS: Final = "nothing says to which document the task belongs, so the task can run after the document is gone"
_REMEDY: Final = "queue a global task for the document, or test first whether the document is fully active"
#: Kinds of values that are or have a global object.
_OF_GLOBAL: Final = frozenset({"Document", "global object", "navigable", "realm", "settings object"})


def check_order(context: Context) -> Iterator[LintFinding]:
    """Find two tasks of different task sources, queued one behind the other, whose order script or state shows."""
    running = algorithms_with_script(context)
    queues = TaskQueues(context.knowledge)
    for routine in context.knowledge.routines:
        queued = {id(node): queues.queued_by(node) for node in routine.nodes}
        reported: set[int] = set()
        for node in routine.nodes:
            if not queued[id(node)] or context.states.before(node) is None:
                continue
            for other in nodes_behind(node, until=_is_wait):
                if other.step is node.step or id(other) in reported:
                    continue
                for first, second in ((one, two) for one in queued[id(node)] for two in queued.get(id(other), ())):
                    if _race(first, second) and _shows_order(context, first, second, running):
                        reported.add(id(other))
                        yield at(
                            other,
                            "racing-tasks",
                            f"this task is queued on the {second.source}, and the task of step {node.number} on the "
                            f"{first.source}, so either can run first",
                            "queue both tasks on one task source, or queue this task at the end of the other task",
                        )
                        break


def _is_wait(node: FlowNode) -> bool:
    return _WAITS.search(readable(node.text)) is not None


def _race(first: QueuedTask, second: QueuedTask) -> bool:
    """Return whether two tasks have different task sources, and run for one object as far as the words say."""
    if not first.source or not second.source or first.source == second.source:
        return False
    if first.routine.algorithm is not second.routine.algorithm or not (first.receiver and second.receiver):
        return True
    values = values_of(first.routine.algorithm)
    owners, others = (owners_of(task.receiver, values) for task in (first, second))
    return bool(set(owners) & set(others)) or not owners or not others


def _shows_order(context: Context, first: QueuedTask, second: QueuedTask, running: set[str]) -> bool:
    """Return whether both tasks run script or settle promises, or one sets state that the other one uses."""
    nodes, others = first.routine.nodes, second.routine.nodes
    if all(any(_is_seen(context, node, running) for node in some) for some in (nodes, others)):
        return True
    return bool(_set(context, nodes) & _used(context, others) or _set(context, others) & _used(context, nodes))


def _is_seen(context: Context, node: FlowNode, running: set[str]) -> bool:
    return _SETTLES.search(canonical(node.text)) is not None or runs_script(context, node, running)


def _set(context: Context, nodes: list[FlowNode]) -> set[tuple[str, str]]:
    items = (written(context, node) for node in nodes if node.kind == "action")
    return {(item.owner, item.name) for item in items if item is not None}


def _used(context: Context, nodes: list[FlowNode]) -> set[tuple[str, str]]:
    return {(item.owner, item.name) for node in nodes for item in state_in(context, node)}


def check_global(context: Context) -> Iterator[LintFinding]:
    """Find tasks that settle a promise, fire an event or use state of another global object than the one they run for."""
    for routine in context.knowledge.routines:
        task = task_of(context.knowledge, routine)
        if task is None or not task.receiver or routine.begun_at is None:
            continue
        values = values_of(routine.algorithm)
        own = owners_of(task.receiver, values)
        name = _global_among(context, routine.begun_at, own)
        foreign = ((node, words) for node in routine.nodes for words in _foreign(context, node, own, values))
        # One finding is enough: the remedy is about the task.
        for node, (other, what) in islice(foreign, 1) if name else ():
            message = f"the task runs for {readable(name)}, but {what} of {readable(other)}"
            yield at(node, "task-of-another-global", message, f"queue the task for {readable(other)}")


def _foreign(context: Context, node: FlowNode, own: list[str], values: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each global object, other than that of a task, of which a node touches something, with words for it."""
    for words, what in _touched(context, node):
        owners = owners_of(words, values)
        other = _global_among(context, node, owners)
        if other and not set(own) & set(owners) and not _are_one(context, node, own, owners):
            yield other, what


def _touched(context: Context, node: FlowNode) -> Iterator[tuple[str, str]]:
    """Yield what a node settles, fires an event at, or looks up as state, each with words for it."""
    text = canonical(node.text)
    for form, what in ((_SETTLES, "settles a promise"), (_FIRES, "fires an event at an object")):
        for match in form.finditer(text):
            yield match[1], what
    for match in re.finditer(PATH, text):
        first = re.match(r"^[^']+'s (\[=[^=]+=\])", match[0])
        if first and any(f"[={item.name}=]" == first[1] for item in state_in(context, node)):
            yield match[0], f"uses the {readable(first[1])}"


def _global_among(context: Context, node: FlowNode, owners: list[str]) -> str:
    """Return the variable, or "this", that is or has a global object; "" if none does."""
    is_of_member = node.routine.algorithm.kind != "algorithm"
    return next(
        (
            owner
            for owner in owners
            if (is_of_member if owner == THIS else kind_of_variable(context, node, owner.strip("|")) in _OF_GLOBAL)
        ),
        "",
    )


def _are_one(context: Context, node: FlowNode, owners: list[str], others: list[str]) -> bool:
    """Return whether a step has found that two of the values are the same."""
    state = context.states.before(node)
    pairs = [f"{one} is {other}" for one, other in (*product(owners, others), *product(others, owners))]
    return state is None or any(fact.holds and fact.subject in pairs for fact in state.facts)


def check_documents(context: Context) -> Iterator[LintFinding]:
    """Find events that are fired without a test at objects whose documents can be gone."""
    running = algorithms_with_script(context)
    by_queue: dict[str, list[QueuedTask]] = {}
    for routine in context.knowledge.routines:
        if routine.strand != "event loop":
            continue
        task = task_of(context.knowledge, routine)
        if task is not None and not task.is_of_document:
            behind = [routine.entry, *nodes_behind(routine.entry, until=_asks)]
            untested = [node for node in behind if _fires_at_document(node)]
            if untested and task.queue:
                by_queue.setdefault(task.queue.id, []).append(task)
            for node in () if task.queue else untested:
                yield at(node, "event-at-gone-document", f"{_RUNS}, and the task fires an event", _REMEDY)
        for node in routine.nodes:
            if context.states.before(node) is None or not runs_script(context, node, running):
                continue
            for other in nodes_behind(node, until=_asks):
                if other is not node and _fires_at_document(other):
                    message = f"a script that step {node.number} runs can remove the document of the event's target"
                    yield at(other, "event-at-gone-document", message, _REMEDY)
    for tasks in by_queue.values():
        if queue := tasks[0].queue:
            message = f"{_RUNS}, and {len(tasks)} of the tasks that use this queue fire events"
            yield of(queue, "event-at-gone-document", message, _REMEDY)


def _asks(node: FlowNode) -> bool:
    return _IS_THERE.search(readable(node.text)) is not None


def _fires_at_document(node: FlowNode) -> bool:
    """Return whether a node fires an event at something that can have a document; the global object of a worker has none."""
    fired = _FIRES.search(canonical(node.text))
    if fired is None or node.begins or _asks(node):
        return False
    value = values_of(node.routine.algorithm).get(fired[1], "")
    return _OF_WORKER.search(f"{fired[1]} {value}") is None
