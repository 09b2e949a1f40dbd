"""Product ``polyfill``: WebMCP from a script, in a Chromium whose own is switched off.

The script is that of an npm package, or the user's own, which the expectations of the package say nothing about.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.ground.checkout import npm_packages, project_root
from modelcontext.ground.joining import function_of_modules
from modelcontext.running.products.target import Target

PACKAGE = "@mcp-b/webmcp-polyfill"
SCRIPT = "dist/index.iife.js"

# The polyfill is the body of a function: its declarations are not global, its assignments to the global object are.
_INSTALLER = function_of_modules(Path(__file__).with_name("install-later.js"), "install", "installLater(install);")


@dataclass(frozen=True)
class PolyfillTarget(Target):
    """A polyfill in Chromium: the npm package, or the files in ``inject`` instead of it."""

    def scripts(self) -> list[str]:
        """Return the polyfill, in one script. Raises :class:`UnavailableError` if the package is not installed."""
        scripts = "\n".join(super().scripts() or [_read(SCRIPT)])
        return [f"{_INSTALLER}(() => {{\n{scripts}\n}});"]

    @property
    def remedy(self) -> str:
        """The advice where the browser does not have the API."""
        return "let the script define the API while the script runs, in every document that is a secure context"

    def version(self, browser: Any) -> str:
        """Return the versions of the polyfill and of the browser."""
        polyfill = " and ".join(path.name for path in self.inject) or json.loads(_read("package.json"))["version"]
        return f"{polyfill} on {self.engine.title} {browser.version}"


def _read(name: str) -> str:
    [package] = npm_packages(project_root(), PACKAGE)
    return (package / name).read_text(encoding="utf-8")
