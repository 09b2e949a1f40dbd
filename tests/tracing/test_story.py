"""The story of a run: everything that is recorded, nothing that only the acting steps see, and one decisive moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.programs.program.outcome import describe_entry
from modelcontext.programs.program.reading import load
from modelcontext.programs.tracing import Entry, trace
from modelcontext.programs.tracing.story import story_of_trace

LITMUS = Path(__file__).resolve().parents[2] / "wpt_tests" / "litmus"
PATHS = sorted(LITMUS.glob("*/*.toml"))[::10]
EVENT = load(LITMUS / "register-notify" / "event-and-promise.toml")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_story_has_every_entry_in_order_and_is_far_shorter_than_the_trace(path: Path) -> None:
    traced = trace(load(path))
    story = story_of_trace(traced)
    entries = [describe_entry(frame.item.entry) for frame in traced.frames if isinstance(frame.item, Entry)]
    told = iter(moment.words for moment in story)
    assert all(entry in told for entry in entries)
    assert len(story) < len(traced.frames)


def test_task_has_the_step_that_queued_it() -> None:
    [event] = [moment for moment in story_of_trace(trace(EVENT)) if moment.words.startswith("event toolchange")]
    assert (event.who, event.step) == ("top", "notify-documents-of-a-tool-change 6.6")


def test_first_moment_after_the_decisive_choice_is_marked() -> None:
    traced = trace(EVENT)
    last = len(traced.schedule) - 1
    marked = [index for index, moment in enumerate(story_of_trace(traced, last)) if moment.is_decisive]
    earlier = [index for index, moment in enumerate(story_of_trace(traced, 0)) if moment.is_decisive]
    assert len(marked) == len(earlier) == 1
    assert earlier < marked
    assert not any(moment.is_decisive for moment in story_of_trace(traced))
