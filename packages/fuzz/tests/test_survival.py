"""A campaign in a real Chromium that is killed repeatedly: every program is judged, and no kill is a finding."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.profiles import load_profile
from modelcontext.running.products import Observation, make_target
from modelcontext.running.products.frames import FramesProduct
from modelcontext_fuzz import campaign as module
from modelcontext_fuzz.campaign import Campaign, Plan
from tests.processes import main_processes

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

pytestmark = pytest.mark.usefixtures("starts_a_browser")

KILLS = 4
MAKERS = ("modelcontext", "playwright")


class Shot(FramesProduct):
    """Chromium that is killed some moments after the first batches have begun."""

    def __init__(self) -> None:
        super().__init__(make_target("chromium"))
        self.kills = 0
        self._moments = random.Random(1)

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        if self.kills == KILLS:
            return super().run_many(programs)
        self.kills += 1
        # In turns the browser of the lanes, and that of programs with a page of their own.
        killer = threading.Timer(self._moments.uniform(0, 2), _kill, [MAKERS[self.kills % 2]])
        killer.start()
        try:
            return super().run_many(programs)
        finally:
            killer.cancel()
            killer.join()


def _kill(maker: str) -> None:
    for pid in main_processes(maker):
        os.kill(pid, signal.SIGKILL)


def test_campaign_with_killed_browsers_judges_every_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 15)
    try:
        with Shot() as chromium:
            report = Campaign(chromium, Plan(3, 60), tmp_path, load_profile("chromium_156")).run()
    except UnavailableError as error:
        pytest.fail(f"this test needs Chromium: {error}")
    assert chromium.kills == KILLS
    assert report.programs == sum(report.kinds.values()) == 60
    assert set(report.kinds) <= {"allowed", "explained", "undecided", "unfit", "forbidden"}
    # A slow machine can make a program show a cause once, which is then unsteady.
    assert report.kinds.get("forbidden", 0) == len(report.unsteady)
    assert report.findings == {}
