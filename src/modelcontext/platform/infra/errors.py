"""The error that nothing catches."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


class SpecAssertionError(BaseException):
    """A bug in the specification or in the model: an assertion that does not hold, or a step without a meaning.

    It is not an ``Exception``, so that neither a page's script nor a handler of ordinary errors can swallow it.
    """


def spec_assert(condition: bool, statement: str) -> None:
    """Perform an "Assert:" step.

    Raises:
        SpecAssertionError: if the condition is false.
    """
    if not condition:
        raise SpecAssertionError(statement)


def there(value: T | None, step: str) -> T:
    """Return a value of which a step looks something up.

    Raises:
        SpecAssertionError: if it is null, of which nothing can be looked up.
    """
    if value is None:
        raise SpecAssertionError(f"{step} looks something up of null")
    return value
