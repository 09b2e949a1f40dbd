"""``python -m tools.lab removals``: the texts without a step, who notices them, and the reasons of those that nobody can."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.ground.tables import TableError
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext_prose.compiler import Compiled
from speclint.text.source import read_text
from tools.lab import try_removals
from tools.lab.__main__ import lab
from tools.lab.removals.compiling import Refused, UnchangedText
from tools.lab.removals.reasons import UNNOTICED, read_unnoticed
from tools.lab.removals.texts import Removal, removals

ROOT = Path(__file__).resolve().parents[2]
CONTENT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
LINES = CONTENT.splitlines()
REASON = 'algorithm = "valid-tool-name"\nstep = "2"\nreason = "No program of this test has a long name."\n'

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def by_place() -> dict[str, Removal]:
    """Return the removals of the text by their places."""
    return {one.place: one for one in removals(read_text(CONTENT, CURRENT.text), CONTENT)}


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout with the text and a few programs, none of them with a long name, and go there."""
    copied = [CURRENT.text, CURRENT.unreachable]
    copied += [CURRENT.programs / "names" / f"{name}.toml" for name in ("empty", "forbidden")]
    copied += [Path("wpt_tests/litmus/register-notify/two-registrations.toml")]
    copied += [min((ROOT / FILES["2026-03"].programs).rglob("*.toml")).relative_to(ROOT)]
    for path in copied:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that removes the steps of the smallest algorithm, with a table of reasons."""
    table = checkout / "unnoticed.toml"

    def invoke(*arguments: str, reasons: str = "") -> Result:
        table.write_text(reasons, encoding="utf-8")
        return CliRunner().invoke(lab, ["removals", "--algorithm", "valid-tool-name", *arguments])

    monkeypatch.setattr(try_removals, "UNNOTICED", table)
    return invoke


def verdicts(result: Result) -> dict[str, Any]:
    return {one["place"].partition(" ")[2]: one for one in json.loads(result.stdout)["removals"]}


def test_each_removal_lacks_one_step_and_those_below_it(by_place: dict[str, Removal]) -> None:
    assert len(by_place) == sum(len(list(one.walk())) for one in read_text(CONTENT, CURRENT.text).algorithms)
    removal = by_place["valid-tool-name 3"]
    changed = removal.content.splitlines()
    empty = [number for number, line in enumerate(LINES, 1) if line != changed[number - 1]]
    assert min(empty) == removal.line
    assert by_place["valid-tool-name 3.1"].line in empty
    assert by_place["valid-tool-name 4"].line not in empty
    assert {changed[number - 1] for number in empty} == {""}


@pytest.mark.usefixtures("takes_long")
def test_removal_is_refused_with_its_place_or_differs_or_has_no_other_code(by_place: dict[str, Removal]) -> None:
    unchanged = UnchangedText(CONTENT, CURRENT.text)
    refused = unchanged.without(by_place["valid-tool-name 3.1"])
    assert isinstance(refused, Refused)
    assert refused.place.startswith(f"{by_place['valid-tool-name 3'].line}:")
    assert refused.problem == "valid-tool-name 3: the sentence ends too early"
    asserting, acting = (unchanged.without(by_place[f"cancel-a-pending-execution {step}"]) for step in ("1", "3"))
    assert isinstance(asserting, Compiled)
    assert isinstance(acting, Compiled)
    assert unchanged.is_the_same_but_for_assertions(asserting)
    assert not unchanged.is_the_same_but_for_assertions(acting)


@pytest.mark.usefixtures("takes_long")
def test_step_is_refused_or_noticed_or_survives_until_a_program_notices_it(run: Run, checkout: Path) -> None:
    result = run("--json")
    assert result.exit_code == 1
    found = verdicts(result)
    assert found["3.1"]["verdict"] == "refused"
    assert (found["1"]["verdict"], found["1"]["by"]) == ("noticed", "programs names/empty")
    assert found["2"]["verdict"] == "survived"
    assert json.loads(result.stdout)["survivors"] == ["valid-tool-name 2"]
    length = CURRENT.programs / "names/length.toml"
    shutil.copy(ROOT / length, checkout / length)
    result = run("--json")
    assert result.exit_code == 0
    assert verdicts(result) == {**found, "2": verdicts(result)["2"]}
    assert (verdicts(result)["2"]["verdict"], verdicts(result)["2"]["by"]) == ("noticed", "programs names/length")


@pytest.mark.usefixtures("takes_long")
def test_reason_excuses_a_survivor_and_is_outdated_when_a_program_notices_it(run: Run, checkout: Path) -> None:
    reasons = f"[[unnoticed]]\n{REASON}"
    result = run(reasons=reasons)
    assert result.exit_code == 0
    assert "No program of this test has a long name." in result.stdout
    assert "1 survived, 0 of these without a reason" in result.stdout
    length = CURRENT.programs / "names/length.toml"
    shutil.copy(ROOT / length, checkout / length)
    result = run(reasons=reasons)
    assert result.exit_code == 1
    assert "OUTDATED valid-tool-name 2" in result.stdout


def test_unknown_algorithm_is_refused() -> None:
    result = CliRunner().invoke(lab, ["removals", "--algorithm", "fly"])
    assert result.exit_code == 2
    assert "the text has no algorithm fly" in result.output


def test_reasons_are_about_steps_of_the_text(by_place: dict[str, Removal]) -> None:
    assert len(read_unnoticed(UNNOTICED, by_place)) > 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"[[unnoticed]]\n{REASON}".replace('"2"', '"9"'), "the text has no step valid-tool-name 9"),
        (f"[[unnoticed]]\n{REASON}" * 2, "valid-tool-name 2 has a reason already"),
        (f"[[unnoticed]]\n{REASON}side = 1\n", 'unknown key "side"'),
        ('[[unnoticed]]\nalgorithm = "valid-tool-name"\nstep = "2"\n', "a string is needed here"),
    ],
)
def test_reason_that_is_wrong_is_refused(text: str, words: str, by_place: dict[str, Removal], tmp_path: Path) -> None:
    path = tmp_path / "unnoticed.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=words):
        read_unnoticed(path, by_place)
