"""Runs whose states are told apart by their events, for scripts whose own state no fingerprint can read.

What can be told is which actions led to a state. Two runs are in the same state if they consist of the same actions, and only
the order of independent ones differs (Mazurkiewicz traces). So the fingerprint of a state is made of its *events*: an event is
one action of one process, the answers to the free choices in it, and the earlier events that it depends on. Actions are
independent if their footprints do not clash.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser
from modelcontext.ground.schedule.fingerprint import State
from modelcontext.ground.schedule.footprint import Footprint

if TYPE_CHECKING:
    from modelcontext.ground.schedule.independence import Independence

_DIGEST: Final = 16
_MODULUS: Final = 1 << 8 * _DIGEST


class Scheduled(Protocol):
    """The scheduler of a run. ``running`` has the tasks that have given way, or run now."""

    @property
    def running(self) -> Sequence[Any]:
        """The running tasks, outermost first."""

    def processes(self) -> list[Any]:
        """Return all processes: those that run, those that can act, and those that wait."""


@dataclass(frozen=True, slots=True)
class PastAction:
    """An action that has happened: the identity of its process, its own, the number of what it touched."""

    process: bytes
    identity: bytes
    touched: int
    clashes: bool


class EventRun(Chooser, ABC):
    """One explored run. It is the chooser of the run, and asks a leader.

    Args:
        leader: decides what happens next.
        independence: tells which actions clash; the same for all runs of an exploration.
    """

    def __init__(self, leader: Chooser, independence: Independence) -> None:
        self._leader = leader
        self._independence = independence
        self._events: list[PastAction] = []
        self._sum = 0
        self._identities: dict[int, bytes] = {}
        self._kept: list[object] = []
        self._acting = b"the beginning"
        self._answers: list[int] = []

    @property
    @abstractmethod
    def scheduled(self) -> Scheduled:
        """The scheduler of the run."""

    def state(self) -> State:
        """Return the state between two actions."""
        return State(self.fingerprint(), sorted(self.processes(), key=lambda process: self._identities[id(process)]))

    def processes(self) -> Sequence[Any]:
        """Return all processes: those that run, those that can act, and those that wait."""
        return self.scheduled.processes()

    def running(self) -> Sequence[object]:
        """Return the tasks that have given way in their middle."""
        return self.scheduled.running

    def fingerprint(self) -> bytes:
        """Return what all runs with these events share."""
        return self._sum.to_bytes(_DIGEST, "big")

    def record(self) -> None:
        """Record the action that begins, also where the leader does not."""
        if footprint.current is None:
            footprint.record_into(Footprint())

    def act(self, process: object) -> None:
        """Note which process acts from now on."""
        self._acting = self._identities[id(process)]
        self._answers = []

    def answered(self, answer: int) -> int:
        """Note and return the answer to a free choice inside an action."""
        self._answers.append(answer)
        return answer

    def note_event(self) -> None:
        """Note the action that has just happened, and give its new processes an identity."""
        recorded = footprint.current
        if recorded is None:
            return  # The run was cut off at a choice, between two actions.
        footprint.record_into(None)
        event = self.known_event() or self._new_event(recorded)
        self._events.append(event)
        self._sum = (self._sum + int.from_bytes(event.identity, "big")) % _MODULUS
        self.name_new_processes(self.cause(event.identity))

    def name_new_processes(self, cause: bytes) -> None:
        """Give the processes that are new an identity."""
        for number, process in enumerate(self._new_processes()):
            self._identities[id(process)] = digest(cause, b"%d" % number)
            self._kept.append(process)

    def known_event(self) -> PastAction | None:
        """Return the event if an earlier run has told it."""
        return None

    def _new_event(self, recorded: Footprint) -> PastAction:
        touched = self._independence.touched(recorded)
        clashes = self._independence.changes_activity(touched)
        number = self._independence.number(touched)
        depends_on = sorted(event.identity for event in self._events if clashes or self._depends(number, event))
        identity = digest(self._acting, bytes(str(self.extent(recorded)), "ascii"), *depends_on)
        return PastAction(self._acting, identity, number, clashes)

    def begin_anew(self, state: State) -> None:
        """Forget the events that have led to a state: the state itself is known."""
        self._events = []
        self._sum = int.from_bytes(state.fingerprint, "big")
        for number, process in enumerate(state.processes):
            self._identities[id(process)] = digest(state.fingerprint, b"%d" % number)

    def cause(self, identity: bytes) -> bytes:
        """Return what the processes come from that are new after an event: the event itself."""
        return identity

    def extent(self, recorded: Footprint) -> tuple[object, ...]:
        """Return what tells how far the action has gone: its free choices, and the place at which its task has given way.

        The same task goes further at once where no steps in parallel are there to act in its middle.
        """
        gives_way = any(self._identities.get(id(task)) == self._acting for task in self.running())
        return self._answers, recorded.given_way, gives_way

    def _depends(self, touched: int, earlier: PastAction) -> bool:
        return earlier.clashes or earlier.process == self._acting or self._independence.depend(touched, earlier.touched)

    def _new_processes(self) -> Iterator[object]:
        new = [process for process in self.processes() if id(process) not in self._identities]
        tasks = [process for process in new if process.can_be_seen]
        yield from (process for process in new if not process.can_be_seen)
        yield from sorted(tasks, key=lambda task: task.sequence)


def digest(*parts: bytes) -> bytes:
    """Return a digest of texts."""
    made = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        made.update(len(part).to_bytes(4, "big") + part)
    return made.digest()
