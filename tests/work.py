"""Work counted in calls, so that a busy machine fails no test."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def calls_made(action: Callable[[], object]) -> int:
    """Return how many calls of functions an action makes, those of functions in C too."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    profiler = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(profiler)
    return calls
