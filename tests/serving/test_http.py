"""The server of pages."""

from __future__ import annotations

import http.client
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from modelcontext.ground.problems import PortError
from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.serving.http import Server
from modelcontext.running.serving.turns import Turns


def test_pages_are_served_with_their_headers() -> None:
    with Server() as server:
        server.serve("/1/top", HttpResponse("<p>ü", {"Permissions-Policy": "tools=()"}))
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/1/top") as response:
            assert response.read().decode() == "<p>ü"
            assert response.headers["Permissions-Policy"] == "tools=()"
            assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        server.forget("/1/top")
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            urllib.request.urlopen(f"http://127.0.0.1:{server.port}/1/top")
        caught.value.close()


@pytest.mark.parametrize(
    ("path", "kind", "text"),
    [("/", "text/html", "start"), ("/?a=b", "text/html", "start"), ("/code/x.mjs?1", "text/javascript", "run")],
)
def test_files_of_a_folder_are_served(tmp_path: Path, path: str, kind: str, text: str) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "index.html").write_text("start", encoding="utf-8")
    (tmp_path / "code/x.mjs").write_text("run", encoding="utf-8")
    with (
        Server(folders={"/": tmp_path}) as server,
        urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as response,
    ):
        assert (response.headers["Content-Type"], response.read().decode()) == (kind, text)


@pytest.mark.parametrize("path", ["/absent", "/code", "/../secret.txt", "/{secret}", "/code/../../secret.txt"])
def test_no_file_outside_of_a_folder_is_served(tmp_path: Path, path: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not served", encoding="utf-8")
    (tmp_path / "folder/code").mkdir(parents=True)
    with Server(folders={"/": tmp_path / "folder"}) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("GET", path.format(secret=secret))
        assert connection.getresponse().status == 404
        connection.close()


def test_origins_have_the_port() -> None:
    with Server() as server:
        assert server.origins["A"] == f"http://a.localhost:{server.port}"
        assert server.origins["insecure"] == f"http://insecure.test:{server.port}"


def test_server_listens_on_the_loopback_address_only() -> None:
    with Server() as server, socket.socket() as other:
        # The same port of another address is free.
        other.bind(("127.0.0.2", server.port))


def test_occupied_port_is_refused() -> None:
    with (
        Server() as first,
        pytest.raises(PortError, match=f"port {first.port} is in use; stop the program that listens there"),
    ):
        Server(first.port)


def test_number_out_of_range_is_refused() -> None:
    with pytest.raises(PortError, match="70000 is not a port"):
        Server(70000)


def test_closed_server_frees_its_port() -> None:
    with Server() as first:
        port = first.port
    with Server(port) as second:
        assert second.port == port


def test_waiting_request_gets_its_answer() -> None:
    with Server() as server:
        turn = f"http://127.0.0.1:{server.port}/modelcontext-page/turn/1"
        with urllib.request.urlopen(turn, data=b"[1]") as response:
            assert response.status == 204
        with urllib.request.urlopen(turn) as response:
            assert response.read() == b"[1]"


def test_oldest_untaken_answers_are_dropped() -> None:
    turns = Turns(patience=0)
    for number in range(200):
        turns.tell(str(number), b"")
    assert turns.wait("0") is None
    assert turns.wait("199") == b""
    assert turns.wait("199") is None
