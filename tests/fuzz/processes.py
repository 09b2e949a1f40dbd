"""The processes of a browser that this process has started."""

from __future__ import annotations

import os
import subprocess


def browser_process() -> int:
    """The main process of the Chromium that this process has started."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid=,args="], check=True, capture_output=True, text=True).stdout
    rows = [
        (int(pid), int(parent), args) for pid, parent, args in (line.split(None, 2) for line in listing.splitlines())
    ]
    family = {os.getpid()}
    for _ in range(6):
        family |= {pid for pid, parent, _ in rows if parent in family}
    return next(
        pid for pid, _, args in rows if pid in family and "chromium" in args.split()[0] and "--type=" not in args
    )
