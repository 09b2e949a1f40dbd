"""The simulated browser with V8: what scripts see, and how runs end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.ground.schedule.choose import Seeded
from modelcontext.hosts.scripting import process as engine
from modelcontext.hosts.scripting.engine import EngineCrashError, HangError
from modelcontext.hosts.scripting.outcomes import PageError, PageOutcome, Pages, open_page, outcomes, pages_of
from modelcontext.hosts.scripting.process import EngineProcess
from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.observed import Observed

ROOT = Path(__file__).resolve().parents[2]
HOME = "https://a.test/"
RACE = """
document.modelContext.registerTool({ name: "t", description: "d", async execute() {} }).then(() => console.log("registered"));
document.modelContext.getTools().then(() => console.log("listed"));
"""


@pytest.fixture(scope="module")
def process(starts_a_browser: None) -> Iterator[EngineProcess]:
    with start_process(REVISION) as running:
        yield running


def run(
    process: EngineProcess, script: str, *, seed: int | None = None, pages: dict[str, str] | None = None
) -> Observed:
    """Run a script in the body of a page; ``pages`` are others, by URL."""
    known = {HOME: f"<!DOCTYPE html><body><script>{script}</script>", **(pages or {})}

    def serve(request: Request) -> Answer:
        if request.url not in known:
            return Answer(404)
        kind = "text/javascript" if request.url.endswith(".js") else "text/html"
        return Answer(200, (("content-type", kind),), known[request.url].encode())

    chooser = None if seed is None else Seeded(seed)
    return ScriptedBrowser(process, REVISION, serve, chooser, seconds=5.0).run(HOME)


def lines(observed: Observed) -> list[str]:
    assert observed.errors == []
    assert observed.ended is None
    return [text for _, text in observed.console]


def test_microtasks_run_after_each_listener_of_a_task_and_before_the_next(process: EngineProcess) -> None:
    script = """
    const log = (text) => console.log(text);
    for (const name of ["first", "second"]) {
      addEventListener("message", () => { log(name); Promise.resolve().then(() => log(`microtask of ${name}`)); });
    }
    postMessage(null);
    """
    assert lines(run(process, script)) == ["first", "microtask of first", "second", "microtask of second"]


def test_microtasks_wait_for_the_script_that_dispatches_an_event(process: EngineProcess) -> None:
    script = """
    addEventListener("x", () => { console.log("listener"); Promise.resolve().then(() => console.log("microtask")); });
    dispatchEvent(new Event("x"));
    console.log("script");
    """
    assert lines(run(process, script)) == ["listener", "script", "microtask"]


def test_tool_runs_and_its_result_comes_back_as_json(process: EngineProcess) -> None:
    script = """
    (async () => {
      const { modelContext } = document;
      await modelContext.registerTool({ name: "add", description: "d", execute: async ({ a, b }) => a + b });
      const [tool] = await modelContext.getTools();
      console.log(tool.window === window, await modelContext.executeTool(tool, { a: 1, b: 2 }));
    })();
    """
    assert lines(run(process, script)) == ["true 3"]


def test_window_of_another_origin_shows_only_what_html_allows(process: EngineProcess) -> None:
    script = """
    const frame = document.createElement("iframe");
    frame.src = "https://b.test/";
    frame.onload = () => {
      const { contentWindow } = frame;
      for (const read of [() => contentWindow.document, () => contentWindow.length, () => contentWindow.parent === self]) {
        try { console.log(String(read())); } catch (error) { console.log(error.name, error instanceof DOMException); }
      }
      console.log(frame.contentDocument);
      contentWindow.postMessage({ map: new Map([[1, new Date(0)]]) }, "https://b.test");
    };
    onmessage = ({ data, origin, source }) => console.log(data, origin, source === frame.contentWindow);
    document.body.append(frame);
    """
    other = """<script>onmessage = ({ data: { map }, source, origin }) =>
      source.postMessage(`${map instanceof Map} ${map.get(1).getTime()} ${origin}`, origin);</script>"""
    expected = ["SecurityError true", "0", "true", "null", f"true 0 {HOME[:-1]} https://b.test true"]
    assert lines(run(process, script, pages={"https://b.test/": other})) == expected


def test_window_proxy_and_not_its_document_outlives_a_navigation(process: EngineProcess) -> None:
    script = """
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const { contentWindow, contentDocument } = frame;
    frame.src = "/next.html";
    frame.onload = () => console.log(
      frame.contentWindow === contentWindow, frame.contentDocument === contentDocument, contentWindow.name_of_it,
      contentWindow.document.body.id, contentWindow.Array === Array,
    );
    """
    page = '<body id="next"><script>var name_of_it = "next";</script>'
    assert lines(run(process, script, pages={"https://a.test/next.html": page})) == ["true false next next false"]


def test_document_takes_over_the_window_of_the_initial_about_blank(process: EngineProcess) -> None:
    script = """
    const frame = document.createElement("iframe");
    frame.src = "frame.html";
    document.body.append(frame);
    const view = frame.contentWindow;
    const { document: initial, location, Object: realm } = view;
    view.kept = true;
    frame.onload = () => {
      console.log(view.document !== initial, view.document === frame.contentDocument, initial.defaultView === null);
      console.log(view.kept, view.Object === realm, view.location === location, location.pathname, view.ownDocument);
    };
    """
    page = "<script>ownDocument = document === window.document && document.URL === location.href</script>"
    pages = {f"{HOME.rpartition('/')[0]}/frame.html": page}
    assert lines(run(process, script, pages=pages)) == ["true true true", "true true true /frame.html true"]


def test_document_of_another_origin_leaves_the_window_of_the_initial_about_blank(process: EngineProcess) -> None:
    script = """
    const frame = document.createElement("iframe");
    frame.src = "https://b.test/";
    document.body.append(frame);
    frame.contentWindow.kept = true;
    const initial = frame.contentDocument;
    frame.onload = () => {
      let seen;
      try { seen = frame.contentWindow.kept } catch (error) { seen = error.name }
      console.log(seen, frame.contentDocument, initial.defaultView);
    };
    """
    assert lines(run(process, script, pages={"https://b.test/": ""})) == ["SecurityError null null"]


def test_timers_and_abort_signals_follow_virtual_time(process: EngineProcess) -> None:
    script = """
    setTimeout(() => console.log("an hour", performance.now()), 300_000);
    const signal = AbortSignal.any([new AbortController().signal, AbortSignal.timeout(20)]);
    signal.onabort = () => console.log(signal.reason.name, performance.now());
    setTimeout(() => console.log("first"), 10);
    """
    assert lines(run(process, script)) == ["first", "TimeoutError 20", "an hour 300000"]


def test_scripts_interrupt_the_parser_in_the_order_of_html(process: EngineProcess) -> None:
    page = """<script defer src="/defer.js"></script><p id="one"></p><script src="/now.js"></script><p id="two"></p>
    <script>console.log("inline", document.querySelectorAll("p").length);
    document.addEventListener("DOMContentLoaded", () => console.log("loaded"));</script>"""
    pages = {
        HOME: page,
        "https://a.test/now.js": "console.log('now', document.querySelectorAll('p').length, document.currentScript.src);",
        "https://a.test/defer.js": "console.log('defer', document.readyState);",
    }
    expected = ["now 1 https://a.test/now.js", "inline 2", "defer interactive", "loaded"]
    assert lines(run(process, "", pages=pages)) == expected


def test_rejection_with_a_function_or_a_window_is_told(process: EngineProcess) -> None:
    observed = run(process, "Promise.reject(() => {}); Promise.reject(window);")
    assert [text.partition(":")[0] for text in observed.errors] == ["unhandled rejection"] * 2


def test_unhandled_rejections_are_told_and_those_that_are_handled_in_time_are_not(process: EngineProcess) -> None:
    script = """
    addEventListener("unhandledrejection", (event) => { if (event.reason === "mine") event.preventDefault(); });
    addEventListener("error", (event) => console.log(event.message, event.lineno));
    Promise.reject("mine");
    Promise.reject("other");
    const late = Promise.reject("late");
    Promise.resolve().then(() => late.catch(() => {}));
    throw new RangeError("thrown");
    """
    observed = run(process, script)
    assert observed.console == [("log", "Uncaught RangeError: thrown 8")]
    assert [error.partition(" (")[0] for error in observed.errors] == [
        "RangeError: thrown",
        "unhandled rejection: other",
    ]


def test_rejection_that_nobody_observes_has_the_line_of_the_call(process: EngineProcess) -> None:
    script = """
    const leaving = new AbortController(), tool = (name) => ({ name, description: "x", execute() {} });
    document.modelContext.registerTool(tool("list"));
    document.modelContext.registerTool(tool("list"));
    document.modelContext.registerTool(tool("open"), { signal: leaving.signal });
    leaving.abort();
    """
    errors = [f"unhandled rejection: InvalidStateError ({HOME}:4)", f"unhandled rejection: AbortError ({HOME}:5)"]
    assert run(process, script).errors == errors


def test_syntax_error_and_missing_interface_are_named(process: EngineProcess) -> None:
    assert run(process, "const a = ;").errors == [f"SyntaxError: Unexpected token ';' ({HOME}:1)"]
    observed = run(process, "new Worker('x')")
    assert observed.errors == [f"TypeError: Worker is not a constructor ({HOME}:1)"]
    assert dict(observed.missing) == {"Worker": 1}


def test_missing_member_is_named_where_it_is_read_or_assigned(process: EngineProcess) -> None:
    observed = run(process, "document.body.getAnimations()")
    assert observed.errors == [f"TypeError: document.body.getAnimations is not a function ({HOME}:1)"]
    assert dict(observed.missing) == {"Element.getAnimations": 1}
    observed = run(process, "document.body.tabIndex = 3; console.log(document.body.tabIndex, screenX)")
    assert lines(observed) == ["3 undefined"]
    assert dict(observed.missing) == {"HTMLElement.tabIndex": 1, "screenX": 1}


def test_member_that_a_script_brings_is_not_missing(process: EngineProcess) -> None:
    script = """
    Element.prototype.getAnimations = () => [];
    window.screenX = 7;
    console.log(document.body.getAnimations().length, screenX, Object.keys(Element.prototype).includes("prefix"));
    """
    observed = run(process, script)
    assert (lines(observed), dict(observed.missing)) == (["0 7 false"], {})


@pytest.mark.usefixtures("takes_long")
def test_list_of_missing_members_is_that_of_the_published_idl() -> None:
    command = [sys.executable, str(ROOT / "tools" / "unimplemented_members.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_same_seed_gives_the_same_run_and_seeds_together_each_order_of_a_race(process: EngineProcess) -> None:
    runs = [lines(run(process, RACE, seed=seed)) for seed in range(12)]
    assert runs == [lines(run(process, RACE, seed=seed)) for seed in range(12)]
    assert {tuple(one) for one in runs} == {("registered", "listed"), ("listed", "registered")}


def test_lone_surrogates_stay_what_they_are(process: EngineProcess) -> None:
    script = """
    document.body.title = "\\ud800x";
    console.log(document.body.title.charCodeAt(0) === 0xd800, document.body.title.length);
    """
    assert lines(run(process, script)) == ["true 2"]


@pytest.mark.usefixtures("starts_a_browser")
def test_loop_without_an_end_ends_the_run() -> None:
    with start_process(REVISION) as own:
        browser = ScriptedBrowser(own, REVISION, lambda _: Answer(200, (), b"<script>for (;;);</script>"), seconds=0.3)
        assert isinstance(browser.run(HOME).ended, HangError)


@pytest.mark.usefixtures("starts_a_browser")
def test_engine_without_memory_ends_the_run() -> None:
    with EngineProcess("", megabytes=24) as own:
        page = b"<script>const all = []; for (;;) all.push(new Array(1e6).fill({}));</script>"
        # Without the bindings of the API, whose heap is not what this is about.
        browser = ScriptedBrowser(own, REVISION, lambda _: Answer(200, (), page))
        ended = browser.run(HOME).ended
        assert isinstance(ended, EngineCrashError)
        assert str(ended) == "the engine ran out of memory"


@pytest.mark.usefixtures("starts_a_browser")
def test_run_goes_on_with_other_schedules_after_an_endless_loop(tmp_path: Path) -> None:
    page = tmp_path / "page.js"
    page.write_text("console.log(1); for (;;);")
    with pages_of(page, lambda: start_process(REVISION), REVISION, 0.3) as pages:
        [outcome] = outcomes(pages, [None, 1])
    assert outcome.seeds == [None, 1]
    assert outcome.ended == "endless loop: a script ran for more than 0.3 seconds"
    assert not outcome.is_clean


def outcome_of(process: EngineProcess, page: Path, root: Path | None = None) -> PageOutcome:
    """Run a page of the disk in an engine that goes on."""
    url, server = open_page(page, root)
    return Pages(lambda: process, REVISION, page.name, url, server, seconds=5.0).run(None)


def test_outcome_has_the_tools_and_calls_of_a_quiet_page(process: EngineProcess, tmp_path: Path) -> None:
    page = tmp_path / "quiet.html"
    page.write_text("""<form toolname="send" tooldescription="Sends\nsomething" toolautosubmit><button></button></form>
    <script>
    const { modelContext } = document;
    onload = async () => {
      await modelContext.registerTool({ name: "add", description: "Adds", execute: ({ a, b }) => a + b });
      const [add] = await modelContext.getTools();
      await modelContext.executeTool(add, { a: 1, b: 2 });
      await modelContext.executeTool(add).catch(() => {});
      modelContext.executeTool({ ...add, name: "other" }, {}).catch(() => {});
      await modelContext.registerTool({ name: "never", description: "Never ends", execute: () => new Promise(() => {}) });
      modelContext.executeTool((await modelContext.getTools()).find(({ name }) => name === "never"), {});
    };
    </script>""")
    outcome = outcome_of(process, page)
    assert outcome.tools == ["add: Adds", "never: Never ends", "send: Sends something"]
    assert outcome.calls[0] == 'add {"a":1,"b":2}: 3'
    assert outcome.calls[2].startswith("other {}: rejected, ")
    assert outcome.calls[3] == "never {}: pending"
    assert outcome.is_clean


def test_page_without_a_script_and_a_tool_is_not_clean(process: EngineProcess, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text('<script type="text/template">no script</script><form></form>')
    outcome = outcome_of(process, tmp_path / "empty.html")
    assert (outcome.is_empty, outcome.is_clean) == (True, False)


def test_page_uses_files_above_its_folder_from_the_root(process: EngineProcess, tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "api.js").write_text('console.log("common", location.pathname);')
    (tmp_path / "a page").mkdir()
    page = tmp_path / "a page" / "index.html"
    page.write_text('<script src="../common/api.js"></script>')
    assert [line.text for line in outcome_of(process, page.parent, tmp_path).lines] == ["common /a%20page/index.html"]
    assert not outcome_of(process, page).is_clean
    with pytest.raises(PageError, match="is not in --root"):
        open_page(tmp_path / "common" / "api.js", page.parent)


def test_page_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PageError, match=r"no\.html: there is no such file"):
        open_page(tmp_path / "no.html")
    with pytest.raises(PageError, match=r"has no index\.html"):
        open_page(tmp_path)
    (tmp_path / "page.txt").write_text("")
    with pytest.raises(PageError, match="is neither a page"):
        open_page(tmp_path / "page.txt")


def test_files_outside_of_the_folder_are_not_served(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("")
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "index.html").write_text("<p>")
    (folder / "index.html.headers").write_text("Permissions-Policy: tools=()\n")
    url, server = open_page(folder)
    assert server(Request(url)).header("permissions-policy") == "tools=()"
    assert server(Request("https://page.test/../secret.txt")).status == 404


def test_engine_that_is_not_installed_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match="pip install 'modelcontext\\[js\\]'"):
        start_process(REVISION)


def test_logged_exception_has_its_name_and_message_and_no_line_of_the_engine(process: EngineProcess) -> None:
    script = """
    console.log(new DOMException("too late", "AbortError"));
    console.log("caught", new TypeError("bad"));
    document.modelContext.registerTool({ name: "", description: "d", execute() {} }).catch((e) => console.log(e));
    """
    logged = lines(run(process, script))
    assert [text.splitlines()[0] for text in logged] == [
        "AbortError: too late",
        "caught TypeError: bad",
        "InvalidStateError",
    ]
    frames = [line for text in logged for line in text.splitlines()[1:]]
    assert frames
    assert all(line.strip().startswith("at ") and HOME in line for line in frames)
