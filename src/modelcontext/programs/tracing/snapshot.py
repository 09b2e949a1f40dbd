"""The state of a world as plain data: the specification's structures, queued tasks, and steps under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule import footprint
from modelcontext.platform.html.event_loop import EventLoop, Task
from modelcontext.platform.html.parallel import Strand
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.programs.tracing.form_states import forms_of
from modelcontext.spec import revisions
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext.spec.revisions.revision import model_context_of
from modelcontext.spec.specification.code.steps import StepIndex, StepReference
from modelcontext.spec.weaving.weaving import sources

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Process
    from modelcontext.platform.ecmascript.promise import Promise
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.user_agent import UserAgent

_REVISIONS: Final = str(Path(revisions.__file__).parent)
_PENDING_EXECUTIONS_MAP: Final = "pending executions map"


class Snapshots:
    """Takes snapshots of one run, in the specification's terms and with the names of the program.

    A snapshot has the tool map, the local pending executions and the forms of each document, the pending executions of each
    traversable, the queued tasks and the number of microtasks of each event loop, the next step of all steps in parallel,
    and the promises of the program.

    Args:
        user_agent: the user agent of the run.
        ids: the names of its documents; those without one are left out.
        promises: its promises by name.
        log_of: returns the name of the log of a document, given that of the document.
    """

    def __init__(
        self,
        user_agent: UserAgent,
        ids: Mapping[Document, str],
        promises: Mapping[str, Promise],
        log_of: Callable[[str], str],
    ) -> None:
        self.user_agent = user_agent
        self._ids = ids
        self._promises = promises
        self._log_of = log_of

    def take(self) -> dict[str, Any]:
        """Return a snapshot of the present state."""
        with footprint.unrecorded():
            return {
                "documents": {id_: self._document(document) for document, id_ in self._ids.items()},
                "pending executions": dict(self._pending_executions()),
                "event loops": {self.loop(loop): self._event_loop(loop) for loop in self.user_agent.event_loops},
                "in parallel": [
                    self._whereabouts(action)
                    for action in self.user_agent.enabled_actions()
                    if isinstance(action, Strand)
                ],
                "promises": {label: promise.state for label, promise in self._promises.items()},
            }

    def name(self, process: Process) -> str:
        """Return the name of a process that can act next."""
        if isinstance(process, Strand):
            return f"in parallel: {self._whereabouts(process)}"
        assert isinstance(process, Task)
        document = self._ids.get(process.document) if process.document is not None else None
        where = document or self.loop(process.event_loop)
        return f"task of {where} ({process.source}){self._task(process)}"

    def loop(self, event_loop: EventLoop) -> str:
        """Return the name of an event loop, which is that of its log."""
        for document, id_ in self._ids.items():
            if document.event_loop is event_loop:
                return self._log_of(id_)
        return event_loop.name

    def _document(self, document: Document) -> dict[str, Any]:
        active = document.is_fully_active
        status = "fully active" if active else "destroyed" if document.is_destroyed else "not fully active"
        found: dict[str, Any] = {"origin": str(document.origin), "status": status}
        # Another text can give a ModelContext other state, which has no name here.
        internal = getattr(model_context_of(document), "internal_context", None)
        tools = getattr(internal, "tool_map", None)
        if tools is not None:
            found["tool map"] = {name: _tool(definition) for name, definition in tools.items()}
        executions = getattr(internal, "local_pending_executions_map", None)
        if executions is not None:
            found["local pending executions"] = {
                str(id_): "aborted" if execution.abort_controller.signal.aborted else "under way"
                for id_, execution in executions.items()
            }
        if forms := forms_of(document):
            found["forms"] = forms
        return found

    def _pending_executions(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for traversable in self.user_agent.traversables:
            map_ = pending_executions_of(traversable)
            if map_ is not None:
                top = next((document for document in traversable.session_history if document in self._ids), None)
                yield (
                    self._ids[top] if top is not None else "traversable",
                    {
                        str(id_): {
                            "caller document": self._ids.get(execution.caller_document),
                            "target document": self._ids.get(execution.target_document),
                            "tool name": execution.tool_name,
                        }
                        for id_, execution in map_.items()
                    },
                )

    def _event_loop(self, loop: EventLoop) -> dict[str, Any]:
        tasks = sorted((task for queue in loop.queues.values() for task in queue), key=lambda task: task.sequence)
        return {"tasks": [self._queued(task) for task in tasks], "microtasks": len(loop.microtasks)}

    def _queued(self, task: Task) -> str:
        document = self._ids.get(task.document) if task.document is not None else None
        waiting = "" if task.is_runnable else ", waits for its document"
        return f"{task.source}{self._task(task)}" + (f" [{document}{waiting}]" if document else "")

    def _task(self, task: Task) -> str:
        code = getattr(task.steps, "__code__", None)
        step = _step_at(code.co_filename, code.co_firstlineno) if code is not None else None
        return f": {step.algorithm} {step.number}" if step is not None else ""

    def _whereabouts(self, strand: Strand) -> str:
        steps: Any = strand.steps
        step = None
        while getattr(steps, "gi_frame", None) is not None:
            step = _step_at(steps.gi_code.co_filename, steps.gi_frame.f_lineno) or step
            steps = steps.gi_yieldfrom
        return f"{step.algorithm} {step.number}" if step is not None else strand.name.rpartition(".")[2]


def pending_executions_of(traversable: Navigable) -> OrderedMap[Any, Any] | None:
    """Return the pending executions map of a traversable, if the revision has one."""
    map_ = traversable.extensions.get(_PENDING_EXECUTIONS_MAP)
    return map_ if isinstance(map_, OrderedMap) else None


@cache
def _steps() -> StepIndex:
    return StepIndex(source for revision in REVISIONS.values() for source in sources(revision.package))


@cache
def _step_at(filename: str, line: int) -> StepReference | None:
    return _steps().locate(filename, line) if filename.startswith(_REVISIONS) else None


def _tool(definition: Any) -> dict[str, Any]:
    """Return the members of a tool definition that are not empty."""
    schema = getattr(definition, "input_schema", None)
    found = {
        "title": getattr(definition, "title", None),
        "description": definition.description,
        # Another text can keep the JSON text itself.
        "input schema": getattr(schema, "serialized", schema),
        "exposed origins": [str(origin) for origin in getattr(definition, "exposed_origins", ())],
    }
    return {name: value for name, value in found.items() if value}
