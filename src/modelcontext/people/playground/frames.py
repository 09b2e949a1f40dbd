"""Frames of a trace as plain data, in the words that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.tracing import Choice, Entry, Frame, ScriptLine, ScriptStep, Shown, StepReached, Trace, Turn
from modelcontext.programs.tracing.words import changes

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.observed import ConsoleLine


def run_of(
    traced: Trace, line_of: Callable[[str], int | None], title: str, revision: str, outcome: dict[str, Any], key: str
) -> dict[str, Any]:
    """Return a run as plain data.

    Args:
        traced: its trace.
        line_of: returns the line of the text for the place of a step or of a call, if the text has one.
        title: its title.
        revision: the name of the revision.
        outcome: its outcome as plain data.
        key: the text by which outcomes are compared.
    """
    frames = []
    state = traced.states[0]
    for frame in traced.frames:
        after = traced.states[frame.state]
        frames.append(_frame(frame, line_of) | {"changes": changes(state, after)})
        state = after
    return {
        "title": title,
        "revision": revision,
        "frames": frames,
        "states": list(traced.states),
        "schedule": list(traced.schedule),
        "outcome": outcome,
        "key": key,
        "problem": traced.problem,
    }


def words_of_line(line: ConsoleLine | Shown) -> str:
    """Return a line that a page shows; lines of the console's level ``log`` have no prefix."""
    return line.text if line.level in ("log", "test") else f"{line.level}: {line.text}"


def _frame(frame: Frame, line_of: Callable[[str], int | None]) -> dict[str, Any]:
    common = {"actor": frame.actor, "state": frame.state}
    match frame.item:
        case StepReached(algorithm=algorithm, step=step, text=text):
            return common | {"kind": "step", "algorithm": algorithm, "step": step, "words": text}
        case ScriptStep(document=document, operation=operation, label=label, place=place):
            words = operation if label == operation else f"{operation} as {label}"
            return common | {"kind": "script", "document": document, "words": words, "line": line_of(place)}
        case ScriptLine(place=place, text=text):
            return common | {"kind": "script", "document": _short(place), "words": text, "line": line_of(place)}
        case Turn(next=name):
            return common | {"kind": "turn", "words": name}
        case Choice(choice=label, options=options, answer=answer, position=position):
            return common | {
                "kind": "choice", "words": label, "options": options, "answer": answer, "position": position,
            }  # fmt: skip
        case Entry(log=log, entry=entry):
            return common | {"kind": "entry", "log": log, "document": entry["in"], "words": describe_entry(entry)}
        case Shown(event_loop=log) as line:
            return common | {"kind": "entry", "log": log, "document": "", "words": words_of_line(line)}


def _short(place: str) -> str:
    """Return the name of a file, with the line, for the URL of a script."""
    return place.rpartition("/")[2] or place
