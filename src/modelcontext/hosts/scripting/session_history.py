"""The session histories of one browser (https://html.spec.whatwg.org/#session-history).

Each navigable has entries, and each entry has a step. A traversable is at one step. There, a navigable shows its last entry
that is not later. If the window of a document was alone in its browsing context group, the document that was unloaded stays in
the back/forward cache. Otherwise the URL of its entry is fetched again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.platform.html import loading
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, NAVIGATION_AND_TRAVERSAL_TASK_SOURCE
from modelcontext.platform.html.navigable import inclusive_descendant_navigables

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.hosts.scripting.resources import Request
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.platform.html.parallel import ParallelSteps


@dataclass(eq=False)
class DocumentState:
    """The part that entries of one document share: ``resource`` is the source of ``srcdoc``, or the request of a form."""

    document: Document | None
    resource: Request | str | None = None


@dataclass(eq=False)
class SessionHistoryEntry:
    """A session history entry; ``state`` is the number of the clone that is its state, if it has one."""

    step: int
    url: str
    document_state: DocumentState
    state: int | None = None


Fetch: TypeAlias = Callable[["Navigable", SessionHistoryEntry, Callable[[], None]], None]


class SessionHistories:
    """The session histories of all navigables of one browser.

    ``fetch`` fetches the document of an entry again, makes it the active one of a navigable, and calls what comes next.
    """

    def __init__(self, realms: Realms, fetch: Fetch) -> None:
        self._realms = realms
        self._fetch = fetch
        self._steps: dict[Navigable, int] = {}
        self._entries: dict[Navigable, list[SessionHistoryEntry]] = {}
        self._traversals: dict[Navigable, deque[Callable[[], None]]] = {}
        self._latest: dict[Document, SessionHistoryEntry] = {}
        self._states: dict[Document, tuple[int | None, JSValue]] = {}

    def current_entry(self, navigable: Navigable) -> SessionHistoryEntry:
        """Return the active session history entry of a navigable."""
        return self._entry_at(navigable, self._steps.get(navigable.traversable_navigable, 0))

    def _entry_at(self, navigable: Navigable, step: int) -> SessionHistoryEntry:
        if navigable not in self._entries:
            document = navigable.active_document
            assert document is not None
            initial = 0 if navigable.parent is None else self.current_entry(navigable.parent).step
            self._entries[navigable] = [SessionHistoryEntry(initial, document.url, DocumentState(document))]
            self._latest[document] = self._entries[navigable][0]
        entries = self._entries[navigable]
        return next((entry for entry in reversed(entries) if entry.step <= step), entries[0])

    def _navigables(self, traversable: Navigable) -> list[Navigable]:
        document = traversable.active_document
        return inclusive_descendant_navigables(document) if document is not None else []

    def _used_steps(self, traversable: Navigable) -> list[int]:
        """https://html.spec.whatwg.org/#getting-all-used-history-steps"""
        for navigable in self._navigables(traversable):
            self.current_entry(navigable)
        return sorted({entry.step for one in self._navigables(traversable) for entry in self._entries[one]})

    def length(self, navigable: Navigable) -> int:
        """https://html.spec.whatwg.org/#dom-history-length"""
        return len(self._used_steps(navigable.traversable_navigable))

    def state(self, document: Document) -> JSValue:
        """https://html.spec.whatwg.org/#dom-history-state"""
        entry = self._latest.get(document)
        clone = entry.state if entry is not None else None
        known, state = self._states.get(document, (None, None))
        if known != clone:
            realms = self._realms
            data = realms.call(document.realm, "deserialize", clone, ["list", []])[0] if clone is not None else None
            state = realms.border.decode(data)
            self._states[document] = (clone, state)
        return state

    def show(self, document: Document, entry: SessionHistoryEntry) -> None:
        """Note that a document shows an entry from its beginning."""
        entry.document_state.document = document
        self._latest[document] = entry

    def push_or_replace(
        self, navigable: Navigable, url: str, state: int | None, *, replaces: bool
    ) -> SessionHistoryEntry:
        """Make an entry of the active document the current one; the document does not show it yet."""
        entry = SessionHistoryEntry(0, url, self.current_entry(navigable).document_state, state)
        self.finalize(navigable, entry, replaces=replaces)
        return entry

    def is_salvageable(self, document: Document) -> bool:
        """Return whether a document goes into the back/forward cache: no other window may hold its window."""
        navigable = document.node_navigable
        if navigable is None or navigable.parent is not None:
            return False
        self._realms.note_effect_beyond()
        return [one for one in self._realms.user_agent.traversables if one.group is navigable.group] == [navigable]

    def finalize(self, navigable: Navigable, entry: SessionHistoryEntry, *, replaces: bool) -> None:
        """Make an entry the current one (https://html.spec.whatwg.org/#finalize-a-cross-document-navigation)."""
        self._realms.note_effect_beyond()
        traversable = navigable.traversable_navigable
        current = self.current_entry(navigable)
        if replaces:
            entry.step = current.step
            self._entries[navigable] = [entry if one is current else one for one in self._entries[navigable]]
        else:
            self._clear_the_forward_session_history(traversable)
            entry.step = self._steps[traversable] = self._steps.get(traversable, 0) + 1
            self._entries[navigable].append(entry)

    def _clear_the_forward_session_history(self, traversable: Navigable) -> None:
        """https://html.spec.whatwg.org/#clear-the-forward-session-history"""
        step = self._steps.get(traversable, 0)
        for navigable, entries in self._entries.items():
            if navigable.traversable_navigable is traversable:
                kept = [entry for entry in entries if entry.step <= step] or entries[:1]
                states = {entry.document_state for entry in kept}
                for document in [one.document_state.document for one in entries if one.document_state not in states]:
                    if document is not None and document.node_navigable is None and not document.is_destroyed:
                        loading.destroy_a_document(document)
                self._entries[navigable] = kept

    def traverse_by_a_delta(self, traversable: Navigable, delta: int) -> None:
        """https://html.spec.whatwg.org/#traverse-the-history-by-a-delta"""
        queue = self._traversals.setdefault(traversable, deque())

        def done() -> None:
            queue.popleft()
            if queue:
                queue[0]()

        def traverse() -> ParallelSteps:
            yield
            steps = self._used_steps(traversable)
            current = self._steps.get(traversable, 0)
            index = max(0, *(place for place, step in enumerate(steps) if step <= current)) + delta
            if 0 <= index < len(steps):
                self._apply_the_history_step(traversable, steps[index], done)
            else:
                done()

        queue.append(lambda: self._realms.user_agent.in_parallel(traverse()))
        if len(queue) == 1:
            queue[0]()

    def _apply_the_history_step(self, traversable: Navigable, step: int, done: Callable[[], None]) -> None:
        """https://html.spec.whatwg.org/#apply-the-history-step"""
        self._realms.note_effect_beyond()
        navigables = self._navigables(traversable)
        before = {navigable: self.current_entry(navigable) for navigable in navigables}
        self._steps[traversable] = step
        changing = [one for one in navigables if self._entry_at(one, step) is not before[one]]
        waiting = len(changing)

        def one_is_done() -> None:
            nonlocal waiting
            waiting -= 1
            if waiting == 0:
                done()

        for navigable in changing:
            displayed = navigable.active_document
            assert displayed is not None
            steps = partial(self._change, navigable, self._entry_at(navigable, step), one_is_done)
            displayed.event_loop.queue_a_task(NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, None, steps)

    def _change(self, navigable: Navigable, entry: SessionHistoryEntry, done: Callable[[], None]) -> None:
        displayed, document = navigable.active_document, entry.document_state.document
        if displayed is None or not displayed.is_fully_active:
            done()
        elif document is displayed:
            self.update_document(displayed, entry)
            done()
        elif document is None or document.is_destroyed:
            self._fetch(navigable, entry, done)
        else:
            loading.reactivate(navigable, document, keep=self.is_salvageable(displayed))
            self.update_document(document, entry)
            done()

    def update_document(self, document: Document, entry: SessionHistoryEntry) -> None:
        """https://html.spec.whatwg.org/#update-document-for-history-step-application"""
        realms = self._realms
        # "If document's latest entry is not entry, then:"
        if self._latest.get(document) is entry:
            return
        old = document.url
        self._latest[document], document.url = entry, entry.url
        target = realms.target_of(document)
        realms.fire(target, "popstate", "PopStateEvent", {"state": self.state(document)})
        # "If oldURL's fragment is not equal to entry's URL's fragment, then queue a global task …"
        if old.partition("#")[1:] != entry.url.partition("#")[1:]:
            steps = partial(realms.fire, target, "hashchange", "HashChangeEvent", {"oldURL": old, "newURL": entry.url})
            document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, steps)
