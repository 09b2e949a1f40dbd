"""A simulated browser for people who prototype agents and tools.

A :class:`Browser` holds documents. Each has a :class:`ModelContext` with the methods of the specification, in Python's
spelling. Calls return a :class:`Promise` at once. :meth:`Browser.run_until_idle` runs everything that follows.

Some classes have the same name as the platform class that they wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from modelcontext.ground.schedule.choose import Chooser, Seeded
from modelcontext.ground.schedule.fingerprint import Unordered
from modelcontext.hosts.world import World
from modelcontext.platform.dom.abort import AbortController as DOMAbortController
from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.elements import Element as DOMElement
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSArray, JSFunction, JSObject, JSValue
from modelcontext.platform.html import loading
from modelcontext.platform.html.origin import serialization
from modelcontext.platform.html.url import url_parser
from modelcontext.platform.html.user_agent import UserAgent
from modelcontext.platform.html.window import WindowProxy
from modelcontext.programs.face.describing import described
from modelcontext.programs.face.elements import Element
from modelcontext.programs.face.promises import OwnPromise, Promise
from modelcontext.programs.face.python_values import RejectedError, to_javascript, to_python
from modelcontext.programs.face.scripts import Script, Scripts, Timers
from modelcontext.programs.face.tool_calls import CountingHost, ToolCalls, takes_two_arguments
from modelcontext.programs.face.watching import Watcher
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.current.model import associated_model_context
from modelcontext.spec.revisions.current.observations import perform_an_observation

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document as HTMLDocument
    from modelcontext.platform.html.navigable import Navigable
    from modelcontext.spec.revisions.revision import Revision

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log, visible to scripts.

    ``kind`` is ``"event"``, ``"invoke"``, ``"resolve"``, ``"reject"`` or ``"log"``.
    ``document`` is the URL of the document. ``detail`` is the event's type, the callback's input, or the value or reason of
    the promise, or what was logged.
    """

    document: str
    kind: str
    detail: Any


#: What `register_tool` takes: the members of a tool, and those of its options.
_KEYWORDS: Final = frozenset(
    ("annotations", "description", "execute", "exposed_to", "input_schema", "name", "signal", "title")
)


class Browser:
    """A simulated browser.

    Args:
        seed: makes every free choice (which task or parallel step comes next) pseudo-random and repeatable; without a
            seed, everything happens first in, first out.
        chooser: makes the free choices itself.
        watcher: hears what scripts do; by default exceptions that nobody catches are written to the log of Python.
        revision: the revision of the specification, which can have probes.
        keeps_log: whether ``log`` has everything that scripts could see; it stays empty otherwise.

    ``world`` is the world that it runs in.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        chooser: Chooser | None = None,
        watcher: Watcher | None = None,
        revision: Revision = REVISION,
        keeps_log: bool = True,
    ) -> None:
        user_agent = UserAgent(revision, Seeded(seed) if seed is not None else chooser)
        host = CountingHost(user_agent, revision.boundary)
        self.world = World(revision, user_agent=user_agent, host=host)
        self.calls = ToolCalls(host)
        self.watcher = watcher or Watcher()
        self.coroutines: dict[Coroutine[Any, Any, Any], None] = {}
        self.timers = Timers(user_agent)
        self._documents: dict[HTMLDocument, Document] = {}
        self._idle_listeners: list[Callable[[], None]] = []
        self._is_closed = False
        self.log: list[LogEntry] = []
        self._keeps_log = keeps_log
        if keeps_log:
            host.watch = self._watch

    def open(self, url: str, *, permissions_policy: str = "", html: str | None = None) -> Document:
        """Open a page in a new tab and return its document, loaded.

        Args:
            url: its URL.
            permissions_policy: the value of its ``Permissions-Policy`` header.
            html: the markup in its body.

        Raises:
            ValueError: if the URL is not an absolute URL.
        """
        self.enter()
        response = _response(url, permissions_policy)
        document = loading.create_a_new_top_level_traversable(self.world.user_agent, response)
        if html is not None:
            from modelcontext.platform.html.parsing import parse_html  # It takes long to import.

            parse_html(document, f"<!DOCTYPE html><body>{html}")
        return self.document_of(document)

    def run_until_idle(self) -> None:
        """Run tasks and parallel steps until there are none."""
        self.enter()
        self.world.run_until_idle()
        for listener in self._idle_listeners:
            listener()

    def on_idle(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after each :meth:`run_until_idle`."""
        self._idle_listeners.append(listener)

    def close(self) -> None:
        """End all scripts. Nothing can be done with the browser afterwards."""
        self._is_closed = True
        for coroutine in list(self.coroutines):
            with suppress(Exception):
                coroutine.close()

    def enter(self) -> None:
        """Make the world of this browser the current one.

        Raises:
            RuntimeError: if the browser is closed.
        """
        if self._is_closed:
            raise RuntimeError("this browser is closed: its run is over")
        self.world.enter()

    @property
    def documents(self) -> list[Document]:
        """All documents that have been opened, in frames too, even if they are gone."""
        return list(self._documents.values())

    @property
    def html_documents(self) -> list[HTMLDocument]:
        """The documents of HTML that these wrap."""
        return list(self._documents)

    def document_of(self, html: HTMLDocument) -> Document:
        """Return the document that wraps one of HTML."""
        known = self._documents.get(html)
        if known is None:
            known = self._documents[html] = Document(self, html)
        return known

    def run_now(self, html: HTMLDocument, script: Callable[[], R]) -> R:
        """Run a script of a document and return its result."""
        self.enter()
        return self.world.user_agent.run_script_now(html, script)

    def takes(self, html: HTMLDocument, function: object) -> None:
        """Note that a document gets a function or a coroutine, which its event loop will run; explorations look at it."""

    def logs(self, html: HTMLDocument, text: str) -> None:
        """Note what a script logs."""
        if self._keeps_log:
            self.log.append(LogEntry(html.url, "log", text))
        self.watcher.logs(html, text)

    def raised(self, html: HTMLDocument, name: str, exception: Exception) -> None:
        """Tell the watcher of an exception that no code of the page has caught."""
        self.watcher.raises(html, name, exception)

    def rejection(self, number: int | None, reason: JSValue) -> RejectedError:
        """Return the error for a rejected promise, caused by the exception of a tool."""
        return self.calls.rejection(number, reason)

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the run continues, for fingerprints."""
        return self.world, self._documents, self.timers, self.calls, Unordered(self.coroutines)

    def _watch(self, kind: str, document: HTMLDocument, detail: JSValue) -> None:
        self.log.append(LogEntry(document.url, kind, to_python(detail)))


# Wraps the AbortController of DOM.
class AbortController:
    """An AbortController of a document; pass its ``signal`` to calls in order to abort them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._controller = DOMAbortController(document._html.realm)

    @property
    def signal(self) -> AbortSignal:
        """The signal."""
        return self._controller.signal

    def abort(self, reason: Any = UNDEFINED) -> None:
        """Abort, by default with an AbortError as the reason."""
        value = self._document._to_javascript(reason)
        self._document._run(lambda: self._controller.signal.signal_abort(value))


# The dictionary RegisteredTool of the current revision, in Python's spelling.
@dataclass(frozen=True, slots=True)
class RegisteredTool:
    """A tool as ``get_tools`` lists it. ``input_schema`` and ``annotations`` are None when absent."""

    name: str
    title: str
    description: str
    input_schema: Any
    annotations: Mapping[str, bool] | None
    origin: str
    document: Document
    _object: JSObject


# Wraps the document of HTML.
class Document:
    """A document. The object stays usable after the document has gone, as in a page."""

    def __init__(self, browser: Browser, html: HTMLDocument) -> None:
        self._browser = browser
        self._world = browser.world
        self._html = html
        self._scripts = Scripts(browser, html, self._to_javascript)
        self.model_context = ModelContext(self)

    @property
    def url(self) -> str:
        """Its URL."""
        return self._html.url

    @property
    def origin(self) -> str:
        """Its serialized origin; ``"null"`` when opaque."""
        return serialization(self._html.origin)

    @property
    def is_fully_active(self) -> bool:
        """True if it and all its ancestors are the active documents of their navigables."""
        return self._html.is_fully_active

    @property
    def frames(self) -> list[Document]:
        """The documents that are now in its iframes."""
        navigables = filter(None, (container.content_navigable for container in self._html.navigable_containers))
        documents = filter(None, (navigable.active_document for navigable in navigables))
        return [self._browser.document_of(document) for document in documents]

    def add_frame(
        self, url: str, *, allow: str = "", sandbox: str | None = None, permissions_policy: str = ""
    ) -> Document:
        """Insert an iframe and return its document, loaded.

        Args:
            url: the URL of the frame.
            allow: its ``allow`` attribute, such as ``"tools"``.
            sandbox: its ``sandbox`` attribute; unless that has ``allow-same-origin``, the document's origin is opaque.
            permissions_policy: the value of the response's ``Permissions-Policy`` header.

        Raises:
            ValueError: if the URL is not an absolute URL, or this document is gone.
        """
        self._browser.enter()
        response = _response(url, permissions_policy)
        container = loading.insert_an_iframe(self._attached(), allow=allow, sandbox=sandbox, src=response.url)
        navigable = container.content_navigable
        assert navigable is not None
        return self._browser.document_of(loading.replace_the_initial_document(navigable, response))

    def navigate(self, url: str, *, permissions_policy: str = "", keep: bool = False) -> None:
        """Start to navigate to another document; :attr:`current` is that document when it has loaded.

        Args:
            url: the URL of the other document.
            permissions_policy: the value of the response's ``Permissions-Policy`` header.
            keep: whether this document goes into the back/forward cache.

        Raises:
            ValueError: if the URL is not an absolute URL, or this document is gone.
        """
        self._browser.enter()
        self._attached()
        loading.navigate(self._navigable(), _response(url, permissions_policy), keep=keep)

    def go_back(self) -> None:
        """Start to go back to the document before this one, which must be in the back/forward cache.

        Raises:
            LookupError: if that document is not in the cache.
        """
        self._browser.enter()
        loading.traverse_back(self._navigable())

    @property
    def current(self) -> Document:
        """The document that is now in the window of this one."""
        window = self._html.window.proxy.window
        return self._browser.document_of(window.associated_document)

    def remove(self) -> None:
        """Remove the iframe that holds this document.

        Raises:
            ValueError: for a document that no iframe holds.
        """
        self._browser.enter()
        container = self._navigable().container
        if container is None:
            raise ValueError(f"{self.url} is not in an iframe; close() its tab instead")
        self._browser.document_of(container.document)._run(lambda: loading.remove_an_iframe(container))

    def close(self) -> None:
        """Start to close the tab that this document is in."""
        self._browser.enter()
        loading.close(self._navigable().traversable_navigable)

    def new_abort_controller(self) -> AbortController:
        """Return a new AbortController."""
        return AbortController(self)

    # Scripts

    def run(self, script: Script) -> Promise:
        """Run a script of this document: a function without arguments, ``async def`` or not, or a coroutine.

        A script begins in a task of its own. If a script of the same event loop calls this, the other script begins at once,
        as an async function of JavaScript does. An exception that the script does not catch rejects the promise.

        Returns:
            a promise of what the script returns.
        """
        promise = self._scripts.run(script)
        return self._noted(getattr(script, "__name__", "script"), promise)

    def sleep(self, milliseconds: float) -> Promise:
        """Return a promise that is fulfilled with None after a time; time is virtual.

        A timer may fire at any moment, since everything else may take any time. Timers fire in the order of their due times.
        """
        self._browser.enter()
        return self._scripts.sleep(milliseconds)

    def set_timeout(self, callback: Callable[[], Any], milliseconds: float) -> int:
        """Call a function after a time, as with :meth:`sleep`, and return a number for :meth:`clear_timeout`."""
        self._browser.enter()
        return self._scripts.set_timeout(callback, milliseconds)

    def clear_timeout(self, number: int) -> None:
        """Clear a timer that has not fired."""
        self._browser.timers.clear(number)

    def new_promise(self) -> OwnPromise:
        """Return a promise that scripts of this document settle with its methods ``resolve`` and ``reject``."""
        return self._scripts.own_promise()

    def race(self, promises: Iterable[Promise]) -> Promise:
        """Return, as JavaScript does in a race, a promise that settles as the first of these does."""
        return self._scripts.race(promises)

    def all(self, promises: Iterable[Promise]) -> Promise:
        """Return a promise of the list of all values, rejected as soon as one of these is."""
        return self._scripts.all(promises)

    def post_message(self, message: Any) -> None:
        """Post a message to this document, which :meth:`next_message` returns there; scripts of all origins may do so."""
        self._browser.enter()
        self._scripts.receive(message)

    def next_message(self) -> Promise:
        """Return a promise of the next message to this document."""
        return self._scripts.next_message()

    def element(self, id: str) -> Element:
        """Return the element with an id.

        Raises:
            LookupError: if there is none.
        """
        found = self._html.get_element_by_id(id)
        if not isinstance(found, DOMElement):
            raise LookupError(f'{self.url} has no element with the id "{id}"')
        return Element(self._browser, self._scripts, found)

    def choose(self, *options: T) -> T:
        """Return one of these options: any of them, under some schedule. It is what a person, a model or chance decides."""
        return options[self._world.user_agent.choose("an option of the scenario", len(options))]

    def log(self, *values: Any) -> None:
        """Log values, as ``console.log`` does; an exploration compares what was logged."""
        text = " ".join(value if isinstance(value, str) else described(value) for value in values)
        self._browser.logs(self._html, text)

    def _noted(self, name: str, promise: Promise) -> Promise:
        self._browser.watcher.calls(self._html, name, promise)
        return promise

    def observe(self) -> dict[str, list[str]]:
        """Return what the browser's agent observes of the page: the tools' names, by the URLs of the documents."""
        observed: dict[str, list[str]] = {}

        def steps() -> Generator[None, None, None]:
            observation = yield from perform_an_observation(self._navigable().traversable_navigable)
            documents = {document._html.unique_id: document for document in self._browser.documents}
            for id_, found in observation.items():
                observed[documents[id_].url] = [tool.name for tool in found.tools]

        self._browser.enter()
        self._world.user_agent.in_parallel(steps())
        self._browser.run_until_idle()
        return observed

    def _navigable(self) -> Navigable:
        navigable = self._html.node_navigable
        if navigable is None:
            raise ValueError(f"the document {self.url} is gone")
        return navigable

    def _attached(self) -> HTMLDocument:
        if not self._html.is_fully_active:
            raise ValueError(f"the document {self.url} is not fully active")
        return self._html

    def _run(self, script: Callable[[], R]) -> R:
        return self._browser.run_now(self._html, script)

    def _to_javascript(self, value: Any) -> JSValue:
        if isinstance(value, RegisteredTool):
            return value._object
        return to_javascript(value, self._html.realm, self._scripts.function)

    def _tool_callback(self, execute: Callable[..., Any]) -> JSFunction:
        takes_signal = takes_two_arguments(execute)
        name = getattr(execute, "__name__", "")

        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            tool_input, options = arguments
            assert isinstance(options, JSObject)
            signal = options.get("signal")
            calls = self._browser.calls
            number = calls.running(associated_model_context(self._html).internal_context, signal)

            def fail(exception: Exception) -> None:
                calls.fail(number, exception)
                if not isinstance(exception, RejectedError):
                    self._browser.watcher.tool_raises(self._html, name, exception)

            given = [tool_input, signal] if takes_signal else [tool_input]
            return self._scripts.call(execute, given, fail)

        self._browser.takes(self._html, execute)
        return JSFunction(self._html.realm, behavior, name)

    def __repr__(self) -> str:
        return f"<Document {self.url}>"


# Wraps the ModelContext of the current revision.
class ModelContext:
    """The object ``document.modelContext``, with names and arguments in Python's spelling.

    A method that returns a :class:`Promise` rejects it where the specification does, and does not raise.
    """

    def __init__(self, document: Document) -> None:
        self._document = document

    def register_tool(
        self,
        *,
        execute: Callable[..., Any],
        signal: AbortSignal | None = None,
        exposed_to: Sequence[str] | None = None,
        input_schema: Any = UNDEFINED,
        **tool: Any,
    ) -> Promise:
        """Call ``registerTool``.

        Args:
            execute: called with the input, and with the AbortSignal of the call if it takes two arguments. It may be
                ``async def`` and await promises of the page. An exception rejects the call.
            signal: unregisters the tool when aborted.
            exposed_to: the origins that may use the tool beside the document's own.
            input_schema: a JSON Schema.
            tool: the other members, as in JavaScript: ``name``, ``description``, ``title`` and ``annotations``.

        Raises:
            TypeError: for another keyword. JavaScript ignores members that it does not know.
        """
        if unknown := sorted(tool.keys() - _KEYWORDS):
            raise TypeError(f"register_tool() takes no {unknown[0]}: its keywords are {', '.join(sorted(_KEYWORDS))}")
        members = {**tool, "inputSchema": input_schema, "execute": self._document._tool_callback(execute)}
        options = _present(signal=signal, exposedTo=exposed_to)
        return self._call("registerTool", [members, options], to_python, f"registerTool {tool.get('name', '')}")

    def get_tools(self, *, from_origins: Sequence[str] | None = None) -> Promise:
        """Call ``getTools``, and return a promise of a list of :class:`RegisteredTool`."""
        return self._call("getTools", [_present(fromOrigins=from_origins)], self._tools, "getTools")

    def execute_tool(
        self, tool: RegisteredTool | Mapping[str, Any], input: Any = UNDEFINED, *, signal: AbortSignal | None = None
    ) -> Promise:
        """Call ``executeTool``, and return a promise of JSON text.

        Args:
            tool: one that ``get_tools`` lists, or a dictionary with members of a script's own.
            input: what the tool is called with.
            signal: aborts the call.

        Raises:
            TypeError: for a tool that is neither, such as a name.
        """
        if not isinstance(tool, RegisteredTool | Mapping):
            raise TypeError(f"execute_tool() takes a tool that get_tools() lists, not {tool!r}")
        arguments = [tool, input, _present(signal=signal)]
        name = tool.name if isinstance(tool, RegisteredTool) else tool.get("name", "")
        return self._call("executeTool", arguments, to_python, f"executeTool {name}")

    def add_event_listener(self, type: str, listener: Callable[[Event], None]) -> None:
        """Call ``addEventListener`` with ``toolchange``, ``toolactivated`` or ``toolcancel``.

        Raises:
            ValueError: for any other type.
        """
        context = self._context()
        types = self._document._world.boundary.definitions.interfaces[context.interface].event_types
        if type not in types:
            raise ValueError(f"a ModelContext has no event {type}; choose from {', '.join(types)}")
        failed = partial(self._document._browser.raised, self._document._html, f"the listener for {type}")
        function = self._document._scripts.function(listener, failed)
        self._document._run(lambda: context.add_event_listener(type, function))

    def _context(self) -> EventTarget:
        context = self._document._world.boundary.get(self._document._html, "modelContext")
        if not isinstance(context, EventTarget):
            raise ValueError(f"{self._document.url} has no modelContext, because it is not a secure context")
        return context

    def _call(self, operation: str, arguments: Sequence[Any], value: Callable[[JSValue], Any], words: str) -> Promise:
        document = self._document
        context = self._context()
        converted = [document._to_javascript(argument) for argument in arguments]
        calls = document._browser.calls
        promise, number = document._run(
            lambda: calls.begin(lambda: document._world.boundary.call(context, operation, converted))
        )
        assert isinstance(promise, JSPromise)
        return document._noted(words, Promise(document._browser, promise, value, number))

    def _tools(self, value: JSValue) -> list[RegisteredTool]:
        assert isinstance(value, JSArray)
        return [self._tool(item) for item in value.items]

    def _tool(self, tool: JSValue) -> RegisteredTool:
        assert isinstance(tool, JSObject)
        window = tool.get("window")
        assert isinstance(window, WindowProxy)
        members = {key: to_python(tool.get(key)) for key in tool.own_keys()}
        return RegisteredTool(
            name=members["name"],
            title=members["title"],
            description=members["description"],
            input_schema=members.get("inputSchema"),
            annotations=members.get("annotations"),
            origin=members["origin"],
            document=self._document._browser.document_of(window.window.associated_document),
            _object=tool,
        )


def _present(**members: Any) -> dict[str, Any]:
    return {key: member for key, member in members.items() if member is not None}


def _response(url: str, permissions_policy: str) -> loading.Response:
    record = url_parser(url)
    if record is None:
        raise ValueError(f"{url!r} is not an absolute URL; write, for example, 'https://shop.example/'")
    return loading.Response(record.href, permissions_policy)
