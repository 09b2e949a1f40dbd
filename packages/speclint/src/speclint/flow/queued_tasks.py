"""The tasks that steps queue: their task sources, and the objects for which they run.

The words are those of HTML ("queue a global task on the networking task source given |global|"), those of older texts ("queue
a task on |client|'s responsible event loop, using the networking task source"), or a call of an algorithm of the text, whose
steps then name the task source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclint.flow.conditions import canonical
from speclint.flow.values_of_variables import PATH

if TYPE_CHECKING:
    from speclint.flow.graph import FlowNode, Routine
    from speclint.flow.knowledge import Knowledge
    from speclint.text.source_model import SourceAlgorithm

_QUEUE = re.compile(r"\[=(?:queue|queuing) an? ([^=]*task)=\]|\bqueue an? (?:\w+ )*task\b", re.IGNORECASE)
_SOURCE = re.compile(r"\[=([^=|]*task source)=\]")
_RECEIVER = re.compile(rf"\b(?:given|with|on) ({PATH})")
#: The kinds of tasks that wait or vanish with the document of the object that they are given.
_OF_DOCUMENT = re.compile(r"\[=queue an? (?:global|element) task=\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QueuedTask:
    """A task: ``source`` and ``receiver`` are "" if no words name them.

    ``is_of_document`` is true if the task does not run for a document that is not fully active. ``queue`` is the algorithm
    of the text that queues it for the steps, if there is one.
    """

    routine: Routine
    source: str
    receiver: str
    is_of_document: bool
    queue: SourceAlgorithm | None


def task_of(knowledge: Knowledge, routine: Routine) -> QueuedTask | None:
    """Return the task that a routine is, or None."""
    if routine.kind != "task" or routine.begun_at is None:
        return None
    node = routine.begun_at
    # A task of one line can name its source behind its act.
    words = canonical(" ".join([node.text, *(one.text for one in routine.nodes if one.step is node.step)]))
    kind = _QUEUE.search(words)
    own = [call.callee for call in knowledge.calls.get(id(node), ()) if kind and call.start <= len(node.text)]
    texts = [words, *(canonical(step.text) for callee in own for step in callee.walk())]
    sources = [match[1] for text in texts for match in _SOURCE.finditer(text)]
    named = kind[1] if kind and kind[1] else ""
    if not sources and named not in ("", "task", "global task", "element task"):
        sources = [f"{named} source"]
    receiver = _RECEIVER.search(words)
    is_foreign = bool(sources) and named not in ("", "task") and not own and receiver is not None
    is_of_document = is_foreign or any(_OF_DOCUMENT.search(text) for text in texts)
    return QueuedTask(
        routine, sources[0] if sources else "", receiver[1] if receiver else "", is_of_document, own[0] if own else None
    )


class TaskQueues:
    """The tasks that each node of a text queues."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._of_algorithm: dict[str, list[QueuedTask]] = {}

    def queued_by(self, node: FlowNode) -> list[QueuedTask]:
        """Return the tasks that a node queues: itself, in parallel, or in an algorithm that it calls."""
        found: list[QueuedTask] = []
        for child in node.begins:
            if task := task_of(self._knowledge, child):
                found.append(task)
            elif child.kind == "parallel":
                found += [task for inner in child.nodes for task in self.queued_by(inner)]
        for call in () if node.begins else self._knowledge.calls.get(id(node), ()):
            key = call.callee.id
            if key not in self._of_algorithm:
                # Algorithms that call each other end here.
                self._of_algorithm[key] = []
                nodes = self._knowledge.main_of(call.callee).nodes
                self._of_algorithm[key] = [task for inner in nodes for task in self.queued_by(inner)]
            found += self._of_algorithm[key]
        return found
