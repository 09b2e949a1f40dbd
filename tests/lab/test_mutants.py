"""``python -m tools.lab mutants``: the texts with one fault, who notices them, and the reasons of those that nobody can."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.ground.tables import TableError
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext_prose.compiler import Compiled
from modelcontext_prose.patches.language import parse_patch
from modelcontext_prose.patches.patching import with_patches
from speclint.prose.reading import read_prose
from speclint.text.source import read_text
from tools.lab import try_mutants
from tools.lab.__main__ import lab
from tools.lab.mutants.compiling import Refused, UnchangedText
from tools.lab.mutants.making import Kind, Mutant, mutants
from tools.lab.mutants.reasons import UNNOTICED, Reason, read_unnoticed, read_unreachable
from tools.lab.mutants.report import PAGE, Row, page_of
from tools.lab.mutants.seen_code import seen_code
from tools.lab.mutants.trial import Verdict

ROOT = Path(__file__).resolve().parents[2]
CONTENT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
REASON = 'mutants = ["valid-tool-name 2 step removed"]\nreason = "No program of this test has a long name."\n'
#: A text in which each kind of fault can be made.
SMALL = """<pre class=metadata>
Title: A text
</pre>

<div algorithm>
To <dfn id=pack>pack</dfn>, given a [=string=] |name|:

1. Let |size| be 1.
1. Let |empty| be whether |name| is the empty string.
1. If |name| is "x", and |size| is not 2:
    1. Set |size| to 3.
1. Otherwise, if |empty| is true, then return.
1. [=In parallel=]:
    1. Set |size| to 4.
    1. If |size| is 5:
        1. Return.
1. [=exception/Throw=] a "{{DataError}}" {{DOMException}}.

</div>
"""

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def by_name() -> dict[str, Mutant]:
    """Return the mutants of the text by their names."""
    return {one.name: one for one in mutants(read_prose(read_text(CONTENT, CURRENT.text)))}


@pytest.fixture(scope="module")
def small() -> dict[str, Mutant]:
    """Return the mutants of the small text by their names."""
    return {one.name: one for one in mutants(read_prose(read_text(SMALL, Path("small.bs"))))}


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
    """Return a function that tries the mutants of the smallest algorithm, with a table of reasons."""
    table = checkout / "unnoticed.toml"

    def invoke(*arguments: str, reasons: str = "") -> Result:
        table.write_text(reasons, encoding="utf-8")
        return CliRunner().invoke(lab, ["mutants", "--algorithm", "valid-tool-name", *arguments])

    monkeypatch.setattr(try_mutants, "UNNOTICED", table)
    return invoke


def verdicts(result: Result) -> dict[str, Any]:
    return {one["name"].partition(" ")[2]: one for one in json.loads(result.stdout)["mutants"]}


def steps_of(mutant: Mutant, content: str) -> list[str]:
    """Return the steps of a text with a mutant's fault, as ``number words``."""
    changed = with_patches(content, Path("a.bs"), [parse_patch(mutant.patch, Path("a.patch"))]).content
    return [f"{one.number} {one.text}" for one in read_prose(read_text(changed, Path("a.bs"))).walk()]


def test_small_text_has_each_kind_of_mutant(small: dict[str, Mutant]) -> None:
    found = {kind: [one.step for one in small.values() if one.kind is kind] for kind in Kind}
    assert found == {
        Kind.REMOVED: ["1", "2", "3", "3.1", "4", "5", "5.1", "5.2", "5.2.1", "6"],
        Kind.EXCHANGED: ["1", "2", "4", "5", "5.1"],
        Kind.NEGATED: ["2", "3", "4", "5.2"],
        Kind.OTHER_ERROR: ["6"],
        Kind.NOT_PARALLEL: ["5"],
    }


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("pack 3 step removed", '3 If name is "x", and size is not 2:', "3 Otherwise, if empty is true, then return."),
        ("pack 5.1 step removed", "5.1 Set size to 4.", "5.1 If size is 5:"),
        ("pack 1 exchanged with the next", "1 Let size be 1.", "2 Let size be 1."),
        ("pack 5.1 exchanged with the next", "5.2.1 Return.", "5.1.1 Return."),
        ("pack 4 exchanged with the next", "5.2.1 Return.", "4.2.1 Return."),
        (
            "pack 3 condition negated",
            '3 If name is "x", and size is not 2:',
            '3 If it is not the case that name is "x", and size is not 2:',
        ),
        (
            "pack 2 condition negated",
            "2 Let empty be whether name is the empty string.",
            "2 Let empty be whether it is not the case that name is the empty string.",
        ),
        ("pack 6 other exception", '6 Throw a "DataError" DOMException.', '6 Throw a "NotFoundError" DOMException.'),
        ("pack 5 not in parallel", "5.2.1 Return.", "6.1 Return."),
    ],
)
def test_mutant_is_a_patch_with_one_fault(name: str, before: str, after: str, small: dict[str, Mutant]) -> None:
    whole = [f"{one.number} {one.text}" for one in read_prose(read_text(SMALL, Path("a.bs"))).walk()]
    changed = steps_of(small[name], SMALL)
    assert before in whole
    assert after not in whole
    assert before not in changed
    assert after in changed


def test_mutant_of_each_kind_fits_the_text(by_name: dict[str, Mutant]) -> None:
    chosen = {one.kind: one for one in by_name.values()}
    assert chosen.keys() == set(Kind)
    for one in chosen.values():
        assert with_patches(CONTENT, CURRENT.text, [parse_patch(one.patch, Path("a.patch"))]).content != CONTENT


@pytest.mark.usefixtures("takes_long")
def test_mutant_is_refused_with_its_place_or_differs_or_has_no_other_code(by_name: dict[str, Mutant]) -> None:
    unchanged = UnchangedText(CONTENT, CURRENT.text)
    refused = unchanged.changed_by(by_name["valid-tool-name 3.1 step removed"])
    assert isinstance(refused, Refused)
    assert refused.place.startswith(f"{by_name['valid-tool-name 3 step removed'].line}:")
    assert refused.problem == "valid-tool-name 3: the sentence ends too early"
    names = ("1 step removed", "3 step removed", "1 exchanged with the next")
    asserting, acting, exchanged = (unchanged.changed_by(by_name[f"cancel-a-pending-execution {one}"]) for one in names)
    assert isinstance(asserting, Compiled)
    assert isinstance(acting, Compiled)
    assert isinstance(exchanged, Compiled)
    assert unchanged.is_equivalent(asserting)
    assert unchanged.is_equivalent(exchanged)
    assert not unchanged.is_equivalent(acting)


@pytest.mark.parametrize(
    ("code", "other", "is_same"),
    [
        ("a = x.y\nb = z", "b = z\na = x.y", True),
        ("a = x.y\nb = a.z", "b = a.z\na = x.y", False),
        ("a = x\na = y", "a = y\na = x", False),
        ("a = f(x)\nb = g(x)", "b = g(x)\na = f(x)", False),
        ("x.a = 1\nx.b = y", "x.b = y\nx.a = 1", True),
        ("x.a = 1\nb = y.a", "b = y.a\nx.a = 1", False),
        ("a = x\nyield\nb = y", "b = y\nyield\na = x", False),
        ("if x:\n    return a\nif y:\n    return a", "if y:\n    return a\nif x:\n    return a", True),
        ("if x:\n    return a\nif y:\n    return b", "if y:\n    return b\nif x:\n    return a", False),
        ("if x:\n    return a\nif f(y):\n    return a", "if f(y):\n    return a\nif x:\n    return a", False),
        ("if x:\n    return\nif there(y):\n    return", "if there(y):\n    return\nif x:\n    return", False),
        (
            "if x:\n    return\nfor y in z:\n    if y:\n        return",
            "for y in z:\n    if y:\n        return\nif x:\n    return",
            True,
        ),
        ("a = x\nif y:\n    return x", "if y:\n    return x\na = x", True),
        ("a = x\nif y:\n    return a", "if y:\n    return a\na = x", False),
        ("b.a = x\nif y:\n    return x", "if y:\n    return x\nb.a = x", False),
        ("spec_assert(x)\na = 1", "a = 1", True),
        ("def f():\n    def g_2(): pass\n    run(g_2)", "def f():\n    def g(): pass\n    run(g)", True),
    ],
)
def test_code_is_the_same_if_nobody_can_see_the_difference(code: str, other: str, is_same: bool) -> None:
    assert (seen_code(code) == seen_code(other)) is is_same


@pytest.mark.usefixtures("takes_long")
def test_mutant_is_refused_or_noticed_or_survives_until_a_program_notices_it(run: Run, checkout: Path) -> None:
    result = run("--json")
    assert result.exit_code == 1
    found = verdicts(result)
    assert found["3.1 step removed"]["verdict"] == "refused"
    assert (found["1 step removed"]["verdict"], found["1 step removed"]["by"]) == ("noticed", "programs names/empty")
    assert found["2 step removed"]["verdict"] == "survived"
    assert "valid-tool-name 2 step removed" in json.loads(result.stdout)["survivors"]
    assert not (checkout / PAGE).exists()
    length = CURRENT.programs / "names/length.toml"
    shutil.copy(ROOT / length, checkout / length)
    later = verdicts(run("--json"))
    assert (later["2 step removed"]["verdict"], later["2 step removed"]["by"]) == ("noticed", "programs names/length")


@pytest.mark.usefixtures("takes_long")
def test_reason_excuses_a_survivor_and_is_outdated_when_a_program_notices_it(run: Run, checkout: Path) -> None:
    reasons = f"[[unnoticed]]\n{REASON}"
    result = run(reasons=reasons)
    assert "No program of this test has a long name." in result.stdout
    assert "SURVIVED valid-tool-name 2 (" not in result.stdout
    length = CURRENT.programs / "names/length.toml"
    shutil.copy(ROOT / length, checkout / length)
    result = run(reasons=reasons)
    assert result.exit_code == 1
    assert "OUTDATED valid-tool-name 2 step removed" in result.stdout


def test_unknown_algorithm_is_refused() -> None:
    result = CliRunner().invoke(lab, ["mutants", "--algorithm", "fly"])
    assert result.exit_code == 2
    assert "the text has no algorithm fly" in result.output


def test_reasons_are_about_mutants_of_the_text(by_name: dict[str, Mutant]) -> None:
    assert len(read_unnoticed(UNNOTICED, [*by_name.values()])) > 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            f"[[unnoticed]]\n{REASON}".replace("name 2", "name 9"),
            "the text has no mutant valid-tool-name 9 step removed",
        ),
        (f"[[unnoticed]]\n{REASON}" * 2, "valid-tool-name 2 step removed has a reason already"),
        (f"[[unnoticed]]\n{REASON}side = 1\n", 'unknown key "side"'),
        ('[[unnoticed]]\nmutants = ["valid-tool-name 2 step removed"]\n', "a string is needed here"),
    ],
)
def test_reason_that_is_wrong_is_refused(text: str, words: str, by_name: dict[str, Mutant], tmp_path: Path) -> None:
    path = tmp_path / "unnoticed.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=words):
        read_unnoticed(path, [*by_name.values()])


def test_page_counts_verdicts_and_leaves_equivalent_mutants_out() -> None:
    rows = [
        Row("a 1 step removed", Verdict.NOTICED, "programs x"),
        Row("a 2 step removed", Verdict.NOTICED, "litmus y"),
        Row("a 3 step removed", Verdict.SURVIVED, ""),
        Row("a 4 step removed", Verdict.SURVIVED, ""),
        Row("a 1 condition negated 2", Verdict.EQUIVALENT, ""),
        Row("a 2 condition negated", Verdict.REFUSED, ""),
    ]
    page = page_of(rows, {"a 3 step removed": Reason("It is so.", is_equivalent=True)})
    assert "| a step is removed with its substeps | 4 | 0 | 0 | 1 | 3 | 1 | 1 | 66.7% |" in page
    assert "| a condition is negated | 2 | 1 | 1 | 0 | 0 | 0 | 0 | - |" in page
    assert "| a 3 step removed | It is so. |" in page
    assert "| a 4 step removed | No reason is known. |" in page


def test_committed_page_has_each_survivor_with_its_reason(by_name: dict[str, Mutant]) -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    known = [*by_name.values()]
    reasons = {**read_unreachable(ROOT, known), **read_unnoticed(UNNOTICED, known)}
    lines = [line for line in page.splitlines() if re.match(r"\| [a-z-]+ \d", line)]
    named = {
        name: words
        for line in lines
        for names, words in [line.strip("| ").split(" | ")]
        for name in names.split("<br>")
    }
    assert len(named) > 100
    assert {name: words for name, words in named.items() if reasons[name].words != words} == {}
    assert {name for name in read_unnoticed(UNNOTICED, known) if name not in named} == set()
