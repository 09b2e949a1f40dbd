"""The marks of tests, and the guard of the processes that tests start: what the plugin does with a folder of tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytest_plugins = ["pytester"]

TESTS = """
import asyncio
import multiprocessing
import subprocess
import sys

import pytest


def start(program, *arguments):
    subprocess.run([program, *arguments], check=True)


@pytest.fixture
def engine(starts_a_browser):
    start("node", "--version")


def test_engine_of_a_fixture(engine): ...
def test_engine_of_its_own(starts_a_browser): start("node", "--version")
def test_other_process(takes_long): start(sys.executable, "--version")
def test_git(): start("git", "--version")
def test_nothing(): ...
"""
WITHOUT_MARKS = """
def test_engine(): start("node", "--version")
def test_engine_of_a_slow_test(takes_long): start("node", "--version")
def test_python(): start(sys.executable, "--version")
def test_python_in_a_loop(): asyncio.run(asyncio.create_subprocess_exec(sys.executable, "--version"))
def test_pool(): multiprocessing.get_context("forkserver").Process(target=print).start()


def test_hidden_error():
    with pytest.raises(Exception):
        start("/usr/lib/chromium/chromium", "--version")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, takes_long: None) -> pytest.Pytester:
    """Make a project with this one's plugin and marks."""
    shutil.copy(ROOT / "tools/lanes.py", pytester.path / "conftest.py")
    pytester.makepyprojecttoml(
        "[tool.pytest.ini_options]\nmarkers = ['browser', 'slow']\naddopts = '--strict-markers'\n"
    )
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> tuple[dict[str, int], str]:
    result = project.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist", *arguments)
    return result.parseoutcomes(), result.stdout.str()


def test_lanes_are_chosen_by_fixtures(project: pytest.Pytester, starts_a_browser: None) -> None:
    project.makepyfile(TESTS)
    assert run(project)[0] == {"passed": 5}
    assert run(project, "-m", "browser")[0] == {"passed": 2, "deselected": 3}
    assert run(project, "-m", "slow")[0] == {"passed": 1, "deselected": 4}
    assert run(project, "-m", "not browser and not slow")[0] == {"passed": 2, "deselected": 3}


def test_process_without_its_mark_fails_the_test_and_names_the_fixture(project: pytest.Pytester) -> None:
    project.makepyfile(TESTS.partition("def test_engine_of_a_fixture")[0] + WITHOUT_MARKS)
    outcomes, said = run(project)
    assert outcomes == {"failed": 6}
    for test, program, mark, fixture in (
        ("test_engine", "node", "browser", "starts_a_browser"),
        ("test_engine_of_a_slow_test", "node", "browser", "starts_a_browser"),
        ("test_python", "python", "slow", "takes_long"),
        ("test_python_in_a_loop", "python", "slow", "takes_long"),
        ("test_pool", "python", "slow", "takes_long"),
        ("test_hidden_error", "chromium", "browser", "starts_a_browser"),
    ):
        assert f"::{test} starts {program}" in said
        assert f"without the mark `{mark}`" in said
        assert f"request the fixture `{fixture}`" in said
