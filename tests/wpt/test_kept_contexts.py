"""Contexts of product page that serve one test after another."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import FileStatus, Result
from modelcontext.judging.wpt.server.hosts import NAMES
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.visit.playwright import KeptContexts, PlaywrightVisit
from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.page import PageTarget

if TYPE_CHECKING:
    from modelcontext.judging.wpt.tree import Tree

pytestmark = pytest.mark.usefixtures("starts_a_browser")

HEAD = """<!DOCTYPE html>
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<script>
"""
LEAVES_THINGS_BEHIND = """
promise_test(async () => {
  await document.modelContext.registerTool({ name: "left", description: "d", execute: () => {} });
  window.name = "left";
  document.modelContext.addEventListener("toolchange", () => opener.document.write("left"));
  const popup = open("about:blank");
  popup.document.modelContext.registerTool({ name: "in-a-popup", description: "d", execute: () => {} });
  assert_equals((await document.modelContext.getTools()).length, 1);
}, "leaves a tool, a listener and a popup");
"""
FINDS_NOTHING = """
promise_test(async () => {
  assert_equals((await document.modelContext.getTools()).length, 0);
  assert_equals(window.name, "");
  assert_equals(history.length, 1);
  const changes = [];
  document.modelContext.addEventListener("toolchange", () => changes.push(1));
  await document.modelContext.registerTool({ name: "left", description: "d", execute: () => 5 });
  const [tool] = await document.modelContext.getTools();
  assert_equals(await document.modelContext.executeTool(tool), "5");
  assert_equals(changes.length, 1);
}, "finds nothing of other tests");
"""
FAILS_THE_PRODUCT = """
opener.modelcontextFault("no more Python");
"""


@dataclass(frozen=True)
class CountingTarget(PageTarget):
    """The page, which notes its contexts, and the number of open pages whenever it has opened one."""

    pages: list[int] = field(default_factory=list)
    contexts: list[Any] = field(default_factory=list)

    async def open_page(self, context: Any, *arguments: Any, **options: Any) -> Any:
        page = await super().open_page(context, *arguments, **options)
        if context not in self.contexts:
            self.contexts.append(context)
        self.pages.append(len(context.pages))
        return page


def run(tree: Tree, *tests: str) -> tuple[list[FileStatus], CountingTarget]:
    """Visit tests one after the other, each after the one before is closed."""
    for number, text in enumerate(tests):
        (tree.root / f"{number}.https.html").write_text(f"{HEAD}{text}</script>\n", encoding="utf-8")
    target = CountingTarget("page", ChromiumEngine(), "current", "")

    async def visit_all(server: TestServer) -> list[Result]:
        playwright = await start_playwright()
        results = []
        try:
            browser = await target.engine.launch(playwright, target.find_binary(), NAMES, for_tests=True)
            contexts = KeptContexts(target)
            for test in find_tests(tree.root, ["/"]):
                visit = PlaywrightVisit(contexts, browser, test.path, target.scripts())
                try:
                    results.append(await visit.run(server.url(test.path, secure=True), 60))
                finally:
                    await visit.close()
            await browser.close()
        finally:
            await playwright.stop()
        return results

    with TestServer(tree.with_folders(target.folders())) as server:
        results = asyncio.run(visit_all(server))
    assert [one for result in results for one in result.subtests if one.status != "PASS"] == []
    return [result.status for result in results], target


def test_later_tests_use_the_python_of_the_first_and_find_nothing_that_it_left(tree: Tree) -> None:
    statuses, target = run(tree, LEAVES_THINGS_BEHIND, FINDS_NOTHING, FINDS_NOTHING)
    assert statuses == [FileStatus.OK] * 3
    assert len(target.contexts) == 1
    assert target.pages == [2, 2, 2]


def test_test_after_a_fault_of_the_product_has_a_context_of_its_own(tree: Tree) -> None:
    statuses, target = run(tree, FINDS_NOTHING, FAILS_THE_PRODUCT, FINDS_NOTHING)
    assert statuses == [FileStatus.OK, FileStatus.ERROR, FileStatus.OK]
    assert len(target.contexts) == 2
    assert target.pages == [2, 2, 2]
