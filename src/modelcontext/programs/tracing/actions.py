"""The actions of a run in words: who acts, the steps and entries of the action, and the state that it touches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.footprint import Footprint
from modelcontext.platform.html.event_loop import TIMER_TASK_SOURCE, Task
from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.tracing.items import Entry, Frame, ScriptStep, StepReached, Trace
from modelcontext.programs.tracing.snapshot import Snapshots, pending_executions_of
from modelcontext.spec.revisions.revision import model_context_of

if TYPE_CHECKING:
    from modelcontext.ground.schedule.footprint import Key
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.infra.ordered_map import OrderedMap
    from modelcontext.programs.program.interpreter import Run

_MADE_LATER: Final = "one that was made later"


def actor_of(trace: Trace, action: int) -> str:
    """Return the name of the task or the steps in parallel that perform an action of a trace."""
    return next((frame.actor for frame in trace.frames if frame.action == action), "a task that goes on")


def words_of(trace: Trace, action: int) -> list[str]:
    """Return what an action of a trace does: steps of algorithms, steps of scripts, and entries."""
    return list(_deeds([frame for frame in trace.frames if frame.action == action]))


def _deeds(frames: list[Frame]) -> Iterator[str]:
    algorithm, first, last = "", "", ""
    for frame in [*frames, None]:
        item = frame.item if frame is not None else None
        if isinstance(item, StepReached) and item.algorithm == algorithm:
            last = item.step
            continue
        if algorithm:
            yield f"{algorithm} {first}" + (f" to {last}" if last != first else "")
            algorithm = ""
        match item:
            case StepReached():
                algorithm, first, last = item.algorithm, item.step, item.step
            case ScriptStep(document=document, operation=operation, label=label):
                yield f"[{document}] {operation}" + (f" as {label}" if label != operation else "")
            case Entry(entry=entry):
                yield f"> [{entry['in']}] {describe_entry(entry)}"


class StructureNames:
    """The names of the structures that footprints number, for people.

    A structure is known by the key that reading it records.

    Args:
        run: a run that has ended.
    """

    def __init__(self, run: Run) -> None:
        self._names: dict[object, str] = {0: _MADE_LATER}
        snapshots = Snapshots(run.user_agent, run.ids, run.promises, run.program.log_of)
        for loop in run.user_agent.event_loops:
            with self._naming(f"event loop of {snapshots.loop(loop)}"):
                loop.note_task(Task(lambda: None, None, loop, TIMER_TASK_SOURCE, 0))
        for id_, container in run.containers.items():
            with self._naming(f"iframe of {id_}"):
                navigable = container.content_navigable
            if navigable is not None:
                self._name_navigable(navigable, id_)
        for traversable in run.user_agent.traversables:
            top = next(
                (run.ids[document] for document in traversable.session_history if document in run.ids), "no document"
            )
            self._name_navigable(traversable, top)
            executions = pending_executions_of(traversable)
            if executions is not None:
                self._name_map(executions, f"pending executions of {top}")
        for document, id_ in run.ids.items():
            with self._naming(f"document {id_}"):
                _ = document.node_navigable
            with self._naming(f"window of {id_}"):
                _ = document.window.associated_document
            context = model_context_of(document)
            with self._naming(f"ModelContext of {id_}"):
                context.has_listeners("toolchange")
            internal = context.internal_context
            self._name_map(internal.tool_map, f"tool map of {id_}")
            executions = getattr(internal, "local_pending_executions_map", None)
            if executions is not None:
                self._name_map(executions, f"local pending executions of {id_}")

    def _name_navigable(self, navigable: Navigable, of: str) -> None:
        with self._naming(f"navigable of {of}"):
            _ = navigable.active_document

    def _name_map(self, map_: OrderedMap[Any, Any], words: str) -> None:
        with self._naming(words):
            map_.items()

    @contextmanager
    def _naming(self, words: str) -> Iterator[None]:
        """Give a name to the structure that is read or written inside."""
        recorded = Footprint()
        footprint.record_into(recorded)
        yield
        footprint.record_into(None)
        for _, *name in recorded.reads | recorded.writes:
            self._names.setdefault(name[0], words)

    def words(self, key: Key) -> str:
        """Return the kind of a key and the structure that it is of, in words."""
        kind, *name = key
        if not name:
            return kind.name
        first, *rest = name
        place = self._names.get(first, f"number {first}") if isinstance(first, int) else json.dumps(first)
        parts = [json.dumps(part) if isinstance(part, str) else str(part) for part in rest if part != 0]
        return f"{kind.name}: {', '.join([place, *parts])}"
