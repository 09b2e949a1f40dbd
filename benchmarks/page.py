"""The model in a page compared with Chromium's own implementation and the JavaScript polyfill, in turn in one run.

The rows are the times until registerTool() and executeTool() have returned, and until their promises have settled, in
microseconds: means of a thousand calls, and the medians of these over the rounds. (The clock of a page ticks every 100
microseconds, so that the median of single calls would say nothing.) The last column is the ratio of the page to Chromium.
A last row is the time until a page is ready, in seconds: a context, and for the product page a window with Python.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Mapping
from typing import Any

from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products import make_target
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.serving.http import Server

PRODUCTS = ("chromium", "polyfill", "page")
CALLS = 1000
ROUNDS = 5
OPENINGS = 5
PATH = "/page"
# The polyfill takes the input as JSON text.
MEASURE = """async ([calls, asText]) => {
  const { modelContext } = document;
  const input = asText ? '{"a":1}' : { a: 1 };
  const figures = { registerReturned: [], registerSettled: [], executeReturned: [], executeSettled: [] };
  const schema = { type: "object", properties: { a: { type: "number" } } };
  let tools = [];
  let controller = new AbortController();
  for (let index = 0; index < calls; index++) {
    const tool = { name: `t${index % 20}`, description: "d", inputSchema: schema, execute: async () => 1 };
    if (index % 20 === 0) {
      controller.abort();
      controller = new AbortController();
      await new Promise((resolve) => setTimeout(resolve));
    }
    const begun = performance.now();
    const promise = modelContext.registerTool(tool, { signal: controller.signal });
    figures.registerReturned.push(performance.now() - begun);
    await promise;
    figures.registerSettled.push(performance.now() - begun);
  }
  const [tool] = await modelContext.getTools();
  for (let index = 0; index < calls; index++) {
    const begun = performance.now();
    const promise = modelContext.executeTool(tool, input);
    figures.executeReturned.push(performance.now() - begun);
    await promise;
    figures.executeSettled.push(performance.now() - begun);
  }
  controller.abort();
  await new Promise((resolve) => setTimeout(resolve));
  return figures;
}"""
TITLES = {
    "registerReturned": "registerTool() has returned",
    "registerSettled": "registerTool() has settled",
    "executeReturned": "executeTool() has returned",
    "executeSettled": "executeTool() has settled",
}


class Running:
    """One product in its own browser, with an open page."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._target = make_target(name)
        self._scripts = self._target.scripts()
        self.folders = self._target.folders()
        self._browser: Any = None
        self._page: Any = None
        self.calls: dict[str, list[float]] = {title: [] for title in TITLES}
        self.openings: list[float] = []

    async def open(self, playwright: Any, url: str) -> None:
        """Open a fresh context with a page."""
        if self._browser is None:
            self._browser = await self._target.engine.launch(playwright, self._target.find_binary(), [])
        begun = time.perf_counter()
        context = await self._browser.new_context()
        for script in self._scripts:
            await context.add_init_script(script)
        page = await self._target.open_page(context, url, fail)
        await page.goto(url)
        self.openings.append(time.perf_counter() - begun)
        if self._page is not None:
            await self._page.context.close()
        self._page = page

    async def measure(self) -> None:
        """Measure one round of calls."""
        figures = await self._page.evaluate(MEASURE, [CALLS, self.name == "polyfill"])
        for title, milliseconds in figures.items():
            self.calls[title].append(statistics.fmean(milliseconds) * 1000)

    async def close(self) -> None:
        """Close the browser."""
        await self._browser.close()


def fail(message: str) -> None:
    """End the benchmark with a product's error."""
    raise RuntimeError(message)


async def main() -> None:
    """Measure, and print a table."""
    products = [Running(name) for name in PRODUCTS]
    folders = {path: folder for product in products for path, folder in product.folders.items()}
    with Server(folders=folders) as server:
        server.serve(PATH, HttpResponse("<!DOCTYPE html><title>page</title>", {}))
        url = server.origins["A"] + PATH
        playwright = await start_playwright()
        try:
            for _ in range(1 + OPENINGS):
                for product in products:
                    await product.open(playwright, url)
            for _ in range(1 + ROUNDS):
                for product in products:
                    await product.measure()
        finally:
            for product in products:
                await product.close()
            await playwright.stop()
    print_table({product.name: product for product in products})


def print_table(products: Mapping[str, Running]) -> None:
    """Print the medians without the first round, which is a warm-up."""
    print(
        f"{'microseconds, mean of ' + str(CALLS):34}" + "".join(f"{name:>12}" for name in products) + "   page/chromium"
    )
    for key, title in TITLES.items():
        medians = {name: statistics.median(product.calls[key][1:]) for name, product in products.items()}
        ratio = medians["page"] / medians["chromium"] if medians["chromium"] else float("inf")
        print(f"{title:34}" + "".join(f"{median:12.0f}" for median in medians.values()) + f"   {ratio:.2f}")
    ready = {name: statistics.median(product.openings[1:]) for name, product in products.items()}
    print(f"{'a page is ready, seconds':34}" + "".join(f"{seconds:12.2f}" for seconds in ready.values()))


if __name__ == "__main__":
    asyncio.run(main())
