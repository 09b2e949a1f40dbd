"""The page with every form control, and the causes of its differences."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from surveys.form_controls.__main__ import OUT, PRODUCTS, UnexplainedError, page_of
from surveys.form_controls.causes import CAUSES, Difference, differences
from surveys.form_controls.controls import CONTROLS
from surveys.form_controls.sides import REFUSED, Found, of_a_product, of_the_model

INDEX = OUT.parents[1] / "index.bs"


@pytest.fixture(scope="module")
def model() -> list[Found]:
    return of_the_model(CONTROLS)


@pytest.fixture(scope="module")
def products(starts_a_browser: None) -> dict[str, list[Found]]:
    return {name: asyncio.run(of_a_product(name, CONTROLS)) for name in PRODUCTS}


def all_differences(model: list[Found], product: list[Found]) -> list[Difference]:
    found = []
    for control, ours, theirs in zip(CONTROLS, model, product, strict=True):
        found += differences(control.html, ours.schema, theirs.schema)
        states = zip(control.values, ours.states, theirs.states, strict=True)
        found += [
            Difference(control.html, "value", after, other, value) for value, after, other in states if after != other
        ]
    return found


def test_page_is_up_to_date(model: list[Found], products: dict[str, list[Found]]) -> None:
    assert OUT.read_text(encoding="utf-8") == page_of(model, products), "run python -m surveys.form_controls"


def test_every_cause_is_found(model: list[Found], products: dict[str, list[Found]]) -> None:
    for name, found in products.items():
        of_product = all_differences(model, found)
        unfounded = [cause.words for cause in CAUSES[name] if not any(map(cause.explains, of_product))]
        assert unfounded == []


def test_causes_are_issues_of_the_text() -> None:
    text = INDEX.read_text(encoding="utf-8")
    issues = {cause.issue for causes in CAUSES.values() for cause in causes}
    assert {issue for issue in issues if f"id=issue-{issue}>" not in text} == set()


def test_choice_that_is_left_out_has_no_cause(model: list[Found]) -> None:
    index = next(number for number, control in enumerate(CONTROLS) if "<optgroup" in control.html)
    parameter = model[index].schema["properties"]["a"]
    fewer = parameter | {"anyOf": parameter["anyOf"][:1], "enum": parameter["enum"][:1]}
    other = Found(model[index].schema | {"properties": {"a": fewer}}, model[index].states)
    with pytest.raises(UnexplainedError, match="chromium differs, and no cause says why"):
        page_of(model, {"chromium": [*model[:index], other, *model[index + 1 :]]})


@pytest.mark.parametrize(
    "other",
    [
        lambda found: Found(found.schema | {"required": ["b"]}, found.states),
        lambda found: Found(found.schema | {"properties": {"b": {"type": "string"}}}, found.states),
        lambda found: Found(found.schema | {"properties": {"a": {"type": "number"}}}, found.states),
        lambda found: Found(found.schema, [REFUSED, *found.states[1:]]),
    ],
)
def test_difference_without_a_cause_is_an_error(other: Any, model: list[Found]) -> None:
    with pytest.raises(UnexplainedError, match="chromium differs, and no cause says why"):
        page_of(model, {"chromium": [other(model[0]), *model[1:]]})
