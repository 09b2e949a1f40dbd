"""The Python face: every public name of the package, as in ``from modelcontext import Browser``."""

from modelcontext.face.browser import (
    AbortController,
    Browser,
    Document,
    ModelContext,
    PendingError,
    Promise,
    RegisteredTool,
)
from modelcontext.face.python_values import RejectedError
from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.events import Event
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.program.exploration import allowed_outcomes, run_once
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.membership import judge
from modelcontext.program.outcome import Outcome
from modelcontext.program.reading import load

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
