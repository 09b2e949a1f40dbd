"""The states of a chat, and the one table of what changes them.

The table is pure: the service and the runner ask it under a row lock and store its answer, so that no other place decides.
"""

from __future__ import annotations

from enum import StrEnum


class ChatState(StrEnum):
    """The states of a chat."""

    #: Nothing is to be done; a message makes it pending.
    WAITING = "waiting"
    #: A worker may take it.
    PENDING = "pending"
    #: A worker holds its lease.
    RUNNING = "running"
    #: A worker holds its lease, and has been told to stop.
    INTERRUPTING = "interrupting"
    #: The page owes results; nobody works on it.
    REQUIRES_ACTION = "requires_action"
    #: The last turn failed; a message starts anew.
    ERROR = "error"


class ChatEvent(StrEnum):
    """The things that happen to a chat."""

    #: A message came, to be answered when the present turn has ended. Or a turn has ended, and a queued message is next.
    MESSAGE = "message"
    #: A message came that stops the present turn.
    INTERRUPTING_MESSAGE = "interrupting_message"
    #: A worker took the lease.
    CLAIMED = "claimed"
    #: The lease ended: its worker gave it up, or has not been heard of.
    LEASE_EXPIRED = "lease_expired"
    #: The step failed, and is to be tried again.
    RETRY = "retry"
    #: The model called the page, or a call needs approval.
    PAUSED = "paused"
    #: The page's results, and the approvals, are all there.
    RESULTS = "results"
    #: The page did not answer in time; each open call has an error result now.
    DEADLINE = "deadline"
    #: A person stopped the turn.
    INTERRUPT = "interrupt"
    #: The turn ended, or the interrupted worker has cleaned up, and no message is queued.
    FINISHED = "finished"
    #: The turn ended, and a queued message is next.
    FINISHED_WITH_QUEUE = "finished_with_queue"
    #: The turn failed for good.
    FAILED = "failed"


#: The next state. A pair that is not here is refused: :func:`transition` raises.
TRANSITIONS: dict[tuple[ChatState, ChatEvent], ChatState] = {
    (ChatState.WAITING, ChatEvent.MESSAGE): ChatState.PENDING,
    (ChatState.WAITING, ChatEvent.INTERRUPTING_MESSAGE): ChatState.PENDING,
    (ChatState.WAITING, ChatEvent.INTERRUPT): ChatState.WAITING,
    (ChatState.PENDING, ChatEvent.MESSAGE): ChatState.PENDING,
    (ChatState.PENDING, ChatEvent.INTERRUPTING_MESSAGE): ChatState.PENDING,
    (ChatState.PENDING, ChatEvent.CLAIMED): ChatState.RUNNING,
    (ChatState.PENDING, ChatEvent.INTERRUPT): ChatState.WAITING,
    (ChatState.RUNNING, ChatEvent.MESSAGE): ChatState.RUNNING,
    (ChatState.RUNNING, ChatEvent.INTERRUPTING_MESSAGE): ChatState.INTERRUPTING,
    (ChatState.RUNNING, ChatEvent.LEASE_EXPIRED): ChatState.PENDING,
    (ChatState.RUNNING, ChatEvent.RETRY): ChatState.PENDING,
    (ChatState.RUNNING, ChatEvent.PAUSED): ChatState.REQUIRES_ACTION,
    (ChatState.RUNNING, ChatEvent.INTERRUPT): ChatState.INTERRUPTING,
    (ChatState.RUNNING, ChatEvent.FINISHED): ChatState.WAITING,
    (ChatState.RUNNING, ChatEvent.FINISHED_WITH_QUEUE): ChatState.PENDING,
    (ChatState.RUNNING, ChatEvent.FAILED): ChatState.ERROR,
    (ChatState.INTERRUPTING, ChatEvent.MESSAGE): ChatState.INTERRUPTING,
    (ChatState.INTERRUPTING, ChatEvent.INTERRUPTING_MESSAGE): ChatState.INTERRUPTING,
    # The turn was to be stopped, and its worker has stopped.
    (ChatState.INTERRUPTING, ChatEvent.LEASE_EXPIRED): ChatState.WAITING,
    (ChatState.INTERRUPTING, ChatEvent.INTERRUPT): ChatState.INTERRUPTING,
    (ChatState.INTERRUPTING, ChatEvent.FINISHED): ChatState.WAITING,
    (ChatState.INTERRUPTING, ChatEvent.FINISHED_WITH_QUEUE): ChatState.PENDING,
    (ChatState.REQUIRES_ACTION, ChatEvent.MESSAGE): ChatState.REQUIRES_ACTION,
    (ChatState.REQUIRES_ACTION, ChatEvent.INTERRUPTING_MESSAGE): ChatState.PENDING,
    (ChatState.REQUIRES_ACTION, ChatEvent.RESULTS): ChatState.PENDING,
    (ChatState.REQUIRES_ACTION, ChatEvent.DEADLINE): ChatState.PENDING,
    (ChatState.REQUIRES_ACTION, ChatEvent.INTERRUPT): ChatState.WAITING,
    (ChatState.ERROR, ChatEvent.MESSAGE): ChatState.PENDING,
    (ChatState.ERROR, ChatEvent.INTERRUPTING_MESSAGE): ChatState.PENDING,
    (ChatState.ERROR, ChatEvent.INTERRUPT): ChatState.ERROR,
}


class TransitionError(Exception):
    """Raised for an event that a chat's state does not permit."""

    def __init__(self, state: ChatState, event: ChatEvent) -> None:
        super().__init__(f"a chat that is {state} does not take the event {event}")
        self.state = state
        self.event = event


def transition(state: ChatState, event: ChatEvent) -> ChatState:
    """Return the state after ``event``.

    Raises:
        TransitionError: if the state does not permit the event.
    """
    after = TRANSITIONS.get((state, event))
    if after is None:
        raise TransitionError(state, event)
    return after
