"""The loading of documents: their scripts, and what delays their load events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.hosts.scripting.fetching import NETWORKING_TASK_SOURCE
from modelcontext.hosts.scripting.observed import MODULE_SCRIPTS, UNHANDLED
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE
from modelcontext.platform.html.navigable import is_sandboxed_without

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.fetching import Fetcher
    from modelcontext.hosts.scripting.loading_elements import HTMLIFrameElement, HTMLScriptElement
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.platform.html.navigable import NavigableContainer
    from modelcontext.platform.html.parallel import ParallelSteps

_CLASSIC: Final = frozenset(
    {"", "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript"}
    | {"text/ecmascript", "text/jscript", "text/livescript", "text/x-javascript", "text/x-ecmascript"}
)


@dataclass(eq=False)
class Loading:
    """The loading of one document: what is deferred, and what delays its load event.

    ``deferred`` has elements with the lines on which their scripts begin. ``write`` puts some text where the parser goes on,
    and returns whether it could; ``close`` ends what scripts write.
    """

    document: Document
    ready_state: str = "loading"
    deferred: list[tuple[HTMLScriptElement, int]] = field(default_factory=list)
    delaying: int = 0
    has_ended: bool = False
    current_script: HTMLScriptElement | None = None
    is_origin_keyed: bool = True
    write: Callable[[str], bool] = lambda text: False
    close: Callable[[], None] = lambda: None


class Loadings:
    """The loadings of all documents of one browser."""

    def __init__(self, realms: Realms, fetcher: Fetcher) -> None:
        self._realms = realms
        self._fetcher = fetcher
        self._loadings: dict[Document, Loading] = {}
        #: The elements of containers.
        self.iframes: dict[NavigableContainer, HTMLIFrameElement] = {}
        self._delays: dict[HTMLIFrameElement, Loading] = {}

    def of(self, document: Document) -> Loading:
        """Return the loading of a document."""
        if document not in self._loadings:
            self._loadings[document] = Loading(document)
        return self._loadings[document]

    # Scripts

    def run_script(self, element: HTMLScriptElement, source: str, url: str, line: int = 0) -> None:
        """https://html.spec.whatwg.org/#execute-the-script-element"""
        document = element.node_document
        assert isinstance(document, Document)
        if is_sandboxed_without(document, "allow-scripts"):
            return
        state = self.of(document)
        before, state.current_script = state.current_script, element
        self._realms.evaluate(document, source, url, line)
        state.current_script = before

    def prepare_the_script_element(self, element: HTMLScriptElement) -> None:
        """https://html.spec.whatwg.org/#prepare-the-script-element (of a script that no parser has inserted)"""
        document = element.node_document
        if element.already_started or not isinstance(document, Document):
            return
        if not element.has_attribute("src") and not element.child_text_content:
            return
        kind = self.kind_of(element)
        if kind is None:
            return
        element.already_started = True
        if kind == "importmap":
            self.register_an_import_map(element)
        elif kind == "module" or element.has_attribute("src"):
            self.fetch_and_run(element, self.run_script, delays=True)
        else:
            self.run_script(element, element.child_text_content, document.url)

    def kind_of(self, element: HTMLScriptElement) -> str | None:
        """Return "module", "importmap" or "classic"; None for an element with data, or with a script for old browsers."""
        type = (element.get_attribute("type") or "").strip().lower()
        if type in ("module", "importmap"):
            if self._realms.engine.has_modules:
                return type
            self._realms.observed.missing[MODULE_SCRIPTS] += 1
        is_old = element.has_attribute("nomodule") and self._realms.engine.has_modules
        return "classic" if type in _CLASSIC and not is_old else None

    def register_an_import_map(self, element: HTMLScriptElement) -> None:
        """https://html.spec.whatwg.org/#register-an-import-map (of an inline script)"""
        document = element.node_document
        assert isinstance(document, Document)
        self._realms.perform(
            document, "register_import_map", element.child_text_content, self._fetcher.base_url(document)
        )

    def fetch_and_run(
        self,
        element: HTMLScriptElement,
        run: Callable[[HTMLScriptElement, str, str], None],
        *,
        delays: bool,
        line: int = 0,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Load the script of an element in parallel, and in a task run it: a module, or by ``run`` a source with a URL."""
        document = element.node_document
        assert isinstance(document, Document)
        state = self.of(document)
        src = element.get_attribute("src")
        url = self._fetcher.parse_url(src or "", document)
        if delays:
            state.delaying += 1

        def arrive(problem: str | None, execute: Callable[[], None]) -> None:
            if problem is not None:
                self._realms.shows(document, UNHANDLED, problem)
                self._realms.fire(element, "error")
            else:
                execute()
                if src is not None:
                    self._realms.fire(element, "load")
            if delays:
                state.delaying -= 1
            then()
            self.may_have_loaded(state)

        def module_is_ready(number: int, problem: str | None) -> None:
            steps = partial(arrive, problem, lambda: self._realms.perform(document, "run_module", number))
            document.event_loop.queue_a_task(NETWORKING_TASK_SOURCE, document, steps)

        def fetch() -> ParallelSteps:
            answer = self._fetcher.fetch(url, document) if url is not None else None
            yield
            what = None
            if answer is None or answer.status >= 400:
                what = "is not a URL" if answer is None else f"was answered with status {answer.status}"
            steps = partial(
                arrive,
                what and f"the script {src} {what}",
                lambda: run(element, answer.text() if answer is not None else "", url or ""),
            )
            document.event_loop.queue_a_task(NETWORKING_TASK_SOURCE, document, steps)

        if self.kind_of(element) == "classic":
            self._realms.user_agent.in_parallel(fetch())
        elif url is None:
            arrive(f"the script {src} is not a URL", lambda: None)
        elif not is_sandboxed_without(document, "allow-scripts"):
            source = element.child_text_content if src is None else None
            where = url if src is not None else self._fetcher.base_url(document)
            self._realms.load_module(document, where, source, line, module_is_ready)

    def may_have_loaded(self, state: Loading) -> None:
        """Finish the loading of a document if nothing delays its load event any more."""
        if not state.has_ended or state.delaying > 0 or state.ready_state != "interactive":
            return
        state.ready_state = "loaded"
        document = state.document

        def complete() -> None:
            state.ready_state = "complete"
            realms = self._realms
            realms.fire(document, "readystatechange")
            target = realms.target_of(document)
            realms.fire(target, "load")
            realms.fire(target, "pageshow", "PageTransitionEvent", {"persisted": False})
            container = document.container
            if container is not None and container in self.iframes:
                element = self.iframes[container]
                container.document.event_loop.queue_a_task(
                    DOM_MANIPULATION_TASK_SOURCE, container.document, lambda: self.run_load_event_steps(element)
                )

        document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, complete)

    def let_delay(self, element: HTMLIFrameElement, document: Document) -> None:
        """Let an iframe delay the load event of its document, if that is still to come."""
        state = self.of(document)
        if element not in self._delays and state.ready_state in ("loading", "interactive"):
            state.delaying += 1
            self._delays[element] = state

    def run_load_event_steps(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#iframe-load-event-steps"""
        self._realms.fire(element, "load")
        self.delays_no_longer(element)

    def delays_no_longer(self, element: HTMLIFrameElement) -> None:
        """Let an iframe no longer delay the load event of its document."""
        state = self._delays.pop(element, None)
        if state is not None:
            state.delaying -= 1
            self.may_have_loaded(state)
