"""The hooks of forms in a page: what they cost a page that has no tool in a form, counted in calls."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Final

import pytest

from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products.engine import start_playwright
from modelcontext.running.products.registry import make_target
from modelcontext.running.serving.http import Server

PARTS: Final = (
    "<label>A <input id=a></label><select id=s><option>x<option>y</select><button id=b type=button>B</button><p id=p>"
)
PAGES: Final = {
    "without": PARTS,
    "plain": f"<form id=f name=f>{PARTS}</form>",
    "tool": f"<form id=f toolname=t tooldescription=d>{PARTS}</form>",
}
USE: Final = """async () => {
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    const [a, s, b, p] = ["a", "s", "b", "p"].map((id) => document.getElementById(id));
    for (let count = 0; count < 50; count++) {
        p.insertAdjacentHTML("beforeend", "<div><label>L <input name=n></label><ul><li>one</ul></div>");
        p.lastChild.querySelector("input").setAttribute("pattern", `[0-${count % 9}]`);
        p.lastChild.querySelector("li").firstChild.data = `item ${count}`;
        if (count % 2) p.lastChild.remove();
        if (count % 10 === 0) await turn();
    }
    a.value = "x";
    a.checkValidity();
    s.append(new Option("z"));
    b.click();
    document.forms[0]?.reset();
    p.attachShadow({ mode: "open" }).append(a);
    await turn();
}"""


async def counted() -> dict[str, Counter[str]]:
    """Return how often the functions of the hub were called, for each page: from its loading to the end of its script."""
    target = make_target("page")
    found: dict[str, Counter[str]] = {}
    with Server(folders=target.folders()) as server:
        for name, html in PAGES.items():
            server.serve(f"/{name}", HttpResponse(f"<!DOCTYPE html><title>{name}</title>{html}", {}))
        playwright = await start_playwright()
        browser = await target.engine.launch(playwright, target.find_binary(), [])
        try:
            context = await browser.new_context()
            for script in target.scripts():
                await context.add_init_script(script)
            page = await target.open_page(context, f"{server.origins['A']}/without", pytest.fail)
            profiler = await context.new_cdp_session(context.pages[0])
            await profiler.send("Profiler.enable")
            for name in PAGES:
                await profiler.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
                await page.goto(f"{server.origins['A']}/{name}")
                await page.evaluate(USE)
                found[name] = _calls(await profiler.send("Profiler.takePreciseCoverage"))
                await profiler.send("Profiler.stopPreciseCoverage")
        finally:
            await browser.close()
            await playwright.stop()
    return found


def _calls(coverage: Any) -> Counter[str]:
    """Return the numbers of calls in an answer of the profiler, by module and function."""
    calls: Counter[str] = Counter()
    for script in coverage["result"]:
        folder, _, module = script["url"].rpartition("/")
        if folder.endswith("/hub"):
            for function in script["functions"]:
                calls[f"{module} {function['functionName']}"] += function["ranges"][0]["count"]
    return calls


@pytest.fixture(scope="module")
def calls(starts_a_browser: None) -> dict[str, Counter[str]]:
    return asyncio.run(counted())


@pytest.mark.parametrize("page", ["without", "plain"])
def test_page_without_a_tool_in_a_form_never_enters_python_for_forms(calls: dict[str, Counter[str]], page: str) -> None:
    assert calls[page]["forms.js process"] > 0
    assert calls[page]["forms.js tell"] == 0
    assert calls[page]["forms.js formChanged"] == 0
    assert calls[page]["forms.js numberOfSubmission"] == 0


def test_page_with_a_tool_in_a_form_enters_python(calls: dict[str, Counter[str]]) -> None:
    assert calls["tool"]["forms.js tell"] > 0
    assert calls["tool"]["forms.js formChanged"] > 0
