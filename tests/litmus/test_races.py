"""Tests of generated races: which there are, that each is one program, and their classes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.judging.litmus.races.actions import FRAME, NAMES, TOP, Deed, RacingAction, When
from modelcontext.judging.litmus.races.classes import ExploredRace, Sort, explore_race, key_of, smallest_of_classes
from modelcontext.judging.litmus.races.enumeration import Race, Races, Setting
from modelcontext.judging.litmus.races.writing import program_of
from modelcontext.people.cli.litmus import command
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import load

TWO = {scene: Races(scene, 2, bounded=False) for scene in Setting}


def race_of(text: str) -> Race:
    """Return the race of two actions that is called so."""
    [found] = [race for race in TWO[Setting(text.partition(":")[0])].found if str(race) == text]
    return found


@pytest.mark.parametrize("scene", Setting)
def test_each_race_is_a_program_of_its_own(scene: Setting) -> None:
    races = TWO[scene].found[::7]
    programs = {json.dumps({**program_of(race).to_data(), "title": ""}) for race in races}
    assert len(programs) == len(races)


def test_races_that_differ_in_names_of_tools_are_one() -> None:
    def of(name: str) -> tuple[RacingAction, ...]:
        return (
            RacingAction(TOP, When.SCRIPT, Deed.CALL, TOP, name),
            RacingAction(TOP, When.TIMER, Deed.UNREGISTER, TOP, name),
        )

    found = {race.actions for race in TWO[Setting.ALONE].found}
    assert [of(name) in found for name in NAMES] == [True, False]


def test_order_of_the_actions_of_two_documents_is_no_difference() -> None:
    found = {race.actions for race in TWO[Setting.OTHER].found}
    assert len(found) == len({frozenset(actions) if actions[0].by != actions[1].by else actions for actions in found})
    one = race_of("other: frame calls t of top; top unregisters t").actions
    assert tuple(reversed(one)) not in found


def test_actions_that_share_nothing_are_no_race() -> None:
    registered = [
        [one.name for one in race.actions]
        for race in TWO[Setting.ALONE].found
        if all((one.kind, one.when) == (Deed.REGISTER, When.SCRIPT) for one in race.actions)
    ]
    assert registered == [["t", "t"]]


@pytest.mark.parametrize("count", [2, 3])
def test_a_name_is_never_that_of_a_form_and_of_a_script_before_the_race(count: int) -> None:
    for race in Races(Setting.ALONE, count, bounded=count > 2).found:
        for name in NAMES:
            kinds = {one.kind for one in race.actions if one.name == name}
            assert not {Deed.FILL, Deed.UNREGISTER} <= kinds


@pytest.mark.parametrize(
    ("race", "sort", "outcomes"),
    [
        ("alone: top registers t; top registers t", Sort.NOTHING, 1),
        ("alone: top inserts the form t; top lists the tools", Sort.ENTRIES, 2),
        ("alone: top answers the running call of t; top lists the tools", Sort.ORDER, 2),
        ("alone: top listens for toolchange; in a timer, top unregisters t", Sort.NOTHING, 1),
        (
            "other: frame aborts its running call of t of top; top answers the running call of t of frame",
            Sort.ENTRIES,
            2,
        ),
        ("alone: top listens for toolchange; in a timer, top registers t", Sort.NOTHING, 1),
    ],
)
def test_race_decides_what_happens_or_an_order_or_nothing(race: str, sort: Sort, outcomes: int) -> None:
    found = explore_race(race_of(race), 2000)
    assert (found.sort, found.outcomes) == (sort, outcomes)


def test_search_that_ends_at_its_bound_decides_nothing() -> None:
    race = race_of("alone: top lists the tools; top replaces t")
    assert explore_race(race, 2).sort is Sort.UNDECIDED
    assert explore_race(race, 2000).sort is Sort.ENTRIES


def test_sets_of_outcomes_are_the_same_if_the_documents_are_exchanged() -> None:
    def outcome(here: str, there: str) -> str:
        return Outcome({here: [{"in": here, "log": 1}]}, [f"{there}: call"]).canonical

    assert key_of([outcome(TOP, FRAME)]) == key_of([outcome(FRAME, TOP)])
    assert key_of([outcome(TOP, FRAME)]) != key_of([outcome(TOP, TOP)])


def test_smallest_race_stands_for_its_class() -> None:
    one = ExploredRace("one", Sort.ENTRIES, "key", 2, 30)
    found = smallest_of_classes([one, replace(one, race="two", transitions=20), replace(one, sort=Sort.NOTHING)])
    assert [(race.race, number) for race, number in found] == [("two", 2)]


def races(*arguments: str) -> str:
    """Run the verb, which has to succeed, and return its output."""
    result = CliRunner().invoke(command, ["races", "--scene", "alone", "--sample", "6", "--seed", "3", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_verb_prints_the_classes_and_the_numbers() -> None:
    data = json.loads(races("--json"))
    assert len(data["races"]) == 6
    several: Sequence[str] = [one["race"] for one in data["races"] if one["outcomes"] > 1]
    assert several
    assert {one["smallest"] for one in data["classes"]} <= set(several)
    assert races().count(": alone: ") == len(data["classes"])


def test_verb_writes_the_smallest_program_of_each_class(tmp_path: Path) -> None:
    keys = {one["key"]: one["smallest"] for one in json.loads(races("--json"))["classes"]}
    races("--output", str(tmp_path))
    written = {path.stem: load(path) for path in tmp_path.iterdir()}
    assert {key: program.title for key, program in written.items()} == keys
    assert all(key_of(allowed_outcomes(program).outcomes) == key for key, program in written.items())
