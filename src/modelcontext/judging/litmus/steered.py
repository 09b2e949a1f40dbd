"""Runs of a litmus test that are steered to one outcome after the other, and what is missing where one does not come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.repetition import SteeredRun, run_steered
from modelcontext.judging.litmus.conditions import parse
from modelcontext.programs.program.outcome import Outcome, describe_entry
from modelcontext.programs.program.steering import TimetableSearch, ways
from modelcontext.running.products.base import Ending

if TYPE_CHECKING:
    from modelcontext.judging.litmus.language import Litmus
    from modelcontext.programs.program.exploration import Exploration
    from modelcontext.programs.program.timetable import Timetable
    from modelcontext.running.products.base import Observation, Product


#: The runs to each outcome that wait for what the runs to other outcomes show.
REVISITS: Final = 3


@dataclass(frozen=True, slots=True)
class SteeredRuns:
    """The runs that were steered to one outcome.

    Attributes:
        outcome: the outcome.
        observations: what the runs showed.
        hits: the numbers of those that showed the outcome, from 1.
        timetable: the timetable that came nearest.
    """

    outcome: Outcome
    observations: Sequence[Observation]
    hits: Sequence[int]
    timetable: Timetable


def steer(
    litmus: Litmus,
    product: Product,
    allowed: Exploration,
    outcomes: Iterable[Outcome],
    repeat: int,
    progress: Callable[[int], None] = lambda runs: None,
    *,
    until_shown: bool = False,
) -> Iterator[SteeredRuns]:
    """Steer ``repeat`` runs of a litmus test to each of these outcomes, which are allowed.

    The last :data:`REVISITS` runs of each come when all others are done: they try the timetables under which the runs to
    other outcomes have shown this one. With ``until_shown`` the runs to an outcome end with the first that shows it.
    """
    program = litmus.program
    found = ways(program)
    searches = {
        outcome: TimetableSearch(program, allowed.schedule_to(outcome.canonical), found) for outcome in outcomes
    }
    runs: dict[Outcome, list[SteeredRun]] = {outcome: [] for outcome in searches}
    revisits = min(REVISITS, repeat - 1)
    for times in (repeat - revisits, revisits):
        for outcome, search in searches.items():
            if until_shown and any(run.is_meant for run in runs[outcome]):
                continue
            for steered in run_steered(program, product, search, times, progress):
                run = _sound(steered, allowed)
                runs[outcome].append(run)
                other = searches.get(run.observation.outcome) if run.observation.outcome is not None else None
                if other is not None and other is not search:
                    other.suggest(run.timetable)
                if until_shown and run.is_meant:
                    break
    for outcome, search in searches.items():
        hits = [number for number, run in enumerate(runs[outcome], 1) if run.is_meant]
        yield SteeredRuns(outcome, [run.observation for run in runs[outcome]], hits, search.best)


def _sound(run: SteeredRun, allowed: Exploration) -> SteeredRun:
    """Return a run without its outcome if that is not allowed and entries may be missing from it."""
    seen = run.observation
    if seen.outcome is None or not seen.cut or seen.outcome.canonical in allowed.outcomes:
        return run
    detail = f"entries may be missing, because a document went away in the middle of a task: {', '.join(seen.cut)}"
    return replace(run, observation=replace(seen, ending=Ending.ERROR, outcome=None, detail=detail))


def missing(outcome: Outcome, shown: Sequence[Outcome]) -> str | None:
    """Return a condition that an outcome meets and none of those shown: an entry, an order of two, or None."""
    facts = [[f"[{entry['in']}] {describe_entry(entry)}" for entry in log] for log in outcome.logs.values()]
    pending = (label.partition(": ") for label in outcome.pending)
    texts = [
        *(fact for log in facts for fact in log),
        *(f"[{document}] {label}: never settled" for document, _, label in pending),
        *(f"{left} before {right}" for log in facts for left, right in combinations(log, 2)),
    ]
    for text in texts:
        condition = parse(text)
        if condition.holds(outcome) and not any(condition.holds(one) for one in shown):
            return text
    return None
