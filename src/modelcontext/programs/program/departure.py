"""The place where an observed outcome leaves the allowed ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.programs.program.found import FoundOutcomes
from modelcontext.programs.program.outcome import Outcome, canonical_entry

if TYPE_CHECKING:
    from modelcontext.ground.schedule.graph import Explorable
    from modelcontext.ground.schedule.results import ResultSet


@dataclass(frozen=True, slots=True)
class Departure:
    """The place where an observed outcome leaves all allowed ones.

    ``log`` is an event loop, or ``"pending"``, and ``index`` the place in it. ``observed`` is the entry there, ``allowed``
    has the entries that could be there, each with the step that it follows from, if known. An entry is None at the end.
    """

    log: str
    index: int
    observed: Mapping[str, object] | None
    allowed: tuple[tuple[Mapping[str, object] | None, object], ...]


@dataclass(frozen=True, slots=True)
class _Parting:
    """A place where a run left the observed logs: its entry there, and the schedule that leads to it."""

    log: str
    index: int
    entry: Mapping[str, object] | None
    schedule: Sequence[int]


class Follower:
    """A comparison of runs with the observed logs. It remembers where the runs that stayed longest parted."""

    def __init__(self, observed: Outcome) -> None:
        self._observed = observed
        self._entries = {name: [canonical_entry(entry) for entry in log] for name, log in observed.logs.items()}
        self._best = -1
        self._partings: dict[str, _Parting] = {}

    def is_on_the_way(self, outcome: Outcome, schedule: Sequence[int]) -> bool:
        """Return whether every log of a run's outcome so far is a beginning of the observed one."""
        matched = 0
        parting = None
        for name, log in outcome.logs.items():
            wanted = self._entries.get(name, [])
            for index, entry in enumerate(log):
                if index >= len(wanted) or canonical_entry(entry) != wanted[index]:
                    parting = parting or _Parting(name, index, entry, list(schedule))
                    break
                matched += 1
        if parting is None:
            return True
        self._note(matched, parting)
        return False

    def is_completed_by(self, run: Explorable, results: ResultSet) -> bool:
        """Return whether the observed outcome is that of a run so far with one of the results that follow."""
        seen: dict[str, int] = {}
        for name, entry in run.observations:
            index = seen.get(name, 0)
            wanted = self._entries.get(name, [])
            if index >= len(wanted) or canonical_entry(entry) != wanted[index]:
                return False
            seen[name] = index + 1
        rest = {name: log[seen.get(name, 0) :] for name, log in self._observed.logs.items()}
        return FoundOutcomes(results).suffix_of(Outcome(rest, self._observed.pending)) is not None

    def ended_short(self, outcome: Outcome, schedule: Sequence[int]) -> None:
        """Note a run that stayed with the observed logs, and ended with another outcome."""
        matched = sum(len(log) for log in outcome.logs.values())
        for name, wanted in self._entries.items():
            done = len(outcome.logs.get(name, ()))
            if done < len(wanted):
                self._note(matched, _Parting(name, done, None, list(schedule)))
                return
        self._note(matched, _Parting("pending", 0, {"pending": list(outcome.pending)}, list(schedule)))

    def _note(self, matched: int, parting: _Parting) -> None:
        if matched > self._best:
            self._best = matched
            self._partings.clear()
        if matched == self._best:
            self._partings.setdefault(f"{parting.log} {parting.index} {parting.entry}", parting)

    def departure(self, sources_of: Callable[[Sequence[int]], Mapping[str, Sequence[object]]]) -> Departure:
        """Return the place where the longest runs parted from the observed outcome.

        ``sources_of`` replays a schedule, and returns the step that each entry of each log follows from.
        """
        first = next(iter(self._partings.values()))
        allowed = []
        for parting in self._partings.values():
            if (parting.log, parting.index) == (first.log, first.index):
                source = None
                if parting.entry is not None and parting.log != "pending":
                    source = sources_of(parting.schedule)[parting.log][parting.index]
                allowed.append((parting.entry, source))
        observed: Mapping[str, object] | None
        if first.log == "pending":
            observed = {"pending": list(self._observed.pending)}
        else:
            log = self._observed.logs.get(first.log, ())
            observed = log[first.index] if first.index < len(log) else None
        return Departure(first.log, first.index, observed, tuple(allowed))
