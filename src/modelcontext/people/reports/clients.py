"""The part of a report about clients of page tools: what each may rely on, and a counterexample where it may not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modelcontext.ground.words import counted
from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.properties import PROPERTIES
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.judging.clients.cells import PropertyCell
    from modelcontext.judging.clients.counterexamples import Counterexample
    from modelcontext.judging.clients.playing import Playable
    from modelcontext.judging.clients.survey import Survey
    from modelcontext.people.reports.named_steps import NamedSteps


@dataclass(frozen=True)
class KeptProperties:
    """The sum of what one client may rely on: so many of the properties that its spaces touch on.

    Of those that are ``kept``, ``with_gaps`` hold except for breaches that no client can exclude. ``undecided`` counts those
    that the client is not known to break, but some space of it was cut off.
    """

    client: str
    kept: int
    total: int
    with_gaps: int
    undecided: int

    @property
    def words(self) -> str:
        """The sum in words."""
        gaps = f", {self.with_gaps} of them except for breaches that no client can exclude" if self.with_gaps else ""
        cut = f"; {self.undecided} undecided" if self.undecided else ""
        return f"keeps {self.kept} of {self.total} properties{gaps}{cut}"


def kept_properties(survey: Survey) -> Iterator[KeptProperties]:
    """Yield the sum of each client."""
    for client in survey.clients:
        cells = [survey.cells[client, name] for name in PROPERTIES]
        kept = [cell for cell in cells if cell.spaces and not cell.broken and not cell.undecided]
        yield KeptProperties(
            client,
            len(kept),
            sum(1 for cell in cells if cell.spaces or cell.broken or cell.undecided),
            sum(1 for cell in kept if cell.gaps),
            sum(1 for cell in cells if cell.undecided and not cell.broken),
        )


def spaces_in_words(survey: Survey) -> str:
    """Return how many spaces there are, and how many are complete."""
    complete = sum(1 for space in survey.spaces if space.complete)
    return f"{complete} of {counted(len(survey.spaces), 'space')} are complete"


def survey_in_html(survey: Survey, steps: NamedSteps) -> dict[str, Any]:
    """Return the values for the template ``clients.html``."""
    examples = {example.property: (example, play) for example, play in survey.shown}
    return {
        "clients": [CLIENTS[client] for client in survey.clients],
        "adversaries": len(adversaries()),
        "spaces": spaces_in_words(survey),
        "sums": [(one.client, *_sum(one)) for one in kept_properties(survey)],
        "properties": [
            {
                "property": property_,
                "step": steps.step(CURRENT.name, property_.rests_on),
                "cells": [_cell(survey.cells[client, name]) for client in survey.clients],
                "example": _example(*examples[name]) if name in examples else None,
                "broken": [
                    (CLIENTS[client].title, len(cell.broken), cell.spaces, *cell.smallest)
                    for client in survey.clients
                    if (cell := survey.cells[client, name]).broken
                ],
            }
            for name, property_ in PROPERTIES.items()
        ],
    }


def _sum(sum_: KeptProperties) -> tuple[str, str]:
    """Return the kind of a client's sum, for its colour, and its word."""
    word = f"{sum_.kept}/{sum_.total}"
    if sum_.kept + sum_.undecided < sum_.total:
        return "broken", word
    if sum_.undecided:
        return "notrun", word
    return ("known", f"{word}*") if sum_.with_gaps else ("pass", word)


def _cell(cell: PropertyCell) -> tuple[str, str]:
    """Return the kind of a cell, for its colour, and its word."""
    cut = f" ({len(cell.undecided)} undecided)" if cell.undecided else ""
    if cell.broken:
        return "broken", f"✗ {len(cell.broken)}/{cell.spaces}{cut}"
    if cell.undecided:
        return "notrun", f"{cell.spaces}{cut}"
    if not cell.spaces:
        return "none", "-"
    return ("known", f"{cell.spaces}*") if cell.gaps else ("pass", str(cell.spaces))


def _example(example: Counterexample, play: Playable | None) -> dict[str, Any]:
    decisive = [number for number, moment in enumerate(example.story, 1) if moment.is_decisive]
    return {
        "client": CLIENTS[example.client].title,
        "adversary": example.adversary,
        "breach": example.breach,
        "story": example.story,
        "decisive": decisive[0] if decisive else None,
        "instead": example.instead,
        "program": play.program.dumps_toml() if play is not None else None,
        "command": play.command("FILE") if play is not None else None,
    }
