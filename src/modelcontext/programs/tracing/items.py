"""The items of a trace: the events of one run in order, each with the state after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from modelcontext.programs.program.outcome import Outcome

#: The state of a world, as plain data; see :mod:`modelcontext.programs.tracing.snapshot`.
State: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepReached:
    """A step of the specification that runs: the id of its algorithm, its number and its text."""

    algorithm: str
    step: str
    text: str


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """A step of a document's script that runs: the operation, its label and its place in the program."""

    document: str
    operation: str
    label: str
    place: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn of a task of an event loop, or of steps in parallel; ``next`` is its name."""

    next: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A free choice: its label, the names of its options, and the number of the chosen one.

    ``position`` is the index of the answer in the schedule.
    """

    choice: str
    options: tuple[str, ...]
    answer: int
    position: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that a document records in the log of its event loop."""

    log: str
    entry: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A line of JavaScript from which a script calls the browser: its place, ``URL:line``, and its text."""

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A line that a page shows: its event loop, a level of the console, ``unhandled`` or ``test``, and its text."""

    event_loop: str
    level: str
    text: str


Item: TypeAlias = StepReached | ScriptStep | ScriptLine | Turn | Choice | Entry | Shown


@dataclass(frozen=True, slots=True)
class Frame:
    """An item, the name of the task or steps that it happens in, and the numbers of the state after it and of the action."""

    item: Item
    actor: str
    state: int
    action: int


@dataclass(frozen=True, slots=True)
class Trace:
    """All events of one run.

    The first state is that before the first frame. ``outcome`` has the entries recorded until the end of the run (those
    of pages of JavaScript record none); ``problem`` is the reason if the run ended early.
    """

    frames: Sequence[Frame]
    states: Sequence[State]
    outcome: Outcome
    schedule: Sequence[int]
    problem: str | None = None

    def up_to(self, algorithm: str, step: str) -> Trace | None:
        """Return the trace up to the first run of a step, with its effects, or None if it never runs."""
        for index, frame in enumerate(self.frames):
            item = frame.item
            if isinstance(item, StepReached) and (item.algorithm, item.step) == (algorithm, step):
                frames = self.frames[: index + 1]
                made = sum(isinstance(frame.item, Choice) for frame in frames)
                return Trace(frames, self.states, _recorded(frames), self.schedule[:made], None)
        return None

    def others_at(self, position: int | None) -> list[str]:
        """Return the names of the options that a choice has left out; none if there is no such choice."""
        choices = (frame.item for frame in self.frames if isinstance(frame.item, Choice))
        return [
            name
            for choice in choices
            if choice.position == position
            for index, name in enumerate(choice.options)
            if index != choice.answer
        ]

    def to_data(self) -> dict[str, Any]:
        """Return the trace as plain data for a JSON document; frames refer to states by number."""
        used = sorted({0, *(frame.state for frame in self.frames)})
        number = {old: new for new, old in enumerate(used)}
        return {
            "frames": [
                {**asdict(frame.item), "actor": frame.actor, "state": number[frame.state]} for frame in self.frames
            ],
            "states": [self.states[old] for old in used],
            "schedule": list(self.schedule),
            "outcome": self.outcome.to_data(),
            "problem": self.problem,
        }


def _recorded(frames: Sequence[Frame]) -> Outcome:
    logs: dict[str, list[Mapping[str, Any]]] = {}
    for frame in frames:
        if isinstance(frame.item, Entry):
            logs.setdefault(frame.item.log, []).append(frame.item.entry)
    return Outcome({name: tuple(log) for name, log in logs.items()})
