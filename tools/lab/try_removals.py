"""``python -m tools.lab removals``: the programs and litmus tests on trial, by texts without one of their steps."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, Interruption, exit_on_problems
from modelcontext.people.cli.output import one_bar, print_json
from tools.lab.removals.reasons import UNNOTICED, read_unnoticed, read_unreachable
from tools.lab.removals.trial import Trial, Trials, Verdict

if TYPE_CHECKING:
    from tools.lab.removals.texts import Removal


@dataclass(frozen=True, slots=True)
class Report:
    """The trials of some removals, the reasons of those that survived, and the reasons that are outdated."""

    trials: Sequence[tuple[Removal, Trial]]
    reasons: Mapping[str, str]
    outdated: Sequence[str]

    @property
    def survivors(self) -> Sequence[Removal]:
        """The removals that survived without a reason."""
        return [
            removal
            for removal, trial in self.trials
            if trial.verdict is Verdict.SURVIVED and removal.place not in self.reasons
        ]

    @property
    def counts(self) -> Counter[Verdict]:
        """The number of trials with each verdict."""
        return Counter(trial.verdict for _, trial in self.trials)


@click.command(
    epilog="\b\nExamples:\n  python -m tools.lab removals"
    "\n  python -m tools.lab removals --algorithm find-a-tool-to-execute"
)
@click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    metavar="ID",
    help="Only steps of this algorithm; may be given several times.",
)
@options.as_json
def removals(algorithms: tuple[str, ...], as_json: bool) -> None:
    """Remove each step of the text in turn, and say who notices it.

    The compiler refuses the text without the step, or a program or a litmus test has other outcomes. What survives needs a
    reason in tools/lab/removals/unnoticed.toml or spec/current/unreachable.toml.

    The first run takes a quarter of an hour. build/removals.json keeps the trials: the next run repeats only those that a
    changed program or litmus test may decide, or all if the text or the code has changed.

    Exit code 0: nothing survives without a reason; 1: something does, or a reason is outdated; 2: wrong usage, or the table
    of reasons is not valid; 130: interrupted.
    """
    interruption = Interruption()
    with exit_on_problems():
        root = project_root()
        trials = Trials(root)
        places = {one.place: one for one in trials.removals}
        unnoticed, unreachable = read_unnoticed(UNNOTICED, places), read_unreachable(root)
        chosen = _chosen(trials.removals, algorithms)
        ended: list[Trial] = []
        with interruption.kept():
            with one_bar("running programs in the unchanged text", trials.count_of_subjects) as advance:
                subjects = trials.subjects(advance)
            with one_bar("removing steps", len(chosen)) as advance:
                for trial in trials.run(chosen, subjects):
                    ended.append(trial)
                    advance(1)
        trials.write_record()
    survived = {trial.place for trial in ended if trial.verdict is Verdict.SURVIVED}
    outdated = [trial.place for trial in ended if trial.place in unnoticed and trial.place not in survived]
    reasons = {place: reason for place, reason in {**unreachable, **unnoticed}.items() if place in survived}
    report = Report([(places[trial.place], trial) for trial in ended], reasons, outdated)
    if as_json:
        print_json(_as_data(report))
    else:
        _print(report)
    interruption.end(f"{len(chosen) - len(ended)} of {counted(len(chosen), 'removal')} are not decided")
    sys.exit(FOUND if report.survivors or outdated else 0)


def _chosen(removals: Sequence[Removal], algorithms: Sequence[str]) -> Sequence[Removal]:
    known = {one.algorithm for one in removals}
    for algorithm in algorithms:
        if algorithm not in known:
            raise click.UsageError(f"the text has no algorithm {algorithm}: give the id of its definition")
    return [one for one in removals if not algorithms or one.algorithm in algorithms]


def _as_data(report: Report) -> dict[str, object]:
    trials = [
        {
            "place": removal.place,
            "line": removal.line,
            "verdict": trial.verdict.value,
            "by": trial.by,
            "how": trial.how,
            "reason": report.reasons.get(removal.place),
        }
        for removal, trial in report.trials
    ]
    survivors = [one.place for one in report.survivors]
    return {"removals": trials, "survivors": survivors, "outdated": list(report.outdated)}


def _print(report: Report) -> None:
    for removal, trial in report.trials:
        click.echo(f"{removal.place}: {_in_words(trial, report.reasons.get(removal.place))}")
    counts = report.counts
    compiled = len(report.trials) - counts[Verdict.REFUSED]
    changed = compiled - counts[Verdict.ASSERTION]
    click.echo(
        f"\n{counted(len(report.trials), 'removal')}: {counts[Verdict.REFUSED]} refused by the compiler,"
        f" {counts[Verdict.NOTICED]} noticed, {counts[Verdict.ASSERTION]} of assertions only,"
        f" {counts[Verdict.SURVIVED]} survived, {len(report.survivors)} of these without a reason"
    )
    if changed:
        share = counts[Verdict.NOTICED] / changed
        click.echo(f"{share:.1%} of the {changed} are noticed that compile, and remove more than assertions")
    for removal in report.survivors:
        click.echo(f"SURVIVED {removal.place} (line {removal.line}): {removal.words}")
    for place in report.outdated:
        click.echo(f"OUTDATED {place} has a reason in {UNNOTICED.name}, and does not survive: remove the entry")


def _in_words(trial: Trial, reason: str | None) -> str:
    match trial.verdict:
        case Verdict.REFUSED:
            return f"refused at {trial.by}: {trial.how}"
        case Verdict.NOTICED:
            return f"noticed by {trial.by}, which {trial.how}"
        case Verdict.ASSERTION:
            return "removes assertions only"
        case Verdict.SURVIVED:
            return f"survives {counted(len(trial.tried), 'program')}: {reason or 'without a reason'}"
