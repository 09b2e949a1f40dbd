"""The survey of clients: the spaces of some with every adversary, and a counterexample for each property that one breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import Cells, cells_of
from modelcontext.judging.clients.checking import Space, check_all
from modelcontext.judging.clients.counterexamples import Counterexample, find_counterexample
from modelcontext.judging.clients.playing import Playable, playable
from modelcontext.judging.clients.properties import PROPERTIES

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True)
class Survey:
    """The spaces of some clients. ``shown`` has a counterexample for each property that one of them breaks.

    With each counterexample comes a program that plays it, where a script can stand for the client.
    """

    spaces: Sequence[Space]
    shown: Sequence[tuple[Counterexample, Playable | None]]

    @cached_property
    def cells(self) -> Cells:
        """The cells, by client and property."""
        return cells_of(self.spaces)

    @cached_property
    def clients(self) -> list[str]:
        """The names of the clients, in the order of the spaces."""
        return list(dict.fromkeys(space.client for space in self.spaces))


def survey(
    clients: Iterable[str], *, pool: Executor | None = None, advance: Callable[[int], None] = lambda done: None
) -> Survey:
    """Return the survey of some clients; computed by the pool if there is one.

    Args:
        clients: their names.
        pool: where the model runs; here if there is none.
        advance: called with 1 for each space that is explored.
    """
    spaces = []
    for space in check_all([CLIENTS[name] for name in clients], adversaries().values(), pool=pool):
        spaces.append(space)
        advance(1)
    return Survey(spaces, list(representatives(cells_of(spaces), pool=pool)))


def representatives(cells: Cells, *, pool: Executor | None = None) -> Iterator[tuple[Counterexample, Playable | None]]:
    """Yield one counterexample for each property that some client breaks: one that can be played, where there is one."""
    broken = {name: _broken(cells, name) for name in PROPERTIES}
    breaches, names = [some for some in broken.values() if some], [name for name, some in broken.items() if some]
    yield from (map if pool is None else pool.map)(_representative, names, breaches)


def _broken(cells: Cells, property_: str) -> list[tuple[str, str]]:
    """Return the clients that break a property, each with the adversary of its smallest breach, the smallest first."""
    found = [
        (cell.broken[cell.smallest[0]][0], client, cell.smallest[0])
        for (client, name), cell in cells.items()
        if name == property_ and cell.broken
    ]
    return [(client, adversary) for _, client, adversary in sorted(found, key=lambda one: one[0])]


def _representative(property_: str, broken: Sequence[tuple[str, str]]) -> tuple[Counterexample, Playable | None]:
    first: Counterexample | None = None
    for client, adversary in broken:
        example = find_counterexample(CLIENTS[client], [adversaries()[adversary]], property_)
        assert example is not None
        play = playable(CLIENTS[client], example)
        if play is not None:
            return example, play
        first = first or example
    assert first is not None
    return first, None
