"""Tests that are known to wait until they are given up, which must not delay others.

The session is a puppet, which counts the tests that run at the same time.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from modelcontext.judging.wpt import runner
from modelcontext.judging.wpt.discovery import Test
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.judging.wpt.runner import MOST_WAITING, default_workers, patient, run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import Tree
from modelcontext.running.products import Target, make_target


def paths(word: str, count: int) -> list[str]:
    return [f"/{word}/{number}.html" for number in range(count)]


class Puppet:
    """A session in which the tests in ``slow`` end after all others."""

    slow: frozenset[str]
    others: int
    most: int

    version = "1"

    def __init__(self) -> None:
        self._over = asyncio.Event()
        self._running = 0
        self._left = self.others

    async def run(self, test: Test, server: TestServer) -> Result:
        self._running += 1
        Puppet.most = max(self.most, self._running)
        if test.path in self.slow:
            await asyncio.wait_for(self._over.wait(), 20)
        else:
            await asyncio.sleep(0)
            self._left -= 1
            if self._left == 0:
                self._over.set()
        self._running -= 1
        return Result(test.path, FileStatus.OK)


@asynccontextmanager
async def open_puppet(target: Target) -> AsyncIterator[Puppet]:
    yield Puppet()


@pytest.mark.parametrize("count", [1, MOST_WAITING])
def test_waiting_tests_run_besides_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int) -> None:
    waiting, others = paths("waiting", count), paths("other", 9)
    tests = [Test(path, False, True) for path in (*others[:4], *waiting, *others[4:])]
    Puppet.slow, Puppet.others, Puppet.most = frozenset(waiting), len(others), 0
    monkeypatch.setattr(runner, "open_session", open_puppet)
    heard: list[str] = []
    with TestServer(Tree(tmp_path, {}, {})) as server:
        results = run_tests(
            tests, server, make_target("chromium"), waiting=waiting, finished=lambda one: heard.append(one.test)
        )
    assert [result.test for result in results] == heard == [test.path for test in tests]
    assert count < Puppet.most <= default_workers() + count


@pytest.mark.parametrize(
    ("long", "load", "seconds"),
    [(False, 4, None), (False, 4.1, 20.0), (False, 8, 20.0), (True, 8, 120.0), (False, 1000, 60.0)],
)
def test_test_of_a_busy_machine_is_given_up_later(
    monkeypatch: pytest.MonkeyPatch, *, long: bool, load: float, seconds: float | None
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert patient(Test("/x.html", False, long), load).patience == seconds


def test_patience_that_a_test_has_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert patient(Test("/x.html", False, False, patience=1.0), 1000).patience == 1
