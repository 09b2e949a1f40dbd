"""Product ``chromium``: native WebMCP in a real Chromium, driven by Playwright."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from modelcontext.harness.server import HOSTS
from modelcontext.products.browser import RESULT, Browser, Session, find_program

ENVIRONMENT_VARIABLE = "MODELCONTEXT_CHROMIUM"
# Debian's and Ubuntu's names for the binary.
BINARIES = ("chromium", "chromium-browser")
REMEDY = "run `modelcontext setup chromium`, or name a binary with --binary or " + ENVIRONMENT_VARIABLE
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-features=WebMCP",
    f"--host-resolver-rules=MAP {HOSTS['insecure']} 127.0.0.1",
)


def find_binary(binary: str | None = None) -> Path | None:
    """The Chromium to run: the given one, the environment variable's, the system's, else ``None`` (Playwright's own).

    Raises :class:`UnavailableError` if the given one or the variable's does not exist.
    """
    return find_program(binary, ENVIRONMENT_VARIABLE, BINARIES, REMEDY)


class _Session(Session):
    engine = "chromium"
    options: ClassVar[dict[str, Any]] = {"args": list(FLAGS)}
    accessor = "document"
    _protocol: Any

    async def fresh_page(self) -> None:
        await super().fresh_page()
        self._protocol = await self._context.new_cdp_session(self._page)

    async def result(self) -> dict[str, Any]:
        # Not page.evaluate: its helpers run in the page, where the program may have reassigned what they need.
        evaluate = {"expression": RESULT, "awaitPromise": True, "returnByValue": True}
        answer = await self._protocol.send("Runtime.evaluate", evaluate)
        result: dict[str, Any] = answer["result"]["value"]
        return result


class Chromium(Browser):
    """Chromium, which implements the current revision."""

    name = "chromium"
    revisions = frozenset({"current"})
    session_type = _Session
    expected = "Chromium 156 and later have it"
    remedy = REMEDY

    def find_binary(self) -> Path | None:
        """The Chromium to run; ``None`` is Playwright's own."""
        return find_binary(self._binary)
