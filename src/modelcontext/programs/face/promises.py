"""Promises of the Python API: those that the page's calls return, and those that a script settles itself."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol

from modelcontext.platform.ecmascript.promise import FULFILLED, PENDING
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext.programs.face.python_values import to_python

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.programs.face.python_values import RejectedError


class PendingError(Exception):
    """Raised for the value of a promise that has not settled."""


class PromiseSurroundings(Protocol):
    """The browser around a promise."""

    def run_until_idle(self) -> None:
        """Run tasks and parallel steps until there are none."""

    def rejection(self, number: int | None, reason: JSValue) -> RejectedError:
        """Return the error for a rejected promise, caused by the exception of a tool."""


# Wraps the promise of the model's JavaScript.
class Promise:
    """A promise of the page, which an ``async def`` tool or script can await.

    ``javascript`` is the promise of the model.
    """

    def __init__(
        self,
        browser: PromiseSurroundings,
        promise: JSPromise,
        value: Callable[[JSValue], Any] = to_python,
        call: int | None = None,
    ) -> None:
        self._browser = browser
        self.javascript = promise
        self._to_value = value
        self._number = call

    @property
    def state(self) -> str:
        """The state: ``"pending"``, ``"fulfilled"`` or ``"rejected"``."""
        return self.javascript.state

    @property
    def value(self) -> Any:
        """The value that it was fulfilled with.

        Raises:
            RejectedError: if it was rejected. If a tool of Python has raised an exception, that is the cause.
            PendingError: if it has not settled.
        """
        if self.javascript.state == PENDING:
            raise PendingError("the promise has not settled; let the browser run_until_idle() first")
        if self.javascript.state == FULFILLED:
            return self._to_value(self.javascript.result)
        raise self._browser.rejection(self._number, self.javascript.result)

    def wait(self) -> Any:
        """Let the browser run until it is idle, and return the value.

        Raises:
            RejectedError: if the promise was rejected.
            PendingError: if it has not settled even so.
        """
        self._browser.run_until_idle()
        return self.value

    def __await__(self) -> Generator[Promise, None, Any]:
        yield self
        return self.value

    def __repr__(self) -> str:
        return f"<Promise {self.state}>"


class OwnPromise(Promise):
    """A promise that a script settles itself; the first call of ``resolve`` or ``reject`` counts.

    Args:
        browser: the browser around it.
        promise: the promise of the model.
        settle: resolves it, or rejects it if the first argument is true, in a script of its document.
    """

    def __init__(self, browser: PromiseSurroundings, promise: JSPromise, settle: Callable[[bool, Any], None]) -> None:
        super().__init__(browser, promise)
        self._settle = settle

    def resolve(self, value: Any = None) -> None:
        """Resolve it with a value, or with another promise of the page."""
        self._settle(False, value)

    def reject(self, reason: Any = None) -> None:
        """Reject it with a reason; an exception of Python becomes an Error."""
        self._settle(True, reason)
