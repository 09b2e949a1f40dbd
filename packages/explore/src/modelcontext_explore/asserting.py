"""Assertions about scenarios for tests: their messages have the outcome, its story, and the line that replays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.ground.words import counted
from modelcontext_explore.exploration import Predicate, ScenarioExploration, explore

if TYPE_CHECKING:
    from modelcontext_explore.outcomes import ScenarioOutcome
    from modelcontext_explore.scenario_run import Scenario


def assert_always(scenario: Scenario | ScenarioExploration, holds: Predicate | None = None) -> None:
    """Assert that all outcomes of a scenario have a property, under every schedule.

    Args:
        scenario: the scenario, or its exploration.
        holds: the property; without it, that the scenario raises no exception, and that no assertion in its scripts and
            tools fails.
    """
    __tracebackhide__ = True
    exploration = _explored(scenario)
    holds = holds or _raises_nothing
    found = exploration.counterexample(holds)
    if found is not None:
        broken = sum(1 for outcome in exploration.outcomes if not holds(outcome))
        count = counted(len(exploration.outcomes), "outcome")
        raise AssertionError(
            f"{broken} of {count} break the property; the broken outcome with the smallest schedule is:\n{_told(found)}"
        ) from found.failure


def assert_possible(scenario: Scenario | ScenarioExploration, happens: Predicate) -> ScenarioOutcome:
    """Assert that some schedule of a scenario leads to an outcome with a property, and return that outcome.

    Args:
        scenario: the scenario, or its exploration.
        happens: the property.
    """
    __tracebackhide__ = True
    exploration = _explored(scenario)
    found = exploration.can(happens)
    if found is None:
        raise AssertionError(f"no schedule leads to such an outcome: {exploration}")
    return found


def _explored(scenario: Scenario | ScenarioExploration) -> ScenarioExploration:
    return scenario if isinstance(scenario, ScenarioExploration) else explore(scenario)


def _raises_nothing(outcome: ScenarioOutcome) -> bool:
    return outcome.failure is None


def _told(outcome: ScenarioOutcome) -> str:
    lines = [f"  {line}" for line in outcome.lines()]
    return "\n".join(
        [*lines, f'replay it: explore(scenario, replay="{outcome.replay}")', str(outcome.explain(decides=False))]
    )
