"""One Issue as a text that is ready to be filed: steps, program, outcomes, change and effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted
from modelcontext.judging.issues.dossier import STANDINGS, Dossier
from modelcontext.judging.profiles import DEVIATIONS, load_deviations
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.reading import load
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext.spec.specification.text.built_html import anchor
from modelcontext_prose.issues.effects import BOUND, changed, explored, programs_of, revision_of

if TYPE_CHECKING:
    from modelcontext.judging.issues.text import Issue
    from modelcontext.programs.program.exploration import Exploration

#: The folder of all programs and tests in a checkout.
TESTS: Final = Path("wpt_tests")
_SHOWN: Final = 6
#: What a patch is, by the first word of the name of its reading.
_HEADINGS: Final = {
    "proposed": "Proposed change",
    "possible": "Another decision",
    "published": "What the published text says; the proposed change is the inverse",
    "Chromium": "What Chromium does",
}


def markdown(root: Path, issue: Issue, dossier: Dossier, *, effects: bool = False) -> str:
    """Return the text of an Issue.

    Args:
        root: the checkout.
        issue: the words of the Issue.
        dossier: what is known of it beside its words.
        effects: also compute each reading for every program about the same algorithms, and every litmus test.
    """
    steps = tuple(dict.fromkeys((*issue.steps, *dossier.steps)))
    return "\n".join(
        [
            f"# Issue {issue.number}: {dossier.title}\n",
            f"{STANDINGS[dossier.stands]}\n",
            f"{issue.words}\n",
            *_steps(root, steps),
            *_program(root, dossier),
            *_change(dossier),
            *_effects(root, dossier, steps, computed=effects),
        ]
    )


def program_path(root: Path, test: str) -> Path:
    """Return the file of a program that a dossier names."""
    return root / TESTS / f"{test}.toml"


def _steps(root: Path, steps: Sequence[str]) -> Iterator[str]:
    yield "## Steps\n"
    texts = {f"{one.id} {step.number}": step.text for one in load_algorithms(root=root) for step in one.steps}
    for step in steps:
        id_, _, number = step.partition(" ")
        yield f"* [{step}](index.html#{anchor(id_, number)}): {texts.get(step, '')}"
    if not steps:
        yield "It is about definitions, and no step in particular."
    yield ""


def _program(root: Path, dossier: Dossier) -> Iterator[str]:
    yield "## The smallest program\n"
    if not dossier.test:
        yield f"There is none. {dossier.none}\n"
        return
    path = program_path(root, dossier.test)
    yield f"`{path.relative_to(root).as_posix()}`:\n"
    yield f"```toml\n{path.read_text(encoding='utf-8').strip()}\n```\n"
    yield "## Outcomes\n"
    program = load(path)
    ours = allowed_outcomes(program, bound=BOUND)
    yield "### This text\n"
    yield from _outcomes(ours, ours.outcomes)
    for reading in dossier.readings:
        other = explored(program, revision_of(reading))
        yield f"### {reading.name}\n"
        if isinstance(other, str):
            yield f"It has no meaning: {other}.\n"
        elif set(other.outcomes) == set(ours.outcomes):
            yield "The same.\n"
        else:
            yield from _outcomes(other, ours.outcomes)
    if not dossier.readings:
        yield "No other reading is computed.\n"


def _outcomes(found: Exploration, ours: Mapping[str, object]) -> Iterator[str]:
    count = counted(len(found.outcomes), "outcome")
    cut = "" if found.complete else f", and perhaps more: the search was cut off after {found.runs:,} runs"
    yield f"{count}{cut}.\n"
    # Those that the other text does not have come first.
    ordered = sorted(found.outcomes, key=lambda text: (text in ours, text))
    for number, text in enumerate(ordered[:_SHOWN], start=1):
        lines = "\n".join(describe(found.outcomes[text]))
        yield f"{number}.{'' if text in ours else ' (only in this reading)'}\n\n```text\n{lines}\n```\n"
    if len(ordered) > _SHOWN:
        yield f"{len(ordered) - _SHOWN} more are not shown.\n"


def _change(dossier: Dossier) -> Iterator[str]:
    if not dossier.patch:
        yield "## Proposed change\n"
        yield f"{dossier.change or 'None: the published text has no steps that could be changed.'}\n"
        return
    kind, _, words = dossier.readings[0].name.partition(": ")
    yield f"## {_HEADINGS[kind]}\n"
    yield f"{words[0].upper()}{words[1:]}. The lines with signs change this text:\n"
    yield f"```diff\n{dossier.patch}\n```\n"


def _effects(root: Path, dossier: Dossier, steps: Sequence[str], *, computed: bool) -> Iterator[str]:
    yield "## Effects\n"
    if dossier.effects:
        yield f"{dossier.effects}\n"
    quirks = [
        (product, quirk)
        for name, product in DEVIATIONS.items()
        for quirk in load_deviations(name).quirks
        if quirk.step in steps
    ]
    yield "Products that are known to leave the text at these steps:" + ("\n" if quirks else " none.\n")
    for product, quirk in quirks:
        yield f"* {product}, `{quirk.step}`, {quirk.name}: {quirk.reason}"
    if quirks:
        yield ""
    algorithms = {step.partition(" ")[0] for step in steps}
    programs = programs_of(root, algorithms)
    yield f"Programs about the same algorithms, and litmus tests: {len(programs)}.\n"
    if not dossier.readings:
        yield "The effects of the change on them are not computed: no reading of the change is executable.\n"
    elif not computed:
        yield "The effects of the readings on them were not computed here; `--effects` computes them.\n"
    else:
        for reading in dossier.readings:
            yield from changed(programs, reading)
