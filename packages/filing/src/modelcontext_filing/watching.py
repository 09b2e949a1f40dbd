"""Plain pages in products: the lines that each page shows there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products.program_page import PlaywrightBrowser, ProgramPage
from modelcontext.running.serving.http import Server
from modelcontext_filing.plain.plain_page import END

if TYPE_CHECKING:
    from modelcontext.running.products.base import Observation
    from modelcontext.running.products.target import Target

#: Seconds that a page may take.
PATIENCE: Final = 30.0
# A page has an outcome once it has shown its last line: an outcome with each line as an entry of one log.
_WATCH: Final = """Object.defineProperty(window, Symbol.for("modelcontext.result"), {
  get: () => new Promise((resolve) => {
    const look = () => {
      const lines = document.querySelector("#shown")?.textContent.split("\\n") ?? [];
      if (!lines.includes(END)) return setTimeout(look, 50);
      const log = lines.slice(0, lines.indexOf(END)).map((line) => ({ in: "top", log: line }));
      resolve({ outcome: JSON.stringify({ logs: { top: log }, pending: [] }) });
    };
    look();
  }),
});"""


@dataclass(frozen=True, slots=True)
class Watched:
    """The lines that a page has shown in a version of a product; ``ending`` says why there are none."""

    lines: Sequence[str]
    ending: str
    version: str


def watch(target: Target, pages: Sequence[str], *, count: int = 12) -> list[Watched]:
    """Return what each page shows in a product; ``count`` pages are open at a time.

    Raises:
        UnavailableError: if the product cannot be launched.
    """
    return asyncio.run(_watch(target, pages, count))


async def _watch(target: Target, pages: Sequence[str], count: int) -> list[Watched]:
    scripts = [*target.scripts(), _WATCH.replace("END", json.dumps(END))]
    queue = list(range(len(pages)))
    found: dict[int, Watched] = {}
    with Server(folders=target.folders()) as server:
        for number, page in enumerate(pages):
            server.serve(f"/{number}.html", HttpResponse(page, {}))
        browser = await PlaywrightBrowser.start(target, scripts)

        async def work() -> None:
            tab = ProgramPage(browser)
            while queue:
                number = queue.pop(0)
                url = f"http://localhost:{server.port}/{number}.html"
                found[number] = _watched(await tab.observe(url, PATIENCE), server.port, browser.version)
            await tab.close()

        try:
            await asyncio.gather(*(work() for _ in range(min(count, len(pages)))))
        finally:
            await browser.close()
    return [found[number] for number in sorted(found)]


def _watched(observation: Observation, port: int, version: str) -> Watched:
    if observation.outcome is None:
        return Watched((), f"{observation.ending}: {observation.detail}", version)
    entries = observation.outcome.logs.get("top", ())
    # Pages speak of the port that their readers use.
    return Watched([str(entry["log"]).replace(f":{port}", ":8000") for entry in entries], "", version)
