"""The processes of browsers that have been started."""

from __future__ import annotations

import os
import subprocess
import tempfile


def main_processes(maker: str, ancestor: int | None = None) -> list[int]:
    """The main processes, and their wrappers, of browsers whose folders have been made by it: ``playwright``, or
    ``modelcontext``. They are those that ``ancestor`` has started, or is; this process, if it is not given.
    """
    folder = f"--user-data-dir={tempfile.gettempdir()}/{maker}"
    family = _family(ancestor or os.getpid())
    return [pid for pid, args in family.items() if folder in args and "--type=" not in args]


def _family(ancestor: int) -> dict[int, str]:
    """A process and those that it has started, directly or not, with their command lines."""
    listing = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], check=True, capture_output=True, text=True).stdout
    rows = [
        (int(pid), int(parent), args) for pid, parent, args in (line.split(None, 2) for line in listing.splitlines())
    ]
    family = {ancestor}
    for _ in range(6):
        family |= {pid for pid, parent, _ in rows if parent in family}
    return {pid: args for pid, _, args in rows if pid in family}
