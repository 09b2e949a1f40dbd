"""Scripts in the place of the API, held against the text under every schedule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelcontext.ground.checkout import npm_packages, project_root
from modelcontext.judging.litmus.injected import Injected
from modelcontext.judging.litmus.language import CATALOGUE, Litmus, read_catalogue
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.running.products.polyfill import PACKAGE, SCRIPT

#: An API whose promise is fulfilled before anybody hears of the tool.
TOO_EARLY = """
document.modelContext = Object.assign(new EventTarget(), {
  async registerTool() { setTimeout(() => document.modelContext.dispatchEvent(new Event("toolchange"))); },
});
"""


def litmus_test(name: str) -> Litmus:
    [litmus] = read_catalogue(project_root() / CATALOGUE, [name])
    return litmus


@pytest.fixture(scope="module")
def polyfill(starts_a_browser: None) -> Iterator[Injected]:
    [package] = npm_packages(project_root(), PACKAGE)
    with Injected("current", [(package / SCRIPT).read_text(encoding="utf-8")]) as injected:
        yield injected


@pytest.mark.parametrize(
    ("name", "is_allowed"),
    [("register-notify/event-and-promise", True), ("register-notify/abort-before-the-promise", False)],
)
def test_polyfill_is_held_against_the_text_under_every_schedule(
    polyfill: Injected, name: str, *, is_allowed: bool
) -> None:
    litmus = litmus_test(name)
    held = polyfill.hold(litmus, allowed_outcomes(litmus.program), 200)
    assert held.complete
    assert bool(held.inside) is is_allowed
    assert bool(held.outside) is not is_allowed


@pytest.mark.usefixtures("starts_a_browser")
def test_script_that_leaves_the_text_is_found_with_a_schedule_that_shows_it() -> None:
    litmus = litmus_test("register-notify/event-and-promise")
    with Injected("current", [TOO_EARLY]) as injected:
        held = injected.hold(litmus, allowed_outcomes(litmus.program), 200)
        assert held.complete
        assert not held.inside
        assert held.outside
        for outcome, schedule in held.outside:
            assert injected.replay(litmus, schedule) == outcome


def test_test_with_too_many_schedules_is_sampled(polyfill: Injected) -> None:
    litmus = litmus_test("register-notify/event-and-promise")
    held = polyfill.hold(litmus, allowed_outcomes(litmus.program), 1)
    assert held.runs >= 1
