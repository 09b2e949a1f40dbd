"""The processes of a browser that this process has started, and of what drives it."""

from __future__ import annotations

import os
import subprocess
import tempfile


def browser_process() -> int:
    """The main process of the Chromium that Playwright has started for this process."""
    return main_processes("playwright")[0]


def lanes_process() -> int:
    """The main process of the Chromium with the pages of lanes."""
    return main_processes("modelcontext")[0]


def main_processes(maker: str) -> list[int]:
    """The main processes of browsers whose folders have been made by it: ``playwright``, or ``modelcontext``."""
    folder = f"--user-data-dir={tempfile.gettempdir()}/{maker}"
    return [pid for pid, args in _family().items() if folder in args and "--type=" not in args]


def driver_process() -> int:
    """The process of the Playwright that this process has started."""
    return next(pid for pid, args in _family().items() if "run-driver" in args)


def _family() -> dict[int, str]:
    """The processes that this one has started, directly or not, with their command lines."""
    listing = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], check=True, capture_output=True, text=True).stdout
    rows = [
        (int(pid), int(parent), args) for pid, parent, args in (line.split(None, 2) for line in listing.splitlines())
    ]
    family = {os.getpid()}
    for _ in range(6):
        family |= {pid for pid, parent, _ in rows if parent in family}
    return {pid: args for pid, _, args in rows if pid in family - {os.getpid()}}
