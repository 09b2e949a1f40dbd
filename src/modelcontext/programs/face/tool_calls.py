"""The calls of tools in a simulated browser, with the exceptions of Python that ended them.

A script that calls a tool sees only an UnknownError when the tool fails. In Python, the exception of the tool is the cause
of the :class:`RejectedError`. A call and its run share one number, the internal value of the algorithm of ``executeTool``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from modelcontext.hosts.simulated.simulated_host import SimulatedHost
from modelcontext.platform.ecmascript.values import JSError, Throw
from modelcontext.programs.face.python_values import RejectedError

if TYPE_CHECKING:
    from modelcontext.platform.dom.abort import AbortSignal
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.spec.revisions.current.model import ModelContextStruct

R = TypeVar("R")


class CountingHost(SimulatedHost):
    """A host that remembers the latest internal value, which only ``executeTool`` makes."""

    latest = 0

    def a_new_unique_internal_value(self) -> int:
        """Return a new number."""
        self.latest = super().a_new_unique_internal_value()
        return self.latest


class ToolCalls:
    """The calls of tools in one browser."""

    def __init__(self, host: CountingHost) -> None:
        self._host = host
        self._waiting: dict[int, None] = {}
        self._exceptions: dict[int, BaseException] = {}

    def begin(self, execute: Callable[[], R]) -> tuple[R, int | None]:
        """Return what ``execute`` returns, with the number of the call that it began, or None if it was refused at once."""
        before = self._host.latest
        result = execute()
        if self._host.latest == before:
            return result, None
        self._waiting[self._host.latest] = None
        return result, self._host.latest

    def running(self, context: ModelContextStruct, signal: JSValue | AbortSignal) -> int | None:
        """Return the number of the call that a tool runs for, by the signal of its options; None if it is not known."""
        executions = context.local_pending_executions_map
        for number in self._waiting:
            if executions.exists(number) and executions[number].abort_controller.signal is signal:
                del self._waiting[number]
                return number
        return None

    def fail(self, number: int | None, exception: BaseException | None) -> None:
        """Note the exception that ended a run."""
        if number is not None and exception is not None:
            self._exceptions[number] = exception

    def rejection(self, number: int | None, reason: JSValue) -> RejectedError:
        """Return the error for the rejected promise of a call, caused by the exception of its tool."""
        error = RejectedError(reason)
        if number is not None and error.name == "UnknownError":
            error.__cause__ = self._exceptions.get(number)
            if number in self._waiting:
                error.add_note(
                    "No tool ran: the tool is gone, is not exposed to the caller, or did not accept the input."
                )
        return error


def called(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a function of Python for a script, which sees an exception as :func:`thrown` has it."""
    try:
        return function(*arguments)
    except Throw:
        raise
    except Exception as error:
        raise thrown(error) from error


def thrown(error: Exception) -> Throw:
    """Return what a script sees of an exception in Python: an Error with the exception as its message."""
    match error:
        case Throw():
            return error
        case RejectedError():
            return Throw(error.reason)
    return Throw(JSError("Error", f"{type(error).__name__}: {error}"))


def takes_two_arguments(function: Callable[..., Any]) -> bool:
    """Return whether a callable takes the input of a call and its signal."""
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(kind in positional for kind in kinds) > 1 or inspect.Parameter.VAR_POSITIONAL in kinds
