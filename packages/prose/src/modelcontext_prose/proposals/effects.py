"""The effects of a proposal on what is there already: programs, promises that stay pending, properties of a client."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from modelcontext.ground.words import counted
from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import Cells, cells_of, changed_cells
from modelcontext.judging.clients.checking import check_all
from modelcontext.judging.clients.liveness import cases
from modelcontext.judging.conformance.pools import local_pool
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext_prose.difference import difference
from modelcontext_prose.proposals.outcomes import revision_of
from modelcontext_prose.trial import Trial, try_all

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import Explorations
    from modelcontext.programs.program.language import Program
    from modelcontext_prose.proposals.proposal import Proposal

#: The heading of the last part of a page, which takes minutes to compute.
EFFECTS: Final = "## Changes for every other program"
#: The racing actions of the small programs that are searched for promises that stay pending.
ACTIONS: Final = 2
#: The client whose properties are looked at: a script that lists the tools of its page, and calls one.
CLIENT: Final = "naive-page-script"
#: Names of programs that a page shows.
_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a text on all programs, on the small ones about promises, and on a client, before and after.

    ``lasting`` has the names of the proposal's own programs in which a promise can stay pending, of ``new`` ones.
    """

    programs: Mapping[str, Trial]
    small: Mapping[str, Trial]
    lasting: Collection[str]
    new: int
    before: Cells
    after: Cells


def cells_of_client() -> Cells:
    """Return the properties of the client by the current text, or by the one that stands in."""
    return cells_of(check_all([CLIENTS[CLIENT]], adversaries().values()))


def effects_of(
    proposal: Proposal, programs: Mapping[str, Program], explorations: Explorations, before: Cells, workers: int
) -> Effects:
    """Return what the text of a proposal changes.

    Args:
        proposal: the proposal.
        programs: the programs of the project.
        explorations: what is known of the project's own text; what is found is added.
        before: the properties of the client by the project's own text.
        workers: the number of processes that run the model.

    Raises:
        SpecificationError: if a step of the text has no meaning.
    """
    revision = revision_of(proposal.text)
    small = {case.words: case for case in cases(ACTIONS)}
    tried = [*programs.values(), *(case.program for case in small.values())]
    where = difference(CURRENT, proposal.text)
    with ExitStack() as stack:
        stack.enter_context(REVISIONS.standing_in(CURRENT.name, proposal.text))
        pool = stack.enter_context(local_pool(workers)) if workers > 1 else None
        trials = dict(zip([*programs, *small], try_all(tried, explorations, where, pool, workers), strict=True))
        after = cells_of_client()
    lasting = [
        name
        for name, program in proposal.programs.items()
        if any(one.pending for one in allowed_outcomes(program, revision=revision).outcomes.values())
    ]
    return Effects(
        {name: trials[name] for name in programs},
        {words: _without(trials[words], case.gone) for words, case in small.items()},
        lasting,
        len(proposal.programs),
        before,
        after,
    )


def _without(trial: Trial, gone: Collection[str]) -> Trial:
    """Return a trial without the promises of documents that go: nobody waits for these."""
    kept = (tuple(one for one in some if one.partition(":")[0] not in gone) for some in (trial.pending, trial.settling))
    pending, settling = kept
    return replace(trial, pending=pending, settling=settling)


def in_words(effects: Effects) -> str:
    """Return the last part of the page of a proposal: what its text changes."""
    parts = (_on_programs(effects), _on_promises(effects), _on_client(effects))
    return "\n".join([EFFECTS, "", *(line for part in parts for line in (*part, ""))])


def _on_programs(effects: Effects) -> Iterator[str]:
    changed = [name for name, trial in effects.programs.items() if trial.is_changed]
    count = f"{len(changed)} of the {len(effects.programs)}"
    yield f"With the change, {count} programs of this project have other outcomes{_names(changed)}"
    for name, trial in effects.programs.items():
        if trial.lost is not None:
            yield f"`{name}` has no result: {trial.lost}."


def _names(names: list[str]) -> str:
    if not names:
        return "."
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f": {', '.join(f'`{name}`' for name in names[:_SHOWN])}{more}."


def _on_promises(effects: Effects) -> Iterator[str]:
    every = {**effects.programs, **effects.small}
    new = [name for name, trial in every.items() if trial.pending]
    settled = [name for name, trial in every.items() if trial.settling]
    explored = sum(1 for trial in every.values() if trial.lost is None)
    yield "### Promises that stay pending"
    yield ""
    yield (
        f"The search was complete for {counted(explored, 'program')}: all programs of this project, and the"
        f" {len(effects.small):,} programs of [liveness.md](../liveness.md) with at most {ACTIONS} racing actions."
    )
    yield ""
    yield f"* {counted(len(new), 'program')} can now leave a promise pending{_names(new)}"
    yield f"* {counted(len(settled), 'program')} can no longer leave a promise pending{_names(settled)}"
    yield (
        f"* {len(effects.lasting)} of the {counted(effects.new, 'program')} above can leave a promise pending"
        f"{_names([*effects.lasting])}"
    )


def _on_client(effects: Effects) -> Iterator[str]:
    yield "### Properties of a client"
    yield ""
    # Cells can differ in what the words leave out, such as the traces of a breach.
    changed = [cell for cell in changed_cells(effects.before, effects.after) if cell[2] != cell[3]]
    yield (
        f"We explored the client `{CLIENT}` of [agents.md](../agents.md) with"
        f" {counted(len(adversaries()), 'adversary', 'adversaries')}. Changed properties:"
        f" {len(changed)} of {len(effects.before)}{':' if changed else '.'}"
    )
    if changed:
        yield ""
        yield "| property | the text as it is | the changed text |"
        yield "|---|---|---|"
        yield from (f"| {name} | {before} | {after} |" for _, name, before, after in changed)
