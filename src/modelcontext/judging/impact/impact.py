"""The impact of a change of a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.judging.impact.changes import ProseChange, StepChange, algorithms_of, changes_between, prose_between
from speclint import lint_text
from speclint.text.markup import readable
from speclint.text.source import read_text

if TYPE_CHECKING:
    from modelcontext.judging.coverage import Reach
    from modelcontext.judging.impact.deviations import Deviation
    from modelcontext.spec.specification import Algorithm
    from speclint import LintFinding


class Record:
    """A record of the tests that reach each step of our text, and of the deviations that rest on each.

    The keys are the ids of algorithms and the numbers of steps in the text ``algorithms`` are from.
    """

    def __init__(
        self, algorithms: Sequence[Algorithm], tests: Iterable[Reach], deviations: Iterable[Deviation]
    ) -> None:
        self._tests: dict[str, set[tuple[str, str]]] = {}
        #: The kinds of tests of which something is known.
        self.kinds = set[str]()
        for test in tests:
            self.kinds.add(test.kind)
            for key in test.keys:
                step = " ".join(key.split(" ")[:2])
                self._tests.setdefault(step, set()).add((test.kind, test.name))
        self._deviations: dict[str, list[Deviation]] = {}
        for deviation in deviations:
            self._deviations.setdefault(deviation.step, []).append(deviation)
        self._numbers = {one.id: [step.number for step in one.steps] for one in algorithms}
        self._by_text = {(one.id, step.text): step.number for one in algorithms for step in one.steps}

    def steps_of(self, change: StepChange, before: Collection[tuple[str, str]] = ()) -> list[str]:
        """Return the steps of our text that a change concerns, as ``algorithm number``; none if our text has no such step.

        A change that has been made here already is found by the words of its step. For a step that is added, and is not
        here, it is the step before which or below which it comes. The words of an added step say nothing if the text
        ``before`` has a step with the same words in the algorithm.
        """
        numbers = self._numbers.get(change.algorithm)
        if numbers is None:
            return []
        if change.step is None and change.new_step is None:
            return [f"{change.algorithm} {number}" for number in numbers if number]
        for text in (change.after, change.before):
            is_another = change.kind == "added" and (change.algorithm, text) in before
            if text is not None and not is_another and (change.algorithm, text) in self._by_text:
                return [f"{change.algorithm} {self._by_text[change.algorithm, text]}"]
        number = change.step or _around(change.new_step or "", numbers)
        return [f"{change.algorithm} {number}"] if number in numbers else []

    def tests_of(self, steps: Iterable[str]) -> dict[str, list[str]]:
        """Return the names of the tests that reach any of these steps, by kind."""
        found = {one for step in steps for one in self._tests.get(step, ())}
        return {kind: sorted(name for of, name in found if of == kind) for kind in ("programs", "litmus", "wpt")}

    def deviations_of(self, steps: Iterable[str]) -> list[Deviation]:
        """Return the deviations that rest on any of these steps."""
        return [deviation for step in dict.fromkeys(steps) for deviation in self._deviations.get(step, ())]


def _around(number: str, numbers: Sequence[str]) -> str:
    """Return the step before an added one, or else the one above it."""
    above, dot, last = number.rpartition(".")
    while last.isdigit() and int(last) > 1:
        last = str(int(last) - 1)
        if f"{above}{dot}{last}" in numbers:
            return f"{above}{dot}{last}"
    return number if number in numbers else above if above in numbers else (numbers[1] if len(numbers) > 1 else "")


@dataclass(frozen=True, slots=True)
class Impact:
    """The impact of one change of a text: each change of a step with the steps of our text that it concerns."""

    changes: list[tuple[StepChange, list[str]]]
    prose: list[ProseChange]
    is_idl_changed: bool
    tests: dict[str, list[str]]
    deviations: list[Deviation]
    new_findings: list[LintFinding]
    gone_findings: list[LintFinding]
    record: Record

    @property
    def unmatched(self) -> int:
        """The number of changes that concern no step of our text, so that nothing is known of their tests."""
        return sum(1 for _, steps in self.changes if not steps)

    @property
    def is_matched(self) -> bool:
        """True unless changes of steps concern no step of our text at all."""
        return self.unmatched < len(self.changes) or not self.changes

    @property
    def is_change(self) -> bool:
        """True if a step, prose that demands something, or the IDL is changed."""
        return bool(self.changes or self.prose or self.is_idl_changed)

    def to_json(self, file: str) -> dict[str, Any]:
        """Return the impact as a JSON object."""
        return {
            "changes": [
                change.to_json() | {"steps": steps, "tests": self.record.tests_of(steps)}
                for change, steps in self.changes
            ],
            "prose": [one.to_json() for one in self.prose],
            "idlChanged": self.is_idl_changed,
            "unmatched": self.unmatched,
            "tests": self.tests,
            "deviations": [{"kind": one.kind, "name": one.name, "step": one.step} for one in self.deviations],
            "newFindings": [one.to_json(file) for one in self.new_findings],
            "goneFindings": [one.to_json(file) for one in self.gone_findings],
        }


def impact_of(before: str, after: str, record: Record, path: Path) -> Impact:
    """Return the impact of the change from one content of a source to another; ``path`` names it in errors.

    Raises:
        TextError: if a content is no Bikeshed source with algorithms.
    """
    old, new = lint_text(before, path), lint_text(after, path)
    known = {(one.id, step.text) for one in _in_words(algorithms_of(old.text)) for step in one.steps}
    changes = [(change, record.steps_of(change, known)) for change in changes_between(old.text, new.text)]
    steps = list(dict.fromkeys(step for _, some in changes for step in some))
    old_keys, new_keys = ({one.key for one in report.findings} for report in (old, new))
    return Impact(
        changes,
        prose_between(old.text, new.text),
        old.text.idl.split() != new.text.idl.split(),
        record.tests_of(steps),
        record.deviations_of(steps),
        [one for one in new.findings if one.key not in old_keys],
        [one for one in old.findings if one.key not in new_keys],
        record,
    )


def _in_words(algorithms: Sequence[Algorithm]) -> list[Algorithm]:
    """Return algorithms whose steps have the words that a reader sees instead of markup."""
    return [
        replace(one, steps=tuple(replace(step, text=readable(step.text)) for step in one.steps)) for one in algorithms
    ]


def own_algorithms(content: str, path: Path) -> list[Algorithm]:
    """Return the algorithms of our text for a :class:`Record`.

    Raises:
        TextError: if the content is no Bikeshed source with algorithms.
    """
    return _in_words(algorithms_of(read_text(content, path)))
