"""The outcomes that an exploration has found, by their canonical texts, made when they are asked for."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from functools import cache
from typing import TYPE_CHECKING, cast

from modelcontext.programs.program.outcome import (
    Outcome,
    OutcomeError,
    canonical_entry,
    canonical_text,
    loads,
    read_entry,
)

if TYPE_CHECKING:
    from modelcontext.ground.schedule.results import ResultSet, Suffix


class FoundOutcomes(Mapping[str, Outcome]):
    """The outcomes of a set of results, whose streams are the logs and whose rests are the pending promises.

    There can be more of them than fit into memory. Their number, and whether there is a certain one, is known at once.
    """

    def __init__(self, results: ResultSet) -> None:
        self._results = results

    def __len__(self) -> int:
        return len(self._results)

    def __iter__(self) -> Iterator[str]:
        for logs, pending in self._each():
            yield canonical_text(logs, pending)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self._suffix_of(text) is not None

    def __getitem__(self, text: str) -> Outcome:
        if self._suffix_of(text) is None:
            raise KeyError(text)
        return loads(text)

    def _suffix_of(self, text: str) -> Suffix | None:
        try:
            outcome = loads(text)
        except OutcomeError:
            return None
        return self.suffix_of(outcome) if outcome.canonical == text else None

    def suffix_of(self, outcome: Outcome) -> Suffix | None:
        """Return the key of the result that an outcome is, or None if it is not in the set."""
        streams = {name: [canonical_entry(entry) for entry in log] for name, log in outcome.logs.items()}
        return self._results.find(streams, outcome.pending)

    def values(self) -> ValuesView[Outcome]:
        """Return a view of the outcomes."""
        return _Outcomes(self)

    def items(self) -> ItemsView[str, Outcome]:
        """Return a view of the texts and the outcomes."""
        return _Items(self)

    def each(self) -> Iterator[Outcome]:
        """Yield every outcome."""
        read = cache(read_entry)
        for logs, pending in self._each():
            yield Outcome({name: tuple(map(read, log)) for name, log in logs.items()}, pending)

    def _each(self) -> Iterator[tuple[Mapping[str, list[str]], tuple[str, ...]]]:
        for suffix in self._results:
            logs, pending = self._results.unfold(suffix)
            yield cast("dict[str, list[str]]", logs), cast("tuple[str, ...]", pending)


class _Outcomes(ValuesView[Outcome]):
    """The outcomes, each made as it is reached."""

    _mapping: FoundOutcomes

    def __iter__(self) -> Iterator[Outcome]:
        return self._mapping.each()


class _Items(ItemsView[str, Outcome]):
    """The texts and outcomes, each made as it is reached."""

    _mapping: FoundOutcomes

    def __iter__(self) -> Iterator[tuple[str, Outcome]]:
        return ((outcome.canonical, outcome) for outcome in self._mapping.each())
