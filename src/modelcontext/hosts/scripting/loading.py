"""Loading pages: navigation, iframes, popups."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

from modelcontext.hosts.scripting.parser import Parser
from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.session_history import DocumentState, SessionHistories, SessionHistoryEntry
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.mutations import replace_all
from modelcontext.platform.dom.nodes import shadow_including_inclusive_descendants
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.html import loading
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, NAVIGATION_AND_TRAVERSAL_TASK_SOURCE
from modelcontext.platform.html.navigable import BrowsingContextGroup, Navigable
from modelcontext.platform.html.origin import same_origin
from modelcontext.platform.html.parsing import parse_html
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.fetching import Fetcher
    from modelcontext.hosts.scripting.loading_elements import HTMLAnchorElement, HTMLIFrameElement, HTMLScriptElement
    from modelcontext.hosts.scripting.loadings import Loadings
    from modelcontext.hosts.scripting.realms import Realms
    from modelcontext.platform.dom.nodes import Node
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement
    from modelcontext.platform.html.parallel import ParallelSteps


class Loader:
    """The loader of one browser."""

    def __init__(self, realms: Realms, fetcher: Fetcher, loadings: Loadings) -> None:
        self._realms = realms
        self._fetcher = fetcher
        self._loadings = loadings
        self._names: dict[Navigable, str] = {}
        self.histories = SessionHistories(realms, self._fetch_again)
        self.opener_of: dict[Navigable, Navigable] = {}
        self.closed: set[Navigable] = set()
        self._plans: dict[HTMLElement, object] = {}

    def name_of(self, navigable: Navigable) -> str:
        """Return the target name of a navigable (https://html.spec.whatwg.org/#nav-target)."""
        container = navigable.container
        element = self._loadings.iframes.get(container) if container is not None else None
        return self._names.get(navigable, (element.get_attribute("name") or "") if element is not None else "")

    def set_name(self, navigable: Navigable, name: str) -> None:
        """Set the target name of a navigable."""
        self._names[navigable] = name

    # Navigables

    def open(self, url: str) -> None:
        """Open a page in a new window."""
        answer = self._fetcher.fetch(url)
        response = _response(url, answer)
        document = loading.create_a_new_top_level_traversable(self._realms.user_agent, response)
        document.event_loop.queue_a_task(
            NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, document, lambda: self._begin(document, answer)
        )

    def open_popup(self, opener: Document, url: str, name: str, features: str) -> Navigable | None:
        """https://html.spec.whatwg.org/#window-open-steps"""
        user_agent = self._realms.user_agent
        if name and name != "_blank":
            for navigable, known in self._names.items():
                if known == name and navigable in user_agent.traversables:
                    self.navigate(navigable, url or "about:blank", opener)
                    return navigable
        own = opener.node_navigable
        assert own is not None
        has_opener = not any(part.strip() in ("noopener", "noreferrer") for part in features.lower().split(","))
        navigable = Navigable(user_agent, own.group if has_opener else BrowsingContextGroup())
        initial = Document(
            navigable,
            "about:blank",
            opener.origin,
            is_secure_context=opener.is_secure_context,
            is_initial_about_blank=True,
        )
        loading.activate(navigable, initial)
        self._build_blank(initial)
        self._loadings.of(initial).ready_state = "complete"
        if name and name != "_blank":
            self._names[navigable] = name
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
        source = self._realms.documents[realm]
        self.location_object_navigate(self._realms.border.navigable_of(navigable), url, source)

    def location_object_navigate(
        self, navigable: Navigable, url: str, source: Document, *, replaces: bool = False
    ) -> None:
        """https://html.spec.whatwg.org/#location-object-navigate"""
        self.navigate(navigable, url, source, replaces=replaces or not self._is_completely_loaded(navigable))

    def _is_completely_loaded(self, navigable: Navigable) -> bool:
        """https://html.spec.whatwg.org/#completely-loaded"""
        document = navigable.active_document
        return document is not None and self._loadings.of(document).ready_state == "complete"

    def navigate(
        self,
        navigable: Navigable,
        url: str,
        source: Document,
        resource: Request | str | None = None,
        *,
        replaces: bool = False,
    ) -> None:
        """https://html.spec.whatwg.org/#navigate

        ``resource`` is the request of a form, or the source of a ``srcdoc`` document.
        """
        parsed = self._fetcher.parse_url(url, source)
        if parsed is None:
            raise Throw(DOMException("SyntaxError", f"{url} is not a URL"))
        active = navigable.active_document
        if active is None:
            return
        if resource is None and "#" in parsed and _without_fragment(parsed) == _without_fragment(active.url):
            # https://html.spec.whatwg.org/#navigate-fragid
            entry = self.histories.push_or_replace(navigable, parsed, None, replaces=replaces or parsed == active.url)
            self.histories.update_document(active, entry)
            return
        if parsed.startswith("javascript:"):
            # A string that the script returns would be a new document, which is not here.
            if active.agent is source.agent:
                script = unquote(parsed.removeprefix("javascript:"))
                steps = partial(self._realms.evaluate, active, script, active.url)
                active.event_loop.queue_a_task(NAVIGATION_AND_TRAVERSAL_TASK_SOURCE, active, steps)
            return
        self.histories.current_entry(navigable)
        # "If url equals navigable's active document's URL, and initiatorOriginSnapshot is same origin with …"
        same = parsed == active.url and same_origin(source.origin, active.origin)
        replaces = replaces or same or active.is_initial_about_blank
        final = "about:srcdoc" if isinstance(resource, str) else parsed
        entry = SessionHistoryEntry(0, final, DocumentState(None, resource))
        finalize = partial(self.histories.finalize, navigable, entry, replaces=replaces)
        self._populate(navigable, entry, source, finalize, replaces=replaces)

    def _populate(
        self,
        navigable: Navigable,
        entry: SessionHistoryEntry,
        source: Document,
        finalize: Callable[[], None],
        *,
        replaces: bool = False,
    ) -> None:
        """https://html.spec.whatwg.org/#attempt-to-populate-the-history-entry's-document"""

        def fetch_and_navigate() -> ParallelSteps:
            resource = entry.document_state.resource
            if isinstance(resource, str) or entry.url == "about:blank":
                body = resource if isinstance(resource, str) else ""
                answer = Answer(200, (("content-type", "text/html"),), body.encode())
            else:
                answer = self._fetcher.fetch(entry.url, source, resource)
            yield
            if answer.status == 204:
                return

            def loaded(document: Document) -> None:
                self.histories.show(document, entry)
                finalize()
                self._begin(document, answer)

            active = navigable.active_document
            keep = active is not None and not replaces and self.histories.is_salvageable(active)
            loading.navigate(navigable, _response(entry.url, answer), keep=keep, loaded=loaded)

        navigable.user_agent.in_parallel(fetch_and_navigate())

    def _fetch_again(self, navigable: Navigable, entry: SessionHistoryEntry, done: Callable[[], None]) -> None:
        active = navigable.active_document
        assert active is not None
        self._populate(navigable, entry, active, done)

    # Forms and links

    def submit(self, form: HTMLFormElement, submitter: HTMLElement | None) -> None:
        """https://html.spec.whatwg.org/#form-submission-algorithm (from the entry list on)"""
        border = self._realms.border
        self._realms.call(form.realm, "submit", border.encode(form), border.encode(submitter))

    def submit_form(self, form: int, url: str, target: str, method: str, body: str, type: str) -> None:
        """Navigate for a form that was submitted, whose data the engine has encoded."""
        element = self._realms.border.object_of(form)
        assert isinstance(element, HTMLElement)
        if _blocks_forms(element.node_document):
            return
        headers = (("content-type", type),) if type else ()
        self._plan_to_navigate(element, url, target, Request(_without_fragment(url), method, headers, body.encode()))

    def follow_the_hyperlink(self, element: HTMLAnchorElement) -> None:
        """https://html.spec.whatwg.org/#following-hyperlinks-2"""
        document = element.node_document
        if isinstance(document, Document):
            url = self._fetcher.parse_url(element.get_attribute("href") or "", document)
            if url is not None and document.is_fully_active:
                self._plan_to_navigate(element, url, element.get_attribute("target") or "", None)

    def _plan_to_navigate(self, element: HTMLElement, url: str, target: str, request: Request | None) -> None:
        """https://html.spec.whatwg.org/#plan-to-navigate"""
        document = element.node_document
        assert isinstance(document, Document)
        plan = self._plans[element] = object()

        def navigate() -> None:
            navigable = self._choose_a_navigable(document, target)
            if self._plans.pop(element, None) is plan and navigable is not None:
                self.navigate(navigable, url, document, request)

        document.event_loop.queue_a_task(DOM_MANIPULATION_TASK_SOURCE, document, navigate)

    def _choose_a_navigable(self, document: Document, target: str) -> Navigable | None:
        """https://html.spec.whatwg.org/#the-rules-for-choosing-a-navigable"""
        own = document.node_navigable
        if own is None or target.lower() in ("", "_self"):
            return own
        if target.lower() in ("_parent", "_top"):
            return own.traversable_navigable if target.lower() == "_top" else own.parent or own
        frames = [container.content_navigable for container in self._loadings.iframes]
        named = [one for one in frames if one is not None and self.name_of(one) == target]
        return named[0] if named else self.open_popup(document, "", target, "")

    def enqueue_a_custom_element_reaction(self, element: HTMLElement, callback: str, *values: str | None) -> None:
        """https://html.spec.whatwg.org/#enqueue-a-custom-element-callback-reaction"""
        self._realms.enqueue_a_custom_element_reaction(element, callback, *values)

    # Documents

    def _begin(self, document: Document, answer: Answer) -> None:
        """Parse a document's source, up to the first script that must be waited for."""
        self._loadings.of(document).is_origin_keyed = answer.header("origin-agent-cluster").strip() != "?0"
        type = answer.header("content-type").partition(";")[0].strip().lower()
        source = answer.text()
        if type not in ("", "text/html", "application/xhtml+xml"):
            escaped = source.replace("&", "&amp;").replace("<", "&lt;")
            source = f"<pre>{escaped}</pre>"
        self._parser_of(document, source).start()

    def _parser_of(self, document: Document, source: str) -> Parser:
        parser = Parser(self._realms, self._loadings, document, source)
        self._loadings.of(document).write, self._loadings.of(document).close = parser.write, parser.close
        return parser

    def open_document(self, document: Document) -> None:
        """https://html.spec.whatwg.org/#document-open-steps (of a document without a parser that runs a script)"""
        for node in shadow_including_inclusive_descendants(document):
            node.erase_all_event_listeners()
        self._realms.target_of(document).erase_all_event_listeners()
        replace_all([], document)
        state = self._loadings.of(document)
        state.ready_state, state.has_ended = "loading", False
        self._parser_of(document, "").open()

    def _build_blank(self, document: Document) -> None:
        parse_html(document, "")

    def prepare_the_script_element(self, element: HTMLScriptElement) -> None:
        """https://html.spec.whatwg.org/#prepare-the-script-element"""
        self._loadings.prepare_the_script_element(element)

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
        self._loadings.iframes[container] = element
        navigable = container.content_navigable
        assert navigable is not None
        initial = navigable.active_document
        assert initial is not None
        self._build_blank(initial)
        self._loadings.of(initial).ready_state = "complete"
        self._process_the_iframe_attributes(element, initial=True)

    def _src(self, element: HTMLIFrameElement) -> str:
        src = element.get_attribute("src")
        document = element.node_document
        assert isinstance(document, Document)
        return (self._fetcher.parse_url(src, document) if src else None) or "about:blank"

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
            self._loadings.run_load_event_steps(element)
            return
        self._loadings.let_delay(element, document)
        replaces = not self._is_completely_loaded(navigable)
        self.navigate(navigable, "about:blank" if srcdoc is not None else url, document, srcdoc, replaces=replaces)

    def iframe_was_removed(self, element: HTMLIFrameElement) -> None:
        """https://html.spec.whatwg.org/#destroy-a-child-navigable"""
        container, element.container = element.container, None
        assert container is not None
        del self._loadings.iframes[container]
        loading.remove_an_iframe(container)
        self._loadings.delays_no_longer(element)

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
    sandboxes = [one[1:] for one in _directives([answer.header("content-security-policy")]) if one[:1] == ["sandbox"]]
    sandbox = " ".join(sandboxes[0]) if sandboxes else None
    return loading.Response(url, answer.header("permissions-policy"), sandbox)


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


def _blocks_forms(document: Node) -> bool:
    """https://w3c.github.io/webappsec-csp/#directive-form-action (of ``'none'`` in a meta element)"""
    metas = (one for one in document.descendants if isinstance(one, Element) and one.local_name == "meta")
    policies = (
        one.get_attribute("content") or ""
        for one in metas
        if (one.get_attribute("http-equiv") or "").lower() == "content-security-policy"
    )
    return ["form-action", "'none'"] in _directives(policies)


def _directives(policies: Iterable[str]) -> list[list[str]]:
    """https://w3c.github.io/webappsec-csp/#parse-serialized-policy"""
    return [directive.split() for policy in policies for directive in policy.lower().replace(",", ";").split(";")]
