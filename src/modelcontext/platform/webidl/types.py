"""IDL values that algorithms receive: absent dictionary members, callback functions, objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeVar

from modelcontext.platform.ecmascript.values import JSFunction, JSObject
from modelcontext.platform.infra.errors import NoMeaningError

__all__ = ["ABSENT", "Absent", "CallbackFunction", "JSObject", "existing"]

T = TypeVar("T")


class Absent(Enum):
    """The type of ``ABSENT``."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


#: A dictionary member, or an optional argument, that does not exist. (null and undefined are different values.)
ABSENT: Final = Absent.ABSENT


def existing(value: T | Absent, reading: str) -> T:
    """Return the value of a member that a step reads; ``reading`` says which step reads what.

    Raises:
        NoMeaningError: if the member does not exist.
    """
    if value is ABSENT:
        raise NoMeaningError(f"{reading}, which does not exist")
    return value


@dataclass(eq=False, slots=True)
class CallbackFunction:
    """A Web IDL callback function: the function, and the name of the callback type, which says how it is invoked."""

    function: JSFunction
    type_name: str
