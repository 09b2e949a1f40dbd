"""Markdown for the chat page: the text of a model becomes HTML whose elements all come from this list of rules.

Rules for links, images and markup are not in the list, so such parts of a text stay text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from modelcontext_agent.chat.chat_errors import TooLargeError
from modelcontext_agent.exposure.framing import clean
from modelcontext_agent.server.bodies import read_body, string

if TYPE_CHECKING:
    from starlette.requests import Request

#: The characters of the longest text. The reader needs up to three seconds for as many.
LONGEST_TEXT = 20_000

_READER = MarkdownIt("zero").enable(
    [
        *("blockquote", "code", "fence", "heading", "hr", "lheading", "list", "table"),
        *("backticks", "balance_pairs", "emphasis", "entity", "escape", "newline", "strikethrough"),
    ]
)


def html_of(text: str) -> str:
    """Return the HTML of a text in Markdown. It has no links and no images, and markup in the text is text."""
    return str(_READER.render(clean(text)))


async def send_html(request: Request) -> Response:
    """Answer ``POST /markdown`` with the HTML of ``text``.

    Raises:
        TooLargeError: if the text is too long.
    """
    text = string(await read_body(request, ["text"], required=["text"]), "text")
    if len(text) > LONGEST_TEXT:
        raise TooLargeError(f"“text” has {len(text)} characters; {LONGEST_TEXT} is the limit")
    return JSONResponse({"html": await run_in_threadpool(html_of, text)})
