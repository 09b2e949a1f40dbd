"""Pages in a browser whose API is the model: recordings of them are allowed, and planted deviations are found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from modelcontext.judging.conformance.verdict import Standing, Verdicts
from modelcontext.running.products import make_target
from modelcontext.running.serving.http import Server
from modelcontext_record.judging import judged
from modelcontext_record.live import PageRecorder
from modelcontext_record.tree import trees

if TYPE_CHECKING:
    from modelcontext_record.notes import Notes

PAGES: Final = Path(__file__).parent / "pages"
#: The pages whose recordings a program can say.
ALLOWED: Final = (
    "aborted", "answers", "changes", "elsewhere", "everything", "many", "nested", "one-tool", "parallel", "refused", "removed",
    "tasks",
)  # fmt: skip
#: The step that each planted deviation does not follow.
DEVIATIONS: Final = {
    "abort-has-another-reason": "dom-modelcontext-executetool 19.3.1",
    "annotations-are-lost": "dom-modelcontext-gettools 10.2.3",
    "callback-runs-twice": "dom-modelcontext-executetool 20.4.1",
    "callback-signal-is-not-aborted": "cancel-a-pending-execution 7.6",
    "caller-abort-does-not-reject": "dom-modelcontext-executetool 19.3.1",
    "descriptions-are-trimmed": "dom-modelcontext-gettools 10.2.3",
    "duplicate-is-accepted": "dom-modelcontext-registertool 7",
    "empty-description-is-another-error": "dom-modelcontext-registertool 9",
    "error-has-another-name": "dom-modelcontext-executetool 20.5.1",
    "input-has-one-more-member": "imperative-execute-steps 11",
    "list-is-empty-at-first": "dom-modelcontext-gettools 10.2.3",
    "list-is-not-sorted": "dom-modelcontext-gettools 10.2.3",
    "list-keeps-what-is-gone": "dom-modelcontext-gettools 10.2.3",
    "list-lacks-titles": "dom-modelcontext-gettools 10.2.3",
    "no-toolactivated": "imperative-execute-steps 7",
    "no-toolchange": "notify-documents-of-a-tool-change 6.6",
    "registration-has-a-value": "dom-modelcontext-registertool 23.2",
    "registration-never-settles": "dom-modelcontext-registertool 23.2",
    "registration-throws": "dom-modelcontext-registertool 9",
    "result-is-parsed": "dom-modelcontext-executetool 20.4.1",
    "text-has-no-quotes": "dom-modelcontext-executetool 20.4.1",
    "toolchange-twice": "notify-documents-of-a-tool-change 6.6",
    "undefined-is-a-result": "dom-modelcontext-executetool 20.5.1",
    "unregistered-tool-stays": "notify-documents-of-a-tool-change 6.6",
}


@pytest.fixture(scope="session")
def recordings(starts_a_browser: None) -> Mapping[str, Notes]:
    """Record each page, and ``everything`` with each deviation, in one browser."""
    return asyncio.run(_recordings())


async def _recordings() -> Mapping[str, Notes]:
    target = make_target("page")
    text = (PAGES / "deviations.js").read_text(encoding="utf-8")
    found = {}
    with Server(0, {**target.folders(), "/": PAGES}) as server:
        async with PageRecorder(target) as recorder:
            for name in ALLOWED:
                found[name] = (await recorder.record(f"{server.origins['A']}/{name}.html", 30)).notes
            for name in DEVIATIONS:
                scripts = [f"globalThis.deviation = '{name}';\n{text}"]
                found[name] = (await recorder.record(f"{server.origins['A']}/everything.html", 30, scripts)).notes
    return found


@pytest.mark.parametrize("name", ALLOWED)
def test_page_of_a_browser_that_follows_the_text_is_allowed(name: str, recordings: Mapping[str, Notes]) -> None:
    [tree] = trees(recordings[name])
    found = judged(tree, name, "", "page", Verdicts(are_pinned=True))
    assert found.verdict.standing is Standing.PASS, found.verdict.observed


@pytest.mark.parametrize(("name", "step"), DEVIATIONS.items())
def test_planted_deviation_is_found_with_its_step(name: str, step: str, recordings: Mapping[str, Notes]) -> None:
    [tree] = trees(recordings[name])
    found = judged(tree, name, "", "page", Verdicts(are_pinned=True))
    assert found.verdict.standing is Standing.FAIL
    assert step in found.verdict.steps
