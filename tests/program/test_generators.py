"""Generated programs: valid, and the same for the same seed."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelcontext.html.user_agent import RunawayError
from modelcontext.program.explore import run_once
from modelcontext.program.generators import numbered, numbered_program, programs
from modelcontext.program.generators.fragments import fragments_of, weights_of
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.notation import ELEMENT_OPERATIONS, dialect
from modelcontext.program.reading import loads_json, loads_toml
from modelcontext.revisions.registry import FILES

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@pytest.mark.parametrize("revision", list(FILES))
def test_same_seed_and_number_give_the_same_program(revision: str) -> None:
    first = [numbered_program(7, number, revision).dumps_json() for number in range(20)]
    numbered._drawer_of.cache_clear()
    # In another order, each alone: earlier draws do not matter.
    again = [numbered_program(7, number, revision).dumps_json() for number in reversed(range(20))]
    assert first == list(reversed(again))
    assert len(set(first)) > 15
    assert first != [numbered_program(8, number, revision).dumps_json() for number in range(20)]


@settings(max_examples=60, suppress_health_check=SLOW, deadline=None)
@given(st.sampled_from(list(FILES)).flatmap(programs))
def test_generated_program_survives_both_text_forms_and_runs(program: Program) -> None:
    assert loads_json(program.dumps_json()) == program
    assert loads_toml(program.dumps_toml()) == program
    try:
        run_once(program)
    except (ProgramError, RunawayError):
        # Under this schedule a document is used before it exists, or listeners call each other forever.
        return


@pytest.mark.parametrize(
    ("revision", "never"),
    [
        # Programs about the back/forward cache are not generated: it restricts frames and popups. Nor are documents with
        # markup: the programs of a seed stay the same.
        ("current", {"leave", "goBack", "pageTransition", *ELEMENT_OPERATIONS}),
        (
            "2026-03",
            set(dialect("2026-03").operations)
            - {"registerTool", "unregisterTool", "microtask", "log", "same", "get", "set"},
        ),
    ],
)
def test_every_operation_is_generated(revision: str, never: set[str]) -> None:
    seen = set()
    for number in range(500):
        program = numbered_program(1, number, revision)
        seen |= {step.do for script in program.script.values() for outer in script for step in outer.walk()}
    assert seen == set(dialect(revision).operations) - never


@pytest.mark.parametrize("revision", list(FILES))
def test_every_fragment_has_a_weight(revision: str) -> None:
    weights = weights_of(revision)
    assert list(weights) == [fragment.__name__ for fragment in fragments_of(revision)]
    assert all(weight >= 1 for weight in weights.values())
