"""The polyfill: its script in the simulated browser shows what is known of it in Chromium, in every program of the corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.schedule.choose import FirstInFirstOut, Seeded
from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.judging.issues.readings import revision_with
from modelcontext.judging.litmus.injected import Injected
from modelcontext.judging.profiles import Quirk, load_deviations
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.program.reading import load
from modelcontext.running.products import make_target
from modelcontext_fuzz.document import FOLDER
from modelcontext_fuzz.findings import load_finding

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import KeptExploration
    from modelcontext.judging.profiles import NamedDeviation
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "wpt_tests/programs"
PROGRAMS = [path.relative_to(CORPUS).with_suffix("").as_posix() for path in sorted(CORPUS.rglob("*.toml"))]
KNOWN = load_expectations(ROOT / "wpt_tests/expectations/polyfill.toml", vocabulary("polyfill", "current"))
FINDINGS = sorted((ROOT / FOLDER / "polyfill").iterdir())
#: What a program without an expectation shows.
ALLOWED = "an allowed outcome"
#: The schedules that are tried after first in, first out.
SEEDS = range(1, 4)
NOT_SHOWN = {
    # Playwright runs the polyfill once in each Window, and the simulated browser in each document.
    "documents/initial-about-blank",
    # Chromium runs promise jobs of a frame that was removed; HTML, and so the simulated browser, does not.
    "execution/removed-document",
    "listing/removed-document",
    "registration/removed-document",
}


@pytest.fixture(scope="module")
def polyfill(starts_a_browser: None) -> Iterator[Injected]:
    target = make_target("polyfill")
    with Injected(target.revision, target.scripts()) as injected:
        yield injected


def outcomes(polyfill: Injected, program: Program) -> Iterator[Outcome]:
    """Yield the outcomes under a few schedules."""
    for chooser in (FirstInFirstOut(), *map(Seeded, SEEDS)):
        run = polyfill.make_run(program, chooser)
        outcome = run.run()
        assert run.broken is None
        yield outcome


def first_difference(program: Program, outcome: Outcome, explored: KeptExploration) -> str:
    """Return the first entry of an outcome that the specification forbids, in the words of expectations."""
    if outcome.canonical in explored.outcomes:
        return ALLOWED
    departure = judge(program, outcome).departure
    return describe_entry(departure.observed) if departure is not None else ALLOWED


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in NOT_SHOWN])
def test_script_shows_what_it_shows_in_chromium(
    name: str, polyfill: Injected, corpus_outcomes: Mapping[str, KeptExploration]
) -> None:
    program = load(CORPUS / f"{name}.toml")
    expected = KNOWN[name].observed if name in KNOWN else ALLOWED
    shown = outcomes(polyfill, program)
    assert any(first_difference(program, outcome, corpus_outcomes[name]) == expected for outcome in shown)


@pytest.mark.parametrize("name", sorted(NOT_SHOWN))
def test_script_shows_otherwise_where_the_simulated_browser_is_none_of_chromium(
    name: str, polyfill: Injected, corpus_outcomes: Mapping[str, KeptExploration]
) -> None:
    program = load(CORPUS / f"{name}.toml")
    expected = KNOWN[name].observed if name in KNOWN else ALLOWED
    assert first_difference(program, next(outcomes(polyfill, program)), corpus_outcomes[name]) != expected


@pytest.mark.parametrize("deviation", load_deviations("polyfill_5").quirks, ids=lambda deviation: deviation.name)
def test_each_deviation_shows_in_its_reproducer(deviation: NamedDeviation, polyfill: Injected) -> None:
    program = load(ROOT / "wpt_tests" / f"{deviation.reproducer}.toml")
    assert judge(program, next(outcomes(polyfill, program))).kind == "forbidden"


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(
    "quirk",
    [quirk for quirk in load_deviations("polyfill_5").quirks if isinstance(quirk, Quirk)],
    ids=lambda quirk: quirk.name,
)
def test_each_patch_shows_in_the_reproducer_what_the_script_does(quirk: Quirk) -> None:
    name = quirk.reproducer.removeprefix("programs/")
    program = load(CORPUS / f"{name}.toml")
    shown = judge(program, run_once(program, revision=revision_with(quirk.patch)).outcome).departure
    assert shown is not None
    # The order of members is a deviation of its own.
    found, known = (re.split(r"[][{}, ]+", text) for text in (describe_entry(shown.observed), KNOWN[name].observed))
    assert sorted(found) == sorted(known)


@pytest.mark.parametrize("folder", FINDINGS, ids=lambda folder: folder.name)
def test_script_shows_each_finding(folder: Path, polyfill: Injected) -> None:
    finding = load_finding(folder)
    assert finding.outcome is not None
    shown = outcomes(polyfill, finding.program)
    assert any(outcome.canonical == finding.outcome.canonical for outcome in shown)
