"""The effects of another reading on programs and litmus tests: which have other outcomes, and which outcomes come and go."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.conformance.corpus import CORPORA, read_corpus
from modelcontext.judging.issues.readings import revision_with
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.judging.profiles import load_profile
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import from_data
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from modelcontext.judging.issues.dossier import NamedReading
    from modelcontext.judging.litmus.language import OutcomeKind
    from modelcontext.programs.program.exploration import Exploration
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.spec.revisions.revision import Revision

#: The limit of runs for one program.
BOUND: Final = 20_000


@dataclass(frozen=True, slots=True)
class KnownProgram:
    """A program or litmus test of the checkout; ``kinds`` are a person's words about outcomes of a litmus test."""

    program: Program
    kinds: tuple[OutcomeKind, ...] = ()


def revision_of(reading: NamedReading) -> Revision:
    """Return the revision that a reading is."""
    if reading.patch:
        return revision_with(reading.patch)
    profile, _, quirk = reading.quirk.partition("/")
    return load_profile(profile).linked(frozenset({quirk}))


def explored(program: Program, revision: Revision) -> Exploration | str:
    """Return what a revision allows for a program, or why that has no meaning: the step that lacks something."""
    try:
        return allowed_outcomes(program, bound=BOUND, revision=revision)
    except NoMeaningError as error:
        return str(error)


def programs_of(root: Path, algorithms: Collection[str]) -> dict[str, KnownProgram]:
    """Return the programs about some algorithms, and all litmus tests, by their paths below the folder of tests."""
    cases = {
        f"{(root / folder).name}/{case.name}": KnownProgram(case.program)
        for folder in CORPORA
        for case in read_corpus(root / folder)
        if not set(algorithms).isdisjoint(case.program.algorithms)
    }
    for litmus in read_catalogue(root / CATALOGUE):
        cases[f"litmus/{litmus.name}"] = KnownProgram(litmus.program, litmus.kinds)
    return {name: one for name, one in cases.items() if one.program.revision == REVISION.name}


def changed(programs: Mapping[str, KnownProgram], reading: NamedReading) -> Iterator[str]:
    """Yield in lines which programs have other outcomes under a reading, and which outcomes these are.

    Members that the reading adds to dictionaries do not count.
    """
    revision = revision_of(reading)
    added = set(_members(revision)) - set(_members(REVISION))
    found: list[str] = []
    undecided: list[str] = []
    for name, one in programs.items():
        ours = allowed_outcomes(one.program, bound=BOUND)
        theirs = explored(one.program, revision)
        if isinstance(theirs, str):
            found.append(f"* {name}: nothing is known, {theirs}")
            continue
        if not (ours.complete and theirs.complete):
            undecided.append(name)
            continue
        stripped = [from_data(_stripped(outcome.to_data(), added)) for outcome in theirs.outcomes.values()]
        after = {outcome.canonical: outcome for outcome in stripped}
        if set(ours.outcomes) != set(after):
            found.append(f"* {name}: {_difference(one.kinds, ours.outcomes, after)}")
    yield f'Under the reading "{reading.name}" {len(found)} of {len(programs)} have other outcomes, computed:\n'
    yield from found
    yield ""
    if undecided:
        yield f"Undecided, because the search was cut off: {', '.join(undecided)}.\n"


def _difference(kinds: tuple[OutcomeKind, ...], before: Mapping[str, Outcome], after: Mapping[str, Outcome]) -> str:
    """Return in words which outcomes vanish and appear; by a person's words where there are some."""
    parts = []
    for verb, some, others in (("vanish", before, after), ("appear", after, before)):
        gone = [outcome for text, outcome in some.items() if text not in others]
        words = [kind.words for kind in kinds if any(map(kind.has, gone)) and not any(map(kind.has, others.values()))]
        said = f" ({'; '.join(words)})" if words else ""
        parts.append(f"{len(gone)} {verb}{said}")
    return ", ".join(parts)


def _members(revision: Revision) -> Iterator[tuple[str, str]]:
    """Yield the members of the revision's dictionaries, each as the dictionary and the member."""
    for dictionary in revision.definitions.dictionaries.values():
        yield from ((dictionary.name, member.name) for member in dictionary.members)


def _stripped(value: Any, added: Collection[tuple[str, str]]) -> Any:
    """Return the data of an outcome without the members that a reading adds to dictionaries."""
    if isinstance(value, list):
        return [_stripped(item, added) for item in value]
    if not isinstance(value, dict):
        return value
    if "$object" in value:
        # An object of another realm is written as a list of its members.
        keys = [key for key, _ in value["$object"]]
        members = [[key, _stripped(item, added)] for key, item in value["$object"] if not _is_added(key, keys, added)]
        return {**value, "$object": members}
    return {key: _stripped(item, added) for key, item in value.items() if not _is_added(key, value, added)}


def _is_added(key: str, keys: Collection[str], added: Collection[tuple[str, str]]) -> bool:
    """Return whether a member of an object with these keys is one that was added to its dictionary."""
    dictionaries = REVISION.definitions.dictionaries
    return any(
        key == name and all(member.name in keys for member in dictionaries[dictionary].members if member.required)
        for dictionary, name in added
        if dictionary in dictionaries
    )
