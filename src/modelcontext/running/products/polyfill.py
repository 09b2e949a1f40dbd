"""Product ``polyfill``: WebMCP from a script, in a Chromium whose own is switched off.

The script is that of an npm package, or the user's own, which the expectations of the package say nothing about.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from modelcontext.ground.checkout import npm_packages, project_root
from modelcontext.running.products.target import Target

PACKAGE = "@mcp-b/webmcp-polyfill"
SCRIPT = "dist/index.iife.js"

# A browser runs an injected script once in each Window. The Window of a frame of the same origin stays when its initial
# about:blank document is replaced by the loaded one, and the polyfill serves the document in which it runs. A page that
# loads the polyfill itself does so in the later document; so here it waits, in the earlier one, until a script asks for
# the API. (So the script is the body of a function: its declarations are not global, its assignments to the global
# object are.)
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
        """Return the polyfill, in one script. Raises :class:`UnavailableError` if the package is not installed."""
        return [_INSTALLATION % "\n".join(super().scripts() or [_read(SCRIPT)])]

    @property
    def remedy(self) -> str:
        """The advice where the browser does not have the API."""
        return "let the script define it as it runs, in every document that is a secure context"

    def version(self, browser: Any) -> str:
        """Return the versions of the polyfill and of the browser."""
        polyfill = " and ".join(path.name for path in self.inject) or json.loads(_read("package.json"))["version"]
        return f"{polyfill} on {self.engine.title} {browser.version}"


def _read(name: str) -> str:
    [package] = npm_packages(project_root(), PACKAGE)
    return (package / name).read_text(encoding="utf-8")
