"""Handlers written in Python: their requests, their answers, and the messages of the dispatcher."""

from __future__ import annotations

import http.client
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import SubtestStatus
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import ASSETS, Tree
from modelcontext.running.products import make_target

UUID = "0189f7ea-ae2c-7809-8aeb-b819cf5e9e7f"
MAIN = "def main(request, response):\n"

HANDLERS = {
    "text.py": MAIN + "    return 'text é'",
    "parts.py": MAIN + "    return ['a', b'b']",
    "json.py": MAIN + "    return {'a': 1}",
    "nothing.py": MAIN + "    response.status = 404\n    response.content = 'gone'",
    "headers.py": MAIN + "    return [('X-A', '1'), (b'X-B', b'2')], 'body'",
    "status.py": MAIN
    + "    response.headers.append('X', 1)\n    response.headers.append('X', 2)\n    return 201, [], ''",
    "replaced.py": MAIN + "    response.headers.set('X', 1)\n    response.headers.set('x', 2)\n    return ''",
    "request.py": MAIN
    + "    names = sorted(name.decode() for name in request.GET)\n"
    + "    return repr([request.method, request.url_parts.path, request.request_path, names, request.GET.get_list('a'),\n"
    + "                 request.GET.first('z', None), len(request.GET), request.headers[b'X-Test'], b'a' in request.GET])",
    "stash.py": MAIN
    + "    stash = request.server.stash\n"
    + "    if request.method == 'PUT':\n        stash.put(request.GET['key'], request.body)\n        return 'kept'\n"
    + "    return stash.take(request.GET['key']) or 'nothing'",
    "other.py": MAIN + "    return request.server.stash.take(request.GET['key'], '/stash.py') or 'nothing'",
    "no-main.py": "x = 1",
    "no-python.py": "def",
    "fails.py": MAIN + "    return request.GET['absent']",
    "odd.py": MAIN + "    return object()",
}


@dataclass(frozen=True)
class Client:
    server: TestServer
    root: Path

    def ask(self, path: str, method: str = "GET", body: bytes | None = None) -> tuple[int, list[tuple[str, str]], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.ports["http"][0], timeout=30)
        try:
            connection.request(method, path, body, {"X-Test": "yes"})
            response = connection.getresponse()
            headers = [(name, value) for name, value in response.getheaders() if name.startswith("x")]
            return response.status, headers, response.read().decode()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    root = tmp_path_factory.mktemp("handlers")
    for name, text in HANDLERS.items():
        (root / name).write_text(text, encoding="utf-8")
    with TestServer(Tree(root, {}, {})) as server:
        yield Client(server, root)
    assert sorted(path.name for path in root.iterdir()) == sorted(HANDLERS)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/text.py", (200, [], "text é")),
        ("/parts.py", (200, [], "ab")),
        ("/json.py", (200, [], '{"a": 1}')),
        ("/nothing.py", (404, [], "gone")),
        ("/headers.py", (200, [("x-a", "1"), ("x-b", "2")], "body")),
        ("/status.py", (201, [("x", "1"), ("x", "2")], "")),
        ("/replaced.py", (200, [("x", "2")], "")),
        (
            "/request.py?a=1&a=2&b=",
            (200, [], "['GET', '/request.py', '/request.py', ['a', 'b'], [b'1', b'2'], None, 2, b'yes', True]"),
        ),
        (
            "/no-main.py",
            (500, [], "/no-main.py: this handler has no function main(request, response)"),
        ),
        ("/fails.py", (500, [], "/fails.py: the handler failed: KeyError: b'absent'")),
        ("/odd.py", (500, [], "/odd.py: a handler returned object, which is neither text nor bytes")),
    ],
)
def test_handler_answers(client: Client, path: str, expected: tuple[int, list[tuple[str, str]], str]) -> None:
    assert client.ask(path) == expected


def test_handler_with_a_syntax_error_is_an_error(client: Client) -> None:
    status, _, text = client.ask("/no-python.py")
    assert status == 500
    assert text.startswith("/no-python.py: the handler failed: SyntaxError")


def test_stash_keeps_values_until_they_are_taken(client: Client) -> None:
    path = f"/stash.py?key={UUID}"
    assert client.ask(path)[2] == "nothing"
    assert client.ask(path, "PUT", b"value")[2] == "kept"
    assert client.ask(path, "PUT", b"value")[0] == 500
    # Taking a value removes it, and needs the path.
    assert client.ask(path)[2] == "value"
    assert client.ask(path)[2] == "nothing"
    client.ask(path, "PUT", b"again")
    assert client.ask(f"/other.py?key={UUID}")[2] == "again"
    assert client.ask("/stash.py?key=no-uuid")[0] == 500


def test_only_handlers_answer_every_method(client: Client) -> None:
    assert client.ask("/text.py", "DELETE")[0] == 200
    assert client.ask("/absent.html", "DELETE")[0] == 405


DISPATCHER = """<!doctype html>
<meta charset="utf-8">
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script src="/common/get-host-info.sub.js"></script>
<script src="/common/dispatcher/dispatcher.js"></script>
<script>
const { HTTPS_NOTSAMESITE_ORIGIN } = get_host_info();
const uuid = crypto.randomUUID();
const frame = document.createElement("iframe");
frame.src = remote_executor_url(uuid, HTTPS_NOTSAMESITE_ORIGIN);
document.documentElement.append(frame);
const remote = new RemoteContext(uuid);

promise_test(async () => {
  assert_equals(await remote.execute_script(() => location.origin), HTTPS_NOTSAMESITE_ORIGIN);
  assert_array_equals(await remote.execute_script(async (a, b) => [b, a], [1, "two"]), ["two", 1]);
}, "A function runs on another origin");

promise_test(async t => {
  await promise_rejects_js(t, Error, remote.execute_script(() => { throw new TypeError("no"); }));
}, "What it throws comes back");

promise_test(async () => {
  const queue = crypto.randomUUID();
  const first = receive(queue);
  await send(queue, "one");
  await send(queue, "two");
  assert_array_equals([await first, await receive(queue)], ["one", "two"]);
}, "Messages keep their order");
</script>
"""


@pytest.mark.usefixtures("starts_a_browser")
def test_dispatcher_passes_messages_between_documents(foreign: Path, tmp_path: Path) -> None:
    shutil.copytree(foreign / "resources", tmp_path / "resources")
    (tmp_path / "page.https.html").write_text(DISPATCHER, encoding="utf-8")
    report = {"/resources/testharnessreport.js": ASSETS / "resources/testharnessreport.js"}
    with TestServer(Tree(tmp_path, report, {"/common/": ASSETS / "common"})) as server:
        (result,) = run_tests(find_tests(tmp_path, ["page.https.html"]), server, make_target("chromium"))
    assert [(subtest.status, subtest.message) for subtest in result.subtests] == [(SubtestStatus.PASS, None)] * 3
