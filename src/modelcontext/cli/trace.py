"""``modelcontext trace``: one run of a program in the model, step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from modelcontext.html.user_agent import RunawayError
from modelcontext.program.language import Program, ProgramError, load
from modelcontext.program.outcome import describe_entry
from modelcontext.program.trace import Choice, Line, Recorded, Trace, trace
from modelcontext.schedule.choose import ScheduleError
from modelcontext.specification.steps import StepIndex


@click.command(epilog="Example: modelcontext trace wpt_tests/programs/results/undefined.toml --schedule 0,1")
@click.argument("program", type=click.Path(path_type=Path))
@click.option("--schedule", default="", help="Answers to the free choices, as another run has printed them: 0,1,0.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of text.")
def command(program: Path, schedule: str, as_json: bool) -> None:
    """Run PROGRAM once in the model and print every step of the specification that it goes through.

    Without a schedule everything happens first in, first out. The last line says which schedule replays the run.
    """
    try:
        answers = [int(answer) for answer in schedule.split(",") if answer.strip()]
    except ValueError:
        raise click.UsageError(
            f"--schedule takes numbers with commas between, such as 0,1,0; not {schedule!r}"
        ) from None
    try:
        read = load(program)
        traced = trace(read, answers)
    except (ProgramError, ScheduleError, RunawayError) as error:
        click.echo(f"modelcontext trace: {error}", err=True)
        raise SystemExit(2) from None
    if as_json:
        click.echo(json.dumps(_data(read, traced), indent=2))
    else:
        click.echo(read.title)
        for item in _items(traced):
            click.echo(_text(item))
        click.echo(f"schedule: {','.join(map(str, traced.schedule)) or '(no free choice)'}")


def _items(traced: Trace) -> Iterator[dict[str, Any]]:
    """Yield the run's steps, choices and entries; lines of the same step in a row are one."""
    index = StepIndex()
    last: object = None
    for item in traced.items:
        if isinstance(item, Line):
            step = index.locate(item.filename, item.lineno)
            if step is not None and step != last:
                yield {"algorithm": step.algorithm, "step": step.number, "text": step.text}
                last = step
        elif isinstance(item, Choice):
            yield {"choice": item.label, "options": item.count, "answer": item.answer}
        elif isinstance(item, Recorded):
            yield {"log": item.log, "entry": dict(item.entry)}


def _text(item: dict[str, Any]) -> str:
    if "algorithm" in item:
        return f"  {item['algorithm']} {item['step']}. {item['text']}"
    if "choice" in item:
        return f"? {item['choice']}: option {item['answer']} of 0 to {item['options'] - 1}"
    return f"> [{item['entry']['in']}] {describe_entry(item['entry'])}"


def _data(program: Program, traced: Trace) -> dict[str, Any]:
    return {
        "title": program.title,
        "items": list(_items(traced)),
        "schedule": list(traced.schedule),
        "outcome": traced.outcome.to_data(),
    }
