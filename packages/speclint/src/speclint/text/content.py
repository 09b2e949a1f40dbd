"""The content of a text: of a file, or of a file at a commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from speclint.text.text_error import TextError

#: Bytes; the largest Bikeshed sources have a fifth of this.
LARGEST = 4_000_000


def read_content(path: Path) -> str:
    """Return the content of a file, or of ``REV:path`` in the git repository of the working directory.

    Raises:
        TextError: if the file cannot be read, is too large, or is not UTF-8.
    """
    content = _at_commit(path) if is_at_commit(path) else _of_file(path)
    if len(content) > LARGEST:
        raise TextError(f"the text is larger than any specification: at most {LARGEST:,} bytes are read", path)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TextError("the text is not UTF-8: save it as UTF-8", path, line) from None


def is_at_commit(path: Path) -> bool:
    """Return whether a name means a file at a commit, because it is no file and has a colon."""
    return ":" in str(path) and not path.exists()


def _of_file(path: Path) -> bytes:
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            os.set_blocking(file.fileno(), True)
            return file.read(LARGEST + 1)
    except OSError as error:
        raise TextError(f"the text cannot be read: {error.strerror}", path, environment=True) from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a FIFO that no program has opened for writing is at its end."""
    return os.open(path, flags | os.O_NONBLOCK)


def _at_commit(name: Path) -> bytes:
    try:
        shown = subprocess.run(["git", "show", "--end-of-options", str(name)], capture_output=True, check=False)
    except FileNotFoundError:
        raise TextError("this names a file at a commit, but git is not installed", name, environment=True) from None
    if shown.returncode != 0:
        reason = shown.stderr.decode(errors="replace").strip().partition("\n")[0].removeprefix("fatal: ")
        raise TextError(f"this is neither a file nor a REV:path that git can read: {reason}", name, environment=True)
    return shown.stdout
