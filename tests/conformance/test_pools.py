"""The worker processes of the model, which end with the campaign."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from modelcontext.judging.conformance import pools

pytestmark = pytest.mark.usefixtures("takes_long")

CAMPAIGN = """
import os
from modelcontext.judging.conformance.pools import local_pool

if __name__ == "__main__":
    with local_pool() as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        input()
"""


def test_workers_end_with_a_killed_campaign(tmp_path: Path) -> None:
    script = tmp_path / "campaign.py"
    script.write_text(CAMPAIGN, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as campaign:
        assert campaign.stdout is not None
        worker = os.pidfd_open(int(campaign.stdout.readline()))
        try:
            campaign.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([worker], [], [], 30)
        finally:
            os.close(worker)
    assert ended == [worker]


def test_all_of_many_waiting_tasks_run_in_processes_that_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "TASKS_PER_WORKER", 2)
    with pools.local_pool() as pool:
        waiting = [pool.submit(os.getpid) for _ in range(5)]
        tasks = Counter(future.result(timeout=60) for future in waiting)
    assert sorted(tasks.values()) == [1, 2, 2]
    assert os.getpid() not in tasks


def test_task_of_a_killed_worker_is_an_error() -> None:
    with pools.local_pool(2) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(os._exit, 1).result(timeout=60)
