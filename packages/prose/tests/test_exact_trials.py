"""Five changes of the text: a trial finds the outcomes that all runs by both texts have, none too many and none too few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.explored import Explorations
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.programs.program.exploration import BOUND, allowed_outcomes
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext_prose.difference import difference
from modelcontext_prose.other_text import OtherText
from modelcontext_prose.trial import try_all

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")

SAME_ORIGIN = "1. If |accessing origin| is [=same origin=] with |owner origin|, then return true.\n"
DUPLICATE = """1. If |tool map|[|tool name|] [=map/exists=], then return [=a promise rejected with=] an "{{InvalidStateError}}"
    {{DOMException}}.
"""
SERIALIZES = (
    "        1. Let |result| be the result of [=serializing a JavaScript value to a JSON string=] given |value|.\n"
)
ANNOTATED = "1. If |tool definition|'s [=tool definition/annotations=] is not null:\n"
ABORTS = """        1. [=Queue a global task=] on the [=webmcp task source=] given |global| to [=reject=] |promise| with an
            "{{UnknownError}}" {{DOMException}}.
        1. Return.
"""
IDL_MEMBER = "  required USVString origin;\n"

#: The words before and after each change, and two families of programs of which some notice it.
CHANGES: Final[Mapping[str, tuple[Sequence[tuple[str, str]], Sequence[str]]]] = {
    "another check of the exposure": (
        [(SAME_ORIGIN, SAME_ORIGIN.replace("If ", "If |exposed origins| [=list/is empty=] and "))],
        ("exposure", "policy"),
    ),
    "another error": (
        [(DUPLICATE, DUPLICATE.replace('an "{{InvalidStateError}}"', 'a "{{NotSupportedError}}"'))],
        ("registration", "names"),
    ),
    "another serialization": (
        [
            (
                SERIALIZES,
                "        1. Let |result| be null.\n        1. If |value| is not undefined, then set |result| to the result of"
                " [=serializing a\n            JavaScript value to a JSON string=] given |value|.\n",
            )
        ],
        ("results", "schema"),
    ),
    "a new member": (
        [
            (IDL_MEMBER, f"{IDL_MEMBER}  boolean exposed;\n"),
            (
                ANNOTATED,
                "1. If |tool definition|'s [=tool definition/exposed origins=]'s [=list/size=] is greater than 0, then set\n"
                f'    |registered tool|["{{{{RegisteredTool/exposed}}}}"] to true.\n{ANNOTATED}',
            ),
        ],
        ("listing", "exposure"),
    ),
    "a missing end": ([(ABORTS, ABORTS.replace("        1. Return.\n", ""))], ("exposure", "execution")),
}


def changed(pairs: Sequence[tuple[str, str]]) -> OtherText:
    """Return the project's own text with a change."""
    content = TEXT
    for before, after in pairs:
        assert content.count(before) == 1, before
        content = content.replace(before, after)
    return OtherText(content, Path("index.bs"))


def programs(families: Sequence[str] = ()) -> dict[str, Program]:
    """Return the programs and litmus tests of some families, or all, by name."""
    every = {one.name: one.program for one in read_corpus(ROOT / CURRENT.programs)}
    every |= {one.name: one.program for one in read_catalogue(ROOT / CATALOGUE)}
    return {name: one for name, one in every.items() if not families or name.partition("/")[0] in families}


def by_all_runs(some: Iterable[Program], revision: Revision) -> Iterator[frozenset[str] | None]:
    """Yield the outcomes of programs by a revision, each found by the whole exploration; None if it breaks off."""
    for program in some:
        try:
            found = allowed_outcomes(program, bound=BOUND, revision=revision)
        except Exception:
            yield None
        else:
            assert found.complete
            yield frozenset(found.outcomes)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", CHANGES)
def test_trial_has_the_outcomes_of_which_all_runs_by_both_texts_differ(name: str, tmp_path: Path) -> None:
    pairs, families = CHANGES[name]
    text, tried = changed(pairs), programs(families)
    assert list(text.unclear()) == []
    ours, theirs = (
        list(by_all_runs(tried.values(), revision)) for revision in (REVISIONS.own(CURRENT.name), text.revision())
    )
    assert None not in ours
    wanted = {
        program: (before - after, after - before) if after is not None else None
        for program, before, after in zip(tried, ours, theirs, strict=True)
        if before is not None and before != after
    }
    with REVISIONS.standing_in(CURRENT.name, text):
        trials = list(try_all([*tried.values()], Explorations(tmp_path), difference(CURRENT, text)))
    found = {
        program: tuple(frozenset(one.outcome.canonical for one in side) for side in (trial.gone, trial.come))
        if trial.lost is None
        else None
        for program, trial in zip(tried, trials, strict=True)
        if trial.is_changed
    }
    assert found == wanted
    assert 0 < len(found) < len(tried)
