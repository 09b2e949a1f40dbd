"""Settings and fixtures of the tests of every distribution: lanes, deterministic examples, Chromium."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from modelcontext.ground.schedule import footprint
from modelcontext.running.products.chromium import DISABLED, FLAGS
from modelcontext.running.products.registry import make_target

#: ``make quick`` leaves out what they mark.
pytest_plugins = ["tools.lanes"]

settings.register_profile("deterministic", derandomize=True, database=None, deadline=None, print_blob=False)
settings.load_profile("deterministic")


@pytest.fixture(autouse=True)
def _leave_the_world() -> Iterator[None]:
    """Let no task of an abandoned run give way when a later test changes a map."""
    yield
    footprint.call_before_shared_writes(None)


@pytest.fixture(scope="module")
def chromium(starts_a_browser: None) -> Iterator[Browser]:
    """Start the Chromium that the product would run, without its user interface, and with nothing of the harness in it."""
    target = make_target("chromium")
    binary = target.find_binary()
    assert binary is not None
    shell = target.engine.find_shell(None, binary)
    with sync_playwright() as playwright:
        # Chromium's own user interface would start two more processes for each window.
        flags = [*FLAGS, f"--disable-features={','.join(DISABLED)}"]
        browser = playwright.chromium.launch(executable_path=shell or binary, args=flags)
        yield browser
        browser.close()
