"""Step comments, and the step of each line."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.spec.specification import SpecificationError, StepIndex
from modelcontext.spec.specification.code.comments import PythonSource, read_source

SOURCE = '''\
X = 1  # 9. Not in a function.


@algorithm("make-a-thing")
def make_a_thing(this, base_thing, *, global_):
    """Docstring."""
    # 1. Let thing be a new thing whose
    # base is base thing.
    thing = new(base_thing)  # 7. Not on a line of its own.

    # 2. In parallel:
    @in_parallel
    def later():
        # 2.1. Wait. This step
        #     goes on here.
        # SPEC-BUG(#3): it need not.
        yield
        wait(
            thing,
        )

    start(later)

    # 12.a. If so:
    #
    # that is no part of it.
    # 13. Return.


def helper():
    # 1. No algorithm.
    pass
'''


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "things.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


@pytest.fixture
def source(file: Path) -> PythonSource:
    return read_source(file)


def test_function_has_its_id_parameters_and_lines(source: PythonSource) -> None:
    (function,) = source.functions
    assert (function.id, function.name) == ("make-a-thing", "make_a_thing")
    assert function.parameters == ("this", "base_thing", "global_")
    assert (function.line, function.last_line) == (4, 27)


def test_steps_have_their_numbers_texts_and_lines(source: PythonSource) -> None:
    (function,) = source.functions
    assert [(step.number, step.text, step.line) for step in function.steps] == [
        ("1", "Let thing be a new thing whose base is base thing.", 7),
        ("2", "In parallel:", 11),
        ("2.1", "Wait. This step goes on here.", 14),
        ("12.a", "If so:", 24),
        ("13", "Return.", 27),
    ]


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (1, None),  # outside
        (5, None),  # the signature
        (6, None),  # above the first step
        (8, "1"),
        (9, "1"),
        (12, "2"),
        (17, "2.1"),
        (19, "2.1"),  # in the middle of a statement
        (22, "2"),  # after the nested function, on the level of step 2
        (27, "13"),
        (32, None),  # another function
    ],
)
def test_line_belongs_to_the_last_step_above(file: Path, line: int, number: str | None) -> None:
    reference = StepIndex().locate(str(file), line)
    assert (reference.number if reference else None) == number
    assert reference is None or reference.algorithm == "make-a-thing"


def test_step_reference_prints_algorithm_number_and_text(file: Path) -> None:
    assert str(StepIndex().locate(str(file), 12)) == "make-a-thing step 2: In parallel:"


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match="cannot be read"):
        StepIndex().locate(str(tmp_path / "none.py"), 1)
