"""The clients, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.clients.algorithms.agent_host import AgentHost, agent_host
from modelcontext.judging.clients.algorithms.browsers_agent import browsers_agent
from modelcontext.judging.clients.algorithms.chrome_devtools_mcp import chrome_devtools_mcp
from modelcontext.judging.clients.algorithms.kilo import kilo
from modelcontext.judging.clients.algorithms.naive_page_script import naive_page_script
from modelcontext.judging.clients.algorithms.persona import persona
from modelcontext.judging.clients.algorithms.playwright_mcp import playwright_mcp
from modelcontext.judging.clients.algorithms.stagehand import stagehand
from modelcontext.judging.clients.algorithms.webmcp_extension import webmcp_extension
from modelcontext.judging.clients.standpoints import (
    BrowsersAgent,
    DevTools,
    FrameScripts,
    PageScript,
    Standpoint,
    rounds,
)

if TYPE_CHECKING:
    from modelcontext.judging.clients.session import Session, Steps
    from modelcontext.platform.html.document import Document

#: Where a client stands, in words.
PLACES: Final[Mapping[type[Standpoint], str]] = {
    PageScript: "a script of the page",
    FrameScripts: "outside, with scripts in frames",
    DevTools: "outside, at DevTools",
    BrowsersAgent: "in the browser",
    AgentHost: "outside, with scripts in frames",
}


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """A client: where it stands, and the steps of its turn."""

    name: str
    title: str
    standpoint: type[Standpoint]
    turn: Callable[[Any], Steps[None]]

    @property
    def place(self) -> str:
        """The client's standpoint in words."""
        return PLACES[self.standpoint]

    def begin(self, calls: int, session: Session, top: Document) -> Steps[None]:
        """Return the steps of a session in which the model makes so many calls."""
        client = self.standpoint(session, top)
        return rounds(calls, client, partial(self.turn, client))


CLIENTS: Final[Mapping[str, ClientProfile]] = {
    profile.name: profile
    for profile in (
        ClientProfile("naive-page-script", "A naive page script", PageScript, naive_page_script),
        ClientProfile("browsers-agent", "The browser's own agent", BrowsersAgent, browsers_agent),
        ClientProfile("chrome-devtools-mcp", "chrome-devtools-mcp 1.11.0", DevTools, chrome_devtools_mcp),
        ClientProfile("playwright-mcp", "playwright 1.65.1 mcp", FrameScripts, playwright_mcp),
        ClientProfile("stagehand", "Stagehand 4.4.0", DevTools, stagehand),
        ClientProfile("webmcp-extension", "webmcp-extension (2026)", FrameScripts, webmcp_extension),
        ClientProfile("kilo", "Kilo (September 2026)", FrameScripts, kilo),
        ClientProfile("persona", "persona 4.17.0", PageScript, persona),
        ClientProfile("agent-host", "The host of this project", AgentHost, agent_host),
    )
}
