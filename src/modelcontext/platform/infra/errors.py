"""The error that nothing catches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeVar

T = TypeVar("T")

#: More rounds than a loop of a text needs.
_MOST_ROUNDS: Final = 10_000


class SpecAssertionError(BaseException):
    """A bug in the specification or in the model: an assertion that does not hold, or a step without a meaning.

    It is not an ``Exception``, so that neither a page's script nor a handler of ordinary errors can swallow it.
    """


class NoMeaningError(SpecAssertionError):
    """A step that a text leaves without a meaning was reached; the message names it."""


def spec_assert(condition: bool, statement: str) -> None:
    """Perform an "Assert:" step.

    Raises:
        SpecAssertionError: if the condition is false.
    """
    if not condition:
        raise SpecAssertionError(statement)


def assert_in_text(condition: bool, statement: str) -> None:
    """Perform an "Assert:" step of a foreign text.

    Raises:
        NoMeaningError: if the condition is false.
    """
    if not condition:
        raise NoMeaningError(statement)


def there(value: T | None, step: str) -> T:
    """Return a value of which a step looks something up.

    Raises:
        NoMeaningError: if it is null, of which nothing can be looked up.
    """
    if value is None:
        raise NoMeaningError(f"{step} reads a member of null")
    return value


def entry_of(entries: Any, key: object, step: str) -> Any:
    """Return an entry of a map, or an item of a list, that a step of a foreign text looks up.

    Raises:
        NoMeaningError: if it does not exist.
    """
    try:
        return entries[key]
    except (KeyError, IndexError):
        raise NoMeaningError(f"{step} looks up an entry that does not exist") from None


def rounds(step: str) -> Iterator[int]:
    """Yield the rounds of a loop that ends when its own steps say so.

    Raises:
        NoMeaningError: if they never do.
    """
    yield from range(_MOST_ROUNDS)
    raise NoMeaningError(f"{step} is a loop that does not end")
