"""The tables of what members do, by interface and member.

Each function gets the parts of the browser, and the object or, for statics and constructors, the realm. Results are values of
the model, which become data at the border.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.webidl.platform_object import PlatformObject

Getter = Callable[["Parts", Any], Any]
F = TypeVar("F", bound=Callable[..., Any])

GETTERS: Final[dict[str, Getter]] = {}
SETTERS: Final[dict[str, Callable[[Parts, Any, Any], None]]] = {}
OPERATIONS: Final[dict[str, Callable[..., Any]]] = {}
STATICS: Final[dict[str, Callable[..., Any]]] = {}
CONSTRUCTORS: Final[dict[str, Callable[..., PlatformObject]]] = {}


def _into(table: dict[str, Any], *keys: str) -> Callable[[F], F]:
    def add(function: F) -> F:
        for key in keys:
            table[key] = function
        return function

    return add


getter = partial(_into, GETTERS)
setter = partial(_into, SETTERS)
operation = partial(_into, OPERATIONS)
static = partial(_into, STATICS)
constructor = partial(_into, CONSTRUCTORS)
