"""Product ``chromium``: native WebMCP in a real Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.products.engine import Capability, Engine

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Features: the API, and the network in the browser's own process, which is less work where thousands of pages load.
NATIVE = "WebMCP"
UNATTENDED_FEATURE = "NetworkServiceInProcess2"
# Of two such flags only the later one counts: the first group is what Playwright switches off by itself. The second is
# Chromium's own user interface, for which every new window starts two renderer processes; the third is a renderer
# process that is started ahead of time, which a context that opens one page does not need.
DISABLED = (
    *("AimEnabled", "AutoDeElevate", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("BlockOriginHeaderModificationOnRedirect", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider"),
    *("GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying"),
    *("OptimizationHints", "PaintHolding", "ThirdPartyStoragePartitioning", "Translate"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup"),
    "SpareRendererForSitePerProcess",
    # Only pages that ask for it go into the back/forward cache; no other program is there beside the one that runs.
    "CacheControlNoStoreEnterBackForwardCache",
)
# A test may close its own page, which otherwise only pages that a script has opened may. (The first four settings are
# those that Playwright gives; of two such flags only the later one counts.)
SETTINGS = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,"
    "allowScriptsToCloseWindows=true"
)
# What Playwright gives besides; here for pages that it does not drive.
UNATTENDED = (
    *("--headless", "--hide-scrollbars", "--mute-audio", "--ignore-certificate-errors", "--enable-unsafe-swiftshader"),
    *("--disable-field-trial-config", "--disable-background-timer-throttling", "--disable-renderer-backgrounding"),
    *("--disable-backgrounding-occluded-windows", "--disable-breakpad", "--disable-client-side-phishing-detection"),
    *("--disable-component-extensions-with-background-pages", "--disable-extensions", "--disable-default-apps"),
    *("--disable-dev-shm-usage", "--disable-hang-monitor", "--disable-ipc-flooding-protection"),
    *("--disable-popup-blocking", "--disable-prompt-on-repost", "--no-default-browser-check", "--no-service-autorun"),
    *("--allow-pre-commit-input", "--force-color-profile=srgb", "--metrics-recording-only"),
    *("--password-store=basic", "--use-mock-keychain"),
    # Chromium does so by itself, the headless shell does not.
    "--site-per-process",
    # Pages are drawn without it all the same, with less work.
    "--disable-software-rasterizer",
)
# Debian's name for the build that Playwright calls by the same name.
SHELL = "chromium-headless-shell"
_VERSION = re.compile(r"\d+(?:\.\d+){3}")


@dataclass(frozen=True)
class ChromiumEngine(Engine):
    """Chromium; ``native`` says whether its own WebMCP is switched on."""

    native: bool = True

    name = "chromium"
    title = "Chromium"
    variable = "MODELCONTEXT_CHROMIUM"
    # Debian's and Ubuntu's names for the binary.
    binaries = ("chromium", "chromium-browser")
    remedy = f"run `modelcontext setup chromium`, or name a binary with --binary or {variable}"
    capabilities = frozenset(Capability)

    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Command-line flags."""
        flags = [*self._flags(hosts), SETTINGS] if for_tests else self._flags(hosts)
        return {"args": flags, "ignore_default_args": ["--disable-back-forward-cache"]}

    async def evaluator(self, context: Any, page: Any) -> Callable[[str], Awaitable[Any]]:
        """Return what evaluates an expression by the DevTools protocol.

        The helpers of ``page.evaluate`` run in the page, where the program may have reassigned what they need.
        """
        protocol = await context.new_cdp_session(page)

        async def evaluate(expression: str) -> Any:
            options = {"expression": expression, "awaitPromise": True, "returnByValue": True}
            return (await protocol.send("Runtime.evaluate", options))["result"].get("value")

        return evaluate

    def devtools_flags(self, hosts: Sequence[str], *, for_tests: bool) -> Sequence[str]:
        """All command-line flags."""
        flags = [*UNATTENDED, *self._flags(hosts, UNATTENDED_FEATURE)]
        return [*flags, SETTINGS] if for_tests else flags

    def find_shell(self, given: str | None, binary: Path) -> Path | None:
        """Debian's headless shell, if it is of the same version."""
        shell = shutil.which(SHELL)
        if shell is None or given or os.environ.get(self.variable) or _version(shell) != _version(binary):
            return None
        return Path(shell)

    def _flags(self, hosts: Sequence[str], *features: str) -> list[str]:
        rules = ",".join(f"MAP {host} 127.0.0.1" for host in hosts)
        flags = [*FLAGS, f"--host-resolver-rules={rules}", f"--disable-features={','.join(DISABLED)}"]
        enabled = [NATIVE, *features] if self.native else features
        return [*flags, f"--enable-features={','.join(enabled)}"] if enabled else flags


def _version(program: str | Path) -> str | None:
    """What a build says of itself; ``None`` if it does not."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    match = _VERSION.search(said)
    return match and match[0]
