"""The processes of running browsers."""

from __future__ import annotations

import os
import subprocess
import tempfile


def main_processes(maker: str, ancestor: int | None = None) -> list[int]:
    """Return the main processes, and their wrappers, of browsers whose profile folder has the prefix ``maker``.

    Args:
        maker: ``playwright`` or ``modelcontext``.
        ancestor: the process that has started them, or is one of them; this process by default.
    """
    folder = f"--user-data-dir={tempfile.gettempdir()}/{maker}"
    family = _family(ancestor or os.getpid())
    return [pid for pid, args in family.items() if folder in args and "--type=" not in args]


def _family(ancestor: int) -> dict[int, str]:
    """Return a process and its descendants, with their command lines."""
    listing = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], check=True, capture_output=True, text=True).stdout
    rows = [
        (int(pid), int(parent), args) for pid, parent, args in (line.split(None, 2) for line in listing.splitlines())
    ]
    family = {ancestor}
    for _ in range(6):
        family |= {pid for pid, parent, _ in rows if parent in family}
    return {pid: args for pid, _, args in rows if pid in family}
