"""The change of an Issue in words: which steps of the published text it inserts, replaces or removes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext.spec.specification.text.published import published_step
from modelcontext_filing.places import place_of
from modelcontext_prose.patches.language import parse_patch
from modelcontext_prose.patches.steps import seen

if TYPE_CHECKING:
    from modelcontext_prose.patches.language import PatchLine

#: The name of a patch in errors.
_PATH: Final = Path("issues.toml")


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines of a patch that change together; ``after`` is the number of the step of our text before them, if there is one."""

    after: str
    gone: list[PatchLine] = field(default_factory=list)
    come: list[PatchLine] = field(default_factory=list)


def change_in_words(patch: str, *, is_undone: bool) -> Iterator[str]:
    """Yield what an editor of the published text has to do, as items of a Markdown list.

    Args:
        patch: the patch of an Issue.
        is_undone: whether the patch brings the published text back, so that the change is its inverse.
    """
    texts = {found.id: {step.number: step.text for step in found.steps} for found in load_algorithms()}
    for block in parse_patch(patch, _PATH).blocks:
        for change in _changes(block.lines):
            # The lines that are taken out are those of our text, which a patch may abbreviate.
            ours = [(line.name, texts.get(block.name, {}).get(line.name, seen(line.words))) for line in change.gone]
            theirs = [(line.name, seen(line.words)) for line in change.come]
            if block.name in texts and all(line.number for line in (*change.gone, *change.come)):
                yield from _in_steps(block.name, change, ours, theirs, is_undone=is_undone)
            else:
                gone, come = (theirs, ours) if is_undone else (ours, theirs)
                yield from _in_a_definition(block.name, gone, come)


def _changes(lines: Sequence[PatchLine]) -> Iterator[_Change]:
    change = _Change("")
    for line in lines:
        if line.sign == " ":
            if change.gone or change.come:
                yield change
            change = _Change(line.name)
        elif line.sign == "-":
            if change.gone and not _follows(change.gone[-1].number, line.number):
                yield change
                change = _Change("")
            change.gone.append(line)
        else:
            change.come.append(line)
    if change.gone or change.come:
        yield change


def _follows(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether no step is between two: the other is the first step below the one, or next to it or to one above it."""
    if not other:
        return not one
    *outer, last = other
    if tuple(outer) == one:
        return last in ("1", "a")
    depth = len(other)
    is_next = last.isdigit() and len(one) >= depth and one[depth - 1].isdigit() and int(last) == int(one[depth - 1]) + 1
    return is_next and one[: depth - 1] == tuple(outer)


_Steps = Sequence[tuple[str, str]]


def _in_steps(algorithm: str, change: _Change, ours: _Steps, theirs: _Steps, *, is_undone: bool) -> Iterator[str]:
    where = place_of(REVISION.name, f"{algorithm} 1").words.partition(", ")[0]
    gone, come = (theirs, ours) if is_undone else (ours, theirs)
    if is_undone or not gone:
        # Only steps of our text have a partner, whose number says where they are.
        where = ", ".join(filter(None, (where, _after(algorithm, change.after or _before(ours)))))
    if not gone:
        yield f"* In {where}, insert:\n\n{_listed(come)}"
        return
    what = _quoted(gone) if is_undone else _numbers(algorithm, gone)
    if come:
        yield f"* In {where}, replace {what} with:\n\n{_listed(come)}"
    else:
        yield f"* In {where}, remove {what}.\n"


def _in_a_definition(name: str, gone: _Steps, come: _Steps) -> Iterator[str]:
    where = f"In the definition of {name}" if name else "Beside the definitions that there are"
    if _quoted(gone) == _quoted(come):
        # Only the links differ.
        return
    if gone and come:
        yield f"* {where}, replace {_quoted(gone)} with {_quoted(come)}.\n"
    elif gone or come:
        yield f"* {where}, {'remove' if gone else 'add'} {_quoted(gone or come)}.\n"


def _before(steps: _Steps) -> str:
    """Return the number of the step before the first of some steps, which may be nothing."""
    if not steps:
        return ""
    *outer, last = steps[0][0].split(".")
    return ".".join([*outer, str(int(last) - 1)] if last.isdigit() and int(last) > 1 else outer)


def _after(algorithm: str, number: str) -> str:
    """Return where something follows a step of our text, by the numbers of the published text; empty in a section of ours."""
    if not number:
        return "as the first step"
    published = published_step(REVISION.name, f"{algorithm} {number}")
    if published is not None:
        return f"after step {published.partition(' ')[2]}"
    _, _, where = place_of(REVISION.name, f"{algorithm} {number}").words.partition(", ")
    return where


def _numbers(algorithm: str, steps: _Steps) -> str:
    """Return the steps of the published text that do what some steps do; their words, if it has not all of them."""
    least = min(number.count(".") for number, _ in steps)
    outer = [number for number, _ in steps if number.count(".") == least]
    found = [published_step(REVISION.name, f"{algorithm} {number}") for number in outer]
    numbers = list(dict.fromkeys(one.partition(" ")[2] for one in found if one is not None))
    if None in found:
        return f"the steps that say {_quoted(steps)}"
    return f"step {numbers[0]}" if len(numbers) == 1 else f"steps {numbers[0]} to {numbers[-1]}"


def _quoted(steps: _Steps) -> str:
    return ", ".join(f"“{words.removesuffix('.')}”" for _, words in steps)


def _listed(steps: _Steps) -> str:
    """Return steps as a Markdown list, with those below others indented."""
    least = min(number.count(".") for number, _ in steps)
    return "".join(f"{'    ' * (number.count('.') - least + 1)}1. {words}\n" for number, words in steps)
