"""The two lanes of tests. A test has its marks from the fixtures that it requests, and starts only processes that they allow.

``browser`` and ``slow`` are never set by hand. A test, or a fixture of one, requests :func:`starts_a_browser` before it starts
a browser or Node.js, and :func:`takes_long` before it starts another process or works for long. ``make quick`` runs the tests
with neither mark. A test that starts a process without the mark for it fails in every lane, also if something hides the error.
"""

from __future__ import annotations

import gc
import multiprocessing.util
import os
import re
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest

#: The mark that each of the two fixtures gives.
_MARKS: Final = {"starts_a_browser": "browser", "takes_long": "slow"}
#: The names of programs that are browsers or JavaScript engines.
_BROWSERS: Final = re.compile(r"chrom|headless|firefox|geckodriver|node")
#: Programs that are small enough for any test; Python asks uname for the processor.
_SMALL: Final = frozenset({"git", "uname"})


@pytest.fixture(scope="session")
def starts_a_browser() -> None:
    """Allow browsers and Node.js, and mark the test ``browser``."""


@pytest.fixture(scope="session")
def takes_long() -> None:
    """Allow processes that are no browsers, and mark the test ``slow``."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by its fixtures, before ``-m`` selects tests."""
    for item in items:
        for fixture, mark in _MARKS.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)


def pytest_collection_finish() -> None:
    """Let the garbage collector look at the objects of the tests only, and less often: thousands of tests are objects, too."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 50, 100)
    gc.enable()


class UnmarkedProcessError(Exception):
    """The start of a process by a test without the mark for it."""


class _Guard:
    """A guard of the starts of processes. ``problems`` has those of the running test."""

    def __init__(self) -> None:
        self.item: pytest.Function | None = None
        self.problems: list[str] = []

    def check(self, program: object) -> None:
        """Note and raise an error if the running test has not the mark for a program."""
        if self.item is None:
            return
        name = Path(os.fsdecode(program) if isinstance(program, str | bytes | os.PathLike) else str(program)).name
        is_browser = _BROWSERS.search(name) is not None
        marks = {"browser"} if is_browser else {"browser", "slow"}
        if name in _SMALL or any(mark in marks for mark in (marker.name for marker in self.item.iter_markers())):
            return
        fixture = "starts_a_browser" if is_browser else "takes_long"
        problem = (
            f"{self.item.nodeid} starts {name} without the mark `{_MARKS[fixture]}`:"
            f" let it, or the fixture that starts {name}, request the fixture `{fixture}`"
        )
        self.problems.append(problem)
        raise UnmarkedProcessError(problem)

    def around(self, start: Callable[..., Any], index: int) -> Callable[..., Any]:
        """Return a function that starts a process as ``start`` does; its argument at ``index`` names the program."""

        def checked(*arguments: Any, **options: Any) -> Any:
            command = arguments[index] if len(arguments) > index else options.get("args")
            self.check(command[0] if isinstance(command, list | tuple) and command else command)
            return start(*arguments, **options)

        return checked


_guard = _Guard()


def pytest_configure() -> None:
    """Guard the two functions of Python by which all code here starts processes. Collect no garbage while tests are found."""
    gc.disable()
    subprocess.Popen.__init__ = _guard.around(subprocess.Popen.__init__, 1)  # type: ignore[method-assign]
    multiprocessing.util.spawnv_passfds = _guard.around(multiprocessing.util.spawnv_passfds, 0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Tell the guard which test runs. Tests that other plugins make of files may start what they like."""
    _guard.item = item if isinstance(item, pytest.Function) else None
    _guard.problems.clear()
    try:
        return (yield)
    finally:
        _guard.item = None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Let the fixtures of the session end after its last test, which need not be one that has used them."""
    if nextitem is None:
        _guard.item = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """Fail a test that has met :class:`UnmarkedProcessError`, whatever has caught it."""
    yield
    if _guard.problems:
        pytest.fail("\n".join(_guard.problems), pytrace=False)
