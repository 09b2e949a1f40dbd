"""``modelcontext trace``: one run of a program in the model, step by step."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.ground.tables import did_you_mean
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json, warn
from modelcontext.programs.program.reading import load, of_revision
from modelcontext.programs.tracing import trace
from modelcontext.programs.tracing.probes import inventory
from modelcontext.programs.tracing.words import lines
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.tracing.instrumentation import StepOf


@verb(
    epilog="\b\nExamples:\n  modelcontext trace register-notify/event-and-promise --schedule 0,1\n"
    "  modelcontext trace register-notify/event-and-promise --until 'unregister-a-tool 5'"
)
@click.argument("program", callback=options.find_program, shell_complete=options.complete_programs)
@click.option("--schedule", default="", help="The answers to the free choices, as a run prints them: 0,1,0.")
@click.option(
    "--until",
    metavar="STEP",
    help="Stop after the first run of this step: the id of its algorithm and its number, such as"
    " 'dom-modelcontext-executetool 21.3'.",
)
@options.as_json
@options.text
def command(program: Path, schedule: str, until: str | None, as_json: bool, by_text: bool) -> None:
    """Run PROGRAM once in the model, and print each step of the specification that it executes.

    PROGRAM is a .toml or .json file, or the name of a program or litmus test of this project: results/undefined.

    Below each step are its effects on tool maps, pending executions, queued tasks and promises. "@" marks the task or the
    parallel steps that run next, "?" marks a free choice with all its options, and ">" marks an entry of a log.

    After the last step, the output lists the promises that stay pending.

    Without --schedule, tasks run first in, first out. The last line prints the schedule that replays the run.

    Exit code 0: done; 1: the run stopped at an assertion, did not end, or never reached the step of --until; 2: wrong
    usage.
    """
    answers = options.schedule(schedule, "--schedule")
    with exit_on_problems():
        read = of_revision(load(program), CURRENT.name) if by_text else load(program)
        last = _step(read, until) if until is not None else None
        traced = trace(read, answers)
    surplus = len(answers) - len(traced.schedule)
    if surplus > 0 and traced.problem is None:
        warn(
            f"the run has {counted(len(traced.schedule), 'choice')}, so the last {surplus} of --schedule have no effect"
        )
    shown = traced if last is None else traced.up_to(last.algorithm, last.number) or traced
    if as_json:
        print_json({"title": read.title, **shown.to_data()})
    else:
        click.echo(read.title)
        click.echo("\n".join(lines(shown)))
        if traced.problem is None:
            click.echo("".join(f"   - {label}: never settled\n" for label in shown.outcome.pending), nl=False)
        click.echo(f"schedule: {','.join(map(str, shown.schedule)) or '(no free choice)'}")
    problems = [shown.problem] if shown.problem is not None else []
    if last is not None and shown is traced:
        problems.insert(0, f"under this schedule the run never comes to {last}")
    for problem in problems:
        click.echo(f"modelcontext: {problem}", err=True)
    sys.exit(FOUND if problems else 0)


def _step(program: Program, text: str) -> StepOf:
    """Return the step that a text names; the text may leave out ``dom-modelcontext-``."""
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
