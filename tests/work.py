"""Work counted in calls, so that a busy machine fails no test."""

from __future__ import annotations

from cProfile import Profile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def calls_made(action: Callable[[], object]) -> int:
    """Return how many calls of functions an action makes, those of functions in C too."""
    with Profile() as profile:
        action()
    return sum(entry.callcount for entry in profile.getstats())
