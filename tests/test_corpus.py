"""The corpus: every program is decided, and together they visit every step and both sides of every condition."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.coverage import Coverage, Reach, read_reasons
from modelcontext.judging.coverage.floors import check_floors, read_floors
from modelcontext.programs.program.reading import load
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import CURRENT as FILES
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import KeptExploration
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "wpt_tests" / "programs"
CURRENT = REVISIONS["current"]
PATHS = sorted(CORPUS.glob("**/*.toml"))


def name_of(path: Path) -> str:
    return path.relative_to(CORPUS).with_suffix("").as_posix()


@pytest.fixture(scope="module")
def programs() -> dict[str, Program]:
    return {name_of(path): load(path) for path in PATHS}


@pytest.fixture(scope="module")
def coverage(corpus_outcomes: Mapping[str, KeptExploration]) -> Coverage:
    found = inventory(CURRENT.package)
    reached = [Reach("programs", name, explored.reached) for name, explored in corpus_outcomes.items()]
    return Coverage(CURRENT.name, found, read_reasons(ROOT, FILES, found), reached)


def test_every_section_has_programs() -> None:
    sections = {path.parent.name for path in PATHS}
    assert sections == {
        "registration", "conversions", "schema", "names", "signals", "exposure", "policy", "listing", "execution",
        "results", "cancellation", "documents", "events", "races", "declarative",
    }  # fmt: skip
    assert len(PATHS) >= 110


def test_titles_of_programs_are_unique(programs: dict[str, Program]) -> None:
    titles = [program.title for program in programs.values()]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("name", [name_of(path) for path in PATHS])
def test_every_program_is_decided(name: str, corpus_outcomes: Mapping[str, KeptExploration]) -> None:
    explored = corpus_outcomes[name]
    assert explored.is_complete, "too many schedules: make the program smaller"
    assert explored.outcomes


def test_every_algorithm_is_named_by_a_program(programs: dict[str, Program]) -> None:
    found = inventory(CURRENT.package)
    reasons = read_reasons(ROOT, FILES, found)
    known = {step.algorithm for step in found.steps}
    named = {id_ for program in programs.values() for id_ in program.algorithms}
    assert named <= known
    assert known - named == {id_ for id_ in known if all(str(s) in reasons for s in found.steps if s.algorithm == id_)}


def test_every_step_is_reached_or_has_a_reason(coverage: Coverage) -> None:
    assert coverage.missed() == [], "no program reaches these steps, or sides of conditions"
    assert coverage.reached_against_reason() == [], "these have a reason why no program can reach them"


def test_coverage_of_the_programs_is_not_below_its_floors(coverage: Coverage) -> None:
    assert check_floors(coverage, read_floors(ROOT / FILES.floors)) == []
