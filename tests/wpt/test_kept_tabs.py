"""Tabs that serve one test after another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.judging.wpt.server.hosts import NAMES
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.visit.devtools import DevtoolsVisit, KeptTabs, PreparedTab
from modelcontext.running.products import make_target
from modelcontext.running.products.devtools.browser import AttachingBrowser

if TYPE_CHECKING:
    from modelcontext.judging.wpt.tree import Tree

pytestmark = pytest.mark.usefixtures("starts_a_browser")

HEAD = """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script src="/common/get-host-info.sub.js"></script>
<body>
<script>
const loaded = (frame) => new Promise((resolve) => {
  frame.onload = resolve;
  document.body.append(frame);
});
"""
FINDS_NOTHING = """
promise_test(async () => {
  assert_equals((await document.modelContext.getTools()).length, 0, "tools");
  assert_equals(window.name, "", "name");
  assert_equals(opener, null, "opener");
  assert_equals(document.referrer, "", "referrer");
  assert_equals(document.cookie, "", "cookies");
  assert_equals(history.state, null, "state");
  assert_equals(localStorage.length, 0, "local storage");
  assert_equals(sessionStorage.length, 0, "session storage");
  assert_equals((await indexedDB.databases()).length, 0, "databases");
  assert_equals((await caches.keys()).length, 0, "caches");
  assert_equals((await navigator.serviceWorker.getRegistrations()).length, 0, "service workers");
}, "finds nothing of other tests");
"""
STORES = """
promise_test(async () => {
  await document.modelContext.registerTool({ name: "left", description: "d", execute: () => {} });
  document.cookie = "left=1";
  localStorage.left = 1;
  await caches.open("left");
  await new Promise((resolve, reject) => Object.assign(indexedDB.open("left"), { onsuccess: resolve, onerror: reject }));
}, "leaves a tool and all that is stored by origin");
"""
COMES_LATE = """
promise_test(async () => {
  const leave = () => {
    window.name = "left";
    document.cookie = "left=1";
    localStorage.left = 1;
    sessionStorage.left = 1;
  };
  for (const event of ["beforeunload", "pagehide", "unload"]) {
    addEventListener(event, leave);
  }
  document.addEventListener("visibilitychange", leave);
}, "has listeners for the end of the document");
"""
LEAVES_TRACES = {
    "session-storage": "sessionStorage.left = 1;",
    "name": "window.name = 'left';",
    "name-by-a-frame": """
      const frame = document.createElement("iframe");
      await loaded(frame);
      frame.contentWindow.addEventListener("pagehide", () => { window.name = "left"; });
    """,
    "history": "history.pushState('left', '');",
    "popup": "open('about:blank');",
    "worker": "new Worker('data:text/javascript,postMessage(0)');",
    "frame-of-another-origin": """
      const frame = document.createElement("iframe");
      frame.src = get_host_info().HTTPS_REMOTE_ORIGIN + "/common/blank.html";
      await loaded(frame);
      frame.remove();
    """,
}


class CountingTabs(KeptTabs):
    """Tabs, with the number of those that were made."""

    made = 0

    async def make(self, browser: AttachingBrowser, scripts: Sequence[str]) -> PreparedTab:
        self.made += 1
        return await super().make(browser, scripts)


def run(tree: Tree, *tests: str, reuses: bool = True) -> int:
    """Visit tests one after the other, each after the one before is closed. Return the number of tabs."""
    for number, text in enumerate(tests):
        (tree.root / f"{number}.https.html").write_text(f"{HEAD}{text}</script>\n", encoding="utf-8")
    target = make_target("chromium")
    binary = target.find_binary()
    assert binary is not None
    shell = target.engine.find_shell(target.binary, binary)
    tabs = CountingTabs(reuses=reuses)

    async def visit_all(server: TestServer) -> list[Result]:
        results = []
        flags = target.engine.devtools_flags(NAMES, for_tests=True)
        assert flags is not None
        browser = await AttachingBrowser.launch(shell or binary, flags, "")
        try:
            for test in find_tests(tree.root, ["/"]):
                visit = DevtoolsVisit(tabs, browser, test.path, [])
                try:
                    results.append(await visit.run(server.url(test.path, secure=True), 60))
                finally:
                    await visit.close()
        finally:
            await browser.close()
        return results

    with TestServer(tree) as server:
        results = asyncio.run(visit_all(server))
    assert [one for result in results for one in result.subtests if one.status != "PASS"] == []
    assert [result.status for result in results] == [FileStatus.OK] * len(tests)
    return tabs.made


def test_later_tests_use_the_first_tab_and_find_nothing_that_a_test_left(tree: Tree) -> None:
    assert run(tree, FINDS_NOTHING, STORES, FINDS_NOTHING, COMES_LATE, FINDS_NOTHING) == 1


@pytest.mark.parametrize("trace", LEAVES_TRACES.values(), ids=LEAVES_TRACES)
def test_test_after_a_trace_that_cannot_be_cleared_has_a_tab_of_its_own(tree: Tree, trace: str) -> None:
    leaves = f"promise_test(async () => {{ {trace} }}, 'leaves a trace');"
    assert run(tree, leaves, FINDS_NOTHING, FINDS_NOTHING) == 2


def test_each_test_has_a_tab_of_its_own_in_a_browser_that_keeps_pages(tree: Tree) -> None:
    assert run(tree, FINDS_NOTHING, FINDS_NOTHING, reuses=False) == 2
