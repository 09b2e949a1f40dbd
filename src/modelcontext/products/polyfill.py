"""Product ``polyfill``: WebMCP as a script brings it, in a Chromium whose own is switched off.

The script is that of an npm package, or the user's own. What is known of the package says nothing about another one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelcontext.checkout import find_checkout
from modelcontext.problems import UnavailableError
from modelcontext.products.target import Target

PACKAGE = Path("node_modules/@mcp-b/webmcp-polyfill")
SCRIPT = "dist/index.iife.js"

# A browser runs an injected script once in each Window. That of a frame goes on, if it is of the same origin, from the initial
# about:blank document to the one that is loaded, and the polyfill serves the document that is there when it runs. A page that
# loads it by itself does so in the later one; so here it waits, in the earlier one, until somebody asks for it. (So the script
# is the body of a function: what it declares is not global, what it assigns to the global object is.)
_INSTALLATION = """(() => {
  const install = () => {
%s
  };
  if (location.href !== "about:blank" || !isSecureContext) {
    install();
    return;
  }
  const put_off = [[Document.prototype, "modelContext"], [self, "ModelContext"]];
  for (const [target, name] of put_off) {
    Object.defineProperty(target, name, {
      configurable: true,
      get() {
        for (const [other, its] of put_off) {
          delete other[its];
        }
        install();
        return this[name];
      },
    });
  }
})();
"""


@dataclass(frozen=True)
class PolyfillTarget(Target):
    """A polyfill in Chromium: the npm package, or the files in ``inject`` instead of it."""

    def scripts(self) -> list[str]:
        """The polyfill, in one script. Raises :class:`UnavailableError` if the package is not installed."""
        return [_INSTALLATION % "\n".join(super().scripts() or [_read(SCRIPT)])]

    @property
    def remedy(self) -> str:
        """What to do where the browser does not have the API."""
        return "let the script define it as it runs, in every document that is a secure context"

    def version(self, browser: Any) -> str:
        """The version of the polyfill, and that of the browser."""
        polyfill = " and ".join(path.name for path in self.inject) or json.loads(_read("package.json"))["version"]
        return f"{polyfill} on {self.engine.title} {browser.version}"


def _read(name: str) -> str:
    checkout = find_checkout()
    if checkout is None:
        raise UnavailableError(
            f"there is no checkout of this project here, and so no {PACKAGE}", "change to a checkout"
        )
    path = checkout / PACKAGE / name
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UnavailableError(f"{path} is missing", f"run `npm ci --ignore-scripts` in {checkout}") from None
