"""The Python API: every public name of the package, as in ``from modelcontext import Browser``."""

from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.events import Event
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.programs.face.browser import (
    AbortController,
    Browser,
    Document,
    ModelContext,
    RegisteredTool,
)
from modelcontext.programs.face.promises import OwnPromise, PendingError, Promise
from modelcontext.programs.face.python_values import RejectedError
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import load

__all__ = [
    "AbortController",
    "AbortSignal",
    "Browser",
    "DOMException",
    "Document",
    "Event",
    "ModelContext",
    "Outcome",
    "OwnPromise",
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
