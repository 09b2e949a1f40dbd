"""``modelcontext trace``: one run of a program in the model, step by step."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.cli import options
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.reading import load
from modelcontext.program.tables import did_you_mean
from modelcontext.revisions.registry import REVISIONS
from modelcontext.schedule.choose import ScheduleError
from modelcontext.tracing import trace
from modelcontext.tracing.probes import inventory
from modelcontext.tracing.words import lines

if TYPE_CHECKING:
    from modelcontext.tracing.instrumentation import StepOf


@click.command(
    epilog="\b\nExamples:\n  modelcontext trace results/undefined --schedule 0,1\n"
    "  modelcontext trace register-notify/event-and-promise --until 'unregister-a-tool 5'"
)
@click.argument("program", callback=options.find_program)
@click.option("--schedule", default="", help="Answers to the free choices, as another run has printed them: 0,1,0.")
@click.option(
    "--until",
    metavar="STEP",
    help="Stop when this step has run for the first time: the id of its algorithm and its number, such as"
    " 'dom-modelcontext-executetool 21.3'.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(program: Path, schedule: str, until: str | None, as_json: bool) -> None:
    """Run PROGRAM once in the model and print every step of the specification that it goes through.

    It is a .toml or .json file, or the name of one of the corpus or of a litmus test, such as results/undefined.

    Below each step stands what it changed: tool maps, pending executions, queued tasks, promises. "@" says which task or
    which steps in parallel are running, "?" is a free choice with all its options, ">" an entry of a log.

    Without a schedule everything happens first in, first out. The last line says which schedule replays the run.

    Exit code 0: done; 1: the run stopped at an assertion or did not end, or never came to the step of --until;
    2: wrong usage.
    """
    try:
        answers = [int(answer) for answer in schedule.split(",") if answer.strip()]
    except ValueError:
        raise click.UsageError(
            f"--schedule takes numbers with commas between, such as 0,1,0; not {schedule!r}"
        ) from None
    try:
        read = load(program)
        last = _step(read, until) if until is not None else None
        traced = trace(read, answers)
    except (ProgramError, ScheduleError) as error:
        click.echo(f"modelcontext trace: {error}", err=True)
        raise SystemExit(2) from None
    shown = traced if last is None else traced.up_to(last.algorithm, last.number) or traced
    if as_json:
        click.echo(json.dumps({"title": read.title, **shown.to_data()}, indent=2))
    else:
        click.echo(read.title)
        for line in lines(shown):
            click.echo(line)
        click.echo(f"schedule: {','.join(map(str, shown.schedule)) or '(no free choice)'}")
    if last is not None and shown is traced:
        click.echo(f"modelcontext trace: under this schedule the run never comes to {last}", err=True)
    if shown.problem is not None:
        click.echo(f"modelcontext trace: {shown.problem}", err=True)
    if shown.problem is not None or (last is not None and shown is traced):
        raise SystemExit(1)


def _step(program: Program, text: str) -> StepOf:
    """The step that a text names; ``dom-modelcontext-`` may be left out."""
    known = {str(step): step for step in inventory(REVISIONS[program.revision].package).steps}
    name = re.sub(r"(?: step |[\s:#])+", " ", text.strip().rstrip("."))
    for candidate in (name, f"dom-modelcontext-{name}"):
        if candidate in known:
            return known[candidate]
    algorithm, _, number = name.partition(" ")
    numbers = {
        one.number: None for one in known.values() if one.algorithm in (algorithm, f"dom-modelcontext-{algorithm}")
    }
    if not numbers:
        hint = did_you_mean(algorithm, dict.fromkeys(one.algorithm for one in known.values()))
        raise click.UsageError(f'the revision {program.revision} has no algorithm "{algorithm}"{hint}')
    problem = f'has no step "{number}"' if number else "needs the number of a step"
    raise click.UsageError(f"{algorithm} {problem}{did_you_mean(number, numbers)}")
