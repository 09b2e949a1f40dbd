"""Parsing a document with scripts in it (https://html.spec.whatwg.org/#parsing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.hosts.scripting.loading_elements import HTMLScriptElement
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE
from modelcontext.platform.html.parsing import parse_html_in_steps

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
        self._source = source.removeprefix("\ufeff")
        self._steps = parse_html_in_steps(document, source, self._pauses)
        self._written = ""
        self._is_running_a_script = False

    def _pauses(self, node: Node) -> bool:
        if not isinstance(node, HTMLScriptElement):
            return False
        node.is_parser_inserted = True
        return True

    def start(self) -> None:
        """Begin to parse."""
        self._continue()

    def _continue(self) -> None:
        document = self._document
        while True:
            written, self._written = self._written, ""
            try:
                # (A generator that has not begun takes nothing.)
                node, place = self._steps.send(written) if written else next(self._steps)
            except StopIteration:
                break
            self._realms.invoke_custom_element_reactions()
            if not document.is_fully_active:
                return
            assert isinstance(node, HTMLScriptElement)
            if self._waits_for(node, place):
                return
        self._end()

    def write(self, text: str) -> bool:
        """Put some text where the parser goes on after the script that runs; return whether it runs one."""
        if self._is_running_a_script:
            self._written += text
        return self._is_running_a_script

    def _run_now(self, element: HTMLScriptElement, source: str, url: str, line: int = 0) -> None:
        self._is_running_a_script = True
        self._loadings.run_script(element, source, url, line)
        self._is_running_a_script = False

    def _waits_for(self, element: HTMLScriptElement, place: int) -> bool:
        """Run the script of an element that is complete; return whether the parser waits for it."""
        loadings, document = self._loadings, self._document
        kind = loadings.kind_of(element)
        if element.already_started or kind is None:
            return False
        element.already_started = True
        start = self._source.find(">", place) + 1
        line = self._source.count("\n", 0, start)
        if kind == "importmap":
            loadings.register_an_import_map(element)
        elif kind == "classic" and not element.has_attribute("src"):
            self._run_now(element, element.child_text_content, document.url, line)
        elif element.has_attribute("async"):
            loadings.fetch_and_run(element, loadings.run_script, delays=True, line=line)
        elif kind == "module" or element.has_attribute("defer"):
            loadings.of(document).deferred.append((element, line))
        else:
            loadings.fetch_and_run(element, self._run_now, delays=False, then=self._continue)
            return True
        return False

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
