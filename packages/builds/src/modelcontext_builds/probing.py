"""The search in a page of a build for what the build has."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.problems import UnavailableError
from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.limits import within
from modelcontext.running.serving.http import HOSTS, Server
from modelcontext_builds.build import Build

if TYPE_CHECKING:
    from modelcontext.running.products.target import Target

#: Seconds that a page has to answer.
PATIENCE: Final = 60.0
PATH: Final = "/probe"

#: A function for a page: the accessor, the members of ModelContext, and whether inputs are JSON text.
HAS: Final = """async () => {
  const accessor = "modelContext" in document ? "document" : "modelContext" in navigator ? "navigator" : "";
  if (!accessor) return { accessor, members: [], takes_text: false };
  const context = { document, navigator }[accessor].modelContext;
  const members = Object.getOwnPropertyNames(Object.getPrototypeOf(context)).filter((name) => name !== "constructor");
  await context.registerTool({ name: "t", description: "d", inputSchema: { type: "object" }, execute: async () => 0 });
  const listed = members.includes("getTools") ? await context.getTools() : [];
  return { accessor, members: members.sort(), takes_text: listed.some((tool) => typeof tool.inputSchema === "string") };
}"""


def probe(target: Target) -> Build:
    """Start a build, and return what it has.

    Raises:
        UnavailableError: if it does not start, or does not have the API.
    """
    version, [found] = in_pages(target, [HAS])
    return build_of(target.name, version, found, target.remedy)


def build_of(name: str, version: str, found: dict[str, Any], remedy: str) -> Build:
    """Return a build as a page has found it. Raises :class:`UnavailableError` if it does not have the API."""
    if not found["accessor"]:
        raise UnavailableError(f"{name}, version {version}, has no modelContext", remedy)
    return Build(name, version, found["accessor"], tuple(found["members"]), found["takes_text"])


def in_pages(target: Target, functions: Sequence[str]) -> tuple[str, list[Any]]:
    """Call functions in a build, each in a new page; return its version, and what they return or their promises give.

    Raises:
        UnavailableError: if it does not start, or a page does not answer.
    """
    return asyncio.run(_in_pages(target, functions))


async def _in_pages(target: Target, functions: Sequence[str]) -> tuple[str, list[Any]]:
    server = Server()
    server.serve(PATH, HttpResponse("<!DOCTYPE html><title>probe</title>", {}))
    playwright = await start_playwright()
    try:
        browser = await target.engine.launch(playwright, target.find_binary(), [HOSTS["insecure"]])
        try:
            url = server.origins["A"] + PATH
            return browser.version, [await within(PATIENCE, _call(browser, url, function)) for function in functions]
        except TimeoutError:
            raise UnavailableError(f"a page of {target.name} does not answer", target.remedy) from None
        finally:
            await browser.close()
    finally:
        await playwright.stop()
        server.close()


async def _call(browser: Any, url: str, function: str) -> Any:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    found = await page.evaluate(function)
    await context.close()
    return found
