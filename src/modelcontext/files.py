"""Writing files whole: another program sees the old file or the new one, and never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class WriteError(Exception):
    """A file could not be written; the message says which, and why."""


def write_whole(path: Path, content: str | bytes) -> None:
    """Write the file at once; text is written as UTF-8. Whatever stops this leaves the old file, and nothing beside it.

    Raises :class:`WriteError`.
    """
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror}") from None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        # mkstemp makes files that only their owner may read.
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
