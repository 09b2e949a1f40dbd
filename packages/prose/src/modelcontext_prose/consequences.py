"""The consequences of another text for products, as far as the expectations know what products show.

A product shows one of the outcomes that the project's own text allows a program, unless the expectations have an entry about
it. So it deviates from a text that allows none of these, and may deviate from one that allows only some. An entry says where
the product leaves the allowed outcomes. If an outcome that comes has that entry, the other text may allow what it shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.judging.conformance.expectations import Expectation, load_expectations, vocabulary
from modelcontext.judging.litmus.expectations import KnownDeviation, known_deviations
from modelcontext.programs.program.outcome import describe_entry
from modelcontext.running.products import BROWSERS, make_target
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext_prose.trial import Trial


class Effect(StrEnum):
    """The effect of another text on what a product shows in a program."""

    #: A known deviation is like an outcome that comes.
    CONFORMS = "may conform now"
    #: Every outcome that conforms today goes.
    DEVIATES = "deviates now"
    #: Some of the outcomes that conform today go.
    MAY_DEVIATE = "may deviate now"


@dataclass(frozen=True, slots=True)
class _Product:
    name: str
    programs: Mapping[str, Expectation]
    litmus: Mapping[str, Sequence[KnownDeviation]]


@dataclass(frozen=True, slots=True)
class Products:
    """The browsers and scripts that implement the current text, with their known deviations."""

    known: tuple[_Product, ...]

    def effects(self, program: str, trial: Trial) -> Iterator[tuple[str, Effect]]:
        """Yield each product for which another text changes something in a program."""
        for product in self.known:
            effect = _effect(product, program, trial)
            if effect is not None:
                yield product.name, effect


def read_products(root: Path) -> Products:
    """Read the expectations of the products.

    Raises:
        ExpectationError: if a file is not valid.
    """
    found = []
    for name in BROWSERS:
        target = make_target(name)
        files = [root / CURRENT.expectations / f"{kind}{name}.toml" for kind in ("", "litmus-")]
        # Without a file nothing is known of the product.
        if target.revision == CURRENT.name and target.is_compared and files[0].exists():
            words = vocabulary(name, CURRENT.name)
            found.append(_Product(name, load_expectations(files[0], words), known_deviations(files[1], words)))
    return Products(tuple(found))


def _effect(product: _Product, program: str, trial: Trial) -> Effect | None:
    come = [one.outcome for one in trial.come]
    known, deviations = product.programs.get(program), product.litmus.get(program, ())
    if known is not None and any(_shows(outcome, known.observed) for outcome in come):
        return Effect.CONFORMS
    if any(deviation.explains(outcome) for deviation in deviations for outcome in come):
        return Effect.CONFORMS
    if known is not None or deviations or not trial.gone:
        return None
    return Effect.MAY_DEVIATE if trial.staying else Effect.DEVIATES


def _shows(outcome: Outcome, observed: str) -> bool:
    entries = (entry for log in outcome.logs.values() for entry in log)
    return any(describe_entry(entry) == observed for entry in entries)
