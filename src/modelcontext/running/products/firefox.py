"""Product ``firefox``: the revision 2026-03 in a real Firefox, driven by Playwright through WebDriver BiDi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.ground.problems import UnavailableError
from modelcontext.running.products.engine import Engine

PREFERENCES = {"dom.modelcontext.enabled": True, "dom.modelcontext.testing.enabled": True}
TEST_PREFERENCES = {"dom.allow_scripts_to_close_windows": True}


@dataclass(frozen=True)
class FirefoxEngine(Engine):
    """Firefox behind a preference."""

    name = "firefox"
    title = "Firefox"
    variable = "MODELCONTEXT_FIREFOX"
    # Debian's and Mozilla's names for the binary.
    binaries = ("firefox-esr", "firefox")
    package = "firefox-esr"
    remedy = f"run `modelcontext setup firefox`, or name a binary with --binary or {variable}"
    # Firefox refuses frames in the process of their page.
    host = "host.localhost"

    def find_binary(self, given: str | None = None) -> Path:
        """Return the Firefox to run; Playwright's own does not have the API. Raises :class:`UnavailableError`."""
        found = super().find_binary(given)
        if found is None:
            raise UnavailableError(f"there is no {' and no '.join(self.binaries)} on this machine", self.remedy)
        return found

    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Return preferences, and the channel by which Playwright speaks BiDi: an unpatched Firefox understands that."""
        preferences = {**PREFERENCES, "network.dns.localDomains": ",".join(hosts)}
        if for_tests:
            preferences |= TEST_PREFERENCES
        return {"channel": "moz-firefox", "firefox_user_prefs": preferences}
