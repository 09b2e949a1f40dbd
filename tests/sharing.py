"""Folders that one process of a test run makes, and that all others use."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Return a folder that ``make`` has filled, in this process or in another one.

    Others wait while the first process makes it. A process that fails leaves nothing, and the next one tries again.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    is_made = folder.with_name(f"{folder.name}.made")
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            is_made.touch()
    return folder
