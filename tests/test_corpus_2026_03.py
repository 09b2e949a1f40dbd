"""The programs of the revision 2026-03: each has one outcome, the expected one, and together they visit every step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.conformance.explored import explore
from modelcontext.judging.coverage import Coverage, Reach, read_reasons
from modelcontext.judging.coverage.floors import check_floors, read_floors
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data, load
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import FILES, REVISIONS
from modelcontext.spec.specification import StepIndex, load_algorithms
from modelcontext.spec.specification.code.steps import StepReference

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "wpt_tests" / "programs-2026-03"
PATHS = sorted(CORPUS.glob("**/*.toml"))

# The errors that each program's calls throw, in the order of the log; None for a call that returns.
THROWN: dict[str, list[object]] = {
    "accessor/insecure": ["TypeError"],
    "accessor/no-constructors": ["TypeError", "TypeError"],
    "accessor/same-object": [None, None, None],
    "conversions/annotations": [None, None, None],
    "conversions/before-the-checks": [None, "TypeError"],
    "conversions/failures": ["TypeError"] * 10,
    "conversions/getter-throws": ["of the page"],
    "conversions/order-of-reads": [None],
    "documents/cross-origin-frame": [None],
    "documents/initial-about-blank": [None, None, "InvalidStateError"],
    "documents/permissions-policy": [None],
    "documents/removed-frame": [None, "InvalidStateError", None],
    "documents/same-origin-frame": [None, None],
    "registration/any-other-name": [None, None, None, None],
    "registration/checks-before-schema": [None, "InvalidStateError"],
    "registration/duplicate": [None, "InvalidStateError", None],
    "registration/empty-description": ["InvalidStateError", None],
    "registration/empty-name": ["InvalidStateError"],
    "registration/reentrant": [None, None],
    "schema/array": [None, None],
    "schema/getter-throws": ["from the getter"],
    "schema/no-json": ["TypeError", "TypeError", "TypeError", "TypeError", None],
    "schema/number": [None],
    "schema/to-json-throws": ["RangeError"],
    "unregistration/conversions": ["TypeError", "TypeError", None, None, None, None],
    "unregistration/register-again": [None, None, None],
    "unregistration/twice": [None, None, "InvalidStateError"],
    "unregistration/unknown": ["InvalidStateError", None, "InvalidStateError", "InvalidStateError"],
    "unregistration/while-registering": ["InvalidStateError", None, None],
}


def name_of(path: Path) -> str:
    return path.relative_to(CORPUS).with_suffix("").as_posix()


def thrown(outcome: Outcome) -> list[object]:
    entries = [entry for name in sorted(outcome.logs) for entry in outcome.logs[name] if "step" in entry]
    values = [entry.get("threw") for entry in entries]
    return [value["$error"] if isinstance(value, dict) else value for value in values]


def test_every_program_has_an_expected_outcome() -> None:
    assert {name_of(path) for path in PATHS} == set(THROWN)


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_program_has_one_allowed_outcome_which_throws_as_expected(path: Path) -> None:
    program = load(path)
    assert program.revision == "2026-03"
    allowed = allowed_outcomes(program)
    assert allowed.complete
    (outcome,) = allowed.outcomes.values()
    assert thrown(outcome) == THROWN[name_of(path)]
    assert outcome.pending == ()


def test_programs_reach_every_step_that_script_can() -> None:
    found = inventory(REVISIONS["2026-03"].package)
    reached = [Reach("programs", name_of(path), explore(load(path)).reached) for path in PATHS]
    coverage = Coverage("2026-03", found, read_reasons(ROOT, FILES["2026-03"], found), reached)
    assert coverage.missed() == []
    assert coverage.reached_against_reason() == []
    assert check_floors(coverage, read_floors(ROOT / FILES["2026-03"].floors)) == []


@pytest.mark.parametrize("path", PATHS, ids=name_of)
def test_program_names_algorithms_of_its_text(path: Path) -> None:
    assert set(load(path).algorithms) <= {algorithm.id for algorithm in load_algorithms("2026-03")}


def made(*steps: dict[str, object]) -> Program:
    return from_data({"title": "made", "revision": "2026-03", "script": {"top": list(steps)}})


REGISTER: dict[str, object] = {"do": "registerTool", "tool": {"name": "t", "description": "d"}}


def test_throw_is_traced_to_its_step() -> None:
    record = run_once(made(REGISTER, REGISTER), locator=StepIndex().locate)
    sources = record.sources["top"]
    assert sources[0] is None
    assert isinstance(sources[1], StepReference)
    assert (sources[1].algorithm, sources[1].number) == ("dom-modelcontext-registertool", "3")


def test_browser_that_overwrites_a_tool_is_forbidden() -> None:
    program = made(REGISTER, REGISTER)
    value = {"in": "top", "value": {"$js": "undefined"}}
    observed = Outcome({"top": ({**value, "step": "registerTool"}, {**value, "step": "registerTool 2"})}, ())
    verdict = judge(program, observed, locator=StepIndex().locate)
    assert verdict.kind == "forbidden"
    assert verdict.departure is not None
    ((entry, step),) = verdict.departure.allowed
    assert entry == {"in": "top", "step": "registerTool 2", "threw": {"$error": "InvalidStateError"}}
    assert isinstance(step, StepReference)
    assert step.number == "3"


def test_written_program_keeps_its_revision() -> None:
    program = load(CORPUS / "registration" / "duplicate.toml")
    assert from_data(program.to_data()) == program
    assert 'revision = "2026-03"' in program.dumps_toml()
