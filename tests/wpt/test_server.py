"""The server's answers for files: substitution, headers, pipes, and pages around scripts."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.server.answers import PipeError, parse_pipes
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import Tree, checkout_tree

FILES = {
    "plain.html": "<p>{{host}}",
    "page.sub.html": "{{host}} {{domains[www1]}} {{hosts[alt][]}} {{hosts[][www]}} {{domains[élève]}} {{GET[x]}}",
    "ports.sub.txt": "{{ports[http][0]}} {{ports[http][1]}} {{ports[https][0]}} {{ports[https][1]}}",
    "location.sub.js": "{{location[scheme]}} {{location[host]}} {{location[port]}} {{location[path]}} {{location[query]}}",
    "headers.sub.txt": "{{headers[x-test]}} {{GET[x]}}",
    "unknown.sub.txt": "{{fruit[apple]}}",
    "missing.sub.txt": "{{GET[absent]}}",
    "uuids.sub.txt": "{{uuid()}} {{uuid()}}",
    "with-headers.html": "",
    "with-headers.html.headers": "Permissions-Policy: tools=()\nContent-Type: text/html;charset=x\nX: 1\nX: 2\n",
    "with-headers.html.sub.headers": "X-Host: {{host}}\n",
    "folder/__dir__.headers": "X-Dir: yes\nX-Both: dir\n",
    "folder/a.txt": "",
    "folder/a.txt.headers": "X-Both: file\n",
    "one.https.window.js": "// META: title=A & B\n// META: script=/common/utils.js\n// META: timeout=long\n// code\n",
    "one.https.window.js.headers": "X: wrapped\n",
    "two.any.js": "",
    "data.bin": "\x00",
    "style.css": "",
}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Client:
    server: TestServer

    def get(self, path: str, *, secure: bool = False, host: str = "web-platform.test") -> Answer:
        ports = self.server.ports
        connection: http.client.HTTPConnection
        if secure:
            context = ssl._create_unverified_context()
            port = ports["https"][0]
            connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
        else:
            port = ports["http"][0]
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.request("GET", path, headers={"Host": f"{host}:{port}", "X-Test": "from the request"})
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read().decode())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    top = tmp_path_factory.mktemp("served")
    (top / "secret.txt").write_text("not served", encoding="utf-8")
    root = top / "root"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / "bytes.sub.html").write_bytes(b"\xff")
    (root / "bytes.window.js").write_bytes(b"// META: title=x\n// \xff")
    (top / "over").mkdir()
    (top / "over/plain.html").write_text("over", encoding="utf-8")
    with TestServer(Tree(root, {"/one-file": root / "plain.html"}, {"/over/": top / "over"})) as server:
        yield Client(server)


def test_only_marked_files_are_substituted(client: Client) -> None:
    assert client.get("/plain.html").text == "<p>{{host}}"
    assert client.get("/plain.html?pipe=sub").text == "<p>web-platform.test"


def test_hosts_and_escaped_parameters_are_substituted(client: Client) -> None:
    assert client.get("/page.sub.html?x=%3Cb%3E").text == (
        "web-platform.test www1.web-platform.test not-web-platform.test www.web-platform.test "
        "xn--lve-6lad.web-platform.test &lt;b&gt;"
    )


def test_ports_are_substituted(client: Client) -> None:
    ports = client.server.ports
    assert client.get("/ports.sub.txt").text == " ".join(map(str, [*ports["http"], *ports["https"]]))
    assert len({*ports["http"], *ports["https"]}) == 4


@pytest.mark.parametrize("secure", [False, True])
def test_location_is_substituted(client: Client, secure: bool) -> None:
    port = client.server.ports["https" if secure else "http"][0]
    scheme = "https" if secure else "http"
    text = client.get("/location.sub.js?a=b", secure=secure, host="www.web-platform.test").text
    assert text == f"{scheme} www.web-platform.test:{port} {port} /location.sub.js?a=b ?a=b"


def test_values_outside_of_markup_are_not_escaped(client: Client) -> None:
    assert client.get("/headers.sub.txt?x=%3Cb%3E").text == "from the request <b>"


@pytest.mark.parametrize("name", ["unknown", "missing"])
def test_unknown_substitution_is_an_error(client: Client, name: str) -> None:
    answer = client.get(f"/{name}.sub.txt")
    assert answer.status == 500
    assert "{{" in answer.text


def test_invalid_utf_8_is_an_error_only_in_substituted_files(client: Client) -> None:
    answer = client.get("/bytes.sub.html")
    assert (answer.status, answer.text.partition(":")[0]) == (500, "/bytes.sub.html")
    assert "<title>x</title>" in client.get("/bytes.window.html").text


def test_uuids_differ(client: Client) -> None:
    first, second = client.get("/uuids.sub.txt").text.split()
    assert first != second


def test_headers_of_a_file_are_sent(client: Client) -> None:
    headers = client.get("/with-headers.html").headers
    assert headers["Permissions-Policy".lower()] == "tools=()"
    assert headers["content-type"] == "text/html;charset=x"
    assert headers["x-host"] == "web-platform.test"


def test_headers_of_a_folder_come_before_those_of_a_file(client: Client) -> None:
    headers = client.get("/folder/a.txt").headers
    assert (headers["x-dir"], headers["x-both"]) == ("yes", "file")


def test_pipes_set_status_and_headers(client: Client) -> None:
    answer = client.get("/plain.html?pipe=status(418)|header(X-A,one\\,%20two)|header(Content-Type,text/x)")
    assert (answer.status, answer.headers["x-a"], answer.headers["content-type"]) == (418, "one, two", "text/x")


def test_responses_are_sliced_and_trickled(client: Client) -> None:
    assert client.get("/plain.html?pipe=slice(1,-2)").text == "p>{{host"
    assert client.get("/plain.html?pipe=slice(null,3)").text == "<p>"
    slow = client.get("/plain.html?pipe=trickle(2:d0:r2)|status(418)")
    assert (slow.status, slow.text) == (418, "<p>{{host}}")
    assert "content-length" not in slow.headers
    assert client.get("/plain.html?pipe=header(X-A,b)|trickle(3:d0)").headers["x-a"] == "b"


@pytest.mark.parametrize(
    "pipe",
    [
        "trickle(x)",
        "trickle(r1)",
        "trickle(d1:r2)",
        "slice(a,b)",
        "slice(1)",
        "fruit()",
        "status(many)",
        "header(a)",
        "sub|",
        "(",
        "header(a,b",
    ],
)
def test_unknown_pipe_is_an_error(client: Client, pipe: str) -> None:
    answer = client.get(f"/plain.html?pipe={pipe}")
    assert (answer.status, "pipe" in answer.text) == ((200, False) if pipe == "sub|" else (500, True))


def test_arguments_of_pipes_are_unescaped() -> None:
    assert list(parse_pipes(r"header(A,b\,c,True)|sub|x()")) == [
        ("header", ["A", "b,c", "True"]),
        ("sub", []),
        ("x", [""]),
    ]
    with pytest.raises(PipeError):
        list(parse_pipes("a b"))


def test_script_is_wrapped_in_a_page(client: Client) -> None:
    answer = client.get("/one.https.window.html?v", secure=True)
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["x"] == "wrapped"
    assert "<title>A &amp; B</title>" in answer.text
    assert '<meta name="timeout" content="long">' in answer.text
    scripts = [line.split('"')[1] for line in answer.text.splitlines() if line.startswith("<script src")]
    assert scripts == [
        "/resources/testharness.js",
        "/resources/testharnessreport.js",
        "/common/utils.js",
        "/one.https.window.js?v",
    ]
    assert "GLOBAL" not in answer.text
    assert "GLOBAL" in client.get("/two.any.html").text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/two.any.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/data.bin", "application/octet-stream"),
    ],
)
def test_files_have_their_media_types(client: Client, path: str, kind: str) -> None:
    assert client.get(path).headers["content-type"] == kind


def test_files_and_folders_override_the_root(client: Client) -> None:
    assert client.get("/over/plain.html").text == "over"
    assert client.get("/one-file").text == "<p>{{host}}"


@pytest.mark.parametrize(
    "path", ["/absent", "/folder", "/../secret.txt", "/%2e%2e/secret.txt", "/over/../secret.txt", "/%00"]
)
def test_paths_outside_of_the_tree_are_not_found(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_checkout_without_its_packages_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="npm ci --ignore-scripts"):
        checkout_tree(tmp_path)


def test_checkout_serves_its_own_idl() -> None:
    root = Path(__file__).resolve().parents[2]
    tree = checkout_tree(root)
    assert tree.find("/interfaces/webmcp.idl") == root / "src/modelcontext/spec/revisions/current/modelcontext.webidl"
    dom = tree.find("/interfaces/dom.idl")
    assert dom is not None
    assert "interface EventTarget" in dom.read_text(encoding="utf-8")
    lock = json.loads((root / "package-lock.json").read_text(encoding="utf-8"))
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
