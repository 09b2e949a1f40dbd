"""Many programs in frames of one page of a real browser, with the same outcomes as in pages of their own.

Outcomes are compared on the polyfill and the page, where a program has the same outcome each time. Chromium's own promises
do not settle each time: of 1,000 registrations in a frame some 3 never do, which is for campaigns to find.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.programs.program.reading import from_data, load
from modelcontext.running.products import Ending, frames, make_target
from modelcontext.running.products.devtools.browser import WatchingBrowser
from modelcontext.running.products.frames import FramesProduct, fits_into_a_frame
from modelcontext_fuzz.causes import diagnose
from tests.processes import main_processes

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[2]
NAMES = (
    "execution/echo",
    "execution/across-frames",
    "events/own-change",
    "exposure/exposed",
    "exposure/sandboxed",
    "listing/popups",
    "documents/sibling-frames",
    "documents/origin-after-navigation",
    "cancellation/across-origins",
    "registration/insecure-context",
)
PROGRAMS = [load(ROOT / f"wpt_tests/programs/{name}.toml") for name in NAMES]


@pytest.fixture(scope="module")
def chromium(starts_a_browser: None) -> Iterator[FramesProduct]:
    try:
        with FramesProduct(make_target("chromium"), patience=5) as running:
            yield running
    except UnavailableError as error:
        pytest.fail(f"these tests need Chromium: {error}")


@pytest.fixture(scope="module")
def polyfill(starts_a_browser: None) -> Iterator[FramesProduct]:
    try:
        with FramesProduct(make_target("polyfill"), patience=5) as running:
            yield running
    except UnavailableError as error:
        pytest.fail(f"these tests need Chromium and the npm packages: {error}")


@pytest.fixture(scope="module")
def page(starts_a_browser: None) -> Iterator[FramesProduct]:
    try:
        # Python takes its time in a page, where others work on the same processors.
        with FramesProduct(make_target("page"), patience=15, patience_in_frames=15) as running:
            yield running
    except UnavailableError as error:
        pytest.fail(f"these tests need Chromium and the npm packages: {error}")


def program(*steps: dict[str, Any]) -> Program:
    return from_data({"title": "t", "script": {"top": list(steps)}})


REGISTER = {"do": "registerTool", "tool": {"name": "t", "description": "d"}}
CRASH = load(ROOT / "wpt_tests/programs/registration/reentrant.toml")


def log(value: int) -> Program:
    return program({"do": "log", "value": value})


@pytest.mark.usefixtures("starts_a_browser")
@pytest.mark.parametrize("name", ["polyfill", "page"])
def test_outcomes_in_frames_and_pages_are_equal(name: str, request: pytest.FixtureRequest) -> None:
    product: FramesProduct = request.getfixturevalue(name)
    assert {fits_into_a_frame(made) for made in PROGRAMS} == {True, False}
    in_batches = product.run_many(PROGRAMS * 2)
    alone = [product.run(made) for made in PROGRAMS]
    for made, first, second, other in zip(
        PROGRAMS, in_batches[: len(PROGRAMS)], in_batches[len(PROGRAMS) :], alone, strict=True
    ):
        assert first.outcome == second.outcome == other.outcome, made.title
        assert first.outcome is not None


def test_top_document_in_a_frame_has_its_headers(chromium: FramesProduct) -> None:
    made = load(ROOT / "wpt_tests/programs/policy/all-operations.toml")
    assert diagnose(made, chromium.run_many([made])[0]).kind == "allowed"


def test_program_that_leaves_its_page_does_not_fit_into_a_frame() -> None:
    leaving = load(ROOT / "wpt_tests/litmus/back-forward-cache/call-of-its-own-tool.toml")
    assert not fits_into_a_frame(leaving)


def test_exception_of_python_is_an_error_of_the_run(page: FramesProduct) -> None:
    programs = [log(1)] * frames.LANES
    page.run_many(programs)
    for lane in page._lanes:
        page._wait(lane._tab.call("opener.modelcontextFault('KeyError')"))
    observations = page.run_many(programs)
    assert {(one.ending, one.detail) for one in observations} == {(Ending.ERROR, "KeyError")}
    assert {one.ending for one in page.run_many(programs)} == {Ending.OUTCOME}


def test_programs_in_one_page_are_isolated(polyfill: FramesProduct) -> None:
    made = program({"do": "getTools"}, REGISTER, {"do": "getTools", "as": "then"})
    outcomes = {observation.outcome for observation in polyfill.run_many([made] * 12)}
    assert len(outcomes) == 1


def test_crash_is_the_observation_of_its_program_alone(chromium: FramesProduct) -> None:
    programs = [log(1), CRASH, log(2), log(3), CRASH, log(4)]
    endings = [observation.ending for observation in chromium.run_many(programs)]
    assert endings == [Ending.CRASH if made is CRASH else Ending.OUTCOME for made in programs]


def test_crash_in_cross_site_frame_or_popup_is_an_observation(chromium: FramesProduct) -> None:
    steps = CRASH.to_data()["script"]["top"]
    programs = [
        from_data({"title": "t", "documents": {"other": {"origin": "B", **spec}}, "script": {"other": steps}})
        for spec in ({"parent": "top", "allow": "tools"}, {"opener": "top"})
    ]
    endings = [observation.ending for observation in chromium.run_many([log(1), *programs, log(2), *programs])]
    assert endings == [Ending.OUTCOME, Ending.CRASH, Ending.CRASH, Ending.OUTCOME, Ending.CRASH, Ending.CRASH]


def test_hanging_page_is_a_timeout(chromium: FramesProduct, monkeypatch: pytest.MonkeyPatch) -> None:
    pending = program({**REGISTER, "callback": {"pending": "p"}}, {"do": "executeTool", "tool": {"$tool": "t"}})
    with monkeypatch.context() as impatient:
        # The page gives up before it has waited for news.
        impatient.setattr(chromium, "patience_in_frames", 0.05)
        (observation,) = chromium.run_many([pending])
    assert observation.ending is Ending.TIMEOUT
    endings = [observation.ending for observation in chromium.run_many([log(1), pending, log(2)])]
    assert endings == [Ending.OUTCOME] * 3


def test_failed_program_keeps_its_lane_unless_a_process_hangs(chromium: FramesProduct) -> None:
    lost = from_data(
        {
            "title": "t",
            "documents": {"child": {"parent": "top"}, "late": {"parent": "child", "start": "later"}},
            "script": {
                "top": [{"do": "executeTool", "tool": {"$tool": "t", "in": "late"}}],
                "child": [{"do": "addFrame", "document": "late"}],
                "late": [REGISTER],
            },
        }
    )

    def context() -> object:
        (observation,) = chromium.run_many([lost])
        assert observation.ending is Ending.ERROR
        return tab._context

    chromium.run_many([log(1)])
    tab: Any = chromium._lanes[0]._tab
    before = context()
    assert context() is before

    async def hang() -> None:
        tab._kept[0].send("Runtime.evaluate", expression="for (;;);")

    chromium._wait(hang())
    context()
    assert chromium.run_many([log(1)])[0].ending is Ending.OUTCOME
    assert tab._context is not before


def driver(chromium: FramesProduct) -> list[int]:
    """Return the process of Playwright's driver."""
    browser: Any = chromium._browser
    return [browser._playwright._impl_obj._connection._transport._proc.pid]


def of_pages(chromium: FramesProduct) -> list[int]:
    """Return the processes of the Chromium that Playwright has started."""
    return main_processes("playwright", *driver(chromium))


def of_lanes(chromium: FramesProduct) -> list[int]:
    """Return the processes of the Chromium with the pages of lanes."""
    assert chromium.tabs is not None
    assert isinstance(chromium.tabs.browser, WatchingBrowser)
    return main_processes("modelcontext", chromium.tabs.browser.pipe.process.pid)


@pytest.mark.parametrize("processes", [of_pages, of_lanes, driver])
def test_killed_processes_are_started_again(
    chromium: FramesProduct, processes: Callable[[FramesProduct], list[int]]
) -> None:
    programs = [log(number) for number in range(40)]
    chromium.run_many(programs[:3])
    killed: set[object] = set()
    original = chromium._observe

    async def observe(lane: Any, made: Program) -> Any:
        tabs = chromium.tabs
        if len(killed) < 2 and tabs not in killed and made.steps("top")[0].arguments["value"] in (5, 25):
            killed.add(tabs)
            for pid in processes(chromium):
                os.kill(pid, signal.SIGKILL)
        return await original(lane, made)

    chromium._observe = observe  # type: ignore[method-assign,assignment]
    try:
        observations = chromium.run_many(programs)
    finally:
        del chromium._observe
    assert killed
    for number, observation in enumerate(observations):
        assert observation.outcome is not None
        assert observation.outcome.logs["top"][0]["log"] == number
    # The first program in a page of its own notices the loss of processes that lanes do not need.
    assert chromium.run(programs[0]).ending is Ending.OUTCOME
    assert chromium.tabs not in killed
