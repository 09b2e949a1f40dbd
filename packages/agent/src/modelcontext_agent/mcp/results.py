"""Results of calls in the words of the protocol."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from mcp import types

from modelcontext_agent.exposure.framing import frame_output, reports_error
from modelcontext_agent.pages.contract import CallEnd

if TYPE_CHECKING:
    from pydantic_ai.messages import BinaryContent

    from modelcontext_agent.mcp.listing import ListedTool
    from modelcontext_agent.pages.contract import CallResult

#: The member of a result's ``_meta`` that says how the call ended: a value of :class:`CallEnd`.
END = "modelcontext/end"


def result_of(listed: ListedTool, result: CallResult) -> types.CallToolResult:
    """Return the result of a call that reached the page."""
    if not result.is_by_page:
        words = f"{result.output} {result.note}".strip()
        return _result([_text(words)], listed, result.end, is_error=True)
    is_error = result.is_error or reports_error(result.output)
    framed = frame_output(listed.tool, result.output, is_error=is_error, note=result.note)
    content = [_content(piece) for piece in ([framed] if isinstance(framed, str) else framed)]
    return _result(content, listed, result.end, is_error=is_error)


def refused(words: str, listed: ListedTool | None = None) -> types.CallToolResult:
    """Return the result of a call that did not reach the page."""
    return _result([_text(words)], listed, CallEnd.REFUSED, is_error=True)


def _result(
    content: list[types.ContentBlock], listed: ListedTool | None, end: str, *, is_error: bool
) -> types.CallToolResult:
    meta: dict[str, Any] = {END: str(end), **(listed.meta if listed is not None else {})}
    return types.CallToolResult(content=content, is_error=is_error, _meta=meta)


def _content(piece: str | BinaryContent) -> types.ContentBlock:
    if isinstance(piece, str):
        return _text(piece)
    data = base64.b64encode(piece.data).decode("ascii")
    return types.ImageContent(type="image", data=data, mime_type=piece.media_type)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
