"""The reference implementation of Web Model Context: the specification as an executable model.

For prototypes without a browser, start with :class:`Browser`. For questions about the specification, write a
:class:`Program` and ask for its :func:`allowed_outcomes`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from modelcontext.dom.abort import AbortSignal
    from modelcontext.dom.events import Event
    from modelcontext.face.browser import (
        AbortController,
        Browser,
        Document,
        ModelContext,
        PendingError,
        Promise,
        RegisteredTool,
    )
    from modelcontext.face.values import RejectedError
    from modelcontext.infra.errors import SpecAssertionError
    from modelcontext.program.explore import allowed_outcomes, judge, run_once
    from modelcontext.program.language import Program, ProgramError, load
    from modelcontext.program.outcome import Outcome
    from modelcontext.webidl.dom_exception import DOMException

__all__ = [
    "AbortController",
    "AbortSignal",
    "Browser",
    "DOMException",
    "Document",
    "Event",
    "ModelContext",
    "Outcome",
    "PendingError",
    "Program",
    "ProgramError",
    "Promise",
    "RegisteredTool",
    "RejectedError",
    "SpecAssertionError",
    "allowed_outcomes",
    "judge",
    "load",
    "run_once",
]

#: Where each name lives. It is imported when first asked for: most verbs of the command line need only some of them.
_HOMES: Final = {
    "AbortController": "face.browser",
    "AbortSignal": "dom.abort",
    "Browser": "face.browser",
    "DOMException": "webidl.dom_exception",
    "Document": "face.browser",
    "Event": "dom.events",
    "ModelContext": "face.browser",
    "Outcome": "program.outcome",
    "PendingError": "face.browser",
    "Program": "program.language",
    "ProgramError": "program.language",
    "Promise": "face.browser",
    "RegisteredTool": "face.browser",
    "RejectedError": "face.values",
    "SpecAssertionError": "infra.errors",
    "allowed_outcomes": "program.explore",
    "judge": "program.explore",
    "load": "program.language",
    "run_once": "program.explore",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    return value
