"""``modelcontext js``: a page of JavaScript in the simulated browser, under one schedule, several or all."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from modelcontext.ground.schedule.choose import Chooser, Replay, Seeded
from modelcontext.ground.words import counted
from modelcontext.hosts.scripting.observed import UNHANDLED
from modelcontext.hosts.scripting.outcomes import PageError, PageOutcome, Pages, outcomes, pages_of
from modelcontext.hosts.scripting.page_schedules import BOUND, MOST_CHOICES, Explorer, ScriptExploration
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.programs.tracing.page_traces import trace_page
from modelcontext.programs.tracing.words import lines
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.registry import REVISIONS


@verb(
    epilog="\b\nExamples:\n  modelcontext js page.html\n  modelcontext js demo/ --schedules 200\n"
    "  modelcontext js script.js --all\n  modelcontext js script.js --schedule 0,1 --trace"
)
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE|FOLDER")
@click.option("--schedules", type=click.IntRange(1), metavar="N", help="Also run under N sampled schedules.")
@click.option("--all", "every", is_flag=True, help="Run under every schedule, up to --bound and --choices.")
@click.option("--seed", type=click.IntRange(1), metavar="K", help="Run under this sampled schedule only.")
@click.option("--schedule", metavar="LIST", help="Run under this schedule only, as --all prints it, such as 0,1,0.")
@click.option(
    "--trace", "traces", is_flag=True, help="Show the steps of one run, and the lines of scripts between them."
)
@click.option(
    "--bound", type=click.IntRange(1), default=BOUND, show_default=True, help="With --all: the largest number of runs."
)
@click.option(
    "--choices",
    type=click.IntRange(1),
    default=MOST_CHOICES,
    show_default=True,
    help="With --all: the largest number of free choices of a run.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=10.0,
    show_default=True,
    help="The time after which a running script counts as an endless loop.",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="The folder to serve, for a page that uses files above its own folder.",
)
@options.one_revision
@options.as_json
@options.text
def command(
    path: Path,
    schedules: int | None,
    every: bool,
    seed: int | None,
    schedule: str | None,
    traces: bool,
    bound: int,
    choices: int,
    seconds: float,
    root: Path | None,
    revision: str,
    as_json: bool,
    by_text: bool,
) -> None:
    """Run a page or a script in the simulated browser, and show its output.

    FILE is a page (.html) or a script (.js). A FOLDER has an index.html. V8 runs the scripts. The model provides
    documents, event loops and time, and makes every free choice, so the same schedule gives the same run. The command
    shows the lines of the console, the page's calls of tools with their results, the tools at the end, the exceptions
    that no script has handled, and the members that the page used but the simulated browser lacks.

    By default the page runs once, and tasks run first in, first out. With --schedules or --all the command shows each
    outcome once, with its schedules. --seed and --schedule run one schedule again. After an interrupt, --all shows the
    outcomes so far.

    Exit code 0: every run ended without an unhandled exception; 1: a run had an unhandled exception or did not end, or the
    page has neither a script nor a tool; 2: wrong usage, no such page, or --all reached a limit.
    """
    one = [f"--{name}" for name, given in (("seed", seed), ("schedule", schedule)) if given is not None]
    many = [f"--{name}" for name, given in (("schedules", schedules), ("all", every)) if given]
    if len(one) + len(many) > 1:
        raise click.UsageError(f"{' and '.join([*one, *many])} cannot be used together: give one of them")
    if traces and many:
        raise click.UsageError(f"--trace shows one run, but {many[0]} makes many runs: give --seed or --schedule")
    chosen = REVISIONS[revision]
    answers = options.schedule(schedule, "--schedule") if schedule is not None else ()
    with (
        exit_on_problems(codes={PageError: USAGE}, as_json=as_json),
        pages_of(path, lambda: start_process(chosen), chosen, seconds, root) as pages,
    ):
        if traces:
            _trace(pages, Seeded(seed) if seed is not None else Replay(answers), as_json=as_json)
        elif every:
            _explore(pages, bound, choices, as_json=as_json)
        elif schedule is not None:
            outcome = pages.run(Replay(answers))
            outcome.schedule = answers
            _show(pages, [outcome], 1, as_json=as_json)
        else:
            seeds = [None, *range(1, (schedules or 0) + 1)] if seed is None else [seed]
            with one_bar("running", len(seeds)) as advance:
                found = outcomes(pages, seeds, lambda: advance(1))
            _show(pages, found, len(seeds), as_json=as_json)


def _trace(pages: Pages, chooser: Chooser, *, as_json: bool) -> None:
    traced, outcome = trace_page(pages, chooser)
    if as_json:
        data = traced.to_data()
        del data["outcome"]
        print_json({"page": pages.name, **data, **outcome.to_data(), "schedule": list(traced.schedule)})
    else:
        click.echo("\n".join(lines(traced)))
        click.echo(f"schedule: {','.join(map(str, traced.schedule)) or '(no free choice)'}")
        if traced.problem is not None:
            click.echo(f"modelcontext: {traced.problem}", err=True)
    sys.exit(0 if outcome.is_clean else FOUND)


def _explore(pages: Pages, bound: int, choices: int, *, as_json: bool) -> None:
    with one_bar("exploring, at most", bound) as advance:
        explorer = Explorer(pages, bound, choices, lambda: advance(1))
        with _interrupted_by(explorer):
            found = explorer.explore()
    if as_json:
        effort = {"complete": found.complete, "runs": found.runs, "states": found.states, "covered": found.schedules}
        print_json({"page": pages.name, **effort, "outcomes": [one.to_data() for one in found.outcomes]})
    else:
        click.echo(_effort(found, choices))
        for number, outcome in enumerate(found.outcomes, 1):
            click.echo(f"Outcome {number} of {len(found.outcomes)}: {_named(outcome.schedule or ())}")
            _print(outcome, "  ")
    clean = all(outcome.is_clean for outcome in found.outcomes)
    sys.exit(FOUND if not clean else 0 if found.complete else USAGE)


def _effort(found: ScriptExploration, choices: int) -> str:
    covered = (
        f"{counted(found.schedules, 'schedule')} in {counted(found.states, 'state')}, by {counted(found.runs, 'run')}"
    )
    if found.complete:
        return f"complete: {covered}"
    if found.stopped:
        return f"undecided, interrupted: {covered}; there may be other outcomes"
    why = f"a run with more than --choices {choices}" if found.cut_off else f"--bound {found.runs}"
    return f"undecided, cut off by {why}: {covered}; there may be other outcomes"


@contextmanager
def _interrupted_by(explorer: Explorer) -> Iterator[None]:
    """Let the first interrupt end an exploration with what was found; the second is an interrupt as usual."""

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        explorer.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _show(pages: Pages, found: Sequence[PageOutcome], runs: int, *, as_json: bool) -> None:
    if as_json:
        data: dict[str, Any] = {"page": pages.name, "outcomes": [outcome.to_data() for outcome in found]}
        print_json(data)
    else:
        for number, outcome in enumerate(found, 1):
            if runs > 1:
                click.echo(f"Outcome {number} of {len(found)}: {len(outcome.seeds)} of {runs} schedules")
                click.echo(f"  {_schedules(outcome.seeds)}")
            _print(outcome, "  " if runs > 1 else "")
    sys.exit(0 if all(outcome.is_clean for outcome in found) else FOUND)


def _named(schedule: Sequence[int]) -> str:
    return f"--schedule {','.join(map(str, schedule))}" if schedule else "first in, first out"


def _schedules(seeds: Sequence[int | None]) -> str:
    named = ["first in, first out" if seed is None else f"--seed {seed}" for seed in seeds[:3]]
    return ", ".join(named) + (f" and {len(seeds) - 3} more" if len(seeds) > 3 else "")


def _print(outcome: PageOutcome, indent: str) -> None:
    for line in outcome.lines:
        if line.level != UNHANDLED:
            click.echo(f"{indent}{line.text}" if line.level == "log" else f"{indent}{line.level}: {line.text}")
    for kind, texts in (("call", outcome.calls), ("tool", outcome.tools)):
        for text in texts:
            click.echo(f"{indent}{kind}: {text}")
    for line in outcome.lines:
        if line.level == UNHANDLED:
            click.echo(f"{indent}unhandled: {line.text}")
    if outcome.is_empty:
        click.echo(f"{indent}no script ran, and there is no tool: is this the page that you mean?")
    for name in outcome.missing:
        click.echo(f"{indent}missing: {name} is not in the simulated browser")
    if outcome.ended is not None:
        click.echo(f"{indent}{outcome.ended}")
