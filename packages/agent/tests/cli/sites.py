"""A site whose pages have tools, and are answered with a status of the test's choice; and a browser that a test can end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from modelcontext.running.products.registry import make_target

PAGE = b"""<!DOCTYPE html>
<title>A page</title>
<script>
document.modelContext.registerTool({ name: "hello", description: "Says hello.", execute: async () => "hello" });
document.modelContext.registerTool({ name: "never", description: "Never ends.", execute: () => new Promise(() => {}) });
</script>
"""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Answer with the status that the path begins with; a path that ends with ``empty`` has no body."""
        body = b"" if self.path.endswith("empty") else PAGE
        self.send_response(int(self.path[1:4]) if self.path[1:4].isdigit() else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def status_site() -> Iterator[str]:
    """Serve the site, and give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class MortalBrowser:
    """Chromium by way of a program that writes down its process, so that a test can end it.

    Attributes:
        binary: the program.
    """

    def __init__(self, folder: Path) -> None:
        self._note = folder / "browser.pid"
        self.binary = folder / "browser"
        found = make_target("chromium").find_binary()
        self.binary.write_text(f'#!/bin/sh\necho $$ > "{self._note}"\nexec "{found}" "$@"\n', encoding="utf-8")
        self.binary.chmod(0o755)

    def kill(self) -> None:
        """End the browser that runs."""
        os.kill(int(self._note.read_text(encoding="utf-8")), signal.SIGKILL)
