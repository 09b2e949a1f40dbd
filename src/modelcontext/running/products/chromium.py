"""Product ``chromium``: native WebMCP in a real Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from modelcontext.running.products.engine import Engine

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# The feature of the API.
NATIVE = "WebMCP"
# The network in the browser's own process is less work where thousands of pages load.
UNATTENDED_FEATURE = "NetworkServiceInProcess2"
# Of two such flags only the later one counts, so the first group repeats what Playwright switches off by itself. The
# second is Chromium's own user interface, for which every new window starts two renderer processes. The third is a
# renderer process that starts ahead of time, which a context that opens one page does not need.
DISABLED = (
    *("AimEnabled", "AutoDeElevate", "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync"),
    *("BlockOriginHeaderModificationOnRedirect", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider"),
    *("GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying"),
    *("OptimizationHints", "PaintHolding", "ThirdPartyStoragePartitioning", "Translate"),
    *("WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxPopup"),
    "SpareRendererForSitePerProcess",
    # Without it only pages that ask for it go into the back/forward cache, and programs do not meet others there.
    "CacheControlNoStoreEnterBackForwardCache",
)
# A test may close its own page; otherwise only pages that a script has opened may. (The first four settings are
# Playwright's; of two such flags only the later one counts.)
SETTINGS = (
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,"
    "allowScriptsToCloseWindows=true"
)
# Flags that Playwright adds, for browsers that it does not drive.
UNATTENDED = (
    *("--headless", "--hide-scrollbars", "--mute-audio", "--ignore-certificate-errors", "--enable-unsafe-swiftshader"),
    *("--disable-field-trial-config", "--disable-background-timer-throttling", "--disable-renderer-backgrounding"),
    *("--disable-backgrounding-occluded-windows", "--disable-breakpad", "--disable-client-side-phishing-detection"),
    *("--disable-component-extensions-with-background-pages", "--disable-extensions", "--disable-default-apps"),
    *("--disable-dev-shm-usage", "--disable-hang-monitor", "--disable-ipc-flooding-protection"),
    *("--disable-popup-blocking", "--disable-prompt-on-repost", "--no-default-browser-check", "--no-service-autorun"),
    *("--allow-pre-commit-input", "--force-color-profile=srgb", "--metrics-recording-only"),
    *("--password-store=basic", "--use-mock-keychain"),
    # Chromium isolates sites by itself; the headless shell does not.
    "--site-per-process",
    # Pages are drawn without the software rasterizer all the same, with less work.
    "--disable-software-rasterizer",
)
_VERSION = re.compile(r"\d+(?:\.\d+){3}")


@dataclass(frozen=True)
class ChromiumEngine(Engine):
    """Chromium, with its own WebMCP if ``native``."""

    native: bool = True

    name = "chromium"
    title = "Chromium"
    variable = "MODELCONTEXT_CHROMIUM"
    # Debian's and Ubuntu's names for the binary.
    binaries = ("chromium", "chromium-browser")
    package = "chromium"
    shell = "chromium-headless-shell"
    is_playwrights = True
    remedy = f"run `modelcontext setup chromium`, or name a binary with --binary or {variable}"
    sets_permissions = True

    def options(self, hosts: Sequence[str], *, for_tests: bool) -> Mapping[str, Any]:
        """Return the command-line flags, and whether there is a sandbox."""
        return {
            "args": [*self._flags(hosts), *([SETTINGS] if for_tests else [])],
            "chromium_sandbox": has_sandbox(),
            "ignore_default_args": ["--disable-back-forward-cache"],
        }

    async def evaluator(self, context: Any, page: Any) -> Callable[[str], Awaitable[Any]]:
        """Return a function that evaluates an expression by the DevTools protocol.

        The helpers of ``page.evaluate`` run in the page, where the program may have reassigned what they need.
        """
        protocol = await context.new_cdp_session(page)

        async def evaluate(expression: str) -> Any:
            options = {"expression": expression, "awaitPromise": True, "returnByValue": True}
            return (await protocol.send("Runtime.evaluate", options))["result"].get("value")

        return evaluate

    def devtools_flags(self, hosts: Sequence[str], *, for_tests: bool) -> Sequence[str]:
        """Return all command-line flags."""
        flags = [*UNATTENDED, *self._flags(hosts, UNATTENDED_FEATURE)]
        return [*flags, *([] if has_sandbox() else ["--no-sandbox"]), *([SETTINGS] if for_tests else [])]

    def find_shell(self, given: str | None, binary: Path) -> Path | None:
        """Return Debian's headless shell, if it has the same version."""
        shell = shutil.which(self.shell)
        if shell is None or given or os.environ.get(self.variable) or _version(shell) != _version(binary):
            return None
        return Path(shell)

    def _flags(self, hosts: Sequence[str], *features: str) -> list[str]:
        rules = ",".join(f"MAP {host} 127.0.0.1" for host in hosts)
        flags = [*FLAGS, f"--host-resolver-rules={rules}", f"--disable-features={','.join(DISABLED)}"]
        enabled = [NATIVE, *features] if self.native else features
        return [*flags, f"--enable-features={','.join(enabled)}"] if enabled else flags


@cache
def has_sandbox() -> bool:
    """Return whether Chromium's sandbox can work.

    It cannot for root, nor where user namespaces are forbidden, as in many containers; Chromium then does not start.
    """
    if os.geteuid() == 0:
        return False
    unshare = shutil.which("unshare")
    probe = [unshare or "unshare", "--user", "--map-root-user", "true"]
    return unshare is None or subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _version(program: str | Path) -> str | None:
    """Return the version that a build reports, or ``None``."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
    match = _VERSION.search(said)
    return match and match[0]
