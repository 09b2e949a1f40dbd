"""A session: one client at work, as a process among those of the simulated browser.

The steps of a client are a generator. It yields *requests*: functions that begin something and are given what continues the
client. So everything that takes time is a place at which others can act, and the client's own state is the generator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar

from modelcontext.platform.html.event_loop import TaskSource

if TYPE_CHECKING:
    from modelcontext.hosts.world import World
    from modelcontext.judging.clients.known import Registrations
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.platform.html.user_agent import UserAgent

T = TypeVar("T")

#: The stream of observations that a client makes.
CLIENT: Final = "client"

CLIENT_TASK_SOURCE: Final = TaskSource("client task source")

#: The value with which a client continues when the document that it waits for has gone, or its time is over.
GONE: Final = "gone"
TIMED_OUT: Final = "timed out"


class Surroundings(Protocol):
    """The run around a client.

    ``resolved`` has the IDL values with which promises were resolved, and ``frames`` the navigable of each document.
    """

    world: World
    user_agent: UserAgent
    registrations: Registrations
    resolved: dict[PromiseObject, object]
    frames: dict[Document, Navigable]

    def label_of(self, document: Document) -> str:
        """Return the id of a document in the program."""

    def observe(self, stream: str, entry: Mapping[str, Any]) -> None:
        """Observe something that the client did or learned."""

    def lists(self, document: Document) -> None:
        """Note that the client begins to list the tools that are seen in a document."""


class Waiting:
    """A client that waits. The first that continues it wins. ``document`` is what it waits for, or None."""

    __slots__ = ("_session", "document", "has_a_limit", "is_over")

    def __init__(self, session: Session, document: Document | None, has_a_limit: bool) -> None:
        self._session = session
        self.document = document
        self.has_a_limit = has_a_limit
        self.is_over = False

    def end(self, value: object) -> None:
        """Continue the client, in the action that is running."""
        if not self.is_over:
            self.is_over = True
            self._session.proceed(value)

    def end_outside(self, value: object) -> None:
        """Continue the client in an action of its own: it is another process, and hears of this some time later."""
        if not self.is_over:
            self.is_over = True

            def hear() -> ParallelSteps:
                self._session.proceed(value)
                yield from ()

            self._session.run.user_agent.in_parallel(hear())


#: Begins something, and is given who waits for it.
Request: TypeAlias = Callable[[Waiting], None]
#: The steps of a client, or of a part of one.
Steps: TypeAlias = Generator["tuple[Request, Document | None, bool]", Any, T]


class Session:
    """A session of one client in a run."""

    def __init__(self, run: Surroundings) -> None:
        self.run = run
        self.waiting: Waiting | None = None
        self._steps: Steps[None] | None = None

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the session continues, for fingerprints."""
        return self._steps, self.waiting

    def begin(self, steps: Steps[None]) -> None:
        """Begin the steps of the client."""
        self._steps = steps
        self.proceed(None)

    def proceed(self, value: object) -> None:
        """Continue the client up to its next request."""
        assert self._steps is not None
        self.waiting = None
        try:
            request, document, has_a_limit = self._steps.send(value)
        except StopIteration:
            return
        waiting = self.waiting = Waiting(self, document, has_a_limit)
        request(waiting)

    def document_goes(self, document: Document) -> None:
        """Tell the client that a document has gone."""
        if self.waiting is not None and self.waiting.document is document:
            self.waiting.end_outside(GONE)

    def time_passes(self) -> bool:
        """End a wait that has a limit of time; return whether there is one."""
        if self.waiting is None or not self.waiting.has_a_limit:
            return False
        self.waiting.end_outside(TIMED_OUT)
        return True

    def record(self, event: str, **facts: Any) -> None:
        """Record something that the client did or learned."""
        self.run.observe(CLIENT, {"event": event, **facts})

    def choose(self, label: str, count: int) -> int:
        """Make a free choice: one of the model, of a person, or of chance."""
        return self.run.user_agent.choose(label, count)


def canonical(entry: Mapping[str, Any]) -> str:
    """Return the text by which observations are compared."""
    return json.dumps(entry, sort_keys=True)
