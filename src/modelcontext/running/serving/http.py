"""A small HTTP server for the pages of programs, and for folders of files.

Only the path of a request decides, not its host: the origins of a program are names for the same server.
"""

from __future__ import annotations

import errno
import mimetypes
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Self

from modelcontext.ground.problems import PortError
from modelcontext.running.serving.meetings import MEETINGS, Meetings
from modelcontext.running.serving.turns import TURNS, Turns

if TYPE_CHECKING:
    from modelcontext.programs.program.render import HttpResponse

#: The host of each origin. Names under ``localhost`` are potentially trustworthy and different sites; browsers resolve
#: them, but not the insecure one, to the loopback address by themselves.
HOSTS = {**{letter: f"{letter.lower()}.localhost" for letter in "ABCD"}, "insecure": "insecure.test"}

# Types that do not depend on the machine's tables: a browser does not run a module of another type.
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}

# Documents with an opaque origin meet others, too.
_ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}


class Server:
    """A server of pages on the loopback address, and a context manager.

    Args:
        port: the port to listen on; 0 takes any free port.
        folders: folders to serve besides the pages, by the path below which each is served.

    Raises:
        PortError: if the server cannot listen on the port.
    """

    def __init__(self, port: int = 0, folders: Mapping[str, Path] | None = None) -> None:
        self._pages: dict[str, HttpResponse] = {}
        pages = self._pages
        turns = Turns()
        self.meetings = meetings = Meetings()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Headers and body leave in one packet, or in several at once: delayed acknowledgements cost 40 ms a page.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                if self.path.startswith(MEETINGS):
                    self._answer(200, "text/plain", meetings.answer(self.path).encode(), _ANY_ORIGIN)
                    return
                if self.path.startswith(TURNS):
                    answer = turns.wait(self.path)
                    self._answer(404 if answer is None else 200, "application/json", answer or b"", {})
                    return
                page = pages.get(self.path)
                file = _find(self.path, folders or {}) if page is None else None
                body = page.body.encode() if page is not None else file.read_bytes() if file is not None else b""
                kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file)[0] if file is not None else None
                status = 404 if page is None and file is None else 200
                self._answer(status, kind or "text/html; charset=utf-8", body, page.headers if page is not None else {})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"] or 0))
                is_turn, is_meeting = (self.path.startswith(path) for path in (TURNS, MEETINGS))
                if is_turn:
                    turns.tell(self.path, body)
                elif is_meeting:
                    meetings.tell(self.path, body.decode())
                self._answer(204 if is_turn or is_meeting else 404, "text/plain", b"", _ANY_ORIGIN)

            def _answer(self, status: int, kind: str, body: bytes, headers: Mapping[str, str]) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in {"Cache-Control": "no-store", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = _listen(port, Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="server", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on which the server listens."""
        return int(self._server.server_address[1])

    @property
    def origins(self) -> dict[str, str]:
        """The serialized origin for each letter, and ``insecure``."""
        return {letter: f"http://{host}:{self.port}" for letter, host in HOSTS.items()}

    def serve(self, path: str, page: HttpResponse) -> None:
        """Answer requests for the path with that page."""
        self._pages[path] = page

    def forget(self, path: str) -> None:
        """Answer requests for the path with 404 again."""
        self._pages.pop(path, None)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True
    # A port that another process listens on must not be shared with it.
    allow_reuse_port = False
    # A page may ask for many files at once.
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        # It is not an error that a browser hangs up in the middle of a response, as for a removed frame.
        pass


def _listen(port: int, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    try:
        return _LoopbackServer(("127.0.0.1", port), handler)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise PortError(
                f"port {port} is in use; stop the program that listens there, or choose another --port"
            ) from None
        if error.errno == errno.EACCES:
            raise PortError(f"port {port} needs more rights; choose one above 1023") from None
        raise PortError(f"cannot listen on port {port}: {error.strerror or error}") from None
    except OverflowError:
        raise PortError(f"{port} is not a port; choose one from 0 to 65535") from None


def _find(path: str, folders: Mapping[str, Path]) -> Path | None:
    path = path.partition("?")[0]
    for prefix, folder in folders.items():
        name = path.removeprefix(prefix) or "index.html"
        if path.startswith(prefix) and ".." not in path and not name.startswith("/") and (folder / name).is_file():
            return folder / name
    return None
