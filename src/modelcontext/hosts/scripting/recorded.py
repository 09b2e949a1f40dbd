"""Marks on the functions that answer scripts: whose effects the structures of the model record.

An exploration takes it that scripts of different event loops do not disturb each other but by what is recorded. So an answer
without a mark counts as one that reaches beyond the event loop of its script, and commutes with no other of that kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_RECORDED: Final[dict[object, Callable[[str], bool] | None]] = {}


def recorded(*, unless: Callable[[str], bool] | None = None) -> Callable[[F], F]:
    """Mark an answer whose effects stay in the event loop of its script, or are recorded by the structures of the model.

    Args:
        unless: tells for the second argument, the key of a member, that the answer reaches beyond nevertheless.
    """

    def mark(answer: F) -> F:
        _RECORDED[answer] = unless
        return answer

    return mark


def reaches_beyond(answer: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    """Return whether an answer may rest on what scripts of other event loops do, or change it, unrecorded."""
    function = getattr(answer, "__func__", answer)
    if function not in _RECORDED:
        return True
    unless = _RECORDED[function]
    return unless is not None and unless(arguments[1])
