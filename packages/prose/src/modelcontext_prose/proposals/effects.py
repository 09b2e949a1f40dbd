"""The effects of a proposal on what is there already: programs, promises that stay pending, properties of a client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted
from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import Cells, cells_of, changed_cells
from modelcontext.judging.clients.checking import check_all
from modelcontext.judging.clients.liveness import cases
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext_prose.proposals.outcomes import revision_of

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext_prose.proposals.proposal import Proposal

#: The heading of the last part of a page, which takes minutes to compute.
EFFECTS: Final = "## Changes for every other program"
#: The racing actions of the small programs that are searched for promises that stay pending.
ACTIONS: Final = 2
#: The client whose properties are looked at: a script that lists the tools of its page, and calls one.
CLIENT: Final = "naive-page-script"
#: Names of programs that a page shows.
_SHOWN: Final = 8


# The results of a program by a proposal; the other one is on a product.
@dataclass(frozen=True, slots=True)
class Effect:
    """The outcomes of a program by their canonical texts, and the promises that may stay pending."""

    outcomes: frozenset[str]
    pending: frozenset[str]


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a text on all programs, on the small ones about promises, on those of a proposal, and on a client.

    A program without a result has a reason instead.
    """

    programs: Mapping[str, Effect | str]
    small: Mapping[str, Effect | str]
    new: Mapping[str, Effect | str]
    cells: Cells


def effects_of(
    programs: Mapping[str, Program], revision: Revision, new: Mapping[str, Program] | None = None
) -> Effects:
    """Return what a revision gives to programs; the client is that of the text that stands in, if there is one."""
    small = {case.words: (case.program, case.gone) for case in cases(ACTIONS)}
    return Effects(
        {name: _effect(program, revision) for name, program in programs.items()},
        {words: _effect(program, revision, gone) for words, (program, gone) in small.items()},
        {name: _effect(program, revision) for name, program in (new or {}).items()},
        cells_of(check_all([CLIENTS[CLIENT]], adversaries().values())),
    )


def effects_of_proposal(proposal: Proposal, programs: Mapping[str, Program]) -> Effects:
    """Return what the text of a proposal gives to programs.

    Raises:
        SpecificationError: if a step of the text has no meaning.
    """
    with REVISIONS.standing_in(CURRENT.name, proposal.text):
        return effects_of(programs, revision_of(proposal.text), proposal.programs)


def _effect(program: Program, revision: Revision, gone: Iterable[str] = ()) -> Effect | str:
    try:
        found = allowed_outcomes(program, revision=revision)
    except Exception as error:
        # What one program reaches is not to lose what is known of others.
        return str(error)
    if not found.complete:
        return f"the search was cut off at {found.bound:,} runs"
    pending = {label for one in found.outcomes.values() for label in one.pending}
    return Effect(frozenset(found.outcomes), frozenset(one for one in pending if one.partition(":")[0] not in gone))


def in_words(own: Effects, theirs: Effects) -> str:
    """Return the last part of the page of a proposal: what its text changes."""
    parts = (_on_programs(own, theirs), _on_promises(own, theirs), _on_client(own, theirs))
    return "\n".join([EFFECTS, "", *(line for part in parts for line in (*part, ""))])


def _on_programs(own: Effects, theirs: Effects) -> Iterator[str]:
    changed = [name for name, effect in own.programs.items() if theirs.programs[name] != effect]
    yield (f"Of the {len(own.programs)} programs of this project {len(changed)} have other outcomes{_names(changed)}")
    lost = {name: effect for name, effect in theirs.programs.items() if isinstance(effect, str)}
    for name, reason in lost.items():
        yield f"`{name}` has no result: {reason}."


def _names(names: list[str]) -> str:
    if not names:
        return "."
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f": {', '.join(f'`{name}`' for name in names[:_SHOWN])}{more}."


def _on_promises(own: Effects, theirs: Effects) -> Iterator[str]:
    every = {**own.programs, **own.small}
    after = {**theirs.programs, **theirs.small}
    new = [name for name in every if _pending(after[name]) - _pending(every[name])]
    settled = [name for name in every if _pending(every[name]) - _pending(after[name])]
    lasting = [name for name in theirs.new if _pending(theirs.new[name])]
    explored = sum(1 for name in every if not isinstance(after[name], str))
    yield "### Promises that stay pending"
    yield ""
    yield (
        f"{counted(explored, 'program')} were explored completely: all of these, and the {len(own.small):,} of"
        f" [liveness.md](../liveness.md) with at most {ACTIONS} racing actions."
    )
    yield ""
    yield f"* A promise can stay pending that could not before: {counted(len(new), 'program')}{_names(new)}"
    yield f"* No promise stays pending any more: {counted(len(settled), 'program')}{_names(settled)}"
    yield (
        f"* Of the {counted(len(theirs.new), 'program')} above, a promise can stay pending in"
        f" {len(lasting)}{_names(lasting)}"
    )


def _pending(effect: Effect | str) -> frozenset[str]:
    return frozenset() if isinstance(effect, str) else effect.pending


def _on_client(own: Effects, theirs: Effects) -> Iterator[str]:
    yield "### Properties of a client"
    yield ""
    changed = [*changed_cells(own.cells, theirs.cells)]
    what = "none changes." if not changed else f"{len(changed)} change:"
    yield (
        f"The client `{CLIENT}` of [agents.md](../agents.md) was explored with"
        f" {counted(len(adversaries()), 'adversary', 'adversaries')}. Of its {len(own.cells)} properties {what}"
    )
    if changed:
        yield ""
        yield "| property | the text as it is | the changed text |"
        yield "|---|---|---|"
        yield from (f"| {name} | {before} | {after} |" for _, name, before, after in changed)
