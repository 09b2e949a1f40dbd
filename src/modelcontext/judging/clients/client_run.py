"""A run of a program with a client in it, for the exploration of all schedules.

The scripts of the documents register the first tools, tell themselves "go" and wait for that message. That much happens
first in, first out. Then the messages arrive, and everybody goes at once: the scripts, which now change what there is, and
the client.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from modelcontext.hosts.simulated.simulated_host import SimulatedHost
from modelcontext.judging.clients.known import Registrations
from modelcontext.judging.clients.session import Session, Steps
from modelcontext.judging.issues.readings import revision_with
from modelcontext.programs.program.interpreter import MOST_ACTIONS, Run
from modelcontext.programs.program.operations import Script
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.user_agent import SpecificationHooks
    from modelcontext.programs.program.language import Program, ProgramStep
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.spec.revisions.revision import Revision

#: The message at which everybody goes.
GO: Final = "go"

#: The algorithms of whose parallel steps nobody here hears: no program with a client listens for ``toolchange`` or waits for
#: a registration. These steps commute with everything, but not in a way that the exploration could find out: they all queue
#: tasks.
UNHEARD: Final = ("dom-modelcontext-registertool", "unregister-a-tool")


class _WatchedHost(SimulatedHost):
    """A host that remembers the lists with which promises are resolved, before these become values of JavaScript."""

    resolved: dict[PromiseObject, object]

    def resolve(self, promise: PromiseObject, value: object) -> None:
        if isinstance(value, list):
            self.resolved[promise] = value
        super().resolve(promise, value)


class _WatchedHooks:
    """The hooks of a revision, which also tell when a document comes and goes."""

    def __init__(
        self, hooks: SpecificationHooks, comes: Callable[[Document], None], goes: Callable[[Document], None]
    ) -> None:
        self._hooks = hooks
        self._comes = comes
        self._goes = goes

    def __getattr__(self, name: str) -> object:
        return getattr(self._hooks, name)

    def initialize_document(self, document: Document) -> None:
        """Associate the specification's objects with a new document, then tell."""
        self._hooks.initialize_document(document)
        self._comes(document)

    def unloading_document_cleanup_steps(self, document: Document) -> None:
        """Run the cleanup steps, then tell."""
        self._hooks.unloading_document_cleanup_steps(document)
        self._goes(document)


class Watcher(Protocol):
    """A watcher of a run that shows it to people."""

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Note that a document's script reaches a step."""

    def observes(self, stream: str, entry: Mapping[str, Any]) -> None:
        """Note an entry: of the client, or of the log of an event loop."""

    def lists(self, id_: str) -> None:
        """Note that the client begins to list the tools that are seen in a document."""


class _HeldScript(Script):
    """A script that goes on when everybody does."""

    def __init__(self, run: ClientRun, id_: str, document: Document) -> None:
        super().__init__(run, id_, document)
        self._run = run

    def tell(self, step: ProgramStep) -> None:
        if not self._run.holds_back(step):
            super().tell(step)


def _revision(readings: tuple[str, ...]) -> Revision:
    """Return the revision of a run. The steps of which nobody hears are those of the project's own text."""
    other = REVISIONS.stand_ins.get(CURRENT.name)
    return other.revision() if other is not None else revision_with(*readings, without=UNHEARD)


class ClientRun(Run):
    """One run of a program and a client under one schedule.

    Args:
        program: the program: the documents, and what their scripts do to the client.
        client: makes the steps of the client.
        chooser: makes the free choices.
        watcher: is told everything that happens; entries of scripts that matter to no property are observed by it only.
        readings: patches of the text; the run is one of the text as they change it.
    """

    def __init__(
        self,
        program: Program,
        client: Callable[[Session, Document], Steps[None]],
        chooser: Chooser | None = None,
        watcher: Watcher | None = None,
        readings: tuple[str, ...] = (),
    ) -> None:
        super().__init__(program, chooser, revision=_revision(readings))
        host = _WatchedHost(self.user_agent, self.world.boundary)
        self.resolved: dict[PromiseObject, object] = {}
        self.frames: dict[Document, Navigable] = {}
        host.resolved = self.resolved
        self.world.host = host
        self.registrations = Registrations(program)
        self.session = Session(self)
        hooks = _WatchedHooks(self.user_agent.hooks, self._note_frame, self.session.document_goes)
        self.user_agent.hooks = cast("SpecificationHooks", hooks)
        self._held: list[str] | None = []
        self._client = client
        self._watcher = watcher

    def relevant(self) -> tuple[object, ...]:
        """Return the state that determines the rest of the run."""
        return (*super().relevant(), self.session, self.resolved, self.frames)

    def run(self) -> Outcome:
        """Run the program with the client until nothing is left to do."""
        top = self.start()
        self._come_to_rest()
        self.resolved.clear()
        held, self._held = self._held, None
        for id_ in held or ():
            self.post_message(id_, lambda script: script.receive(GO))
        self.session.begin(self._client(self.session, top))
        self.world.run_until_idle(MOST_ACTIONS)
        while self.session.time_passes():
            self.world.run_until_idle(MOST_ACTIONS)
        return self.result()

    def _note_frame(self, document: Document) -> None:
        container = document.container
        if container is None:
            traversables = reversed(self.user_agent.traversables)
            self.frames[document] = next(one for one in traversables if document in one.session_history)
        else:
            assert container.content_navigable is not None
            self.frames[document] = container.content_navigable

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        """Observe an entry of a script if it says that a tool ran."""
        if self._watcher is not None:
            self._watcher.observes(self.program.log_of(id_), {"in": id_, **entry})
        if "function" in entry:
            self.observations.append((self.program.log_of(id_), {"in": id_, **entry}))

    def observe(self, stream: str, entry: Mapping[str, Any]) -> None:
        """Observe something that the client did or learned."""
        if self._watcher is not None:
            self._watcher.observes(stream, entry)
        self.observations.append((stream, entry))

    def lists(self, document: Document) -> None:
        """Tell the watcher that the client begins to list tools; no property depends on it."""
        if self._watcher is not None:
            self._watcher.lists(self.label_of(document))

    def left(self) -> tuple[str, ...]:
        """Return nothing: what stays open follows from what was observed."""
        return ()

    def new_script(self, id_: str, document: Document) -> Script:
        """Make the script of a new document."""
        return _HeldScript(self, id_, document)

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Tell the watcher of a step."""
        if self._watcher is not None:
            self._watcher.performs(id_, step)

    def holds_back(self, step: ProgramStep) -> bool:
        """Return whether a message is held back, until everybody goes."""
        if self._held is None or step.arguments["message"] != GO:
            return False
        self._held.append(step.arguments["to"])
        return True

    def label_of(self, document: Document) -> str:
        """Return the id of a document in the program."""
        return self.ids.get(document, "?")
