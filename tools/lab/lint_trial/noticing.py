"""The judging of mutations: a mutation is noticed if the lint finds in it what it does not find in the text itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from speclint.linting import lint_text
from speclint.rules import RULES, RULES_UNPROVEN

if TYPE_CHECKING:
    from tools.lab.lint_trial.defects import PlantedDefect


@dataclass(frozen=True, slots=True)
class Noticed:
    """The rules that noticed a mutation."""

    mutation: PlantedDefect
    rules: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleTally:
    """The numbers of one rule.

    ``meant`` mutations were made for it, and of these ``noticed`` were noticed by any rule; it noticed ``by_it`` mutations,
    and of these ``alone`` were noticed by no other.
    """

    rule: str
    meant: int
    noticed: int
    by_it: int
    alone: int


def judge(text: str, mutations: Iterable[PlantedDefect]) -> Iterator[Noticed]:
    """Lint mutations of a text, and yield the rules that noticed each; a rule that is not proven looks only for its own."""
    path = Path("text.bs")
    known = {finding.key for finding in lint_text(text, path, RULES_UNPROVEN).findings}
    for mutation in mutations:
        by_name = [mutation.rule] if mutation.rule in RULES_UNPROVEN else []
        findings = lint_text(mutation.text, path, by_name).findings
        yield Noticed(mutation, frozenset(one.rule for one in findings if one.key not in known))


def tally(verdicts: Iterable[Noticed]) -> list[RuleTally]:
    """Return the numbers of each rule; of those that are not proven, only if mutations were made for them."""
    verdicts = list(verdicts)
    meant = Counter(one.mutation.rule for one in verdicts)
    noticed = Counter(one.mutation.rule for one in verdicts if one.rules)
    by_it = Counter(rule for one in verdicts for rule in one.rules)
    alone = Counter(next(iter(one.rules)) for one in verdicts if len(one.rules) == 1)
    rules = *RULES, *(rule for rule in RULES_UNPROVEN if meant[rule])
    return [RuleTally(rule, meant[rule], noticed[rule], by_it[rule], alone[rule]) for rule in rules]
