"""The loading of documents: their scripts, and what delays their load events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
    from modelcontext.hosts.scripting.resources import Answer
    from modelcontext.platform.html.navigable import NavigableContainer
    from modelcontext.platform.html.parallel import ParallelSteps

_CLASSIC: Final = frozenset(
    {"", "text/javascript", "application/javascript", "application/ecmascript", "text/ecmascript", "module"}
)


@dataclass(eq=False)
class Loading:
    """The loading of one document: what is deferred, and what delays its load event.

    ``write`` puts some text where the parser goes on, and returns whether it could.
    """

    document: Document
    ready_state: str = "loading"
    deferred: list[HTMLScriptElement] = field(default_factory=list)
    delaying: int = 0
    has_ended: bool = False
    current_script: HTMLScriptElement | None = None
    is_origin_keyed: bool = True
    write: Callable[[str], bool] = lambda text: False


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
        if not self.is_classic(element):
            return
        element.already_started = True
        if not element.has_attribute("src"):
            self.run_script(element, element.child_text_content, document.url)
            return
        self.fetch_script(element, lambda source, url: self.run_script(element, source, url), delays=True)

    def is_classic(self, element: HTMLScriptElement) -> bool:
        """Return whether an element has a classic script; module scripts are not here."""
        type = (element.get_attribute("type") or "").strip().lower()
        if type == "module":
            self._realms.observed.missing[MODULE_SCRIPTS] += 1
            return False
        return type in _CLASSIC

    def fetch_script(
        self,
        element: HTMLScriptElement,
        ready: Callable[[str, str], None],
        *,
        delays: bool,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Fetch the script of an element in parallel, and in a task give its source and its URL to ``ready``."""
        document = element.node_document
        assert isinstance(document, Document)
        state = self.of(document)
        url = self._fetcher.parse_url(element.get_attribute("src") or "", document)
        if delays:
            state.delaying += 1

        def arrive(answer: Answer | None) -> None:
            if answer is None or answer.status >= 400:
                what = "is not a URL" if answer is None else f"was answered with status {answer.status}"
                self._realms.shows(document, UNHANDLED, f"the script {element.get_attribute('src')} {what}")
                self._realms.fire(element, "error")
            else:
                ready(answer.text(), url or "")
                self._realms.fire(element, "load")
            if delays:
                state.delaying -= 1
            then()
            self.may_have_loaded(state)

        def fetch() -> ParallelSteps:
            answer = self._fetcher.fetch(url, document) if url is not None else None
            yield
            document.event_loop.queue_a_task(NETWORKING_TASK_SOURCE, document, lambda: arrive(answer))

        self._realms.user_agent.in_parallel(fetch())

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
