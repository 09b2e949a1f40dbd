"""A trace in lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from modelcontext.program.outcome import describe_entry
from modelcontext.tracing.changes import changes
from modelcontext.tracing.items import Choice, Entry, Frame, ScriptStep, StepReached, Trace, Turn


def lines(trace: Trace) -> Iterator[str]:
    """Yield the frames in order, each with its changes; a new actor has a line of its own."""
    state = trace.states[0]
    actor = None
    for frame in trace.frames:
        if frame.actor != actor and not isinstance(frame.item, Choice):
            actor = frame.actor
            yield f"@ {actor}"
        yield from _item(frame)
        after = trace.states[frame.state]
        yield from (f"      ~ {change}" for change in changes(state, after))
        state = after


def _item(frame: Frame) -> Iterator[str]:
    match frame.item:
        case Choice(choice=label, options=options, answer=answer, position=position):
            yield f"? choice {position}: {label}"
            yield from (f"    {'*' if index == answer else ' '} {index}: {name}" for index, name in enumerate(options))
        case StepReached(algorithm=algorithm, step=step, text=text):
            yield f"    {algorithm} {step}. {text}"
        case ScriptStep(document=document, operation=operation, label=label):
            as_ = f" as {label}" if label != operation else ""
            yield f"  [{document}] {operation}{as_}"
        case Entry(entry=entry):
            yield f"> [{entry['in']}] {describe_entry(entry)}"
        case Turn():
            pass  # The line of the actor says it.
