"""The contract of an agent's page: what an agent may ask of a page, and what it can rely on.

An implementation promises what ``executeTool`` alone does not: a call runs only if the document still is the one that the
binding names, and if the tool still has the definition that the model was shown. One gap is left, and no client can close
it: between its check and the browser's own lookup by name, the page may register another tool (see ``docs/agent.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import Binding, PageTool


class CallEnd(StrEnum):
    """The ways in which a call to a page ends."""

    #: The tool returned; ``output`` is its value. ``undefined`` is None.
    DONE = "done"
    #: The tool threw, or its promise was rejected; ``output`` is what the browser tells of it.
    FAILED = "failed"
    #: The page or the caller aborted the call.
    CANCELLED = "cancelled"
    #: The document of the binding has gone: the page navigated, reloaded, the frame was removed, or the browser ended. If
    #: the call had begun, nobody knows how far it came.
    DOCUMENT_GONE = "document-gone"
    #: The document has no tool of this name any more. Nothing ran.
    TOOL_GONE = "tool-gone"
    #: The tool's definition is another one than the model was shown. Nothing ran.
    TOOL_CHANGED = "tool-changed"
    #: Our own program did not let the call run.
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class CallResult:
    """The end of a call, with a JSON value: the page's output, or our own words that a model can read.

    ``began`` is False where the tool was not there any more, so that nothing ran. ``note`` is what our own program says
    beside the page's output, or empty.
    """

    end: CallEnd
    output: Any
    began: bool = True
    note: str = ""

    @property
    def is_by_page(self) -> bool:
        """True if the output is the page's; all others are our words."""
        return self.end in (CallEnd.DONE, CallEnd.FAILED)

    @property
    def is_error(self) -> bool:
        """True unless the tool returned."""
        return self.end is not CallEnd.DONE


class AgentPage(Protocol):
    """A page, as an agent's program sees it. It is used from one asyncio event loop."""

    @property
    def is_seen(self) -> bool:
        """True if a person sees the page, and can submit its forms."""

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools that all frames offer now, read anew: the main frame's first, then by frame and name."""

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        """Run a tool if it is still the one that ``binding`` names, and return the end of the call.

        There is no limit of time: a caller that has one uses ``asyncio.timeout``. Cancelling the task that awaits this aborts
        the signal of the page's tool, and raises ``CancelledError``.

        Args:
            name: the page's own name of the tool.
            binding: the binding of the tool as the model was shown it.
            arguments: a JSON object.
        """

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever tools may have changed, a document has gone, or a new one has come."""

    async def close(self) -> None:
        """Let go of the page. Calls that run end as cancelled."""


class ListedPage(AgentPage, Protocol):
    """A page whose tools are listed to clients, which must not take silence for a page without tools."""

    #: The frames that did not answer when the tools were read last.
    silent: frozenset[str]
