"""What a trace consists of: the things that happened in one run, in order, each with the state that it left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from modelcontext.program.outcome import Outcome

#: The state of a world, as plain data; see :mod:`modelcontext.tracing.snapshot`.
State: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StepReached:
    """A step of the specification runs: the id of its algorithm, its number, its words."""

    algorithm: str
    step: str
    text: str


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """A step of a document's script runs: the operation, its label, and where it stands in the program."""

    document: str
    operation: str
    label: str
    place: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Something gets its turn: a task of an event loop, or steps in parallel. ``next`` says in words which one."""

    next: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A free choice: what is being decided, what the options are in words, and the number of the one that is taken.

    ``position`` is the place of the answer in the schedule.
    """

    choice: str
    options: tuple[str, ...]
    answer: int
    position: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A document records an entry in the log of its event loop."""

    log: str
    entry: Mapping[str, Any]


Item: TypeAlias = StepReached | ScriptStep | Turn | Choice | Entry


@dataclass(frozen=True, slots=True)
class Frame:
    """An item, what it happens in (in words), and the number of the state that it left behind."""

    item: Item
    actor: str
    state: int


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that happened in one run.

    ``initial`` is the number of the state before the first frame. ``outcome`` is what had been recorded when the run
    ended; ``problem`` says what ended it early, if anything did.
    """

    frames: Sequence[Frame]
    states: Sequence[State]
    outcome: Outcome
    schedule: Sequence[int]
    problem: str | None = None
    initial: int = 0

    def steps(self) -> list[StepReached]:
        """The steps of the specification, in order."""
        return [frame.item for frame in self.frames if isinstance(frame.item, StepReached)]

    def up_to(self, algorithm: str, step: str) -> Trace | None:
        """The trace up to the first time that a step runs, its effects included; None if it never does."""
        for index, frame in enumerate(self.frames):
            item = frame.item
            if isinstance(item, StepReached) and (item.algorithm, item.step) == (algorithm, step):
                frames = self.frames[: index + 1]
                made = sum(isinstance(frame.item, Choice) for frame in frames)
                return Trace(frames, self.states, _recorded(frames), self.schedule[:made], None)
        return None

    def to_data(self) -> dict[str, Any]:
        """The trace as plain data for a JSON document; states are numbered, as most frames change nothing."""
        used = sorted({self.initial, *(frame.state for frame in self.frames)})
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
