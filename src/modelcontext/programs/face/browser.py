"""A simulated browser for people who prototype agents and tools.

A :class:`Browser` holds documents. Each has a :class:`ModelContext` with the methods of the specification, in Python's
spelling. Calls return a :class:`Promise` at once. :meth:`Browser.run_until_idle` runs everything that follows.

Some classes have the same name as the platform class that they wrap.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from modelcontext.ground.schedule.choose import Chooser, Seeded
from modelcontext.hosts.world import World
from modelcontext.platform.dom.abort import AbortController as DOMAbortController
from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.ecmascript.promise import FULFILLED, PENDING
from modelcontext.platform.ecmascript.promise import Promise as JSPromise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSArray, JSFunction, JSObject, JSValue, Throw
from modelcontext.platform.html import loading
from modelcontext.platform.html.origin import serialization
from modelcontext.platform.html.url import url_parser
from modelcontext.platform.html.user_agent import UserAgent
from modelcontext.platform.html.window import WindowProxy
from modelcontext.programs.face.python_values import to_javascript, to_python
from modelcontext.programs.face.tool_calls import CountingHost, ToolCalls, called, takes_two_arguments, thrown
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.current.model import associated_model_context
from modelcontext.spec.revisions.current.observations import perform_an_observation

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document as HTMLDocument
    from modelcontext.platform.html.navigable import Navigable

R = TypeVar("R")


class PendingError(Exception):
    """Raised for the value of a promise that has not settled."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log, visible to scripts: ``kind`` is ``"event"``, ``"invoke"``, ``"resolve"`` or ``"reject"``.

    ``document`` is the URL of the document. ``detail`` is the event's type, the callback's input, or the value or reason of
    the promise.
    """

    document: str
    kind: str
    detail: Any


class Browser:
    """A simulated browser.

    Args:
        seed: makes every free choice (which task or parallel step comes next) pseudo-random and repeatable; without a
            seed, everything happens first in, first out.
    """

    def __init__(self, *, seed: int | None = None) -> None:
        chooser: Chooser | None = Seeded(seed) if seed is not None else None
        user_agent = UserAgent(REVISION, chooser)
        host = CountingHost(user_agent, REVISION.boundary)
        self._world = World(user_agent=user_agent, host=host)
        self._calls = ToolCalls(host)
        self._documents: dict[HTMLDocument, Document] = {}
        self._idle_listeners: list[Callable[[], None]] = []
        self.log: list[LogEntry] = []
        self._world.host.watch = self._watch

    def open(self, url: str, *, permissions_policy: str = "") -> Document:
        """Open a page in a new tab and return its document, loaded.

        Args:
            url: its URL.
            permissions_policy: the value of its ``Permissions-Policy`` header.

        Raises:
            ValueError: if the URL is not an absolute URL.
        """
        self._world.enter()
        response = _response(url, permissions_policy)
        return self._document(loading.create_a_new_top_level_traversable(self._world.user_agent, response))

    def run_until_idle(self) -> None:
        """Run tasks and parallel steps until there are none."""
        self._world.run_until_idle()
        for listener in self._idle_listeners:
            listener()

    def on_idle(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after each :meth:`run_until_idle`."""
        self._idle_listeners.append(listener)

    def _document(self, document: HTMLDocument) -> Document:
        known = self._documents.get(document)
        if known is None:
            known = self._documents[document] = Document(self, self._world, document)
        return known

    def _watch(self, kind: str, document: HTMLDocument, detail: JSValue) -> None:
        self.log.append(LogEntry(document.url, kind, to_python(detail)))


# Wraps the promise of the model's JavaScript.
class Promise:
    """A promise of the page, which an ``async def`` tool can await."""

    def __init__(
        self,
        browser: Browser,
        promise: JSPromise,
        value: Callable[[JSValue], Any] = to_python,
        call: int | None = None,
    ) -> None:
        self._browser = browser
        self._promise = promise
        self._to_value = value
        self._number = call

    @property
    def state(self) -> str:
        """The state: ``"pending"``, ``"fulfilled"`` or ``"rejected"``."""
        return self._promise.state

    @property
    def value(self) -> Any:
        """The value that it was fulfilled with.

        Raises:
            RejectedError: if it was rejected. If a tool of Python has raised an exception, that is the cause.
            PendingError: if it has not settled.
        """
        if self._promise.state == PENDING:
            raise PendingError("the promise has not settled; let the browser run_until_idle() first")
        if self._promise.state == FULFILLED:
            return self._to_value(self._promise.result)
        raise self._browser._calls.rejection(self._number, self._promise.result)

    def wait(self) -> Any:
        """Let the browser run until it is idle, and return the value.

        Raises:
            RejectedError: if the promise was rejected.
            PendingError: if it has not settled even so.
        """
        self._browser.run_until_idle()
        return self.value

    def __await__(self) -> Generator[Promise, None, Any]:
        yield self
        return self.value

    def __repr__(self) -> str:
        return f"<Promise {self.state}>"


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

    def __init__(self, browser: Browser, world: World, html: HTMLDocument) -> None:
        self._browser = browser
        self._world = world
        self._html = html
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
        return [self._browser._document(document) for document in documents]

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
        self._world.enter()
        response = _response(url, permissions_policy)
        container = loading.insert_an_iframe(self._attached(), allow=allow, sandbox=sandbox, src=response.url)
        navigable = container.content_navigable
        assert navigable is not None
        return self._browser._document(loading.replace_the_initial_document(navigable, response))

    def navigate(self, url: str, *, permissions_policy: str = "", keep: bool = False) -> None:
        """Start to navigate to another document; :attr:`current` is that document when it has loaded.

        Args:
            url: the URL of the other document.
            permissions_policy: the value of the response's ``Permissions-Policy`` header.
            keep: whether this document goes into the back/forward cache.

        Raises:
            ValueError: if the URL is not an absolute URL, or this document is gone.
        """
        self._world.enter()
        self._attached()
        loading.navigate(self._navigable(), _response(url, permissions_policy), keep=keep)

    def go_back(self) -> None:
        """Start to go back to the document before this one, which must be in the back/forward cache.

        Raises:
            LookupError: if that document is not in the cache.
        """
        self._world.enter()
        loading.traverse_back(self._navigable())

    @property
    def current(self) -> Document:
        """The document that is now in the window of this one."""
        window = self._html.window.proxy.window
        return self._browser._document(window.associated_document)

    def remove(self) -> None:
        """Remove the iframe that holds this document.

        Raises:
            ValueError: for a document that no iframe holds.
        """
        self._world.enter()
        container = self._navigable().container
        if container is None:
            raise ValueError(f"{self.url} is not in an iframe; close() its tab instead")
        self._browser._document(container.document)._run(lambda: loading.remove_an_iframe(container))

    def close(self) -> None:
        """Start to close the tab that this document is in."""
        self._world.enter()
        loading.close(self._navigable().traversable_navigable)

    def new_abort_controller(self) -> AbortController:
        """Return a new AbortController."""
        return AbortController(self)

    def observe(self) -> dict[str, list[str]]:
        """Return what the browser's agent observes of the page: the tools' names, by the URLs of the documents."""
        observed: dict[str, list[str]] = {}

        def steps() -> Generator[None, None, None]:
            observation = yield from perform_an_observation(self._navigable().traversable_navigable)
            documents = {document._html.unique_id: document for document in self._browser._documents.values()}
            for id_, found in observation.items():
                observed[documents[id_].url] = [tool.name for tool in found.tools]

        self._world.enter()
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
        self._world.enter()
        return self._world.user_agent.run_script_now(self._html, script)

    def _to_javascript(self, value: Any) -> JSValue:
        if isinstance(value, RegisteredTool):
            return value._object
        return to_javascript(value, self._html.realm, self._function)

    def _function(self, function: Callable[..., Any]) -> JSFunction:
        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            python = [to_python(argument) for argument in arguments]
            return self._settle(called(function, python))

        return JSFunction(self._html.realm, behavior, getattr(function, "__name__", ""))

    def _tool_callback(self, execute: Callable[..., Any]) -> JSFunction:
        takes_signal = takes_two_arguments(execute)

        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            tool_input, options = arguments
            assert isinstance(options, JSObject)
            signal = options.get("signal")
            python = [to_python(tool_input), signal] if takes_signal else [to_python(tool_input)]
            calls = self._browser._calls
            number = calls.running(associated_model_context(self._html).internal_context, signal)
            try:
                return self._settle(called(execute, python), partial(calls.fail, number))
            except Throw as throw:
                calls.fail(number, throw.__cause__)
                raise

        return JSFunction(self._html.realm, behavior, getattr(execute, "__name__", ""))

    def _settle(self, returned: Any, failed: Callable[[Exception], None] = lambda error: None) -> JSValue:
        if inspect.iscoroutine(returned):
            promise = JSPromise(self._html.realm)
            self._drive(returned, promise, failed)
            return promise
        if isinstance(returned, Promise):
            return returned._promise
        return self._to_javascript(returned)

    def _drive(
        self, coroutine: Coroutine[Any, Any, Any], promise: JSPromise, failed: Callable[[Exception], None]
    ) -> None:
        """Run a coroutine up to the promise that it awaits, and continue in a reaction to that promise."""
        try:
            awaited = coroutine.send(None)
        except StopIteration as end:
            promise.resolve(self._settle(end.value))
        except Exception as error:
            failed(error)
            promise.reject(thrown(error).value)
        else:
            if not isinstance(awaited, Promise):
                coroutine.close()
                raise TypeError(
                    f"a tool awaited {awaited!r}; the simulated browser can await only promises of its own pages"
                )

            def continue_(_: JSValue) -> JSValue:
                self._drive(coroutine, promise, failed)
                return UNDEFINED

            awaited._promise.react(continue_, continue_, self._html.realm)

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
        """
        members = {**tool, "inputSchema": input_schema, "execute": self._document._tool_callback(execute)}
        options = _present(signal=signal, exposedTo=exposed_to)
        return self._call("registerTool", [members, options], to_python)

    def get_tools(self, *, from_origins: Sequence[str] | None = None) -> Promise:
        """Call ``getTools``, and return a promise of a list of :class:`RegisteredTool`."""
        return self._call("getTools", [_present(fromOrigins=from_origins)], self._tools)

    def execute_tool(
        self, tool: RegisteredTool, input: Any = UNDEFINED, *, signal: AbortSignal | None = None
    ) -> Promise:
        """Call ``executeTool``, and return a promise of JSON text."""
        return self._call("executeTool", [tool, input, _present(signal=signal)], to_python)

    def add_event_listener(self, type: str, listener: Callable[[Event], None]) -> None:
        """Call ``addEventListener`` with ``toolchange``, ``toolactivated`` or ``toolcancel``.

        Raises:
            ValueError: for any other type.
        """
        context = self._context()
        types = self._document._world.boundary.definitions.interfaces[context.interface].event_types
        if type not in types:
            raise ValueError(f"a ModelContext has no event {type}; choose from {', '.join(types)}")
        function = self._document._function(listener)
        self._document._run(lambda: context.add_event_listener(type, function))

    def _context(self) -> EventTarget:
        context = self._document._world.boundary.get(self._document._html, "modelContext")
        if not isinstance(context, EventTarget):
            raise ValueError(f"{self._document.url} has no modelContext, because it is not a secure context")
        return context

    def _call(self, operation: str, arguments: Sequence[Any], value: Callable[[JSValue], Any]) -> Promise:
        document = self._document
        context = self._context()
        converted = [document._to_javascript(argument) for argument in arguments]
        calls = document._browser._calls
        promise, number = document._run(
            lambda: calls.begin(lambda: document._world.boundary.call(context, operation, converted))
        )
        assert isinstance(promise, JSPromise)
        return Promise(document._browser, promise, value, number)

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
            document=self._document._browser._document(window.window.associated_document),
            _object=tool,
        )


def _present(**members: Any) -> dict[str, Any]:
    return {key: member for key, member in members.items() if member is not None}


def _response(url: str, permissions_policy: str) -> loading.Response:
    record = url_parser(url)
    if record is None:
        raise ValueError(f"{url!r} is not an absolute URL; write, for example, 'https://shop.example/'")
    return loading.Response(record.href, permissions_policy)
