"""``modelcontext litmus races``: generated races, and the classes that they have."""

from __future__ import annotations

import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from modelcontext.ground.files import write_whole
from modelcontext.ground.words import counted
from modelcontext.judging.litmus.races.classes import ExploredRace, Sort, explore_race, smallest_of_classes
from modelcontext.judging.litmus.races.enumeration import Race, Races, Setting
from modelcontext.judging.litmus.races.writing import program_of
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json

#: The default limit of runs for a race.
_BOUND = 2000


@verb(epilog="\b\nExample:\n  modelcontext litmus races --scene alone --sample 50 --output races")
@click.option(
    "--actions",
    "count",
    type=click.IntRange(2, 3),
    default=2,
    show_default=True,
    help="The number of racing actions. With 3, all actions are steps of scripts, and all tools have the same name.",
)
@click.option(
    "--scene",
    "scenes",
    type=click.Choice([scene.value for scene in Setting]),
    multiple=True,
    help="The scene: a document alone, with a same-origin frame, or with a cross-origin frame.  [default: all scenes]",
)
@click.option(
    "--sample", type=click.IntRange(1), metavar="N", help="Explore only N races of each scene, drawn at random."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of --sample.")
@click.option(
    "--bound",
    type=click.IntRange(1),
    default=_BOUND,
    show_default=True,
    help="The largest number of runs of the model for one race.",
)
@click.option(
    "--output",
    type=options.NEW_FOLDER,
    metavar="DIR",
    help="Write the smallest program of each class into this folder.",
)
@options.as_json
def races(
    count: int,
    scenes: tuple[str, ...],
    sample: int | None,
    seed: int,
    bound: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Make all programs of two or three racing actions, and group them by their outcomes.

    An action is something that a document does with the API: it registers or calls a tool, aborts a call, removes a frame,
    changes a form. Actions that share no structure do not race. If programs differ only in names, they count as one race.

    The command prints each class of races that have the same outcomes, with its smallest race. All races of two actions take
    some minutes. After an interrupt the command shows what it has explored.

    Exit code 0: done; 2: wrong usage; 130: interrupted.
    """
    interruption = Interruption()
    combinations = 0
    made: list[Race] = []
    for scene in scenes or [one.value for one in Setting]:
        found = Races(Setting(scene), count, bounded=count > 2)
        made += (
            found.found if sample is None else random.Random(seed).sample(found.found, min(sample, len(found.found)))
        )
        combinations += found.combinations
    explored: list[ExploredRace] = []
    with exit_on_problems(), interruption.kept(), one_bar("exploring", len(made)) as advance:
        for race in made:
            explored.append(explore_race(race, bound))
            advance(1)
    classes = sorted(smallest_of_classes(explored), key=lambda one: (one[0].transitions, one[0].race))
    if output is not None:
        by_name = {str(race): race for race in made}
        with exit_on_problems():
            output.mkdir(parents=True, exist_ok=True)
            for one, _ in classes:
                write_whole(output / f"{one.key}.toml", program_of(by_name[one.race]).dumps_toml())
    if as_json:
        print_json(_as_data(combinations, explored, [(one, number) for one, number in classes], interruption))
    else:
        for one, number in classes:
            click.echo(
                f"{one.key}  {counted(one.outcomes, 'outcome')}, {counted(number, 'race')}, {one.sort.value}: {one.race}"
            )
        click.echo(f"\n{_summary(combinations, explored, len(classes))}")
    interruption.end(f"{len(made) - len(explored)} of {counted(len(made), 'race')} are not explored")


def _as_data(
    combinations: int, explored: list[ExploredRace], classes: list[tuple[ExploredRace, int]], interruption: Interruption
) -> dict[str, Any]:
    return {
        "combinations": combinations,
        "races": [asdict(one) for one in explored],
        "classes": [{"key": one.key, "smallest": one.race, "races": number} for one, number in classes],
        "interrupted": interruption.happened,
    }


def _summary(combinations: int, explored: list[ExploredRace], classes: int) -> str:
    numbers = {sort: sum(1 for one in explored if one.sort is sort) for sort in Sort}
    decided = ", ".join(f"{numbers[sort]:,} decide {sort.value}" for sort in (Sort.NOTHING, Sort.ORDER, Sort.ENTRIES))
    left = ", ".join(f"{numbers[sort]} {sort.value}" for sort in (Sort.UNDECIDED, Sort.ENDLESS))
    return (
        f"{combinations:,} combinations of actions; {counted(len(explored), 'race')} explored: {decided}; {left}."
        f" {counted(classes, 'set')} of several outcomes"
    )
