"""Pages in Chromium itself: the recorder finds nothing in them but the known deviations of Chromium.

The pages are those beside this file, the demo pages of this repository, and pages in the style of public demos. Some use npm
packages. A page that calls no tools gets a script that calls them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from modelcontext.judging.conformance.verdict import Standing, Verdicts
from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products import make_target
from modelcontext.running.serving.http import Server
from modelcontext_record.judging import judged
from modelcontext_record.live import PageRecorder
from modelcontext_record.saying import UnsaidError
from modelcontext_record.tree import trees

if TYPE_CHECKING:
    from modelcontext_record.notes import Notes

ROOT: Final = Path(__file__).resolve().parents[3]
#: Each has a folder with a page and with a file that has the calls.
STYLED: Final = ROOT / "tests" / "scripting" / "pages"
PROPOSALS: Final = ROOT / "spec" / "proposals"
FOLDERS: Final = {
    "/": Path(__file__).parent / "pages",
    "/styled/": STYLED,
    "/proposals/": PROPOSALS,
    "/recipes/": ROOT / "docs" / "examples" / "recipes",
    "/playground/": ROOT / "src" / "modelcontext" / "people" / "playground" / "demos",
    "/node_modules/": ROOT / "node_modules",
    "/polyfill/": ROOT / "node_modules" / "@mcp-b" / "webmcp-polyfill" / "dist",
}
OURS: Final = (
    "aborted", "answers", "changes", "elsewhere", "everything", "frame", "impatient", "leaves", "many", "mounted", "navigated",
    "nested", "one-tool", "parallel", "polled", "queue", "refused", "reloaded", "removed", "sandboxed", "shimmed", "tasks",
    "tools", "two-frames", "typed",
)  # fmt: skip
#: What a script calls in pages that call nothing themselves.
CALLS: Final[Mapping[str, list[Any]]] = {
    "recipes/index": [
        ["list_recipes", {}],
        ["delete_recipe", {"name": "Soup"}],
        ["delete_recipe", {"name": "Pancakes"}],
    ],
    "playground/4-frame": [["inner", {}]],
    **{
        f"styled/{folder.name}/{folder.name}": json.loads((folder / f"{folder.name}.json").read_text(encoding="utf-8"))
        for folder in sorted(STYLED.iterdir())
    },
}
PAGES: Final = (
    *OURS,
    *CALLS,
    *(f"proposals/{path.parent.name}/demo" for path in sorted(PROPOSALS.glob("*/demo.html"))),
)
#: The pages that no program can say, with the reason.
UNSAID: Final = {
    "proposals/errors-that-say-more/demo": "a value has a method toJSON",
    **dict.fromkeys(
        (f"styled/{name}/{name}" for name in ("bistro", "component", "contact", "flights")),
        "a form of the page is a tool",
    ),
}
AGENT: Final = """
addEventListener("load", async () => {
  if (self !== top) return;
  const { modelContext } = document;
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const [name, input] of CALLS) {
    const tool = (await modelContext.getTools()).find((one) => one.name === name);
    if (tool) await modelContext.executeTool(tool, input).catch(() => {});
  }
});
"""
#: A page in which a script runs before the recorder comes.
LATE: Final = "inner"
BEFORE: Final = "document.append(document.createElement('script'));"
#: The pages that are recorded at the same time.
TABS: Final = 6
#: The runs of the model within which the known deviations explain a page of one document.
BOUND: Final = 100


@pytest.fixture(scope="session")
def recordings(starts_a_browser: None) -> Mapping[str, Notes]:
    return asyncio.run(_recordings())


async def _recordings() -> Mapping[str, Notes]:
    free = asyncio.Semaphore(TABS)
    with Server(0, FOLDERS) as server:
        log = (PROPOSALS / "demo.js").read_text(encoding="utf-8")
        for path in PROPOSALS.glob("*/demo.html"):
            server.serve(f"/proposals/{path.parent.name}/demo.js", HttpResponse(log, {}))
        async with PageRecorder(make_target("chromium")) as recorder:

            async def record(page: str) -> Notes:
                scripts = [BEFORE] if page == LATE else []
                if page in CALLS:
                    scripts.append(AGENT.replace("CALLS", json.dumps(CALLS[page])))
                async with free:
                    return (await recorder.record(f"{server.origins['A']}/{page}.html", 30, scripts)).notes

            pages = (*PAGES, LATE)
            return dict(zip(pages, await asyncio.gather(*map(record, pages)), strict=True))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in UNSAID])
def test_recording_has_no_deviation_but_the_known_ones(page: str, recordings: Mapping[str, Notes]) -> None:
    documents = list(trees(recordings[page]))
    assert len(documents) == (3 if page == "leaves" else 1)
    for tree in documents:
        assert tree.judged == tree.left or page == "leaves"
        found = judged(tree, page, "", "chromium", Verdicts(BOUND, are_pinned=True))
        is_explained = found.verdict.standing is Standing.PASS or found.known == "chromium_156"
        # How fast frames load decides how many runs the search needs.
        is_undecided = len(tree.documents) > 1 and found.verdict.standing is Standing.UNDECIDED
        assert is_explained or is_undecided, found.verdict.observed


@pytest.mark.parametrize(("page", "why"), UNSAID.items())
def test_page_that_no_program_can_say_is_told_so(page: str, why: str, recordings: Mapping[str, Notes]) -> None:
    [tree] = trees(recordings[page])
    with pytest.raises(UnsaidError, match=why):
        judged(tree, page, "", "chromium", Verdicts(BOUND, are_pinned=True))


def test_page_that_leaves_is_recorded_to_its_end(recordings: Mapping[str, Notes]) -> None:
    calls = [
        [dict(note["a"][0].get("o", ())).get("name") for note in document.notes if note.get("m") == "registerTool"]
        for document in recordings["leaves"].documents.values()
    ]
    assert calls == [["step-1", "late"], ["step-2", "late"], ["step-3"]]


def test_recorder_that_comes_late_says_so(recordings: Mapping[str, Notes]) -> None:
    [document] = recordings[LATE].documents.values()
    assert [note["why"] for note in document.notes] == [
        "a script of a frame has run before, so that the recorder came late"
    ]
