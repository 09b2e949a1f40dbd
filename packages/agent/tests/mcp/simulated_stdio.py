"""A program that serves a simulated page over standard input and output."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from modelcontext import Browser, Promise
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext_agent.mcp.page_server import PageServer
from modelcontext_agent.mcp.transports import serve_stdio
from modelcontext_agent.pages.simulated_page import SimulatedPage

if TYPE_CHECKING:
    from modelcontext.platform.dom.abort import AbortSignal


async def main() -> None:
    """Serve until the input ends."""
    browser = Browser()
    document = browser.open("https://shop.example/")

    signals = []

    async def never(input: object, signal: AbortSignal) -> None:
        signals.append(signal)
        await Promise(browser, JSPromise(document._html.realm))

    register = document.model_context.register_tool
    register(name="echo", description="d", execute=lambda input: {"input": input})
    register(name="never", description="d", execute=never)
    register(name="aborted", description="d", execute=lambda input: [signal.aborted for signal in signals])
    register(name="pay", description="d", execute=lambda input: "paid", annotations={"consequentialHint": True})
    browser.run_until_idle()
    async with PageServer({"page": SimulatedPage(browser, document)}) as server:
        await serve_stdio(server)


if __name__ == "__main__":
    asyncio.run(main())
