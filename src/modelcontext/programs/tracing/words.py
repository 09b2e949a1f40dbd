"""A trace in lines of text, with the differences between its states."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.tracing.form_states import form_changes
from modelcontext.programs.tracing.items import (
    Choice,
    Entry,
    Frame,
    ScriptLine,
    ScriptStep,
    Shown,
    State,
    StepReached,
    Trace,
    Turn,
)


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
        case ScriptLine(place=place, text=text):
            yield f"  {place}  {text}"
        case Shown(level=level, text=text):
            yield f"> {text}" if level == "log" else f"> {level}: {text}"
        case Entry(entry=entry):
            yield f"> [{entry['in']}] {describe_entry(entry)}"
        case Turn():
            pass  # The line of the actor says it.


def changes(before: State, after: State) -> list[str]:
    """Return the differences between two states, one line each, in the order of the state."""
    if before is after:
        return []
    return [*shared_changes(before, after), *_queues(before, after), *_promises(before, after)]


def shared_changes(before: State, after: State) -> list[str]:
    """Return the differences in what all tasks and steps share: documents, their maps and forms, and executions."""
    return [*_documents(before, after), *_executions(before, after)]


def _documents(before: State, after: State) -> Iterator[str]:
    for id_, document in after["documents"].items():
        known = before["documents"].get(id_)
        if known is None:
            yield f"document {id_}: {document['status']}, {document['origin']}"
            known = {}
        elif known["status"] != document["status"]:
            yield f"document {id_}: {document['status']}, was {known['status']}"
        for part in ("tool map", "local pending executions"):
            yield from _map(f"{part} of {id_}", known.get(part, {}), document.get(part, {}))
        had, has = known.get("forms", {}), document.get("forms", {})
        for name in {**had, **has}:
            yield from form_changes(f"form {name} of {id_}", had.get(name), has.get(name))


def _executions(before: State, after: State) -> Iterator[str]:
    for id_, executions in after["pending executions"].items():
        known = before["pending executions"].get(id_, {})
        yield from _map(f"pending executions map of {id_}", known, executions)


def _map(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in before:
        if key not in after:
            yield f"{name}: {json.dumps(key)} removed"
    for key, value in after.items():
        if key not in before:
            yield f"{name}: {json.dumps(key)} set to {_words(value)}"
        elif before[key] != value:
            yield f"{name}: {json.dumps(key)} changed to {_words(value)}"


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_words(member)}" for key, member in value.items()) or "nothing"
    if isinstance(value, list):
        return " ".join(map(_words, value))
    return str(value)


def _queues(before: State, after: State) -> Iterator[str]:
    for name, loop in after["event loops"].items():
        known = before["event loops"].get(name, {"tasks": []})
        yield from _bag(f"task queues of {name}", known["tasks"], loop["tasks"])
    # Steps that continue have another name: only their number says that some began or ended.
    had: Counter[str] = Counter(before["in parallel"])
    has: Counter[str] = Counter(after["in parallel"])
    if has.total() > had.total():
        yield from (f"in parallel: begin {steps}" for steps in (has - had).elements())
    elif has.total() < had.total():
        yield from (f"in parallel: end {steps}" for steps in (had - has).elements())


def _bag(name: str, before: list[str], after: list[str]) -> Iterator[str]:
    yield from (f"{name}: taken {task}" for task in (Counter(before) - Counter(after)).elements())
    yield from (f"{name}: queued {task}" for task in (Counter(after) - Counter(before)).elements())


def _promises(before: State, after: State) -> Iterator[str]:
    for label, state in after["promises"].items():
        if before["promises"].get(label) != state:
            yield f"promise {label}: {state}"
