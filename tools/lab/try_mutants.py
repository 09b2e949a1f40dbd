"""``python -m tools.lab mutants``: the programs and litmus tests on trial, by texts with one small fault."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, Interruption, exit_on_problems
from modelcontext.people.cli.output import one_bar, print_json
from tools.lab.mutants.reasons import UNNOTICED, Reason, read_unnoticed, read_unreachable
from tools.lab.mutants.report import PAGE, page_of, rows_of
from tools.lab.mutants.trial import Trial, Trials, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tools.lab.mutants.making import Mutant


# Of trials; the other one is that of the lint.
@dataclass(frozen=True, slots=True)
class Report:
    """The trials of some mutants, the reasons of those that survived, and the mutants whose reasons are outdated."""

    trials: Sequence[tuple[Mutant, Trial]]
    reasons: Mapping[str, Reason]
    outdated: Sequence[str]

    @property
    def survivors(self) -> Sequence[Mutant]:
        """The mutants that survived without a reason."""
        return [
            mutant
            for mutant, trial in self.trials
            if trial.verdict is Verdict.SURVIVED and mutant.name not in self.reasons
        ]

    @property
    def counts(self) -> Counter[Verdict]:
        """The number of trials with each verdict."""
        return Counter(trial.verdict for _, trial in self.trials)


@click.command(
    epilog="\b\nExamples:\n  python -m tools.lab mutants"
    "\n  python -m tools.lab mutants --algorithm find-a-tool-to-execute --patches"
)
@click.option(
    "--algorithm",
    "algorithms",
    multiple=True,
    metavar="ID",
    help="Only mutants of this algorithm; may be given several times. Then no file is written.",
)
@click.option("--patches", is_flag=True, help="Print the patch of each mutant that survives without a reason.")
@click.option("--check", is_flag=True, help="Write no file; exit code 1 if the table or the page is out of date.")
@options.as_json
def mutants(algorithms: tuple[str, ...], patches: bool, check: bool, as_json: bool) -> None:
    """Make small faults in the text, one at a time, and say who notices them.

    The compiler refuses the mutant, or a program or a litmus test has other outcomes. What survives needs a reason in
    tools/lab/mutants/unnoticed.toml or spec/current/unreachable.toml.

    The first run takes 40 minutes. build/mutants.json keeps the trials: the next run repeats only those that a changed
    program or litmus test may decide, or all if the text or the code has changed. A run of all mutants writes
    docs/mutants.md, with the numbers.

    Exit code 0: nothing survives without a reason; 1: something does, or a reason or the page is outdated; 2: wrong usage, or
    the table of reasons is not valid; 130: interrupted.
    """
    interruption = Interruption()
    with exit_on_problems():
        root = project_root()
        trials = Trials(root)
        unnoticed, unreachable = read_unnoticed(UNNOTICED, trials.mutants), read_unreachable(root, trials.mutants)
        chosen = _chosen(trials.mutants, algorithms)
        ended: list[Trial] = []
        with interruption.kept():
            with one_bar("running programs in the unchanged text", trials.count_of_subjects) as advance:
                subjects = trials.subjects(advance)
            with one_bar("trying mutants", len(chosen)) as advance:
                for trial in trials.run(chosen, subjects):
                    ended.append(trial)
                    advance(1)
        trials.write_record()
    survived = {trial.name for trial in ended if trial.verdict is Verdict.SURVIVED}
    outdated = [trial.name for trial in ended if trial.name in unnoticed and trial.name not in survived]
    reasons = {name: reason for name, reason in {**unreachable, **unnoticed}.items() if name in survived}
    report = Report([*zip(chosen, ended, strict=False)], reasons, outdated)
    if as_json:
        print_json(_as_data(report))
    else:
        _print(report, patches=patches)
    interruption.end(f"{len(chosen) - len(ended)} of {counted(len(chosen), 'mutant')} are not decided")
    is_old = not algorithms and not _page_is_written(root, ended, reasons, check=check)
    sys.exit(FOUND if report.survivors or outdated or is_old else 0)


def _chosen(mutants: Sequence[Mutant], algorithms: Sequence[str]) -> Sequence[Mutant]:
    known = {one.algorithm for one in mutants}
    for algorithm in algorithms:
        if algorithm not in known:
            raise click.UsageError(f"the text has no algorithm {algorithm}: give the id of its definition")
    return [one for one in mutants if not algorithms or one.algorithm in algorithms]


def _page_is_written(root: Path, ended: Sequence[Trial], reasons: Mapping[str, Reason], *, check: bool) -> bool:
    """Write the page, or say that it differs; return whether it is as it has to be."""
    page = page_of(rows_of(ended), reasons)
    if check:
        is_right = (root / PAGE).is_file() and (root / PAGE).read_text(encoding="utf-8") == page
        if not is_right:
            click.echo(f"{PAGE} is out of date; run `python -m tools.lab mutants`", err=True)
        return is_right
    with exit_on_problems():
        write_whole(root / PAGE, page)
    return True


def _as_data(report: Report) -> dict[str, object]:
    trials = [
        {
            "name": mutant.name,
            "kind": mutant.kind.value,
            "step": mutant.step,
            "line": mutant.line,
            "patch": mutant.patch,
            "verdict": trial.verdict.value,
            "by": trial.by,
            "how": trial.how,
            "reason": report.reasons[mutant.name].words if mutant.name in report.reasons else None,
        }
        for mutant, trial in report.trials
    ]
    survivors = [one.name for one in report.survivors]
    return {"mutants": trials, "survivors": survivors, "outdated": list(report.outdated)}


def _print(report: Report, *, patches: bool) -> None:
    for mutant, trial in report.trials:
        click.echo(f"{mutant.name}: {_in_words(trial, report.reasons.get(mutant.name))}")
    counts = report.counts
    excused = sum(1 for reason in report.reasons.values() if reason.is_equivalent)
    left = len(report.trials) - counts[Verdict.REFUSED] - counts[Verdict.EQUIVALENT] - excused
    click.echo(
        f"\n{counted(len(report.trials), 'mutant')}: {counts[Verdict.REFUSED]} refused by the compiler,"
        f" {counts[Verdict.NOTICED]} noticed, {counts[Verdict.EQUIVALENT]} equivalent by their code,"
        f" {excused} equivalent for a reason, {counts[Verdict.SURVIVED] - excused} not noticed,"
        f" {len(report.survivors)} of these without a reason"
    )
    if left:
        click.echo(
            f"{counts[Verdict.NOTICED] / left:.1%} of the {left} are noticed that compile and are not equivalent"
        )
    for mutant in report.survivors:
        click.echo(f"SURVIVED {mutant.name} (line {mutant.line}): {mutant.words}")
        if patches:
            click.echo(mutant.patch)
    for name in report.outdated:
        click.echo(f"OUTDATED {name} has a reason in {UNNOTICED.name}, and does not survive: remove the entry")


def _in_words(trial: Trial, reason: Reason | None) -> str:
    match trial.verdict:
        case Verdict.REFUSED:
            return f"refused at {trial.by}: {trial.how}"
        case Verdict.NOTICED:
            return f"noticed by {trial.by}, which {trial.how}"
        case Verdict.EQUIVALENT:
            return "differs in nothing that can be seen"
        case Verdict.SURVIVED:
            words = reason.words if reason is not None else "without a reason"
            return f"survives {counted(len(trial.tried), 'program')}: {words}"
