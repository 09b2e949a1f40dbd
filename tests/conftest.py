"""Settings and fixtures of the core's tests: order of files, a small corpus with one program of each kind."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

# The longest files, longest first. They start first, so that parallel processes end together.
LONGEST = (
    "coverage/test_suite.py",
    "packaging/test_wheel.py",
    "wpt/test_runner.py",
    "page/test_page.py",
    "playground/test_page.py",
    "wpt/test_mutations.py",
    "wpt/test_verb.py",
    "wpt/test_foreign_checkout.py",
    "wpt/test_pytest_items.py",
    "products/test_own_polyfill.py",
    "packaging/test_missing_extras.py",
    "products/test_frames.py",
    "fuzz/test_campaign.py",
    "products/test_firefox.py",
    "cli/test_conformance.py",
    "specification/test_drift.py",
    "specification/test_freezing.py",
    "specification/test_checking.py",
    "html/test_parsing.py",
    "specification/test_decisions.py",
    "revisions/test_large_forms.py",
    "wpt/test_driver.py",
    "wpt/test_suite.py",
    "schedule/test_generated_programs.py",
    "schedule/test_generated_races.py",
    "litmus/test_catalogue.py",
    "profiles/test_profiles.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files first; all others keep their order."""
    folder = Path(__file__).parent
    ranks = {folder / name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(LONGEST)))


def pytest_collection_finish() -> None:
    """Let the garbage collector look at the objects of the tests only, and less often: thousands of tests are objects, too."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 50, 100)


AGREES = """
title = "Nothing is registered at the start"
[[script.top]]
do = "getTools"
"""

DISAGREES = """
title = "A callback that resolves with undefined makes executeTool reject with UnknownError"
[[script.top]]
do = "registerTool"
tool = { name = "t", description = "d" }
callback = { resolves = { "$js" = "undefined" } }
[[script.top]]
do = "executeTool"
tool = { "$tool" = "t" }
as = "call"
"""

KNOWN = """
[[program]]
name = "results/disagrees"
reason = "product"
step = "imperative-execute-steps 12.a.3"
observed = 'call: fulfilled with "undefined"'
note = "undefined has no JSON text"
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Make the ``wpt_tests`` of a checkout: two programs, and the expectation that one of them disagrees on Chromium."""
    folder = tmp_path / "wpt_tests"
    for name, text in (("listing/agrees", AGREES), ("results/disagrees", DISAGREES)):
        path = folder / "programs" / f"{name}.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (folder / "expectations").mkdir()
    (folder / "expectations" / "chromium.toml").write_text(KNOWN)
    return folder
