"""The standard streams of a command: a reader that leaves, a full disk and odd characters end no command with a traceback."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, Any, Final, NoReturn, TextIO

from modelcontext.ground.problems import UserError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


#: The exit code when the reader of the standard output has left, as shells have it.
CLOSED: Final = 141


class OutputError(UserError):
    """The standard output cannot be written; ``is_closed`` is true if its reader has left, as ``head`` does."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the standard output cannot be written: {error.strerror or error}")
        self.is_closed = error.errno == errno.EPIPE


class _Output(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputError(error) from None


class _Messages(io.FileIO):
    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except OSError:
            # Nobody can be told; the exit code still tells.
            return memoryview(data).nbytes


def guard_streams() -> None:
    """Replace this process's standard output and error by streams with which errors are those of a user.

    A standard stream that is closed becomes the null device: else the next file to be opened would take its place.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free.
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is sys.__stdout__:
        sys.stdout = _guarded(sys.stdout, _Output(1, "w", closefd=False))
    if sys.stderr is sys.__stderr__:
        sys.stderr = _guarded(sys.stderr, _Messages(2, "w", closefd=False))


def _guarded(before: Any, raw: io.FileIO) -> TextIO:
    encoding = before.encoding if before is not None else "utf-8"
    unbuffered = before is not None and before.write_through
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=encoding,
        errors="backslashreplace",
        line_buffering=raw.isatty() or raw.fileno() == 2,
        write_through=unbuffered,
    )


def end_without_output(error: OutputError) -> NoReturn:
    """End a command whose standard output cannot be written: in silence if its reader has left."""
    # What is still to be written goes nowhere, so that the process ends without a complaint.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    if error.is_closed:
        sys.exit(CLOSED)
    print(f"modelcontext: {error}", file=sys.stderr)
    sys.exit(2)
