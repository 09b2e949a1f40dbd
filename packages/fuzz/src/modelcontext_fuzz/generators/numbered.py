"""The programs of a campaign, by seed and number. Any machine can make any of them again."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelcontext.programs.program.language import Program
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_fuzz.generators.form_fragments import form_programs
from modelcontext_fuzz.generators.programs import programs

#: The number of random bytes for one program; more than any program needs.
CHANCE = 4096

#: The grammars of programs: those about scripts, and those about forms, which only the current revision has.
GRAMMARS = ("scripts", "forms")

#: Makes a program from random bytes, always the same from the same bytes; None if they make none.
Drawer = Callable[[bytes], Program | None]


def numbered_program(seed: int, number: int, revision: str = CURRENT.name, grammar: str = GRAMMARS[0]) -> Program:
    """Return a program by its number in the campaign with a seed."""
    draw = _drawer_of(revision, grammar)
    attempt = 0
    while True:
        program = draw(random.Random(f"{seed}/{number}/{attempt}").randbytes(CHANCE))
        if program is not None:
            return program
        attempt += 1


@cache
def _drawer_of(revision: str, grammar: str) -> Drawer:
    return drawer(form_programs() if grammar == "forms" else programs(revision))


def drawer(strategy: st.SearchStrategy[Program]) -> Drawer:
    """Return a drawer of programs from a strategy."""
    drawn: list[Program] = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def take(program: Program) -> None:
        drawn.append(program)

    fuzz_one_input = take.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def draw(chance: bytes) -> Program | None:
        drawn.clear()
        fuzz_one_input(chance)
        return drawn[0] if drawn else None

    return draw
