"""IDL values that algorithms receive: absent dictionary members, callback functions, objects."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from modelcontext.platform.ecmascript.values import JSFunction, JSObject

__all__ = ["ABSENT", "Absent", "CallbackFunction", "JSObject"]


class Absent(Enum):
    """The type of ``ABSENT``."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


#: A dictionary member, or an optional argument, that does not exist. (null and undefined are different values.)
ABSENT: Final = Absent.ABSENT


@dataclass(eq=False, slots=True)
class CallbackFunction:
    """A Web IDL callback function: the function, and the name of the callback type, which says how it is invoked."""

    function: JSFunction
    type_name: str
