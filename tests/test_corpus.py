"""The corpus: every program is decided, and together they visit every step and both sides of every condition."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

import modelcontext.revisions.current
from modelcontext.program.explore import Exploration, allowed_outcomes
from modelcontext.program.interpreter import Run
from modelcontext.program.language import Program, load
from modelcontext.schedule.choose import Chooser, FirstInFirstOut, Seeded
from modelcontext.specification import load_algorithms
from modelcontext.specification.comments import AlgorithmFunction, read_source

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "wpt_tests" / "programs"
REVISION = Path(modelcontext.revisions.current.__file__).parent
PATHS = sorted(CORPUS.glob("**/*.toml"))
UNREACHABLE = tomllib.loads((ROOT / "tests" / "corpus_unreachable.toml").read_text(encoding="utf-8"))["step"]

# How many pseudo-random schedules of each program count for what it visits.
SEEDS = 30

# A step of an algorithm: its id and the number of the step.
StepOf = tuple[str, str]


def name_of(path: Path) -> str:
    return path.relative_to(CORPUS).with_suffix("").as_posix()


@dataclass(frozen=True)
class Explored:
    """What exploring the whole corpus gave: per program the allowed outcomes, and the steps not fully visited."""

    allowed: dict[str, Exploration]
    unvisited: set[StepOf]


@pytest.fixture(scope="module")
def programs() -> dict[str, Program]:
    return {name_of(path): load(path) for path in PATHS}


@pytest.fixture(scope="module")
def explored(programs: dict[str, Program], tmp_path_factory: pytest.TempPathFactory) -> Explored:
    allowed = {name: allowed_outcomes(program) for name, program in programs.items()}
    # Every schedule under a tracer would take minutes; a handful of them visits what the programs are there for.
    measured = coverage.Coverage(data_file=None, branch=True, config_file=False, source=[str(REVISION)])
    measured.set_option("report:exclude_lines", [])
    with measured.collect():
        for program in programs.values():
            choosers: list[Chooser] = [FirstInFirstOut(), *(Seeded(seed) for seed in range(SEEDS))]
            for chooser in choosers:
                run = Run(program, chooser)
                run.start()
                run.finish()
    report = tmp_path_factory.mktemp("coverage") / "report.json"
    measured.json_report(outfile=str(report))
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    by_path = {Path(name).resolve(): file for name, file in files.items()}
    unvisited = {
        (function.id, step)
        for path in REVISION.glob("*.py")
        for function in read_source(path).functions
        for line in missing_lines(by_path[path.resolve()])
        if function.line < line <= function.last_line and (step := step_at(function, line))
    }
    return Explored(allowed, unvisited)


def missing_lines(file: dict[str, list[object]]) -> Iterator[int]:
    """Yield the lines that never ran, and those of the conditions of which only one side was taken."""
    for line in file["missing_lines"]:
        assert isinstance(line, int)
        yield line
    for arc in file["missing_branches"]:
        assert isinstance(arc, list)
        yield arc[0]


def step_at(function: AlgorithmFunction, line: int) -> str:
    """Return the number of the last step quoted above the line; empty for the definition itself, which always runs."""
    above = [step.number for step in function.steps if step.line <= line]
    return above[-1] if above else ""


def test_there_are_programs_in_every_section() -> None:
    sections = {path.parent.name for path in PATHS}
    assert sections == {
        "registration", "conversions", "schema", "names", "signals", "exposure", "policy", "listing", "execution",
        "results", "cancellation", "documents", "events", "races",
    }  # fmt: skip
    assert len(PATHS) >= 110


def test_names_and_titles_are_unique(programs: dict[str, Program]) -> None:
    titles = [program.title for program in programs.values()]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("name", [name_of(path) for path in PATHS])
def test_every_program_is_decided(name: str, explored: Explored) -> None:
    allowed = explored.allowed[name]
    assert allowed.complete, "too many schedules: make the program smaller"
    assert allowed.outcomes


def test_every_algorithm_is_named_by_a_program(programs: dict[str, Program]) -> None:
    known = {algorithm.id for algorithm in load_algorithms()}
    named = {id_ for program in programs.values() for id_ in program.algorithms}
    whole = {entry["algorithm"] for entry in UNREACHABLE if entry["step"] == "*"}
    assert named <= known
    assert known - named == whole


def test_every_step_is_visited_or_listed_with_a_reason(explored: Explored) -> None:
    listed = {(entry["algorithm"], entry["step"]) for entry in UNREACHABLE}
    whole = {algorithm for algorithm, step in listed if step == "*"}
    unvisited = {(algorithm, "*" if algorithm in whole else step) for algorithm, step in explored.unvisited}
    assert unvisited - listed == set(), "no program visits these steps, or both sides of these conditions"
    assert listed - unvisited == set(), "these are listed as unreachable, and a program reaches them"


def test_every_unreachable_step_has_a_reason() -> None:
    assert all(len(entry["reason"]) > 20 for entry in UNREACHABLE)
