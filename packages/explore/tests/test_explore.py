"""The exploration of scenarios: complete, deterministic, and clear about what it cannot do."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from modelcontext.ground.schedule.choose import ScheduleError
from modelcontext.ground.schedule.independence import Independence
from modelcontext.ground.schedule.search import every_schedule
from modelcontext_explore import (
    IncompleteError,
    Scenario,
    ScenarioError,
    ScenarioOutcome,
    assert_always,
    assert_possible,
    explore,
)
from modelcontext_explore.scenario_run import ScenarioRun, Trail

if TYPE_CHECKING:
    from modelcontext import Browser, Document


class _Enumerated(ScenarioRun):
    """A run of a scenario for the enumeration of all schedules."""

    def run(self) -> ScenarioOutcome:
        self.came_to = super().run()
        return self.came_to

    def result(self) -> ScenarioOutcome:
        return self.came_to


def enumerated(scenario: Scenario) -> set[ScenarioOutcome]:
    """Return the outcomes of every schedule, each run on its own."""
    found: set[ScenarioOutcome] = set()

    def make(chooser: Any) -> _Enumerated:
        return _Enumerated(scenario, chooser, Independence(), most_actions=500, isolated=False, trail=Trail())

    effort = every_schedule(make, lambda outcome, _: found.add(outcome), 3_000)
    assert effort.complete
    return found


def two_pages(browser: Browser) -> tuple[Document, Document]:
    return browser.open("https://a.example/"), browser.open("https://b.example/")


def logs_in_two_pages(browser: Browser) -> None:
    async def script(page: Document) -> None:
        page.log("begins")
        await page.sleep(1)
        page.log(page.choose("x", "y"))

    for page in two_pages(browser):
        page.run(script(page))


def shares_a_list(browser: Browser) -> list[str]:
    order: list[str] = []

    async def script(page: Document) -> None:
        order.append(page.url[8])
        await page.sleep(1)
        order.append(page.url[8])

    for page in two_pages(browser):
        page.run(script(page))
    browser.run_until_idle()
    return order


def idles_in_a_loop(browser: Browser) -> int:
    page = browser.open("https://a.example/")
    seen: list[str] = []
    for name in ("t", "t", "t"):
        controller = page.new_abort_controller()
        page.model_context.register_tool(name=name, description="d", execute=print, signal=controller.signal)
        browser.run_until_idle()
        controller.abort()
        browser.run_until_idle()
        seen.append(name)
    return len(seen)


def registers_beside_a_timer(browser: Browser) -> None:
    page = browser.open("https://a.example/")
    page.model_context.add_event_listener("toolchange", lambda event: page.log(event.type))

    def register() -> None:
        page.model_context.register_tool(name="t", description="d", execute=print)
        page.log("called")

    page.run(register)
    page.set_timeout(lambda: page.log("timer"), 1)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("scenario", [logs_in_two_pages, shares_a_list, idles_in_a_loop, registers_beside_a_timer])
def test_exploration_finds_what_the_enumeration_of_every_schedule_finds(scenario: Scenario) -> None:
    found = explore(scenario)
    assert found.complete
    assert set(found.outcomes) == enumerated(scenario)


def test_each_outcome_is_replayed_by_its_schedule() -> None:
    found = explore(logs_in_two_pages)
    assert len(found.outcomes) == 4
    for outcome in found.outcomes:
        for schedule in (outcome.replay, outcome.schedule):
            assert explore(logs_in_two_pages, replay=schedule).outcomes[0] == outcome


def test_scripts_that_share_a_list_can_be_in_any_order() -> None:
    found = explore(shares_a_list)
    assert found.shared == "a list"
    assert sorted("".join(outcome.value) for outcome in found.outcomes) == [
        "aabb", "abab", "abba", "baab", "baba", "bbaa",
    ]  # fmt: skip


class _Shop:
    """A class of a scenario's author, whose objects can change."""


def _by_variable(one: Document, other: Document) -> None:
    count = 0

    def add() -> None:
        nonlocal count
        count += 1

    one.run(add)
    other.run(lambda: other.log(count))


def _by_object(one: Document, other: Document) -> None:
    shop = _Shop()
    one.run(lambda: setattr(shop, "sold", 1))
    other.run(lambda: other.log(shop))


def _by_tool(one: Document, other: Document) -> None:
    one.run(lambda: other.set_timeout([].clear, 1))


def _by_nothing(one: Document, other: Document) -> None:
    one.run(lambda: other.post_message({"list": [1]}))
    other.run(lambda: other.log(1))


@pytest.mark.parametrize(
    ("share", "shared"),
    [
        (_by_variable, "a variable that one of them rebinds"),
        (_by_object, "a _Shop"),
        (_by_tool, "what a script has given to a document of another origin"),
        (_by_nothing, None),
    ],
)
def test_exploration_names_what_scripts_of_two_origins_share(
    share: Callable[[Document, Document], None], shared: str | None
) -> None:
    assert explore(lambda browser: share(*two_pages(browser))).shared == shared


def test_scenario_that_differs_from_run_to_run_is_an_error() -> None:
    numbers = itertools.count()

    def scenario(browser: Browser) -> None:
        for page in two_pages(browser):
            for _ in range(next(numbers) % 3 + 1):
                page.run(partial(page.log, "x"))

    with pytest.raises(ScenarioError, match="not deterministic"):
        explore(scenario)


@pytest.mark.parametrize(
    "differs",
    [
        lambda number, page: number,
        lambda number, page: page.log(number),
        lambda number, page: page.run(partial(page.log, "x")) if number % 2 else None,
        lambda number, page: page.run(lambda: page.choose(*"abc"[: number % 2 + 2])),
    ],
    ids=["result", "log", "script", "choice"],
)
def test_scenario_with_state_outside_is_an_error_and_no_outcome(differs: Callable[[int, Document], object]) -> None:
    numbers = itertools.count()

    def scenario(browser: Browser) -> object:
        first, second = two_pages(browser)
        second.run(partial(second.log, "y"))
        found = differs(next(numbers), first)
        browser.run_until_idle()
        return found

    with pytest.raises(ScenarioError, match="not deterministic"):
        explore(scenario)


def test_failed_assertion_in_a_script_or_a_tool_is_a_failure() -> None:
    def scenario(browser: Browser) -> None:
        page = browser.open("https://a.example/")

        def check() -> None:
            assert page.origin == "https://b.example"

        page.run(check)

    found = explore(scenario)
    assert [str(one.failure) for one in found.failures] == [str(found.outcomes[0].exceptions[0].exception)]
    with pytest.raises(AssertionError, match="1 of 1 outcome break the property"):
        assert_always(found)


def test_keyword_that_python_does_not_have_is_an_error() -> None:
    def scenario(browser: Browser) -> None:
        context = browser.open("https://a.example/").model_context
        context.register_tool(name="t", description="d", execute=print, exposedTo=["https://b.example"])

    assert "register_tool() takes no exposedTo: its keywords are annotations" in str(explore(scenario))


def test_name_in_place_of_a_tool_is_an_error_that_says_what_is_taken() -> None:
    def scenario(browser: Browser) -> None:
        browser.open("https://a.example/").model_context.execute_tool(cast("Any", "pay"))

    assert "execute_tool() takes a tool that get_tools() lists, not 'pay'" in str(explore(scenario))


def test_coroutine_function_is_no_scenario() -> None:
    async def scenario(browser: Browser) -> None:
        pass

    with pytest.raises(ScenarioError, match=r"run coroutines in it as scripts: document\.run"):
        explore(scenario)


@pytest.mark.parametrize(
    ("replay", "error"),
    [
        ("", ScenarioError),
        ("one", ScenarioError),
        ("0,-1", ScenarioError),
        ("7", ScheduleError),
        (",".join("0" * 60), ScheduleError),
    ],
)
def test_schedule_that_is_none_is_an_error(replay: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        explore(logs_in_two_pages, replay=replay)


def test_value_with_an_address_is_an_error() -> None:
    with pytest.raises(TypeError, match="a different text in each run"):
        explore(lambda browser: object())


def test_loop_that_looks_again_for_ever_makes_the_exploration_incomplete() -> None:
    def scenario(browser: Browser) -> None:
        page = browser.open("https://a.example/")

        async def look() -> None:
            for number in itertools.count():
                await page.sleep(100)
                page.log(number)

        page.run(look)

    found = explore(scenario, most_actions=50)
    assert not found.complete
    assert "more than 50 actions" in found.summary
    with pytest.raises(IncompleteError, match="more than 50 actions"):
        found.always(lambda outcome: True)


def test_script_that_does_the_same_for_ever_is_an_error() -> None:
    def scenario(browser: Browser) -> None:
        page = browser.open("https://a.example/")

        async def look() -> None:
            while True:
                await page.sleep(100)

        page.run(look)

    with pytest.raises(ScenarioError, match="limit the number of repetitions"):
        explore(scenario)


def test_exploration_that_reaches_its_bound_says_so() -> None:
    found = explore(shares_a_list, bound=3)
    assert "the search reached 3 runs" in found.summary
    with pytest.raises(IncompleteError):
        found.can(lambda outcome: False)


def test_exception_of_a_script_is_seen_with_its_traceback() -> None:
    def scenario(browser: Browser) -> None:
        page = browser.open("https://a.example/")

        def broken() -> None:
            raise LookupError("no tea")

        page.set_timeout(broken, 1)

    [outcome] = explore(scenario).outcomes
    [exception] = outcome.exceptions
    assert str(exception) == "https://a.example/: broken raised LookupError: no tea"
    assert 'in broken\n    raise LookupError("no tea")' in exception.traceback


def test_failed_assertion_of_a_scenario_is_a_failure_with_a_schedule() -> None:
    def scenario(browser: Browser) -> None:
        assert shares_a_list(browser) != ["b", "a", "b", "a"], "b is first"

    found = explore(scenario)
    assert [str(outcome.exception).splitlines()[0] for outcome in found.failures] == ["b is first"]
    with pytest.raises(AssertionError, match=r'1 of 2 outcomes break the property(.|\n)*replay="[0-9,]+"') as raised:
        assert_always(found)
    assert isinstance(raised.value.__cause__, AssertionError)


def test_assertion_that_something_is_possible_returns_the_outcome() -> None:
    assert assert_possible(shares_a_list, lambda outcome: outcome.value[0] == "b").value[0] == "b"
    with pytest.raises(AssertionError, match="no schedule leads to such an outcome: 6 outcomes"):
        assert_possible(shares_a_list, lambda outcome: outcome.value == [])


def test_script_that_is_broken_off_at_the_end_of_a_run_does_nothing_to_the_next_run() -> None:
    def scenario(browser: Browser) -> None:
        page = browser.open("https://a.example/")

        async def waits() -> None:
            try:
                await page.next_message()
            finally:
                page.model_context.register_tool(name="t", description="d", execute=print)

        page.run(waits)
        page.run(partial(page.choose, 1, 2))

    [outcome] = explore(scenario).outcomes
    assert outcome.pending == ("https://a.example/: waits",)


def test_calls_of_a_document_that_is_gone_are_abandoned() -> None:
    def scenario(browser: Browser) -> None:
        page = browser.open("https://a.example/")
        frame = page.add_frame("https://b.example/")
        frame.run(frame.next_message)
        browser.run_until_idle()
        frame.remove()

    [outcome] = explore(scenario).outcomes
    assert (outcome.pending, outcome.abandoned) == ((), ("https://b.example/: next_message",))


def test_await_of_another_origins_promise_says_what_to_do() -> None:
    def scenario(browser: Browser) -> None:
        one, other = two_pages(browser)

        async def waits() -> None:
            await other.sleep(1)

        one.run(waits)

    found = explore(scenario).outcomes
    assert all("use post_message() and next_message()" in str(outcome.exception) for outcome in found)


def test_outcome_tells_its_story_and_what_decided_it() -> None:
    outcome = assert_possible(shares_a_list, lambda outcome: outcome.value == ["b", "b", "a", "a"])
    story = outcome.explain()
    assert sum(moment.is_decisive for moment in story.moments) == 1
    assert "after *, every schedule leads to this outcome; instead of *, this was possible: " in str(story)
    assert story._repr_html_().startswith("<svg ")
    assert outcome.trace().schedule[: len(outcome.schedule)] == list(outcome.schedule)


def test_notebook_shows_outcomes_as_a_table() -> None:
    html = explore(logs_in_two_pages)._repr_html_()
    assert html.count("<tr>") == 5
    assert 'replay="0"' in html


def outcomes_of(values: Sequence[Any]) -> Scenario:
    """Return a scenario that returns one of some values."""
    return lambda browser: browser.open("https://a.example/").choose(*values)


def test_questions_are_answered_by_the_outcome_with_the_smallest_schedule() -> None:
    found = explore(outcomes_of([1, 2, 3]))
    assert [outcome.value for outcome in found.outcomes] == [1, 2, 3]
    assert found.always(lambda outcome: outcome.value > 0)
    assert not found.always(lambda outcome: outcome.value < 3)
    can = found.can(lambda outcome: outcome.value > 1)
    assert can is not None
    assert (can.value, can.replay) == (2, "1")
    assert found.can(lambda outcome: outcome.value > 3) is None
