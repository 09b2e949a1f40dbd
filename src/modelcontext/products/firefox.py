"""Product ``firefox``: the revision 2026-03 in a real Firefox, driven by Playwright through WebDriver BiDi."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from modelcontext.harness.server import HOSTS
from modelcontext.products.base import UnavailableError
from modelcontext.products.browser import RESULT, Browser, Session, find_program

ENVIRONMENT_VARIABLE = "MODELCONTEXT_FIREFOX"
# Debian's and Mozilla's names for the binary.
BINARIES = ("firefox-esr", "firefox")
REMEDY = "run `modelcontext setup firefox`, or name a binary with --binary or " + ENVIRONMENT_VARIABLE
PREFERENCES = {
    "dom.modelcontext.enabled": True,
    "dom.modelcontext.testing.enabled": True,
    "network.dns.localDomains": HOSTS["insecure"],
}


def find_binary(binary: str | None = None) -> Path:
    """The Firefox to run: the given one, the environment variable's, or the system's.

    Raises :class:`UnavailableError` if there is none. (Playwright's own Firefox does not have the API.)
    """
    found = find_program(binary, ENVIRONMENT_VARIABLE, BINARIES, REMEDY)
    if found is None:
        raise UnavailableError(f"there is no {' and no '.join(BINARIES)} on this machine", REMEDY)
    return found


class _Session(Session):
    engine = "firefox"
    # The channel makes Playwright speak BiDi, which an unpatched Firefox understands.
    options: ClassVar[dict[str, Any]] = {"channel": "moz-firefox", "firefox_user_prefs": PREFERENCES}
    accessor = "navigator"

    async def result(self) -> dict[str, Any]:
        result: dict[str, Any] = await self._page.evaluate(f"() => {RESULT}")
        return result


class Firefox(Browser):
    """Firefox, which implements the revision 2026-03 behind a preference."""

    name = "firefox"
    revisions = frozenset({"2026-03"})
    session_type = _Session
    expected = "Firefox ESR 153 has it"
    remedy = REMEDY

    def find_binary(self) -> Path:
        """The Firefox to run."""
        return find_binary(self._binary)
