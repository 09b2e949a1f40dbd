"""The work of a check grows with the source, and no faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.work import calls_made

if TYPE_CHECKING:
    from tests.forms.conftest import Check

pytestmark = pytest.mark.usefixtures("takes_long")

CONTROLS: dict[str, Callable[[int], str]] = {
    "labels around": lambda i: f"<label>{i} <input name=n{i} type=number min=0 max=9 value=1></label>",
    "labels for": lambda i: f"<label for=i{i}>L</label><select id=i{i} name=n{i}><option>a</select>",
    "radio buttons": lambda i: f"<input type=radio name=a value={i} required>",
    "disabled radio buttons": lambda i: "<input type=radio name=a required disabled>",
    "checkboxes": lambda i: f"<label>{i} <input type=checkbox name=a value={i}></label>",
    "one name": lambda i: "<input name=a required>",
    "one id": lambda i: f"<input name=n{i} id=a><label for=a>A</label>",
    "forms": lambda i: f"</form><form toolname=n{i} tooldescription=d><input name=a>",
    "nested forms": lambda i: f"<form toolname=n{i}>",
}


def source(controls: str, count: int) -> str:
    return f"<form toolname=t tooldescription=d>{''.join(map(CONTROLS[controls], range(count)))}</form>"


@pytest.mark.parametrize("controls", CONTROLS)
def test_work_grows_with_the_number_of_controls(check: Check, controls: str) -> None:
    check(source(controls, 1))  # Patterns and probes are compiled once.
    small, large = (calls_made(lambda count=count: check(source(controls, count))) for count in (100, 400))  # type: ignore[misc]
    assert large < 5 * small


def test_ten_thousand_controls_are_parameters(check: Check) -> None:
    (form,) = check(source("labels around", 10_000)).forms
    assert len(form.parameters) == 10_000
    assert form.tool is not None
