"""Pages in the style of public demos, unmodified in the simulated browser and in Chromium: equal tools, equal results.

Each folder of ``pages`` has a page, and a file of the same name with the calls of its tools. A result that is a string
differs in Chromium, as its profile says, so the tools return objects.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from modelcontext.hosts.scripting.outcomes import open_page
from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.registry import make_target
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Route

    from modelcontext.hosts.scripting.resources import Server

FOLDER: Final = Path(__file__).parent / "pages"
POLYFILL: Final = Path(__file__).resolve().parents[2] / "node_modules" / "@mcp-b" / "webmcp-polyfill" / "dist"
PAGES: Final = sorted(path.name for path in FOLDER.iterdir())
AGENT: Final = """
addEventListener("load", async () => {
  if (self !== top) return;
  const { modelContext } = document;
  const read = ({ name, description, inputSchema }) => [name, description, inputSchema];
  const listed = async () => (await modelContext.getTools()).map(read);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const tools = await listed();
  const results = [];
  for (const [name, input] of CALLS) {
    const tool = (await modelContext.getTools()).find((one) => one.name === name);
    const result = tool === undefined ? Promise.resolve("no such tool") : modelContext.executeTool(tool, input);
    results.push(await result.catch((error) => error.name));
  }
  console.info(JSON.stringify({ tools, results, later: (await listed()).map(([name]) => name) }));
});
"""


def opened(name: str) -> tuple[str, Server]:
    """Return the URL of a page, and a server that also has the files of a package below ``/polyfill/``."""
    url, server = open_page(FOLDER / name / f"{name}.html", FOLDER)
    ours = f"{url.partition(name)[0]}polyfill/"

    def serve(request: Request) -> Answer:
        if not request.url.startswith(ours):
            return server(request)
        body = (POLYFILL / request.url.removeprefix(ours)).read_bytes()
        return Answer(200, (("content-type", "text/javascript"),), body)

    return url, serve


def agent(name: str) -> str:
    return AGENT.replace("CALLS", (FOLDER / name / f"{name}.json").read_text(encoding="utf-8"))


def answered_by(server: Server) -> Callable[[Route], None]:
    """Return what answers the requests of Chromium as the simulated browser's are answered."""

    def answer(route: Route) -> None:
        found = server(Request(route.request.url.partition("#")[0]))
        route.fulfill(status=found.status, headers=dict(found.headers), body=found.body)

    return answer


@pytest.fixture(scope="module")
def in_chromium(starts_a_browser: None) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    target = make_target("chromium")
    binary = target.find_binary()
    assert binary is not None
    shell = target.engine.find_shell(None, binary)
    found = {}
    with sync_playwright() as playwright:
        options = target.engine.options(["page.test"], for_tests=False)
        browser = playwright.chromium.launch(executable_path=shell or binary, **options)
        for name in PAGES:
            url, server = opened(name)
            with browser.new_page() as page:
                page.route("**/*", answered_by(server))
                page.add_init_script(agent(name))
                with page.expect_console_message(lambda message: message.type == "info") as message:
                    page.goto(url)
                found[name] = json.loads(message.value.text)
        browser.close()
    return found


@pytest.fixture(scope="module")
def in_simulation(starts_a_browser: None) -> dict[str, Any]:
    found = {}
    with start_process(REVISION) as process:
        for name in PAGES:
            url, server = opened(name)
            observed = ScriptedBrowser(process, REVISION, server, scripts=[agent(name)]).run(url)
            assert (name, observed.errors, observed.ended) == (name, [], None)
            assert (name, dict(observed.missing)) == (name, {})
            [text] = [text for level, text in observed.console if level == "info"]
            found[name] = json.loads(text)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_page_has_the_tools_and_results_that_it_has_in_chromium(
    name: str, in_simulation: dict[str, Any], in_chromium: dict[str, Any]
) -> None:
    assert len(in_chromium[name]["tools"]) > 0
    assert in_simulation[name] == in_chromium[name]
