"""Changes of steps between two sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.spec.specification.comparison.steps import compare_algorithms
from modelcontext.spec.specification.text.algorithms import Algorithm, Section, Step, python_identifier
from speclint.text.markup import readable

if TYPE_CHECKING:
    from modelcontext.spec.specification.comparison.differences import TextDifference
    from speclint.text.source_model import SourceText


@dataclass(frozen=True, slots=True)
class StepChange:
    """A change of a step, or of an algorithm as a whole if it has no step.

    ``kind`` is "added", "removed", "reworded", "moved", "relinked" for a step whose words stay and whose links change, or
    the aspect of an algorithm that changed. ``step`` is the number before the change and ``new_step`` the one after it.
    """

    algorithm: str
    kind: str
    step: str | None
    new_step: str | None
    before: str | None
    after: str | None

    def to_json(self) -> dict[str, object]:
        """Return the change as a JSON object."""
        names = ("algorithm", "kind", "step", "before", "after")
        return {name: getattr(self, name) for name in names} | {"newStep": self.new_step}


def changes_between(before: SourceText, after: SourceText) -> list[StepChange]:
    """Return the changes from one source to another, in the order of the algorithms.

    Sources are compared by their markup in one form, so that a step that links to another term is a change.
    """
    return [_change(one) for one in compare_algorithms(algorithms_of(before), algorithms_of(after))]


@dataclass(frozen=True, slots=True)
class ProseChange:
    """A paragraph outside of algorithms that demands something and is new or gone; ``line`` is of the text that has it."""

    kind: str
    line: int
    text: str

    def to_json(self) -> dict[str, object]:
        """Return the change as a JSON object."""
        return {"kind": self.kind, "line": self.line, "text": self.text}


def prose_between(before: SourceText, after: SourceText) -> list[ProseChange]:
    """Return the changes of normative prose: definitions, hooks into other specifications, the IDL.

    No test says that it reaches prose, so that these changes are for a person to judge. A reworded paragraph is one that
    is gone and one that is new.
    """
    found = []
    for kind, text, other in (("removed", before, after), ("added", after, before)):
        known = {one.text for one in other.paragraphs}
        demands = (one for one in text.paragraphs if not one.informative and one.text not in known)
        found += [ProseChange(kind, one.line, readable(one.text)) for one in demands]
    return found


def algorithms_of(text: SourceText) -> list[Algorithm]:
    """Return the algorithms of a source in the form in which specifications are compared; steps keep their markup.

    The steps of two algorithms with one id, such as a getter and a setter, become one list. A method has the id that it has in
    the built text, whether the source writes it or leaves it to Bikeshed.
    """
    found: dict[str, Algorithm] = {}
    for one in text.algorithms:
        steps = [Step(step.number, step.text) for step in one.walk()]
        known = found.get(one.built_id)
        found[one.built_id] = Algorithm(
            id=one.built_id,
            name=one.name,
            function=python_identifier(one.name),
            kind="method" if one.kind == "method" else "abstract operation",
            parameters=(),
            in_parallel=False,
            section=Section("", one.section, ""),
            steps=(*(known.steps if known else ()), Step("", one.introduction), *steps),
        )
    return list(found.values())


def _change(one: TextDifference) -> StepChange:
    is_relinked = one.ours and one.other and one.ours != one.other and readable(one.ours) == readable(one.other)
    show = (lambda text: text) if is_relinked else readable
    return StepChange(
        one.subject,
        "relinked" if is_relinked and one.change == "reworded" else one.change,
        one.step or None,
        one.other_step or None,
        show(one.ours) if one.ours is not None else None,
        show(one.other) if one.other is not None else None,
    )
