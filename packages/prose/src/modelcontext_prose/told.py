"""The trial of a program, told to an editor: each difference once, and no more of them than a person reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted
from modelcontext.programs.program.outcome import describe
from modelcontext_prose.comparison import differences, paired

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext_prose.consequences import Effect
    from modelcontext_prose.trial import ChangedOutcome, Trial

#: Differences of one program that are told; --json has all outcomes.
_SHOWN: Final = 3
#: Lines of one difference, or of one outcome.
_LINES: Final = 6
#: Steps of one run that are told.
_STEPS: Final = 5
#: Letters of a step.
_WIDTH: Final = 200
#: Another value of one entry, in the line of a difference: its label, the new value and the old one.
_OTHER_VALUE: Final = re.compile(r"(?:\[[^]]*\] )?(.+?): (.+), instead of: \1: (.+)")


@dataclass(slots=True)
class _Difference:
    """Outcomes that differ from others in the same way; the first that came, or went, shows it."""

    lines: tuple[str, ...]
    come: list[ChangedOutcome] = field(default_factory=list)
    gone: list[ChangedOutcome] = field(default_factory=list)


class Teller:
    """Tells the trials of programs. A program that changes as one before it does takes one line.

    ``options`` names the other text for another command.
    """

    def __init__(self, options: str) -> None:
        self._options = options
        self._told: dict[tuple[tuple[str, ...], ...], str] = {}
        self._said = set[str]()
        self._values: Counter[str] = Counter()

    def lines(self, name: str, program: Program, trial: Trial, effects: Sequence[tuple[str, Effect]]) -> Iterator[str]:
        """Yield the lines about the trial of a program."""
        if trial.lost is not None:
            yield f"{name}: {program.title}"
            yield f"  nothing is known: {trial.lost}"
            return
        found = [*_differences(trial)]
        values = (_OTHER_VALUE.fullmatch(line) for one in found for line in one.lines)
        self._values.update({f"{match[2]}, instead of: {match[3]}" for match in values if match})
        key = tuple(sorted(one.lines for one in found))
        if (before := self._told.setdefault(key, name)) != name:
            yield f"{name}: changes like {before}"
        else:
            yield f"{name}: {program.title}"
            for one in found[:_SHOWN]:
                yield from self._difference(name, one)
            if len(found) > _SHOWN:
                yield f"  and {counted(len(found) - _SHOWN, 'more difference')}; --json has all outcomes"
        yield from (f"  only with the other text: {label}: never settled" for label in trial.pending)
        yield from (f"  only with the unchanged text: {label}: never settled" for label in trial.settling)
        for product, effect in effects:
            yield f"  {product} {effect}"

    def most_frequent(self) -> Iterator[str]:
        """Yield the other value that most programs have and how many have it, if more than one has it."""
        for words, count in self._values.most_common(1):
            if count > 1:
                yield f"in {counted(count, 'program')}: {words}"

    def _difference(self, name: str, one: _Difference) -> Iterator[str]:
        kind = {(True, True): "~", (True, False): "+", (False, True): "-"}[bool(one.come), bool(one.gone)]
        times = max(len(one.come), len(one.gone))
        head = f"{times:,} pairs of outcomes" if kind == "~" and times > 1 else counted(times, "outcome")
        yield f"  {kind} {head}" + (", for example:" if times > 1 else ":")
        yield from (f"      {line}" for line in one.lines[:_LINES])
        if len(one.lines) > _LINES:
            yield f"      and {counted(len(one.lines) - _LINES, 'more line')}"
        for sign, side, options in (("+", one.come, self._options), ("-", one.gone, "")):
            for outcome in side[:1]:
                yield from (f"    {sign} its run takes {self._step(step)}" for step in outcome.steps[:_STEPS])
                if len(outcome.steps) > _STEPS:
                    more = counted(len(outcome.steps) - _STEPS, "more step")
                    yield f"    {sign} its run takes {more} that the other text does not have"
                yield f"    {sign} modelcontext trace {name}{_schedule(outcome.schedule)}{options}"

    def _step(self, step: str) -> str:
        """Return a step with its words, or only its name if they were told before."""
        if step in self._said:
            return step.partition(". ")[0]
        self._said.add(step)
        return shorten(step, _WIDTH)


def _schedule(answers: Sequence[int]) -> str:
    """Return the option for a schedule; what comes after it is first in, first out, as the answer 0 is."""
    given = [*answers]
    while given and given[-1] == 0:
        given.pop()
    return f" --schedule {','.join(map(str, given))}" if given else ""


def _differences(trial: Trial) -> Iterator[_Difference]:
    """Yield the differences of a program, the one that most outcomes have first."""
    found: dict[tuple[str, ...], _Difference] = {}
    pairs = paired([one.outcome for one in trial.gone], [one.outcome for one in trial.come])
    for left, right in pairs.items():
        gone, come = trial.gone[left], trial.come[right]
        lines = tuple(differences(gone.outcome, come.outcome))
        one = found.setdefault(lines, _Difference(lines))
        one.gone.append(gone)
        one.come.append(come)
    for index, come in enumerate(trial.come):
        if index not in pairs.values():
            lines = tuple(_alone(come, "like an outcome of the unchanged text, except:"))
            found.setdefault(("+", *lines), _Difference(lines)).come.append(come)
    for index, gone in enumerate(trial.gone):
        if index not in pairs:
            lines = tuple(_alone(gone, "like an outcome of the other text, except:"))
            found.setdefault(("-", *lines), _Difference(lines)).gone.append(gone)
    yield from sorted(found.values(), key=lambda one: -max(len(one.come), len(one.gone)))


def _alone(changed: ChangedOutcome, head: str) -> list[str]:
    """Describe an outcome of one text: by what differs from the nearest one of the other text, if that is shorter."""
    whole = [line.strip() for line in describe(changed.outcome)]
    apart = [head, *differences(changed.like, changed.outcome)] if changed.like is not None else whole
    return apart if len(apart) < len(whole) else whole


def summary(effects: Sequence[tuple[str, Effect]]) -> Iterator[str]:
    """Yield a line for each product and effect, with the number of programs that have it."""
    for (product, effect), count in Counter(effects).items():
        yield f"{product} {effect} in {counted(count, 'program')}"
