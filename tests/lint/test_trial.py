"""The lint on trial, and on our own texts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from modelcontext.lint import RULES, lint
from modelcontext.lint.trial import judge, tally
from modelcontext.lint.trial.mutators import STEPS, PlantedDefect, mutations
from modelcontext.revisions.registry import FILES

ROOT = Path(__file__).resolve().parents[2]
TEXT = ROOT / "index.bs"
PLANTED = Path(__file__).parent / "planted.toml"

# The planted defects that no rule notices: only the meaning of the steps says that something is missing.
MISSED = {"a document is updated that no longer waits for it"}


def planted(text: str, *, with_rule: bool = False) -> list[PlantedDefect]:
    """Return the defects that were planted by hand, before the rules or with them, whose places are in the text."""
    found = []
    for entry in tomllib.loads(PLANTED.read_text(encoding="utf-8"))["planted"]:
        if ("rule" in entry) is not with_rule:
            continue
        form = r"\s+".join(map(re.escape, entry["old"].split()))
        if places := list(re.finditer(form, text)):
            [place] = places
            changed = text[: place.start()] + entry["new"] + text[place.end() :]
            found.append(PlantedDefect("planted by hand", entry["name"], entry.get("rule", ""), changed))
    return found


def documented() -> dict[str, list[int]]:
    """Return the numbers of the table in the documentation, by rule."""
    text = (ROOT / "docs/lint.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \|((?: *\d* *\|)+)$", text, re.MULTILINE)
    return {name: [int(cell) for cell in cells.split("|") if cell.strip()] for name, cells in rows}


@pytest.mark.parametrize("revision", FILES)
def test_text_of_each_revision_has_no_findings(revision: str) -> None:
    assert [str(one) for one in lint(ROOT / FILES[revision].text).findings] == []


def test_trial_notices_nine_of_ten_mutations() -> None:
    rows = documented()
    assert list(rows)[:-1] == list(RULES)
    mutated, noticed, _ = rows["all"]
    assert mutated >= 150
    assert noticed >= 0.9 * mutated
    assert sum(row[0] for name, row in rows.items() if name != "all") == mutated


@pytest.mark.parametrize("rule", RULES)
def test_rule_notices_mutations_that_no_other_notices(rule: str) -> None:
    assert documented()[rule][3] > 0


def test_every_rule_has_mutations() -> None:
    made = mutations(TEXT.read_text(encoding="utf-8"), TEXT)
    assert {one.rule for one in made} >= set(RULES)
    assert {one.mutator for one in made} >= set(STEPS)
    assert len({one.text for one in made}) == len(made)


def test_sample_of_mutations_is_noticed() -> None:
    text = TEXT.read_text(encoding="utf-8")
    verdicts = list(judge(text, mutations(text, TEXT)[::45]))
    missed = [f"{one.mutation.mutator}: {one.mutation.place}" for one in verdicts if not one.rules]
    assert len(missed) <= 0.1 * len(verdicts), missed


def test_sample_of_planted_defects_is_noticed() -> None:
    text = TEXT.read_text(encoding="utf-8")
    sample = [one for one in planted(text) if one.place not in MISSED]
    assert len(sample) >= 30
    assert [one.mutation.place for one in judge(text, sample[::9]) if not one.rules] == []


def test_defect_that_came_with_a_rule_is_noticed_by_it() -> None:
    text = TEXT.read_text(encoding="utf-8")
    verdicts = list(judge(text, planted(text, with_rule=True)))
    assert verdicts
    assert [one.mutation.place for one in verdicts if one.mutation.rule not in one.rules] == []


def test_tally_counts_what_a_rule_alone_noticed() -> None:
    text = TEXT.read_text(encoding="utf-8")
    changed = text.replace("The event carries nothing", "The event must carry nothing")
    assert changed != text
    rows = {row.rule: row for row in tally(judge(text, [PlantedDefect("by hand", "a note", "must-in-note", changed)]))}
    row = rows["must-in-note"]
    assert (row.meant, row.noticed, row.by_it, row.alone) == (1, 1, 1, 1)
    assert rows["dead-branch"].by_it == 0
