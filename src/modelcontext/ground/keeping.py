"""Keeping: ``build`` stores the results of slow computations until something that they depend on changes.

The name of a kept file begins with a digest of all that its content depends on beside what the rest of the name says: every
file of some packages, Python and the libraries. A change of any of them is another digest, so that nobody is told what an
earlier state has made.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.files import WriteError, write_whole

#: The number of hexadecimal digits of a digest.
DIGITS: Final = 32
#: The most files of one state that a folder keeps. A profile has about fifty texts.
MOST: Final = 256
#: The folder in the package of the project's files that installed packages carry; nothing that is kept is made of them.
_CARRIED: Final = "project"
#: The name of a library that is always required; one for an extra has a marker after a semicolon.
_REQUIRED: Final = re.compile(r"[\w.-]+(?=[^;]*$)")


def read_kept(path: Path) -> Any:
    """Return the data that a file keeps, or None: it was not made yet, or was cut."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def keep(path: Path, data: object) -> None:
    """Keep data in a file; remove from its folder the files of other states, and the oldest of too many.

    Without a place to keep the data, the next command makes it again.
    """
    with suppress(OSError, WriteError):
        path.parent.mkdir(parents=True, exist_ok=True)
        others = [other for other in path.parent.glob("*.json") if other != path]
        of_this_state = [other for other in others if other.name[:DIGITS] == path.name[:DIGITS]]
        oldest = sorted(of_this_state, key=_age)[: max(len(of_this_state) + 1 - MOST, 0)]
        for outdated in {*others} - {*of_this_state} | {*oldest}:
            outdated.unlink(missing_ok=True)
        write_whole(path, json.dumps(data) + "\n")


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0  # Another process has removed it.


def sources(package: Path) -> Iterator[Path]:
    """Yield the files of a package on which what is kept may depend."""
    for path in sorted(package.rglob("*")):
        if path.is_file() and path.suffix != ".pyc" and path.relative_to(package).parts[0] != _CARRIED:
            yield path


@cache
def digest(*packages: Path) -> str:
    """Return the digest of Python, of the libraries, and of the files of packages."""
    found = hashlib.sha256(sys.version.encode())
    for requirement in requires("modelcontext") or ():
        if (match := _REQUIRED.match(requirement)) is not None:
            found.update(f"{match[0]} {version(match[0])}\0".encode())
    for package in packages:
        for path in sources(package):
            content = path.read_bytes()
            found.update(f"{path.relative_to(package).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()[:DIGITS]
