"""The processes that hold leases: a lease says whose it is, so that one of a process that has ended is not waited for."""

from __future__ import annotations

import os
import platform
import uuid
from functools import cache
from pathlib import Path


def new_lease() -> str:
    """Return a lease of this process."""
    return f"{_machine()} {os.getpid()} {_start_of(os.getpid())} {uuid.uuid4().hex}"


def is_orphan(lease: str) -> bool:
    """Return whether a lease is of a process of this machine that has ended. Of another machine nothing is known."""
    machine, _, rest = lease.partition(" ")
    pid, _, rest = rest.partition(" ")
    if machine != _machine() or not pid.isdecimal():
        return False
    start = rest.partition(" ")[0]
    # Another process may have the number by now.
    return not _is_there(int(pid)) or start != _start_of(int(pid))


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@cache
def _machine() -> str:
    """Return a word for this machine since it was started."""
    boot = _text(Path("/proc/sys/kernel/random/boot_id"))
    return uuid.uuid5(uuid.NAMESPACE_OID, f"{platform.node()} {boot} {_namespace()}").hex


def _namespace() -> str:
    """Return the namespace of the numbers of processes: those of a container have numbers of their own."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _start_of(pid: int) -> str:
    """Return when a process was started, or a word for "unknown" where the system does not say it."""
    fields = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else "unknown"


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
