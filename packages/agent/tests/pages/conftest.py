"""Fixtures of the tests of pages: steps on a stage, in one browser for each module."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias

import pytest

from modelcontext.running.serving.http import Server
from modelcontext_agent.pages.live_page import open_browser
from packages.agent.tests.pages.stages import STAGES, Stage, stage_server

# Seconds after which a test counts as hung.
PATIENCE = 30

Steps: TypeAlias = Callable[[Stage], Awaitable[None]]
OnPage: TypeAlias = Callable[[Steps], None]
InBrowser: TypeAlias = Callable[[Callable[[Any, Server], Awaitable[None]]], None]


@pytest.fixture(scope="module")
def in_browser(starts_a_browser: None) -> Iterator[InBrowser]:
    """Return a function that runs steps with the module's browser, and a server of the stage's pages."""
    with asyncio.Runner() as runner, stage_server() as server:
        opening = open_browser()
        browser = runner.run(opening.__aenter__())

        async def run(steps: Callable[[Any, Server], Awaitable[None]]) -> None:
            async with asyncio.timeout(PATIENCE):
                await steps(browser, server)

        yield lambda steps: runner.run(run(steps))
        runner.run(opening.__aexit__(None, None, None))


@pytest.fixture(params=STAGES)
def on_page(request: pytest.FixtureRequest, in_browser: InBrowser) -> OnPage:
    """Return a function that runs steps on the stage of one way to reach a page."""

    def run(steps: Steps) -> None:
        async def on_stage(browser: Any, server: Server) -> None:
            async with STAGES[request.param](browser, server) as stage:
                await steps(stage)

        in_browser(on_stage)

    return run
