"""The calls of a page that is recorded compared with those of a page that is not, in turn in one run.

The rows are the times until the promises of registerTool(), getTools() and executeTool() have settled, in microseconds: means
of the calls of a page, and the medians of these over the pairs. The last column is the median of the ratios of the pairs.
"""

from __future__ import annotations

import asyncio
import json
import statistics
from collections.abc import Mapping
from urllib.parse import quote

from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products import make_target
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.serving.http import Server
from modelcontext.running.serving.meetings import MEETINGS
from modelcontext_record.live import PageRecorder

CALLS = 400
PAIRS = 9
#: Seconds that a page may take.
PATIENCE = 60
#: The path to which a page sends its figures.
PLACE = f"{MEETINGS}figures"
PAGE = r"""<!DOCTYPE html><title>page</title><script type="module">
const { modelContext } = document;
const figures = {};
async function measure(title, call) {
  const begun = performance.now();
  for (let index = 0; index < CALLS; index++) await call(index);
  figures[title] = ((performance.now() - begun) / CALLS) * 1000;
}
const schema = { type: "object", properties: { a: { type: "number" } } };
const tool = { description: "d", inputSchema: schema, execute: async ({ a }) => a + 1 };
await measure("registerTool() and its abort", async (index) => {
  const controller = new AbortController();
  await modelContext.registerTool({ name: `t${index}`, ...tool }, { signal: controller.signal });
  controller.abort();
});
await modelContext.registerTool({ name: "t", ...tool });
await measure("getTools()", () => modelContext.getTools());
const [listed] = await modelContext.getTools();
await measure("executeTool()", (a) => modelContext.executeTool(listed, { a }));
await fetch("PLACE", { method: "POST", body: `done\n${JSON.stringify([figures])}` });
</script>"""

Figures = Mapping[str, float]


def figures_from(server: Server) -> Figures:
    """Wait for the figures that a page sends, and return them."""
    if not server.meetings.wait_for(PLACE, ["done"], PATIENCE):
        raise RuntimeError(f"a page has no figures after {PATIENCE} seconds")
    [figures] = json.loads(server.meetings.answer(f"{PLACE}?{quote(json.dumps({'letters': True}))}"))
    server.meetings.close(PLACE)
    server.meetings.open(PLACE)
    return dict(figures)


async def main() -> None:
    """Measure, and print a table."""
    target = make_target("chromium")
    pairs: list[tuple[Figures, Figures]] = []
    playwright = await start_playwright()
    plain = await target.engine.launch(playwright, target.find_binary(), [])
    try:
        with Server() as server:
            server.serve("/page", HttpResponse(PAGE.replace("CALLS", str(CALLS)).replace("PLACE", PLACE), {}))
            server.meetings.open(PLACE)
            url = f"http://localhost:{server.port}/page"
            async with PageRecorder(target) as recorder:
                for _ in range(1 + PAIRS):
                    context = await plain.new_context()
                    page = await context.new_page()
                    await page.goto(url)
                    alone = await asyncio.to_thread(figures_from, server)
                    await context.close()
                    await recorder.record(url, PATIENCE)
                    pairs.append((alone, figures_from(server)))
    finally:
        await plain.close()
        await playwright.stop()
    print(f"{'microseconds, mean of ' + str(CALLS):34}{'alone':>12}{'recorded':>12}   recorded/alone")
    for title in pairs[0][0]:
        # The first pair is a warm-up.
        alone_, recorded = ([each[which][title] for each in pairs[1:]] for which in (0, 1))
        ratio = statistics.median(b / a for a, b in zip(alone_, recorded, strict=True))
        print(f"{title:34}{statistics.median(alone_):12.0f}{statistics.median(recorded):12.0f}   {ratio:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
