"""The mark that ties a function to its algorithm in the specification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

#: (package of the revision, algorithm id) to function.
_ALGORITHMS: Final[dict[tuple[str, str], Callable[..., Any]]] = {}


def algorithm(id_: str) -> Callable[[F], F]:
    """Mark a function as the algorithm whose dfn has this id; the function itself is unchanged."""

    def mark(function: F) -> F:
        _ALGORITHMS[function.__module__.rpartition(".")[0], id_] = function
        return function

    return mark


def algorithms_of(package: str) -> dict[str, Callable[..., Any]]:
    """Return the algorithms of a revision's package, by id; its modules must have been imported."""
    return {id_: function for (owner, id_), function in _ALGORITHMS.items() if owner == package}
