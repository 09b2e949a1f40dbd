"""Repeated runs of a litmus test on a product, with counts of the outcomes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.judging.conformance.repetition import run_often
from modelcontext.programs.program.membership import judge
from modelcontext.running.products.base import Ending, Observation, Product

if TYPE_CHECKING:
    from modelcontext.judging.litmus.expectations import KnownDeviation
    from modelcontext.judging.litmus.language import Litmus
    from modelcontext.programs.program.exploration import Exploration
    from modelcontext.programs.program.outcome import Outcome


@dataclass
class Sample:
    """Counts of the outcomes of some runs of a litmus test on one product.

    ``seen`` counts the allowed outcomes by their canonical text, ``outside`` the forbidden ones, with crashes and hangs,
    ``known`` the forbidden ones that a known deviation explains, ``unsound`` the runs that say nothing about the product.
    """

    runs: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    outside: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    deviations: dict[str, KnownDeviation] = field(default_factory=dict)
    unsound: Counter[str] = field(default_factory=Counter)


def disturbance(seed: int) -> str:
    """Return a script that delays documents and loads the machine."""
    function = (Path(__file__).parent / "disturb.js").read_text(encoding="utf-8").rstrip(";\n")
    return f"({function})({json.dumps(seed)});\n"


def sample(
    litmus: Litmus,
    product: Product,
    allowed: Exploration,
    repeat: int,
    progress: Callable[[int], None] = lambda runs: None,
    known: Sequence[KnownDeviation] = (),
) -> Sample:
    """Run a litmus test ``repeat`` times, and count."""
    return tally(litmus, run_often(litmus.program, product, repeat, progress), allowed, known)


def tally(
    litmus: Litmus, observations: Sequence[Observation], allowed: Exploration, known: Sequence[KnownDeviation] = ()
) -> Sample:
    """Count the outcomes of runs. If the exploration is incomplete, each observed outcome is judged by itself."""
    found = Sample()
    verdicts = dict.fromkeys(allowed.outcomes, "allowed")
    for observation in observations:
        found.runs += 1
        outcome = observation.outcome
        if outcome is None:
            words = f"{observation.ending}: {observation.detail}"
            (found.unsound if observation.ending is Ending.ERROR else found.outside)[words] += 1
            continue
        text = outcome.canonical
        found.outcomes[text] = outcome
        if text not in verdicts:
            verdicts[text] = "forbidden" if allowed.complete else judge(litmus.program, outcome).kind
            deviation = next((one for one in known if one.explains(outcome)), None)
            if verdicts[text] == "forbidden" and deviation is not None:
                verdicts[text] = "known"
                found.deviations[text] = deviation
        counts = {"allowed": found.seen, "forbidden": found.outside, "known": found.known, "undecided": found.unsound}
        counts[verdicts[text]][text] += 1
    return found
