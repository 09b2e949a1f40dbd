"""Product ``firefox``: the revision 2026-03 in a real Firefox, driven by Playwright through WebDriver BiDi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.problems import UnavailableError
from modelcontext.products.engine import Capability, Engine

PREFERENCES = {
    "dom.modelcontext.enabled": True,
    "dom.modelcontext.testing.enabled": True,
}
TEST_PREFERENCES = {"dom.allow_scripts_to_close_windows": True}


@dataclass(frozen=True)
class FirefoxEngine(Engine):
    """Firefox behind a preference."""

    name = "firefox"
    title = "Firefox"
    variable = "MODELCONTEXT_FIREFOX"
    # Debian's and Mozilla's names for the binary.
    binaries = ("firefox-esr", "firefox")
    remedy = f"run `modelcontext setup firefox`, or name a binary with --binary or {variable}"
    capabilities = frozenset({Capability.CLICK, Capability.SEND_KEYS})
    # It refuses frames in the process of their page.
    host = "host.localhost"

    def find_binary(self, given: str | None = None) -> Path:
        """The Firefox to run; Playwright's own does not have the API, so there has to be one."""
        found = super().find_binary(given)
        if found is None:
            raise UnavailableError(f"there is no {' and no '.join(self.binaries)} on this machine", self.remedy)
        return found

    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Preferences; the channel makes Playwright speak BiDi, which an unpatched Firefox understands."""
        preferences = {**PREFERENCES, "network.dns.localDomains": ",".join(hosts)}
        if for_tests:
            preferences |= TEST_PREFERENCES
        return {"channel": "moz-firefox", "firefox_user_prefs": preferences}
