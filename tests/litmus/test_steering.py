"""Steered runs bring about the outcome that is meant, and say what is missing where it does not come."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from modelcontext.cli.litmus import command
from modelcontext.litmus.conditions import parse
from modelcontext.litmus.language import CATALOGUE, read_catalogue
from modelcontext.litmus.steered import missing, steer
from modelcontext.problems import UnavailableError
from modelcontext.products import make_product
from modelcontext.products.browser import BrowserProduct
from modelcontext.program.explore import allowed_outcomes

FOLDER = Path(__file__).resolve().parents[2] / CATALOGUE


def test_missing_names_an_order_that_no_run_has_shown() -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    outcomes = list(allowed_outcomes(litmus.program).outcomes.values())
    for outcome in outcomes:
        others = [other for other in outcomes if other != outcome]
        text = missing(outcome, others)
        assert text is not None
        assert parse(text).holds(outcome)
        assert not any(parse(text).holds(other) for other in others)


def test_chromium_shows_a_timer_between_a_callback_and_its_result() -> None:
    [litmus] = read_catalogue(FOLDER, ["abort-resolve/in-flight"])
    found = allowed_outcomes(litmus.program)
    condition = parse('callback "t" before timer: timer')
    aborted = parse("call: rejected with AbortError")
    [wanted] = [one for one in found.outcomes.values() if condition.holds(one) and aborted.holds(one)]
    try:
        with make_product("chromium") as product:
            assert isinstance(product, BrowserProduct)
            [runs] = steer(litmus, product, found, [wanted], 4)
    except UnavailableError as error:
        pytest.fail(f"this test needs Chromium: {error}")
    assert runs.hits


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--outcome", "1"), "it needs --steer"),
        (("--steer", "--frames"), "leave out --frames"),
        (("--steer", "--product", "model"), "steer a browser"),
    ],
)
def test_wrong_usage_of_steering_is_told(arguments: tuple[str, ...], problem: str) -> None:
    result = CliRunner().invoke(command, ["run", "abort-resolve/in-flight", *arguments])
    assert result.exit_code == 2
    assert problem in " ".join(result.output.split())
