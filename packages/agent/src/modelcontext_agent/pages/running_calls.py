"""The calls that run in a page, each with the future of its end."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from modelcontext_agent.pages.endings import cancelled, document_gone, page_lost

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding
    from modelcontext_agent.pages.contract import CallResult


@dataclass(slots=True, eq=False)
class RunningCall:
    """A call between its check and its end; ``began`` says whether the tool may have run."""

    id: str
    name: str
    binding: Binding
    ended: asyncio.Future[CallResult] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    began: bool = False
    abort: Callable[[], None] = lambda: None

    def end(self, result: CallResult) -> None:
        """End the call, unless it has ended."""
        if not self.ended.done():
            self.ended.set_result(result)


class RunningCalls:
    """The calls that run in one page."""

    def __init__(self) -> None:
        self._calls: dict[str, RunningCall] = {}

    def __iter__(self) -> Iterator[RunningCall]:
        return iter(list(self._calls.values()))

    @contextmanager
    def begin(self, name: str, binding: Binding) -> Iterator[RunningCall]:
        """Make a call, and keep it until the context ends; one that has not ended then is aborted."""
        call = RunningCall(secrets.token_hex(8), name, binding)
        self._calls[call.id] = call
        try:
            yield call
        finally:
            del self._calls[call.id]
            # The future of a caller that was cancelled is cancelled itself.
            if not call.ended.done() or call.ended.cancelled():
                call.abort()

    def end_gone(self, is_gone: Callable[[Binding], bool]) -> None:
        """End the calls whose documents have gone, as ``is_gone`` says."""
        for call in self:
            if is_gone(call.binding):
                call.end(document_gone(call.name, began=call.began))

    def end_lost(self, reason: str) -> None:
        """End every call, whose page was lost for a ``reason``."""
        for call in self:
            call.end(page_lost(call.name, reason, began=call.began))

    def abort_all(self) -> None:
        """Abort every call, which ends it as cancelled."""
        for call in self:
            if not call.ended.done():
                call.abort()
                call.end(cancelled(call.name))
