"""The story of a run: who did what, after whom, and by which step; without what only the acting task or steps can see.

A trace has everything, which is several hundred lines. The story keeps what others can see: what scripts do, what changes in
the state that steps share, which tasks are queued, and what scripts are told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.tracing.items import Choice, Entry, ScriptStep, StepReached
from modelcontext.programs.tracing.words import shared_changes

if TYPE_CHECKING:
    from modelcontext.programs.tracing.items import Frame, State, Trace

_IN_PARALLEL: Final = "in parallel"
#: The actor that makes the documents of a program.
_THE_START: Final = "the start"


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened, in words. ``is_decisive`` marks the first after which the end of the story was inevitable.

    ``step`` is the step of the text that does it, or "" for what no step of the text does; ``frame`` is where in the trace.
    """

    who: str
    words: str
    is_decisive: bool = False
    step: str = ""
    frame: int = 0


def story_of_trace(trace: Trace, decisive: int | None = None) -> tuple[Moment, ...]:
    """Tell a run; ``decisive`` is the position of the choice after which the end was inevitable."""
    told: list[Moment] = []
    before = trace.states[0]
    step = ""
    is_decided = False
    action = None
    for number, frame in enumerate(trace.frames):
        if frame.action != action:
            action, step = frame.action, _step_of(frame.actor)
        after = trace.states[frame.state]
        if isinstance(frame.item, Choice):
            is_decided = is_decided or frame.item.position == decisive
        elif isinstance(frame.item, StepReached):
            step = f"{frame.item.algorithm} {frame.item.step}"
        for moment in _moments(frame, before, after, step) if frame.actor != _THE_START else ():
            is_decisive = is_decided and not any(one.is_decisive for one in told)
            told.append(replace(moment, is_decisive=is_decisive, frame=number))
        before = after
    return tuple(told)


def _moments(frame: Frame, before: State, after: State, step: str) -> Iterator[Moment]:
    who = _who(frame.actor)
    match frame.item:
        case ScriptStep(document=document, operation=operation, label=label):
            yield Moment(document, operation if label == operation else f"{operation} as {label}")
        case Entry(entry=entry):
            yield Moment(entry["in"], describe_entry(entry), step=step)
    if before is after:
        return
    for change in shared_changes(before, after):
        yield Moment(who, change, step=step)
    for name, loop in after["event loops"].items():
        known = before["event loops"].get(name, {"tasks": []})
        for task in (Counter(loop["tasks"]) - Counter(known["tasks"])).elements():
            yield Moment(who, f"queues a task for {name} ({task.partition(':')[0].partition(' [')[0]})", step=step)


def _who(actor: str) -> str:
    """Return who acts: the name of an event loop, or that nobody but steps in parallel does."""
    if actor.startswith("task of "):
        return actor.removeprefix("task of ").partition(" (")[0]
    return _IN_PARALLEL if actor.startswith(_IN_PARALLEL) else actor


def _step_of(actor: str) -> str:
    """Return the step that has queued the task that acts, or an empty string."""
    return actor.partition("): ")[2]
