"""The calls of a page that is recorded compared with those of a page that is not, in turn in one run.

The rows are the times until the promises of registerTool(), getTools() and executeTool() have settled, in microseconds: means
of the calls of a page, and the medians of these over the pairs. The last column is the median of the ratios of the pairs.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue

from modelcontext.running.products import make_target
from modelcontext.running.products.engine import start_playwright
from modelcontext_record.live import PageRecorder

CALLS = 400
PAIRS = 9
#: Seconds that a page may take.
PATIENCE = 60
PAGE = """<!DOCTYPE html><title>page</title><script type="module">
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
await fetch("/figures", { method: "POST", body: JSON.stringify(figures) });
</script>"""

Figures = Mapping[str, float]


@contextmanager
def serving(figures: Queue[Figures]) -> Iterator[str]:
    """Serve the page, and give its URL; what pages send goes into the queue."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(PAGE.replace("CALLS", str(CALLS)).encode())

        def do_POST(self) -> None:
            figures.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self._answer(b"")

        def _answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()


async def main() -> None:
    """Measure, and print a table."""
    target = make_target("chromium")
    sent: Queue[Figures] = Queue()
    pairs: list[tuple[Figures, Figures]] = []
    playwright = await start_playwright()
    plain = await target.engine.launch(playwright, target.find_binary(), [])
    try:
        with serving(sent) as url:
            async with PageRecorder(target) as recorder:
                for _ in range(1 + PAIRS):
                    context = await plain.new_context()
                    page = await context.new_page()
                    await page.goto(url)
                    alone = await asyncio.to_thread(sent.get, timeout=PATIENCE)
                    await context.close()
                    await recorder.record(url, PATIENCE)
                    pairs.append((alone, sent.get(timeout=PATIENCE)))
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
