"""Kills the browsers that are descendants of this process, including the one that sends the request."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any


def main(request: Any, response: Any) -> str:
    """Kill all browsers, because this process cannot know which one sends the request."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = stat.read_text().rpartition(")")
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(rest.split()[1])
    for process in parents:
        if _descends(process, parents) and _is_browser(process):
            os.kill(process, signal.SIGKILL)
    return ""


def _descends(process: int, parents: dict[int, int]) -> bool:
    while process in parents:
        process = parents[process]
        if process == os.getpid():
            return True
    return False


def _is_browser(process: int) -> bool:
    try:
        arguments = Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return False
    is_part = any(argument.startswith("--type=") or argument == "-contentproc" for argument in arguments)
    return not is_part and any(argument.lstrip("-").startswith("remote-debugging-p") for argument in arguments)
