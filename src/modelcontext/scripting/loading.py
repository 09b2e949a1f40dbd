"""Loading pages: navigation, parsing with scripts, iframes, popups."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_to_bytes

from modelcontext.ecmascript.values import JSError, Throw
from modelcontext.html import loading
from modelcontext.html.document import Document
from modelcontext.html.event_loop import (
    DOM_MANIPULATION_TASK_SOURCE,
    NAVIGATION_AND_TRAVERSAL_TASK_SOURCE,
    TaskSource,
)
from modelcontext.html.navigable import Navigable, is_sandboxed_without
from modelcontext.html.origin import serialization
from modelcontext.html.parsing import parse_html
from modelcontext.html.url import url_object, url_origin, url_parser
from modelcontext.scripting.observed import UNHANDLED
from modelcontext.scripting.parser import Parser
from modelcontext.scripting.resources import Answer, Request
from modelcontext.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.html.navigable import NavigableContainer
    from modelcontext.html.parallel import ParallelSteps
    from modelcontext.scripting.loading_elements import HTMLIFrameElement, HTMLScriptElement
    from modelcontext.scripting.scripted_browser import ScriptedBrowser

NETWORKING_TASK_SOURCE: Final = TaskSource("networking task source")
_CLASSIC: Final = frozenset(
    {"", "text/javascript", "application/javascript", "application/ecmascript", "text/ecmascript", "module"}
)
_DATA: Final = re.compile(r"data:(?P<type>[^,]*?)(?P<base64>;\s*base64)?,(?P<body>.*)", re.DOTALL | re.IGNORECASE)


@dataclass(eq=False)
class Loading:
    """The loading of one document: what is deferred, and what delays its load event."""

    document: Document
    ready_state: str = "loading"
    deferred: list[HTMLScriptElement] = field(default_factory=list)
    delaying: int = 0
    has_ended: bool = False
    current_script: HTMLScriptElement | None = None
    is_origin_keyed: bool = True
    parser: Parser | None = None


class Loader:
    """The loader of one browser."""

    def __init__(self, browser: ScriptedBrowser) -> None:
        self._browser = browser
        self._loadings: dict[Document, Loading] = {}
        self._iframes: dict[NavigableContainer, HTMLIFrameElement] = {}
        self._delays: dict[HTMLIFrameElement, Loading] = {}
        self._urls: dict[str, tuple[str, str]] = {}
        self._answers: dict[str, Answer] = {}
        self._names: dict[Navigable, str] = {}
        self.opener_of: dict[Navigable, Navigable] = {}
        self.closed: set[Navigable] = set()

    def of(self, document: Document) -> Loading:
        """Return the loading of a document."""
        if document not in self._loadings:
            self._loadings[document] = Loading(document)
        return self._loadings[document]

    def iframe_of(self, container: NavigableContainer) -> HTMLIFrameElement | None:
        """Return the element of a container."""
        return self._iframes.get(container)

    def name_of(self, navigable: Navigable) -> str:
        """Return the target name of a navigable (https://html.spec.whatwg.org/#nav-target)."""
        container = navigable.container
        element = self._iframes.get(container) if container is not None else None
        return self._names.get(navigable, (element.get_attribute("name") or "") if element is not None else "")

    def set_name(self, navigable: Navigable, name: str) -> None:
        """Set the target name of a navigable."""
        self._names[navigable] = name

    # Fetching

    def fetch(self, url: str, document: Document | None = None) -> Answer:
        """Return the answer to a request for a URL."""
        if url.startswith("data:"):
            return _answer_of_data(url)
        if url.startswith("blob:"):
            text, type = self._urls.get(url, ("", ""))
            return Answer(200 if url in self._urls else 404, (("content-type", type),), text.encode())
        return self._browser.server(Request(url.partition("#")[0]))

    def fetch_for_script(
        self, document: Document, url: str, method: str, body: str, arrive: Callable[[Any], None]
    ) -> None:
        """Fetch in parallel, and in a task give the facts of the answer, or None if there can be no request."""
        parsed = self.parse_url(url, document)
        url_record = url_parser(parsed) if parsed is not None else None

        def fetch() -> ParallelSteps:
            facts = None
            if parsed is not None and url_record is not None and parsed.startswith(("http:", "https:")):
                answer = self._browser.server(Request(parsed.partition("#")[0], method, (), body.encode()))
                headers = {name: answer.header(name) for name, _ in answer.headers}
                allowed = headers.get("access-control-allow-origin")
                is_own = serialization(url_origin(url_record)) == serialization(document.origin)
                if is_own or allowed in ("*", serialization(document.origin)):
                    facts = {"status": answer.status, "url": parsed, "headers": headers, "text": answer.text()}
            elif parsed is not None:
                answer = self.fetch(parsed)
                facts = {"status": answer.status, "url": parsed, "headers": {}, "text": answer.text()}
            yield
            document.event_loop.queue_a_task(NETWORKING_TASK_SOURCE, document, lambda: arrive(facts))

        self._browser.user_agent.in_parallel(fetch())

    def create_object_url(self, realm: int, text: str, type: str) -> str:
        """https://w3c.github.io/FileAPI/#dfn-createObjectURL"""
        origin = serialization(self._browser.documents[realm].origin)
        url = f"blob:{origin}/{len(self._urls):08x}-0000-4000-8000-000000000000"
        self._urls[url] = (text, type)
        return url

    def revoke_object_url(self, url: str) -> None:
        """https://w3c.github.io/FileAPI/#dfn-revokeObjectURL"""
        self._urls.pop(url, None)

    def parse_url(self, url: str, document: Document) -> str | None:
        """Return a URL relative to a document's base URL, or None if it cannot be parsed."""
        base = document.url
        if base in ("about:srcdoc", "about:blank") and document.container is not None:
            base = document.container.document.url
        parsed = url_object(url, base) or url_object(url)
        return None if parsed is None else str(parsed.href)

    # Navigables

    def open(self, url: str) -> None:
        """Open a page in a new window."""
        answer = self.fetch(url)
        response = _response(url, answer)
        document = loading.create_a_new_top_level_traversable(self._browser.user_agent, response)
        document.event_loop.queue_a_task(
            NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, document, lambda: self._begin(document, answer)
        )

    def open_popup(self, opener: Document, url: str, name: str, features: str) -> Navigable | None:
        """https://html.spec.whatwg.org/#window-open-steps"""
        user_agent = self._browser.user_agent
        if name and name != "_blank":
            for navigable, known in self._names.items():
                if known == name and navigable in user_agent.traversables:
                    self.navigate(navigable, url or "about:blank", opener)
                    return navigable
        own = opener.node_navigable
        assert own is not None
        navigable = Navigable(user_agent, own.group)
        initial = Document(
            navigable,
            "about:blank",
            opener.origin,
            is_secure_context=opener.is_secure_context,
            is_initial_about_blank=True,
        )
        loading.activate(navigable, initial)
        self._build_blank(initial)
        self.of(initial).ready_state = "complete"
        if name and name != "_blank":
            self._names[navigable] = name
        has_opener = not any(part.strip() in ("noopener", "noreferrer") for part in features.lower().split(","))
        if has_opener:
            self.opener_of[navigable] = own
        if url and url != "about:blank":
            self.navigate(navigable, url, opener)
        return navigable if has_opener else None

    def close(self, navigable: Navigable) -> None:
        """https://html.spec.whatwg.org/#dom-window-close"""
        if navigable.parent is None and navigable not in self.closed:
            self.closed.add(navigable)
            loading.close(navigable)

    def navigate_window(self, realm: int, navigable: int, url: str) -> None:
        """Navigate a window that another one holds."""
        source = self._browser.documents[realm]
        self.navigate(self._browser.border.navigable_of(navigable), url, source)

    def navigate(self, navigable: Navigable, url: str, source: Document, srcdoc: str | None = None) -> None:
        """https://html.spec.whatwg.org/#navigate"""
        parsed = self.parse_url(url, source)
        if parsed is None:
            raise Throw(DOMException("SyntaxError", f"{url} is not a URL"))
        active = navigable.active_document
        if (
            active is not None
            and srcdoc is None
            and "#" in parsed
            and _without_fragment(parsed) == _without_fragment(active.url)
        ):
            self._navigate_to_a_fragment(active, parsed)
            return
        if parsed.startswith("javascript:"):
            self._browser.observed.missing["javascript: URLs"] += 1
            raise Throw(JSError("TypeError", "javascript: URLs are not implemented in the simulated browser"))

        def fetch_and_navigate() -> ParallelSteps:
            if srcdoc is not None:
                answer = Answer(200, (("content-type", "text/html"),), srcdoc.encode())
            elif parsed == "about:blank":
                answer = Answer(200, (("content-type", "text/html"),))
            else:
                answer = self.fetch(parsed, source)
            yield
            final = "about:srcdoc" if srcdoc is not None else parsed
            if answer.status == 204:
                return
            loading.navigate(navigable, _response(final, answer), loaded=lambda document: self._begin(document, answer))

        navigable.user_agent.in_parallel(fetch_and_navigate())

    def _navigate_to_a_fragment(self, document: Document, url: str) -> None:
        old, document.url = document.url, url
        if old == url:
            return
        target = self._browser.target_of(document)
        attributes = {"oldURL": old, "newURL": url}
        document.event_loop.queue_a_task(
            DOM_MANIPULATION_TASK_SOURCE,
            document,
            lambda: self._browser.fire(target, "hashchange", "HashChangeEvent", attributes),
        )

    # Documents

    def _begin(self, document: Document, answer: Answer) -> None:
        """Parse a document's source, up to the first script that must be waited for."""
        self.of(document).is_origin_keyed = answer.header("origin-agent-cluster").strip() != "?0"
        type = answer.header("content-type").partition(";")[0].strip().lower()
        source = answer.text()
        if type not in ("", "text/html", "application/xhtml+xml"):
            escaped = source.replace("&", "&amp;").replace("<", "&lt;")
            source = f"<pre>{escaped}</pre>"
        parser = self.of(document).parser = Parser(self._browser, document, source)
        parser.start()

    def _build_blank(self, document: Document) -> None:
        parse_html(document, "")

    def run_script(self, element: HTMLScriptElement, source: str, url: str, line: int = 0) -> None:
        """https://html.spec.whatwg.org/#execute-the-script-element"""
        document = element.node_document
        assert isinstance(document, Document)
        if is_sandboxed_without(document, "allow-scripts"):
            return
        state = self.of(document)
        before, state.current_script = state.current_script, element
        self._browser.evaluate(document, source, url, line)
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
            self._browser.observed.missing["module scripts"] += 1
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
        url = self.parse_url(element.get_attribute("src") or "", document)
        if delays:
            state.delaying += 1

        def arrive(answer: Answer | None) -> None:
            if answer is None or answer.status >= 400:
                what = "is no URL" if answer is None else f"was answered with status {answer.status}"
                self._browser.shows(document, UNHANDLED, f"the script {element.get_attribute('src')} {what}")
                self._browser.fire(element, "error")
            else:
                ready(answer.text(), url or "")
                self._browser.fire(element, "load")
            if delays:
                state.delaying -= 1
            then()
            self.may_have_loaded(state)

        def fetch() -> ParallelSteps:
            answer = self.fetch(url, document) if url is not None else None
            yield
            document.event_loop.queue_a_task(NETWORKING_TASK_SOURCE, document, lambda: arrive(answer))

        self._browser.user_agent.in_parallel(fetch())

    def may_have_loaded(self, state: Loading) -> None:
        """Finish the loading of a document if nothing delays its load event any more."""
        if not state.has_ended or state.delaying > 0 or state.ready_state != "interactive":
            return
        state.ready_state = "loaded"
        document = state.document

        def complete() -> None:
            state.ready_state = "complete"
            browser = self._browser
            browser.fire(document, "readystatechange")
            target = browser.target_of(document)
            browser.fire(target, "load")
            browser.fire(target, "pageshow", "PageTransitionEvent", {"persisted": False})
            container = document.container
            if container is not None and container in self._iframes:
                element = self._iframes[container]
                container.document.event_loop.queue_a_task(
                    DOM_MANIPULATION_TASK_SOURCE, container.document, lambda: self._run_load_event_steps(element)
                )

        document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, complete)

    # Iframes

    def iframe_was_inserted(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#the-iframe-element:html-element-insertion-steps"""
        document = element.node_document
        assert isinstance(document, Document)
        if document.node_navigable is None:
            return
        src = self._src(element)
        container = loading.insert_an_iframe(
            document, allow=element.get_attribute("allow") or "", sandbox=element.get_attribute("sandbox"), src=src
        )
        element.container = container
        self._iframes[container] = element
        navigable = container.content_navigable
        assert navigable is not None
        initial = navigable.active_document
        assert initial is not None
        self._build_blank(initial)
        self.of(initial).ready_state = "complete"
        self._process_the_iframe_attributes(element, initial=True)

    def _src(self, element: HTMLIFrameElement) -> str:
        src = element.get_attribute("src")
        document = element.node_document
        assert isinstance(document, Document)
        return (self.parse_url(src, document) if src else None) or "about:blank"

    def _process_the_iframe_attributes(self, element: HTMLIFrameElement, *, initial: bool = False) -> None:
        container = element.container
        document = element.node_document
        assert container is not None
        assert isinstance(document, Document)
        navigable = container.content_navigable
        if navigable is None:
            return
        srcdoc = element.get_attribute("srcdoc")
        url = self._src(element)
        if initial and srcdoc is None and url == "about:blank":
            self._run_load_event_steps(element)
            return
        state = self.of(document)
        if element not in self._delays and state.ready_state in ("loading", "interactive"):
            state.delaying += 1
            self._delays[element] = state
        self.navigate(navigable, "about:blank" if srcdoc is not None else url, document, srcdoc)

    def _run_load_event_steps(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#iframe-load-event-steps"""
        self._browser.fire(element, "load")
        self._delays_no_longer(element)

    def _delays_no_longer(self, element: HTMLIFrameElement) -> None:
        state = self._delays.pop(element, None)
        if state is not None:
            state.delaying -= 1
            self.may_have_loaded(state)

    def iframe_was_removed(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#destroy-a-child-navigable"""
        container, element.container = element.container, None
        assert container is not None
        del self._iframes[container]
        loading.remove_an_iframe(container)
        self._delays_no_longer(element)

    def iframe_attribute_was_changed(self, element: HTMLIFrameElement, name: str, value: str | None) -> None:
        """https://html.spec.whatwg.org/#process-the-iframe-attributes"""
        container = element.container
        assert container is not None
        if name == "allow":
            container.allow = value or ""
        elif name == "sandbox":
            container.sandbox = value
        elif name == "src" and value is not None:
            loading.set_src(container, self._src(element))
            if not element.has_attribute("srcdoc"):
                self._process_the_iframe_attributes(element)
        elif name == "srcdoc":
            self._process_the_iframe_attributes(element)


def _response(url: str, answer: Answer) -> loading.Response:
    return loading.Response(url, answer.header("permissions-policy"))


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _answer_of_data(url: str) -> Answer:
    match = _DATA.fullmatch(url.partition("#")[0])
    if match is None:
        return Answer(400)
    body = unquote_to_bytes(match["body"])
    if match["base64"]:
        body = b64decode(body)
    return Answer(200, (("content-type", match["type"] or "text/plain;charset=US-ASCII"),), body)
