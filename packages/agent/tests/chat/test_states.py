"""Tests of the table of states, in full."""

from __future__ import annotations

import itertools

import pytest

from modelcontext_agent.chat.states import TRANSITIONS, ChatEvent, ChatState, TransitionError, transition

WAIT, PEND, RUN, STOP, ACT, ERR = (
    ChatState.WAITING,
    ChatState.PENDING,
    ChatState.RUNNING,
    ChatState.INTERRUPTING,
    ChatState.REQUIRES_ACTION,
    ChatState.ERROR,
)

#: The next states, by event, of a chat that is waiting, pending, running, interrupting, requires_action, error.
EXPECTED: dict[ChatEvent, tuple[ChatState | None, ...]] = {
    ChatEvent.MESSAGE: (PEND, PEND, RUN, STOP, ACT, PEND),
    ChatEvent.INTERRUPTING_MESSAGE: (PEND, PEND, STOP, STOP, PEND, PEND),
    ChatEvent.CLAIMED: (None, RUN, None, None, None, None),
    ChatEvent.LEASE_EXPIRED: (None, None, PEND, WAIT, None, None),
    ChatEvent.RETRY: (None, None, PEND, None, None, None),
    ChatEvent.PAUSED: (None, None, ACT, None, None, None),
    ChatEvent.RESULTS: (None, None, None, None, PEND, None),
    ChatEvent.DEADLINE: (None, None, None, None, PEND, None),
    ChatEvent.INTERRUPT: (WAIT, WAIT, STOP, STOP, WAIT, ERR),
    ChatEvent.FINISHED: (None, None, WAIT, WAIT, None, None),
    ChatEvent.FINISHED_WITH_QUEUE: (None, None, PEND, PEND, None, None),
    ChatEvent.FAILED: (None, None, ERR, None, None, None),
}


@pytest.mark.parametrize(("state", "event"), list(itertools.product(ChatState, ChatEvent)))
def test_each_pair_of_state_and_event_has_its_next_state_or_is_refused(state: ChatState, event: ChatEvent) -> None:
    expected = EXPECTED[event][list(ChatState).index(state)]
    if expected is None:
        with pytest.raises(TransitionError) as refused:
            transition(state, event)
        assert (refused.value.state, refused.value.event) == (state, event)
        assert str(refused.value) == f"a chat that is {state} does not take the event {event}"
    else:
        assert transition(state, event) is expected


def test_every_state_is_reached_and_left() -> None:
    moves = {(before, after) for (before, _), after in TRANSITIONS.items() if before is not after}
    assert {before for before, _ in moves} == set(ChatState)
    assert {after for _, after in moves} == set(ChatState)


def test_only_a_worker_moves_a_chat_that_a_worker_holds_to_a_resting_state() -> None:
    workers = {
        ChatEvent.LEASE_EXPIRED,
        ChatEvent.RETRY,
        ChatEvent.PAUSED,
        ChatEvent.FINISHED,
        ChatEvent.FINISHED_WITH_QUEUE,
        ChatEvent.FAILED,
    }
    for (state, event), after in TRANSITIONS.items():
        if state in (RUN, STOP) and after not in (RUN, STOP):
            assert event in workers
