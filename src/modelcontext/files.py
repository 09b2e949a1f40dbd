"""Writing files whole: another program sees the old file or the new one, and never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class WriteError(Exception):
    """A file could not be written; the message says which, and why."""


def write_whole(path: Path, text: str) -> None:
    """Write the file at once. Whatever stops this leaves the old file, and nothing beside it.

    Raises :class:`WriteError`.
    """
    try:
        _write(path, text)
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp makes files that only their owner may read.
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
