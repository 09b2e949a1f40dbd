"""Values of Python in words that are the same in every run: no addresses, no order of sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from modelcontext.platform.ecmascript.values import JSError, JSObject, Undefined
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.programs.face.promises import Promise
from modelcontext.programs.face.python_values import RejectedError

_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")


def described(value: Any) -> str:
    """Return a value in words.

    Raises:
        TypeError: for an object whose words would differ from run to run.
    """
    match value:
        case Mapping():
            return "{" + ", ".join(f"{described(key)}: {described(member)}" for key, member in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(described, value)) + "]"
        case tuple():
            return "(" + ", ".join(map(described, value)) + ("," if len(value) == 1 else "") + ")"
        case set() | frozenset():
            return "{" + ", ".join(sorted(map(described, value))) + "}"
        case Promise():
            return _settled(value)
        case RejectedError():
            return f"rejected with {value.name or described(value.reason)}"
        case BaseException():
            return _ADDRESS.sub("", f"{type(value).__name__}: {value}").partition("\n")[0]
        case JSError() | DOMException():
            return value.name
        case Undefined():
            return "undefined"
        case JSObject():
            return f"<{type(value).__name__}>"
    words = repr(value)
    if " at 0x" in words:
        name = type(value).__name__
        raise TypeError(f"{name} has a different text in each run; return or log numbers, strings, lists or dicts")
    return words


def _settled(promise: Promise) -> str:
    if promise.state == "pending":
        return "pending"
    try:
        return f"fulfilled with {described(promise.value)}"
    except RejectedError as error:
        return described(error)
