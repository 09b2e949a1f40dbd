"""Counterexamples of clients in a real browser: their programs, steered as their schedules say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.ground.words import counted
from modelcontext.judging.clients.playing import playable
from modelcontext.judging.conformance.repetition import run_steered
from modelcontext.programs.program.steering import TimetableSearch, ways

if TYPE_CHECKING:
    from modelcontext.judging.clients.catalogue import ClientProfile
    from modelcontext.judging.clients.counterexamples import Counterexample
    from modelcontext.running.products.base import Product


@dataclass(frozen=True, slots=True)
class Live:
    """The steered runs of a counterexample; ``hits`` are the numbers of those that showed it, from 1.

    Without runs no script can stand for the client.
    """

    client: str
    property: str
    adversary: str
    breach: str
    runs: int
    hits: tuple[int, ...]

    def in_words(self) -> str:
        """Return the result in words."""
        if not self.runs:
            return "not played, because no script can stand for this client"
        if not self.hits:
            return f"not seen in {counted(self.runs, 'run')}"
        return f"seen in {len(self.hits)} of {counted(self.runs, 'run')}, first in run {self.hits[0]}"


def play_live(
    profile: ClientProfile,
    found: Counterexample,
    product: Product,
    repeat: int,
    progress: Callable[[int], None] = lambda runs: None,
) -> Live:
    """Steer ``repeat`` runs of a counterexample's program in a browser, and return how often it showed."""
    play = playable(profile, found)
    hits: list[int] = []
    if play is not None:
        search = TimetableSearch(play.program, play.schedule, ways(play.program), play.wanted.is_shown_by)
        runs = list(run_steered(play.program, product, search, repeat, progress))
        hits = [number for number, run in enumerate(runs, 1) if run.is_meant]
    times = repeat if play is not None else 0
    return Live(found.client, found.property, found.adversary, found.breach, times, tuple(hits))
