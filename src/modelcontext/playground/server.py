"""Serving a built playground on the loopback address."""

from __future__ import annotations

import os
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from modelcontext.serving.http import listen

#: Whatever the machine says: a browser runs no module of another type.
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".wasm": "application/wasm",
}


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return _TYPES.get(Path(path).suffix) or super().guess_type(path)

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def make_server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a folder's files, which does not serve yet; port 0 takes any free one.

    Raises :class:`modelcontext.serving.http.PortError` if it cannot listen there.
    """
    return listen(port, partial(_Handler, directory=str(folder)))
