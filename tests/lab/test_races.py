"""The trial of generated races: the record, the mutants that races notice, the smallest set, and the page."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

from modelcontext.ground.checkout import project_root
from modelcontext.judging.litmus.races.classes import ExploredRace, Sort
from modelcontext.judging.litmus.races.enumeration import Races, Setting
from tools.lab.races import exploring, noticing
from tools.lab.races.exploring import PARTS, Part, Record
from tools.lab.races.noticing import End, Noticed, Trials, smallest_set, subjects_of
from tools.lab.races.report import PAGE, ExploredPart, page_of

ALONE = Races(Setting.ALONE, 2, bounded=False).found
FORM = [race for race in ALONE if str(race) == "alone: top inserts the form t; in a timer, top registers t"]


def smallest_by_trying(rows: list[list[str]]) -> int:
    """Return the size of the smallest set with a member of each row."""
    names = sorted({name for row in rows for name in row})
    return next(
        size
        for size in range(len(names) + 1)
        if any(all(set(row) & set(some) for row in rows) for some in combinations(names, size))
    )


def test_smallest_set_is_as_small_as_any() -> None:
    drawn = random.Random(1)
    for _ in range(60):
        rows = [drawn.sample("abcdefgh", drawn.randint(1, 4)) for _ in range(drawn.randint(1, 9))]
        found = smallest_set(rows)
        assert all(set(row) & set(found) for row in rows)
        assert len(found) == smallest_by_trying(rows)


def test_greedy_choice_is_not_taken_for_the_smallest_set() -> None:
    # Greedily "a" comes first, and then two others.
    rows = ["ab", "ab", "ac", "ac", "b", "c"]
    assert smallest_set(rows) == ["b", "c"]


def test_record_explores_a_race_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "digest_of_the_model", lambda root: "model")
    found = list(Record(tmp_path).explore(FORM, 100))
    monkeypatch.setattr(exploring, "explore_race", lambda race, bound: pytest.fail(f"{race} is explored again"))
    assert list(Record(tmp_path).explore(FORM, 1000)) == found
    assert [(one.sort, one.outcomes) for one in found] == [(Sort.ENTRIES, 2)]


def test_larger_bound_decides_what_a_smaller_one_did_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "digest_of_the_model", lambda root: "model")
    large = [race for race in ALONE if str(race) == "alone: top lists the tools; top replaces t"]
    assert [[one.sort for one in Record(tmp_path).explore(large, bound)] for bound in (2, 2000, 2)] == [
        [Sort.UNDECIDED],
        [Sort.ENTRIES],
        [Sort.ENTRIES],
    ]


def test_race_of_a_list_notices_that_a_tool_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noticing, "RECORD", tmp_path / "record.json")
    [race] = [one for one in ALONE if str(one) == "alone: top lists the tools; in a timer, top unregisters t"]
    subjects = subjects_of([(race, ExploredRace(str(race), Sort.ENTRIES, "key", 3, 60))])
    trials = Trials(project_root(), subjects)
    names = (
        "unregister-a-tool 1 step removed",
        "unregister-a-tool 5 step removed",
        "cancel-a-pending-execution 3 step removed",
    )
    trials.mutants = [one for one in trials.mutants if one.name in names]
    found = list(trials.run())
    assert {one.name: (one.end, one.by) for one in found} == {
        names[0]: (End.REFUSED, ()),
        names[1]: (End.NOTICED, (str(race),)),
        names[2]: (End.SURVIVED, ()),
    }
    again = Trials(project_root(), subjects)
    again.mutants = trials.mutants
    monkeypatch.setattr(again, "_tried", lambda mutant: pytest.fail(f"{mutant.name} is tried again"))
    assert list(again.run()) == found


def test_smallest_race_that_decides_something_stands_for_its_pair_of_deeds() -> None:
    def explored(index: int, sort: Sort, transitions: int) -> ExploredRace:
        return ExploredRace(str(ALONE[index]), sort, "key", 2, transitions)

    [first] = FORM
    same = [race for race in ALONE if {one.kind for one in race.actions} == {one.kind for one in first.actions}]
    other = next(race for race in same if race != first)
    order = ExploredRace(str(other), Sort.ORDER, "key", 2, 5)
    entries = ExploredRace(str(first), Sort.ENTRIES, "key", 2, 22)
    assert [one.name for one in subjects_of([(other, order), (first, entries)])] == [str(first)]
    assert subjects_of([(ALONE[0], explored(0, Sort.NOTHING, 1))]) == []
    assert subjects_of([(ALONE[0], explored(0, Sort.ENTRIES, noticing.MOST + 1))]) == []


def test_page_has_the_numbers_the_set_and_what_is_not_noticed() -> None:
    races = [
        ExploredRace("one", Sort.ENTRIES, "a", 2, 20),
        ExploredRace("two", Sort.ENTRIES, "a", 2, 30),
        ExploredRace("three", Sort.NOTHING, "b", 1, 5),
    ]
    noticed = [
        Noticed("x 1 step removed", End.NOTICED, ("one",)),
        Noticed("x 2 step removed", End.SURVIVED),
        Noticed("x 3 step removed", End.REFUSED),
    ]
    page = page_of([ExploredPart(Part(2, Setting.ALONE, 100), 9, 3, races)], noticed, 2, {"x 1 step removed"})
    assert "| 2 | alone | 9 | 3 | 3 | 100 | 1 | 0 | 2 | 0 | 0 | 1 |\n" in page
    assert "| one | 1 | 1 |\n" in page
    assert "| x | 2 step removed |\n" in page
    assert "no program or litmus test: x 1 step removed." in page
    assert "| one | 2 | 2 |\n" in page


def test_committed_page_has_a_row_for_each_part() -> None:
    page = (project_root() / PAGE).read_text(encoding="utf-8")
    assert all(f"\n| {part.count} | {part.scene.value} | " in page for part in PARTS)
    for part in PARTS[:3]:
        combinations_, count, found = part.races()
        assert f"\n| {part.count} | {part.scene.value} | {combinations_:,} | {count:,} | {len(found):,} |" in page
