"""Module scripts in the simulated browser: loading, order, import maps, and what goes wrong, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.observed import Observed
    from modelcontext.hosts.scripting.process import EngineProcess

HOME = "https://a.test/"
TYPES = {"js": "text/javascript", "json": "application/json", "txt": "text/plain"}


@pytest.fixture(scope="module")
def process(starts_a_browser: None) -> Iterator[EngineProcess]:
    with start_process(REVISION) as running:
        yield running


def show(process: EngineProcess, page: str, **files: str) -> Observed:
    """Run a page; the name of a file has an underscore for its dot."""
    known = {HOME + name.replace("_", "."): text for name, text in files.items()}

    def serve(request: Request) -> Answer:
        if request.url == HOME:
            return Answer(200, (("content-type", "text/html"),), page.encode())
        if request.url not in known:
            return Answer(404)
        return Answer(200, (("content-type", TYPES[request.url.rpartition(".")[2]]),), known[request.url].encode())

    return ScriptedBrowser(process, REVISION, serve, seconds=5.0).run(HOME)


def lines(observed: Observed) -> list[str]:
    assert observed.errors == []
    assert observed.ended is None
    return [text for _, text in observed.console]


def test_modules_import_each_other_once_and_know_their_urls(process: EngineProcess) -> None:
    page = """<script type="module">
    import { one, order } from "./one.js";
    import data, { type } from "./data.json" with { type: "json" };
    </script>
    <script type="module">
    import { one, order } from "./one.js";
    import data from "./data.json" with { type: "json" };
    order.push("page");
    console.log(order.join(), one(), data.answer, import.meta.url, import.meta.resolve("./x.js"), this === undefined);
    console.log(document.currentScript, new Error().stack.includes("https://a.test/:10"));
    </script>"""
    one = """import { order } from "./two.js"; export { order }; order.push("one");
    export function one() { return import.meta.url; }"""
    two = 'import { one } from "./one.js"; export const order = []; order.push("two", typeof one);'
    observed = show(process, page, one_js=one, two_js=two, data_json='{"answer": 42}')
    assert [text for _, text in observed.console] == [
        "two,function,one,page https://a.test/one.js 42 https://a.test/ https://a.test/x.js true",
        "null true",
    ]
    assert [error.partition(": ")[0] for error in observed.errors] == ["SyntaxError"]
    assert "(https://a.test/:3)" in observed.errors[0]


def test_modules_wait_for_the_parser_and_run_in_their_order(process: EngineProcess) -> None:
    page = """<script type="module">console.log("first", document.readyState, !!document.querySelector("#last"));</script>
    <script defer src="deferred.js"></script>
    <script type="module" src="second.js" onload="console.log('loaded')"></script>
    <script type="module" async>console.log("asynchronous");</script>
    <script>console.log("classic"); addEventListener("load", () => console.log("load"));
    document.addEventListener("DOMContentLoaded", () => console.log("content loaded"));</script>
    <script nomodule>console.log("for old browsers");</script>
    <p id="last">"""
    second = 'console.log("second"); await new Promise((resolve) => setTimeout(resolve)); console.log("awaited");'
    found = lines(show(process, page, second_js=second, deferred_js='console.log("deferred");'))
    assert [one for one in found if one != "asynchronous"] == [
        *("classic", "first interactive true", "deferred", "second", "loaded", "content loaded", "load", "awaited")
    ]
    assert "asynchronous" in found


def test_import_maps_resolve_bare_specifiers(process: EngineProcess) -> None:
    page = """<script type="importmap">{
      "imports": { "tool": "./one.js", "lib/": "./lib-", "closed": null },
      "scopes": { "./one.js": { "tool": "./two.js" } }
    }</script>
    <script type="importmap">{ "imports": { "tool": "./never.js", "more": "./more.js" } }</script>
    <script type="module">
      import { name, inner } from "tool";
      import more from "more";
      console.log(name, inner, more);
      for (const specifier of ["lib/x.js", "closed", "unknown", "./gone.js"]) {
        try { console.log((await import(specifier)).default); } catch (error) { console.log(error.name, error.message); }
      }
    </script>"""
    files = {
        "one_js": 'import inner from "tool"; export const name = "one"; export { inner };',
        "two_js": 'export default "two";',
        "more_js": 'export default "more";',
    }
    assert lines(show(process, page, **files)) == [
        "one two more",
        'TypeError the import map blocks "lib/x.js"',
        'TypeError the import map blocks "closed"',
        'TypeError "unknown" is no URL: begin it with "/", "./" or "../", or name it in an import map',
        "TypeError the module https://a.test/gone.js was answered with status 404",
    ]


def test_scripts_of_all_kinds_can_import(process: EngineProcess) -> None:
    page = """<script>
    import("./one.js").then(async (module) => {
      console.log(module.name, module === await import("/one.js"), Object.keys(module).join());
      await import("./throws.js").catch((error) => console.log("caught", error.message));
      import("./throws.js");
    });
    </script>"""
    observed = show(process, page, one_js='export const name = "one";', throws_js='\nthrow new Error("at once");')
    assert [text for _, text in observed.console] == ["one true name", "caught at once"]
    assert observed.errors == ["unhandled rejection: Error: at once (https://a.test/throws.js:2)"]


GONE = "the module https://a.test/gone.js was answered with status 404"
FAILURES = {
    '\n<script type="module">\nimport "./gone.js";</script>': f"{GONE} (https://a.test/:3)",
    '<script type="module" src="gone.js"></script>': GONE,
    '<script type="module">\nimport "./text.txt";</script>': (
        'the module https://a.test/text.txt has the type "text/plain", which is not that of a javascript module (https://a.test/:2)'
    ),
    '<script type="module" src="broken.js"></script>': "SyntaxError: Unexpected token ')' (https://a.test/broken.js:2)",
    '<script type="module">import "./broken.js";</script>': "SyntaxError: Unexpected token ')' (https://a.test/broken.js:2)",
    '<script type="module">\n\nimport "bare";</script>': (
        'TypeError: "bare" is no URL: begin it with "/", "./" or "../", or name it in an import map (https://a.test/:3)'
    ),
    '<script type="module">\nimport { b } from "./one.js";</script>': (
        "SyntaxError: The requested module './one.js' does not provide an export named 'b' (https://a.test/:2)"
    ),
    '<script type="module">\nawait null;\nnull.x;</script>': (
        "TypeError: Cannot read properties of null (reading 'x') (https://a.test/:3)"
    ),
    '<script type="importmap">{"imports": </script>': "TypeError: the import map is no JSON: Unexpected end of JSON input",
    '<script type="module">import "./style.json" with { type: "json" };</script>': "SyntaxError: ",
}


@pytest.mark.parametrize("page", FAILURES)
def test_module_that_fails_is_named_with_its_place(process: EngineProcess, page: str) -> None:
    observed = show(process, page, broken_js="\n)", one_js="export const a = 1;", text_txt="", style_json="no")
    [found] = observed.errors
    assert found.startswith(FAILURES[page])
    assert observed.console == []
