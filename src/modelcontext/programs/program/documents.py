"""The operations of scripts on the documents of their program, in the model; both interpreters of scripts use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.platform.html import loading
from modelcontext.platform.html.event_loop import (
    DOM_MANIPULATION_TASK_SOURCE,
    POSTED_MESSAGE_TASK_SOURCE,
    TIMER_TASK_SOURCE,
)

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable, NavigableContainer
    from modelcontext.platform.html.parallel import ParallelSteps
    from modelcontext.programs.program.stage import Performer, Stage

#: Continues a script that waits.
Next: TypeAlias = Callable[[], None]


class DocumentOperations:
    """The operations of one document on others, and on its own tab."""

    def __init__(self, stage: Stage, document: Document, script: Performer) -> None:
        self._stage = stage
        self._document = document
        self._script = script

    def tell(self, to: str, message: str) -> None:
        """Post a message to a document."""
        self._stage.post_message(to, lambda script: script.receive(message))

    def after_timeout(self, fire: Next) -> None:
        """Run a function in a task of a timer."""
        document = self._document

        def run_steps_after_a_timeout() -> ParallelSteps:
            document.event_loop.queue_a_task(TIMER_TASK_SOURCE, document, lambda: self._script.enter(fire))
            yield from ()

        self._stage.user_agent.in_parallel(run_steps_after_a_timeout(), document.window.timers)

    def add_frame(self, id_: str, loaded: Next) -> None:
        """Insert the iframe of a document, and call ``loaded`` when it fires ``load``."""
        container = self._stage.insert_frame(self._stage.program.documents[id_], self._document)
        self._navigate(container, id_, loaded)

    def _navigate(self, container: NavigableContainer, id_: str, loaded: Next) -> None:
        def arrive(document: Document) -> None:
            self._stage.arrive(id_, document)
            self._document.event_loop.queue_a_task(
                DOM_MANIPULATION_TASK_SOURCE, self._document, lambda: self._script.enter(fire_load)
            )

        def fire_load() -> None:
            if container.content_navigable is not None:
                loaded()

        if container.content_navigable is not None:
            loading.navigate(container.content_navigable, self._stage.response(id_), loaded=arrive)

    def remove_frame(self, id_: str) -> None:
        """Remove the iframe of a document."""
        loading.remove_an_iframe(self._stage.container_of(id_))

    def navigate(self, id_: str, to: str, loaded: Next) -> None:
        """Navigate the iframe of a document to another one, and call ``loaded`` when it fires ``load``."""
        container = self._stage.container_of(id_)
        loading.set_src(container, self._stage.response(to).url)
        self._navigate(container, to, loaded)

    def leave(self, id_: str, shown: Next) -> None:
        """Navigate the tab to a document, and call ``shown`` when this document comes out of the back/forward cache."""
        listeners = self._document.window.page_transition_listeners["pageshow"]

        def loaded(document: Document) -> None:
            self._stage.arrive(id_, document)
            self._stage.start_script(id_)

        def shown_again() -> None:
            listeners.remove(shown_again)
            shown()

        listeners.append(shown_again)
        loading.navigate(self._navigable(), self._stage.response(id_), keep=True, loaded=loaded)

    def go_back(self) -> None:
        """Traverse to the document before."""
        loading.traverse_back(self._navigable())

    def _navigable(self) -> Navigable:
        navigable = self._document.node_navigable
        assert navigable is not None
        return navigable

    def on_page_transition(self, type_: str, listener: Next) -> None:
        """Listen to ``pageshow`` or ``pagehide``."""
        self._document.window.page_transition_listeners[type_].append(listener)

    def open(self, id_: str, loaded: Next) -> None:
        """Open a popup, and call ``loaded`` when it has said that it has loaded."""
        spec = self._stage.program.documents[id_]
        opener = self._document

        def load() -> ParallelSteps:
            popup = self._stage.open(spec)
            yield
            popup.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, popup, say_so)

        def say_so() -> None:
            opener.event_loop.queue_a_task(POSTED_MESSAGE_TASK_SOURCE, opener, lambda: self._script.enter(loaded))

        self._stage.user_agent.in_parallel(load())

    def close(self, id_: str) -> None:
        """Close the popup of a document."""
        navigable = self._stage.document_of(id_).node_navigable
        if navigable is not None:
            loading.close(navigable)
