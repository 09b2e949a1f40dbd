"""The line of a revision's code that is running or has thrown. A :class:`StepIndex` tells its step."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Final

from modelcontext.spec import revisions

_REVISIONS: Final = Path(revisions.__file__).parent

#: A file and a line in it.
Line = tuple[str, int]


def running_line() -> Line | None:
    """Return the innermost line of a revision's code that is running."""
    return _first_of_a_revision(traceback.walk_stack(sys._getframe(1)))


def throwing_line(thrown: TracebackType | None) -> Line | None:
    """Return the innermost line of a revision's code that an exception came through."""
    return _first_of_a_revision(reversed(list(traceback.walk_tb(thrown))))


def _first_of_a_revision(frames: Iterable[tuple[FrameType, int]]) -> Line | None:
    for frame, line in frames:
        if _REVISIONS in Path(frame.f_code.co_filename).parents:
            return frame.f_code.co_filename, line
    return None
