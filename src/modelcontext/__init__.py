"""The reference implementation of Web Model Context: the specification as an executable model.

For prototypes without a browser, start with :class:`Browser`. For questions about the specification, write a
:class:`Program` and ask for its :func:`allowed_outcomes`.
"""

from modelcontext.browser import (
    AbortController,
    Browser,
    Document,
    ModelContext,
    PendingError,
    Promise,
    RegisteredTool,
)
from modelcontext.dom.abort import AbortSignal
from modelcontext.dom.events import Event
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.program.explore import allowed_outcomes, judge, run_once
from modelcontext.program.language import Program, ProgramError, load
from modelcontext.program.outcome import Outcome
from modelcontext.python_values import RejectedError
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
