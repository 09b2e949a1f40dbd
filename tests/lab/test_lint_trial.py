"""The lint on trial."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from speclint import RULES
from speclint.rules import RULES_UNPROVEN
from tools.lab.__main__ import lab
from tools.lab.lint_trial.defects import STEPS, PlantedDefect, mutations
from tools.lab.lint_trial.noticing import judge, tally

pytestmark = pytest.mark.usefixtures("takes_long")

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


def test_trial_notices_nine_of_ten_mutations() -> None:
    rows = documented()
    assert list(rows)[:-1] == [*RULES, *(rule for rule in RULES_UNPROVEN if rule in rows)]
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
    defects = planted(text)
    assert len(defects) == 40, "a planted defect has lost its place: give it the words of today's text"
    sample = [one for one in defects if one.place not in MISSED]
    assert [one.mutation.place for one in judge(text, sample[::9]) if not one.rules] == []


def test_defect_that_came_with_a_rule_is_noticed_by_it() -> None:
    text = TEXT.read_text(encoding="utf-8")
    verdicts = list(judge(text, planted(text, with_rule=True)))
    assert verdicts
    assert [one.mutation.place for one in verdicts if one.mutation.rule not in one.rules] == []


def test_tally_counts_what_a_rule_alone_noticed() -> None:
    text = TEXT.read_text(encoding="utf-8")
    changed = text.replace("Note: The event has no data", "Note: The event must have no data")
    assert changed != text
    rows = {row.rule: row for row in tally(judge(text, [PlantedDefect("by hand", "a note", "must-in-note", changed)]))}
    row = rows["must-in-note"]
    assert (row.meant, row.noticed, row.by_it, row.alone) == (1, 1, 1, 1)
    assert rows["dead-branch"].by_it == 0


SMALL = """<pre class=metadata>
Title: A test
</pre>

<div algorithm>
To <dfn export id=go>go</dfn> given |x|:

1. Let |n| be |x|'s [=node navigable=].
1. Let |m| be |n|. <!-- lint: unused-variable: a later part reads it -->
1. Return |n|'s [=navigable/top-level traversable=].

</div>
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "index.bs"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_trial_prints_the_numbers_of_each_rule(small: Path) -> None:
    result = CliRunner().invoke(lab, ["lint", str(small)])
    assert result.exit_code == 0
    assert "| undefined-variable | " in result.stdout
    assert "| all | " in result.stdout


def test_trial_as_json_has_the_same_numbers(small: Path) -> None:
    data = json.loads(CliRunner().invoke(lab, ["lint", str(small), "--json"]).stdout)
    [row] = [row for row in data["rules"] if row["rule"] == "undefined-variable"]
    assert data["planted"] > row["meant"] > 0
    assert {"mutator", "place"} == set().union(*data["unnoticed"])


def test_trial_of_a_file_that_is_missing_ends_with_a_message(tmp_path: Path) -> None:
    result = CliRunner().invoke(lab, ["lint", str(tmp_path / "absent.bs")])
    assert result.exit_code == 3, result.output
    assert "the text cannot be read" in result.stderr
