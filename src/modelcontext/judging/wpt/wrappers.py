"""Pages for tests that are only a script: ``x.window.html`` runs ``x.window.js``, ``x.any.html`` runs ``x.any.js``."""

from __future__ import annotations

import html
from collections.abc import Mapping

from modelcontext.judging.wpt.metadata import script_metadata

#: The ending of a script, by the ending of the page that runs it.
WRAPPED: Mapping[str, str] = {".window.html": ".window.js", ".any.html": ".any.js"}

_GLOBAL = """<script>
self.GLOBAL = { isWindow: () => true, isWorker: () => false, isShadowRealm: () => false };
</script>
"""


def wrapped_script(path: str) -> str | None:
    """Return the path of the script that the page at this path runs, if it is a wrapper's path."""
    for page, script in WRAPPED.items():
        if path.endswith(page):
            return path.removesuffix(page) + script
    return None


def wrapper(script_path: str, query: str, text: str) -> str:
    """Return the page that runs a script."""
    metadata = list(script_metadata(text))
    title = next((value for key, value in metadata if key == "title"), script_path)
    lines = ["<!doctype html>", '<meta charset="utf-8">', f"<title>{html.escape(title)}</title>"]
    lines += [f'<meta name="timeout" content="{html.escape(v)}">' for key, v in metadata if key == "timeout"]
    page = "\n".join(lines) + "\n" + (_GLOBAL if script_path.endswith(".any.js") else "")
    scripts = ["/resources/testharness.js", "/resources/testharnessreport.js"]
    scripts += [value for key, value in metadata if key == "script"]
    source = script_path + (f"?{query}" if query else "")
    page += "".join(f'<script src="{html.escape(script)}"></script>\n' for script in scripts)
    return f'{page}<div id="log"></div>\n<script src="{html.escape(source)}"></script>\n'
