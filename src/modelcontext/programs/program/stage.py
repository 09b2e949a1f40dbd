"""The documents of a run in the model: their arrival and departure, their windows, and their logs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.hosts.world import World
from modelcontext.platform.ecmascript.values import UNDEFINED, JSValue
from modelcontext.platform.html import loading
from modelcontext.platform.html.event_loop import POSTED_MESSAGE_TASK_SOURCE
from modelcontext.programs.program.language import DocumentSpec, Program, ProgramError, ProgramStep, substituted
from modelcontext.programs.program.outcome import normalized
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.platform.ecmascript.promise import Promise
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import NavigableContainer
    from modelcontext.platform.html.window import WindowProxy
    from modelcontext.spec.revisions.revision import Revision

T = TypeVar("T")

#: The origins that the letters of a program stand for in the model.
ORIGINS: Final[Mapping[str, str]] = {
    **{letter: f"https://{letter.lower()}.test" for letter in "ABCD"},
    "insecure": "http://insecure.test",
}

_ARRIVALS: Final = footprint.Kind("arrivals")


class Performer(Protocol):
    """The script of one document, as far as the stage needs it."""

    def enter(self, script: Callable[[], None]) -> None:
        """Run code in the document's realm."""

    def run(self, index: int) -> None:
        """Run the steps from an index on, until one waits."""

    def receive(self, message: str) -> None:
        """Take a message; the script continues if it waits for this one."""


class Interpreter(Performer, Protocol):
    """The script of one document, as far as the values and the elements of the model need it."""

    def run_nested(self, steps: Sequence[ProgramStep]) -> None:
        """Run nested steps."""

    def record(self, entry: Mapping[str, object], source: object = None) -> None:
        """Record an entry of the document; the source is the running step unless it is given."""


class Stage(ABC):
    """The documents of one run of a program, and their logs; the arguments are those of a run."""

    def __init__(
        self,
        program: Program,
        chooser: Chooser | None = None,
        locate: Callable[[], object] | None = None,
        revision: Revision | None = None,
    ) -> None:
        self.program = program
        self.world = self.new_world(revision or REVISIONS[program.revision], chooser)
        self.user_agent = self.world.user_agent
        self.user_agent.locate = locate
        self.logs: dict[str, list[Mapping[str, Any]]] = {}
        self.observations: list[tuple[str, Mapping[str, Any]]] = []
        self.sources: dict[str, list[object]] = {}
        self.unsettled: set[str] = set()
        self.promises: dict[str, Promise] = {}
        self.containers: dict[str, NavigableContainer] = {}
        self.windows: dict[str, WindowProxy] = {}
        self.contexts: dict[str, JSValue] = {}
        self.ids: dict[Document, str] = {}
        self.realm_ids: dict[Realm, str] = {}
        self.scripts: dict[Document, Performer] = {}

    def new_world(self, revision: Revision, chooser: Chooser | None) -> World:
        """Make the world of the run."""
        return World(revision, chooser)

    @abstractmethod
    def new_script(self, id_: str, document: Document) -> Performer:
        """Make the script of a new document."""

    @abstractmethod
    def performs(self, id_: str, step: ProgramStep) -> None:
        """Note that a document's script reaches a step."""

    def performed(self, id_: str, step: ProgramStep) -> None:  # noqa: B027 (most runs ignore it)
        """Ignore the end of a step; only timetables have a point there."""

    def relevant(self) -> tuple[object, ...]:
        """Return the state that determines the rest of the run: everything but the logs."""
        known = (
            self.containers, self.windows, self.contexts, self.ids, self.realm_ids, self.scripts, self.unsettled,
        )  # fmt: skip
        return (self.user_agent, *known)

    def response(self, id_: str) -> loading.Response:
        """Return the server's response for a document."""
        spec = self.program.documents[id_]
        return loading.Response(f"{ORIGINS[spec.origin]}/{id_}", substituted(spec.permissions_policy or "", ORIGINS))

    def open(self, spec: DocumentSpec) -> Document:
        """Open a popup that has loaded, with its frames."""
        opener = self.document_of(spec.opener or "")
        document = loading.create_a_new_top_level_traversable(self.user_agent, self.response(spec.id), opener)
        self.arrive(spec.id, document)
        return document

    def document_of(self, id_: str) -> Document:
        """Return the document that is now in a document's window."""
        return self.window_of(id_).window.associated_document

    def window_of(self, id_: str) -> WindowProxy:
        """Return the window of a document.

        Raises:
            ProgramError: if no step has brought it yet.
        """
        return self._brought("window", self.windows, id_)

    def container_of(self, id_: str) -> NavigableContainer:
        """Return the iframe that holds a document.

        Raises:
            ProgramError: if no step has inserted it yet.
        """
        return self._brought("iframe", self.containers, id_)

    def arrived(self, id_: str) -> Document:
        """Return a document, be it still in its window or not.

        Raises:
            ProgramError: if no step has brought it yet.
        """
        footprint.read(_ARRIVALS, self.holder(id_))
        found = next((document for document, name in self.ids.items() if name == id_), None)
        if found is None:
            raise self._not_brought(f'the document "{id_}"')
        return found

    def _brought(self, what: str, known: Mapping[str, T], id_: str) -> T:
        if self.holder(id_) not in known:
            raise self._not_brought(f'the {what} of "{id_}"')
        return known[self.holder(id_)]

    def _not_brought(self, what: str) -> ProgramError:
        return ProgramError(
            self.program.source, "", f"{what} does not exist yet under some schedule: let an earlier step create it"
        )

    def context_of(self, id_: str) -> JSValue:
        """Return the ModelContext object of a document; undefined if it has none, or has not arrived."""
        footprint.read(_ARRIVALS, self.holder(id_))
        return self.contexts.get(id_, UNDEFINED)

    def model_context_of(self, id_: str) -> JSValue:
        """Read the attribute ``modelContext`` of a document or its navigator, as a script does."""
        return self.world.boundary.get(self.world.revision.accessor_owner(self.document_of(id_)), "modelContext")

    def origin_of(self, id_: str) -> str:
        """Return the serialized origin of a document."""
        return "null" if self.program.is_opaque(id_) else ORIGINS[self.program.documents[id_].origin]

    def holder(self, id_: str) -> str:
        """Return the document for which a document's iframe or window was made."""
        return self.program.holders.get(id_, id_)

    def know_initial_document(self, name: str, id_: str) -> None:
        """Name the initial about:blank document in the iframe of a document, with its ModelContext."""
        footprint.write(_ARRIVALS, name)
        self.contexts[name] = self.model_context_of(id_)
        self.realm_ids[self.document_of(id_).realm] = name

    def arrive(self, id_: str, document: Document) -> None:
        """Register a new document, and make its initial frames."""
        navigable = document.node_navigable
        assert navigable is not None
        self.windows.setdefault(self.holder(id_), navigable.window_proxy)
        self.ids[document] = id_
        self.realm_ids[document.realm] = id_
        footprint.write(_ARRIVALS, self.holder(id_))
        self.contexts[id_] = self.world.boundary.get(self.world.revision.accessor_owner(document), "modelContext")
        self.scripts[document] = self.new_script(id_, document)
        markup = self.program.documents[id_].html
        if markup is not None:
            from modelcontext.platform.html.parsing import (
                parse_html,  # It takes long to import, and few programs have markup.
            )

            parse_html(document, f"<!DOCTYPE html><body>{markup}")
        for spec in self.program.documents.values():
            if spec.parent == id_ and not spec.later:
                container = self.insert_frame(spec, document)
                child_navigable = container.content_navigable
                assert child_navigable is not None
                child = loading.replace_the_initial_document(child_navigable, self.response(spec.id))
                self.arrive(spec.id, child)

    def insert_frame(self, spec: DocumentSpec, parent: Document) -> NavigableContainer:
        """Insert the iframe of a document."""
        container = self.containers[spec.id] = loading.insert_an_iframe(
            parent,
            allow=substituted(spec.allow or "", ORIGINS),
            sandbox=spec.sandbox,
            src=self.response(spec.id).url,
        )
        navigable = container.content_navigable
        assert navigable is not None
        self.windows[spec.id] = navigable.window_proxy
        return container

    def start_script(self, id_: str) -> None:
        """Queue the task that starts the script of a document."""
        self.post_message(id_, lambda script: script.run(0))

    def post_message(self, id_: str, received: Callable[[Performer], None]) -> None:
        """Post a message to the document that is now in a document's window."""
        document = self.document_of(id_)
        if self.program.leaves and self.ids.get(document) != id_:
            # The document is in the back/forward cache, where messages wait for it.
            document = next(known for known, name in self.ids.items() if name == id_)
        footprint.read(_ARRIVALS, self.holder(id_))
        script = self.scripts.get(document)
        if script is not None:
            document.event_loop.queue_a_task(
                POSTED_MESSAGE_TASK_SOURCE, document, lambda: script.enter(lambda: received(script))
            )

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        """Record an entry of a document, and its source in the specification."""
        log = self.program.log_of(id_)
        entry = normalized({"in": id_, **entry})
        self.logs.setdefault(log, []).append(entry)
        self.observations.append((log, entry))
        self.sources.setdefault(log, []).append(source)
