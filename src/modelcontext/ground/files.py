"""Writing a file as a whole: another program sees the old file or the new one, and never a part."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class WriteError(Exception):
    """A file cannot be written; the message names the file and the reason."""


def write_whole(path: Path, content: str | bytes) -> None:
    """Write the file at once, text as UTF-8, and make its folder. A failure leaves the old file, and no other file.

    Raises:
        WriteError: if the file system does not allow it.
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
