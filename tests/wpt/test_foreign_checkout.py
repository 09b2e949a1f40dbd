"""``modelcontext test --wpt DIR`` with a checkout of web-platform-tests, and our suite in one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from modelcontext.judging.wpt.results import FileStatus, SubtestStatus

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "node_modules"
SUITE = ROOT / "wpt_tests/webmcp"
MAIN = "from modelcontext.people.cli import main; main()"

# The files of upstream that the suite uses in a checkout.
UPSTREAM = {
    "/resources/testharness.js",
    "/resources/testharnessreport.js",
    "/resources/idlharness.js",
    "/resources/WebIDLParser.js",
    "/resources/testdriver.js",
    "/resources/testdriver-vendor.js",
    "/common/get-host-info.sub.js",
    "/common/utils.js",
    "/common/dispatcher/dispatcher.js",
}

HEAD = """<!doctype html>
<meta charset="utf-8">
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
"""

FILES = {
    # The runner replaces this file, and no other one.
    "resources/testharnessreport.js": "throw new Error('not replaced');\n",
    "resources/own.js": "const own = 'of this checkout';\n",
    "common/utils.js": "const utils = 'of this checkout';\n",
    "common/get-host-info.sub.js": """
function get_host_info() {
  const at = (scheme, host, port) => `${scheme}://${host}:${port}`;
  return {
    HTTPS_ORIGIN: at("https", "{{host}}", "{{ports[https][0]}}"),
    HTTPS_REMOTE_ORIGIN: at("https", "{{domains[www1]}}", "{{ports[https][0]}}"),
    HTTPS_NOTSAMESITE_ORIGIN: at("https", "{{hosts[alt][]}}", "{{ports[https][0]}}"),
    HTTPS_ORIGIN_WITH_DIFFERENT_PORT: at("https", "{{host}}", "{{ports[https][1]}}"),
    HTTP_ORIGIN: at("http", "{{host}}", "{{ports[http][0]}}"),
    HTTP_REMOTE_ORIGIN: at("http", "{{domains[www1]}}", "{{ports[http][0]}}"),
    HTTP_NOTSAMESITE_ORIGIN: at("http", "{{hosts[alt][]}}", "{{ports[http][0]}}"),
  };
}
""",
    # A queue of messages, in the style of upstream's handlers: names and values are bytes.
    "common/dispatcher/dispatcher.py": """
def main(request, response):
    response.headers.set(b"Access-Control-Allow-Origin", b"*")
    if request.method == u"OPTIONS":
        response.headers.set(b"Access-Control-Allow-Headers", b"x-message")
        return b""
    key = request.GET[b"uuid"]
    with request.server.stash.lock:
        queue = request.server.stash.take(key)
        if queue is None:
            queue = []
        if request.method == u"POST":
            queue.append(request.body)
            result = b"done"
        else:
            result = queue.pop(0) if queue else b"not ready"
        request.server.stash.put(key, queue)
    return result
""",
    "common/dispatcher/dispatcher.js": """
const at = (uuid) => `/common/dispatcher/dispatcher.py?uuid=${uuid}`;
const send = (uuid, body) => fetch(at(uuid), { method: "POST", body, headers: { "x-message": "1" } });
async function receive(uuid) {
  for (;;) {
    const text = await (await fetch(at(uuid))).text();
    if (text !== "not ready") return text;
  }
}
""",
    "api/own-resources.html": HEAD
    + """
<script src="/resources/own.js"></script>
<script src="/common/utils.js"></script>
<script>
test(() => { assert_equals(own, "of this checkout"); }, "resources");
test(() => { assert_equals(utils, "of this checkout"); }, "common");
</script>
""",
    "api/host.sub.html": HEAD
    + """
<script>
test(() => { assert_equals(location.host, "{{host}}:{{ports[http][0]}}"); }, "substituted");
</script>
""",
    "api/policy.https.html": HEAD
    + """
<script>
promise_test(t => promise_rejects_dom(t, "NotAllowedError", document.modelContext.getTools()), "header");
</script>
""",
    "api/policy.https.html.headers": "Permissions-Policy: tools=()\n",
    "api/script.any.js": "// META: script=/resources/own.js\n// META: script=support/more.sub.js\n"
    "test(() => { assert_equals(own + more, 'of this checkout web-platform.test'); }, 'scripts');\n",
    "api/support/more.sub.js": "const more = ' {{host}}';\n",
    "api/secure.https.window.js": "test(() => { assert_true(isSecureContext); }, 'secure');\n",
    "api/echo.py": """
from json import dumps

def main(request, response):
    name = request.GET.first(b"name", b"nobody").decode()
    headers = [(b"Content-Type", b"application/json"), (b"X-Cookie", request.cookies.first(b"c", b"none"))]
    return (202, u"Fine"), headers, dumps({"name": name, "body": request.body.decode(), "form": len(request.POST)})
""",
    "api/broken.py": "def main(request, response):\n    return request.GET[b'absent']\n",
    "api/handler.html": HEAD
    + """
<script>
promise_test(async () => {
  document.cookie = "c=yes";
  const response = await fetch("echo.py?name=you", { method: "POST", body: new URLSearchParams({ a: 1, b: 2 }) });
  assert_equals(response.status, 202);
  assert_equals(response.headers.get("content-type"), "application/json");
  assert_equals(response.headers.get("x-cookie"), "yes");
  assert_object_equals(await response.json(), { name: "you", body: "a=1&b=2", form: 2 });
}, "A handler answers");
promise_test(async () => {
  const response = await fetch("broken.py");
  assert_equals(response.status, 500);
  assert_true((await response.text()).startsWith("/api/broken.py: the handler failed: KeyError"));
}, "A handler that fails says so");
promise_test(async () => {
  assert_equals((await fetch("handler.html", { method: "PUT" })).status, 405);
}, "Other methods are for handlers");
</script>
""",
    "api/dispatcher.https.html": HEAD
    + """
<script src="/common/get-host-info.sub.js"></script>
<script src="/common/dispatcher/dispatcher.js"></script>
<script>
promise_test(async () => {
  const uuid = crypto.randomUUID();
  const frame = document.createElement("iframe");
  frame.src = `${get_host_info().HTTPS_REMOTE_ORIGIN}/api/support/sends.html?${uuid}`;
  document.documentElement.append(frame);
  assert_equals(await receive(uuid), `from ${get_host_info().HTTPS_REMOTE_ORIGIN}`);
}, "A message from another origin");
</script>
""",
    "api/support/sends.html": """<!doctype html>
<script src="/common/dispatcher/dispatcher.js"></script>
<script>
send(location.search.slice(1), `from ${origin}`);
</script>
""",
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checkout of web-platform-tests, outside of this repository, with a copy of our suite."""
    root = tmp_path_factory.mktemp("wpt")
    assert not root.is_relative_to(ROOT)
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    harness = PACKAGES / "wpt-runner/testharness"
    shutil.copy(harness / "testharness.js", root / "resources")
    shutil.copy(harness / "idlharness.js", root / "resources")
    shutil.copy(harness / "webidl2/lib/webidl2.js", root / "resources/WebIDLParser.js")
    shutil.copytree(PACKAGES / "@webref/idl", root / "interfaces")
    # The next extract of upstream; until it is published, the current one differs from index.bs as spec/drift.toml says.
    shutil.copy(ROOT / "src/modelcontext/spec/revisions/current/modelcontext.webidl", root / "interfaces/webmcp.idl")
    shutil.copytree(SUITE, root / "webmcp")
    return root


def state(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path.relative_to(root)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in root.rglob("*")
    }


def run(*arguments: str | Path) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
    process = subprocess.run(
        [sys.executable, "-c", MAIN, "test", *map(str, arguments), "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": ""},
        timeout=300,
        check=False,
    )
    assert "Traceback" not in process.stderr
    (product,) = json.loads(process.stdout)["products"]
    return process, product["results"]


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
def test_checkout_runs_unchanged(checkout: Path) -> None:
    before = state(checkout)
    process, results = run("api", "--wpt", checkout)
    assert state(checkout) == before
    statuses = {
        result["test"]: [result["status"], *(subtest["status"] for subtest in result["subtests"])] for result in results
    }
    passed = SubtestStatus.PASS
    assert statuses == {
        "/api/dispatcher.https.html": [FileStatus.OK, passed],
        "/api/handler.html": [FileStatus.OK, passed, passed, passed],
        "/api/host.sub.html": [FileStatus.OK, passed],
        "/api/own-resources.html": [FileStatus.OK, passed, passed],
        "/api/policy.https.html": [FileStatus.OK, passed],
        "/api/script.any.html": [FileStatus.OK, passed],
        "/api/secure.https.window.html": [FileStatus.OK, passed],
    }, json.dumps(results, indent=1)
    assert process.returncode == 0


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
def test_our_suite_runs_in_a_checkout(checkout: Path) -> None:
    """The suite uses the resources of the checkout, and has the same results as here."""
    sample = ["accessor", "execute-tool-frames", "execute-tool-results", "permissions-policy-header", "exposure"]
    paths = ["webmcp/idlharness.https.window.js", *(f"webmcp/imperative/{name}.https.html" for name in sample)]
    before = state(checkout)
    expectations = ROOT / "wpt_tests/expectations/wpt-chromium.toml"
    process, results = run(*paths, "--wpt", checkout, "--expectations", expectations)
    assert state(checkout) == before
    assert len(results) == len(paths)
    assert all(result["subtests"] for result in results)
    assert json.loads(process.stdout)["products"][0]["findings"] == []
    assert process.returncode == 0


def foreign_to_upstream(text: str) -> set[str]:
    """Return what a file uses that upstream's checkout has not."""
    used = set(re.findall(r"""["'`=](/(?:resources|common|interfaces|tools|fonts|images|media)/[^"'`\s?]+)""", text))
    return used - UPSTREAM | set(re.findall(r"modelcontextReport|wpt_tests", text))


def test_our_suite_uses_only_resources_of_upstream() -> None:
    found = {
        str(path.relative_to(SUITE)): foreign
        for path in SUITE.rglob("*")
        if path.is_file() and (foreign := foreign_to_upstream(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_check_of_resources_finds_one_that_upstream_has_not() -> None:
    assert foreign_to_upstream('<script src="/resources/own.js?a"></script>') == {"/resources/own.js"}
