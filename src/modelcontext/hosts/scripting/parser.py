"""Parsing a document with scripts in it (https://html.spec.whatwg.org/#parsing)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from modelcontext.hosts.scripting.loading_elements import HTMLScriptElement
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE
from modelcontext.platform.html.parsing import SteppedParser

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.loadings import Loadings
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.platform.dom.nodes import Node
    from modelcontext.platform.html.document import Document


class Parser:
    """The parser of one document, which scripts interrupt."""

    def __init__(self, realms: Realms, loadings: Loadings, document: Document, source: str) -> None:
        self._loadings = loadings
        self._realms = realms
        self._document = document
        self._steps = SteppedParser(document, source, self._pauses)
        self._insertion_point: int | None = None
        self._lines_written = 0
        #: Whether a script that the parser waits for is being fetched.
        self._waits = False

    def _pauses(self, node: Node) -> bool:
        if not isinstance(node, HTMLScriptElement):
            return False
        node.is_parser_inserted = True
        return True

    def start(self) -> None:
        """Parse the source up to the first script that must be waited for."""
        self._waits = False
        if self._advance():
            self._end()

    def open(self) -> None:
        """Let scripts write the source, of which nothing is there yet."""
        self._insertion_point = 0

    def close(self) -> None:
        """https://html.spec.whatwg.org/#dom-document-close"""
        self._insertion_point = None
        self.start()

    def _advance(self, left: int | None = None) -> bool:
        """Parse up to a number of characters before the end; return whether nothing must be waited for."""
        source = self._steps.source
        while found := self._steps.advance(None if left is None else len(source) - left):
            node, place = found
            self._realms.invoke_custom_element_reactions()
            if not self._document.is_fully_active:
                return False
            assert isinstance(node, HTMLScriptElement)
            self._run(node, place)
            if self._waits:
                return False
            source = self._steps.source
        return True

    def write(self, text: str) -> bool:
        """https://html.spec.whatwg.org/#document.write() (from its step 9 on; return whether there is an insertion point)"""
        if self._insertion_point is None:
            return False
        left = len(self._steps.source) - self._insertion_point
        self._steps.insert(self._insertion_point, text)
        self._lines_written += text.count("\n")
        if not self._waits:
            self._advance(left)
        self._insertion_point = len(self._steps.source) - left
        return True

    def _run_now(self, place: int, element: HTMLScriptElement, source: str, url: str, line: int = 0) -> None:
        before, self._insertion_point = (
            self._insertion_point,
            self._steps.end_of(element, place) or len(self._steps.source),
        )
        self._loadings.run_script(element, source, url, line)
        self._insertion_point = before

    def _run(self, element: HTMLScriptElement, place: int) -> None:
        """Run the script of an element that is complete, or have it fetched."""
        loadings, document = self._loadings, self._document
        kind = loadings.kind_of(element)
        if element.already_started or kind is None:
            return
        element.already_started = True
        source = self._steps.source
        line = max(0, source.count("\n", 0, source.find(">", place) + 1) - self._lines_written)
        if kind == "importmap":
            loadings.register_an_import_map(element)
        elif kind == "classic" and not element.has_attribute("src"):
            self._run_now(place, element, element.child_text_content, document.url, line)
        elif element.has_attribute("async"):
            loadings.fetch_and_run(element, loadings.run_script, delays=True, line=line)
        elif kind == "module" or element.has_attribute("defer"):
            loadings.of(document).deferred.append((element, line))
        else:
            self._waits = True
            loadings.fetch_and_run(element, partial(self._run_now, place), delays=False, then=self.start)

    def _end(self) -> None:
        """https://html.spec.whatwg.org/#the-end"""
        self._realms.invoke_custom_element_reactions()
        state = self._loadings.of(self._document)
        state.ready_state = "interactive"
        self._realms.fire(self._document, "readystatechange")
        self._run_deferred()

    def _run_deferred(self) -> None:
        state = self._loadings.of(self._document)
        if state.deferred:
            element, line = state.deferred.pop(0)
            run = self._loadings.run_script
            self._loadings.fetch_and_run(element, run, delays=False, line=line, then=self._run_deferred)
            return

        def content_loaded() -> None:
            self._realms.fire(self._document, "DOMContentLoaded", bubbles=True)
            state.has_ended = True
            self._loadings.may_have_loaded(state)

        self._document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, self._document, content_loaded)
