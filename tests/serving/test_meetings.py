"""Documents that meet wait for points of others, unless somebody is off."""

from __future__ import annotations

import json
from urllib.parse import quote

from modelcontext.running.serving.meetings import MEETINGS, OFF, Meetings

PATH = f"{MEETINGS}1"


def test_wait_ends_when_all_points_are_passed() -> None:
    meetings = Meetings()
    meetings.open(PATH)
    meetings.tell(PATH, "top 1")
    assert not meetings.wait_for(PATH, ["top 1", "frame 0"], 0)
    meetings.tell(PATH, "frame 0")
    query = quote('{"names": ["top 1", "frame 0"], "patience": 0}')
    assert meetings.answer(f"{PATH}?{query}") == "met"


def test_nobody_waits_when_a_document_is_off_or_the_meeting_is_over() -> None:
    meetings = Meetings()
    meetings.open(PATH)
    meetings.tell(PATH, OFF)
    assert not meetings.wait_for(PATH, ["top 1"], 3600)
    meetings.close(PATH)
    meetings.tell(PATH, "top 1")
    assert not meetings.wait_for(PATH, ["top 1"], 3600)


def test_meeting_tells_where_the_first_document_has_waited_in_vain() -> None:
    meetings = Meetings()
    meetings.open(PATH)
    assert meetings.stuck(PATH) is None
    meetings.tell(PATH, f"{OFF} at top 3")
    meetings.tell(PATH, f"{OFF} at frame 1")
    assert not meetings.wait_for(PATH, ["frame 2"], 3600)
    assert meetings.stuck(PATH) == "top 3"


def test_document_that_is_off_without_a_wait_is_not_stuck() -> None:
    meetings = Meetings()
    meetings.open(PATH)
    meetings.tell(PATH, OFF)
    assert meetings.stuck(PATH) is None


def test_messages_are_kept_until_they_are_asked_for() -> None:
    meetings = Meetings()
    meetings.open(PATH)
    meetings.tell(PATH, 'frame 1\n[{"number": 1}]')
    meetings.tell(PATH, '\n[{"number": 2}, {"number": 3}]')
    assert meetings.wait_for(PATH, ["frame 1"], 0)
    query = PATH + "?" + quote('{"letters": true}')
    assert json.loads(meetings.answer(query)) == [{"number": 1}, {"number": 2}, {"number": 3}]
    assert json.loads(meetings.answer(query)) == []
