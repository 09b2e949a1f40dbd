"""Files that a user names: the code distinguishes them from URLs, limits how much it reads, and replaces each as a whole.

Another program sees the old file or the new one, and never a part. Only a regular file is replaced, and it keeps its mode;
a new file has the mode that the umask leaves. A device, a FIFO or a standard stream is written into, and a symbolic link
stays one: its target is written.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from modelcontext.ground.problems import UserError

#: The most bytes that are read of a file. No program, page or script that a person wrote is nearly as long.
MOST_READ: Final = 16 * 1024 * 1024


class WriteError(UserError):
    """A file cannot be written; the message names the file and the reason."""


class ReadError(UserError):
    """A file cannot be read; the message names the file and the ``reason``."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.reason = reason


def is_url(text: str) -> bool:
    """Return whether a text is a URL of the web, and not the path of a file."""
    return text.lower().startswith(("http:", "https:"))


def read_whole(path: Path, *, most: int = MOST_READ) -> bytes:
    """Return the content of a file. A FIFO is read if a program has opened it for writing.

    Raises:
        ReadError: if the file cannot be read, or has more bytes than ``most``.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            # A FIFO without a writer is at its end; one with a writer is waited for.
            os.set_blocking(file.fileno(), True)
            content = file.read(most + 1)
    except OSError as error:
        raise ReadError(path, f"cannot be read: {error.strerror or error}") from None
    if len(content) > most:
        raise ReadError(path, f"cannot be read: there are more than {most:,} bytes")
    return content


def read_text(path: Path, *, most: int = MOST_READ) -> str:
    """Return the text of a file, in UTF-8.

    Raises:
        ReadError: as :func:`read_whole`, or if the content is not UTF-8.
    """
    try:
        return read_whole(path, most=most).decode()
    except UnicodeDecodeError as error:
        raise ReadError(
            path, f"cannot be read: it is not UTF-8: byte {error.start} is not part of a character"
        ) from None


def read_toml(path: Path, *, most: int = MOST_READ) -> dict[str, Any]:
    """Return the content of a file of TOML. Raises :class:`ReadError`."""
    data: dict[str, Any] = _parsed(path, tomllib.loads, "TOML", most)
    return data


def read_json(path: Path, *, most: int = MOST_READ) -> Any:
    """Return the content of a file of JSON. Raises :class:`ReadError`."""
    return _parsed(path, json.loads, "JSON", most)


def _parsed(path: Path, parse: Callable[[str], Any], language: str, most: int) -> Any:
    text = read_text(path, most=most)
    try:
        return parse(text)
    except ValueError as error:
        raise ReadError(path, f"this is not {language}: {error}") from None
    except RecursionError:
        raise ReadError(path, f"this is not {language} that can be read: it is nested too deeply") from None


def write_whole(path: Path, content: str | bytes) -> None:
    """Write the file at once, text as UTF-8, and make its folder. A failure leaves the old file, and no other file.

    Raises:
        WriteError: if the file system does not allow it.
    """
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror or error}") from None


def check_writable(path: Path) -> None:
    """Make sure that a file can be written, before there is something to write. Nothing is changed.

    Raises:
        WriteError: if it cannot.
    """
    try:
        status = _status(path)
        if status is not None:
            _require_writable(path, status)
        if status is None or stat.S_ISREG(status.st_mode):
            _require_room(Path(os.path.realpath(path)).parent)
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror or error}") from None


def check_writable_folder(path: Path) -> None:
    """Make sure that files can be written in a folder, which need not exist yet. Nothing is changed.

    Raises:
        WriteError: if they cannot.
    """
    try:
        _require_room(Path(os.path.realpath(path)))
    except OSError as error:
        raise WriteError(f"{path} cannot be written: {error.strerror or error}") from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a FIFO that no other program has opened does not wait for one."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _require_writable(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if stat.S_ISSOCK(status.st_mode):
        raise OSError(errno.ENXIO, "it is a socket")
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _require_room(folder: Path) -> None:
    """Make sure that a file can be made in a folder, or in the nearest one above it that exists."""
    while (status := _status(folder)) is None:
        folder = folder.parent
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is not a folder")
    with tempfile.TemporaryFile(dir=folder):
        pass


def _write(path: Path, content: bytes) -> None:
    status = _status(path)
    if status is not None:
        _require_writable(path, status)
        stream = _standard_stream(status)
        if stream is not None:
            with os.fdopen(os.dup(stream), "wb") as file:
                file.write(content)
            return
        if not stat.S_ISREG(status.st_mode):
            _write_into(path, content, status)
            return
    # What stands behind a link is replaced, and the link stays.
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, content, status)


def _standard_stream(status: os.stat_result) -> int | None:
    """Return the number of the standard stream that a file is, as /dev/stdout is, or None."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        with contextlib.suppress(OSError):
            if stream is not None and os.path.samestat(os.fstat(number), status):
                stream.flush()
                return number
    return None


def _write_into(path: Path, content: bytes, status: os.stat_result) -> None:
    try:
        descriptor = _without_waiting(str(path), os.O_WRONLY | os.O_NOCTTY)
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(status.st_mode):
            raise OSError(errno.ENXIO, "no program reads from this FIFO") from None
        raise
    with os.fdopen(descriptor, "wb") as file:
        os.set_blocking(descriptor, True)
        file.write(content)


def _replace(path: Path, content: bytes, status: os.stat_result | None) -> None:
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if status is not None:
                # Only a superuser can give files to others.
                with contextlib.suppress(PermissionError):
                    os.fchown(descriptor, status.st_uid, status.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
