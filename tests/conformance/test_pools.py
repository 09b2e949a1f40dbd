"""The worker processes of the model, which end with the campaign."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

CAMPAIGN = """
import os
from modelcontext.conformance.pools import local_pool

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
