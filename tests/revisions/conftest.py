"""Pages of the current revision, in which tests run as scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.hosts.world import World
from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue
from modelcontext.platform.html.loading import (
    Response,
    create_a_new_top_level_traversable,
    insert_an_iframe,
    replace_the_initial_document,
)
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.revisions.current.model import ModelContext, associated_model_context

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.navigable import Navigable


class Page:
    """A document; scripts run in its tasks, and events at its ModelContext go to a log that all frames share."""

    def __init__(self, world: World, document: Document, name: str, log: list[str]) -> None:
        self.world = world
        self.document = document
        self.name = name
        self.log = log
        self.realm = document.realm
        self.signals: list[AbortSignal] = []
        for type_ in ("toolchange", "toolactivated", "toolcancel"):
            self.context.add_event_listener(type_, self.function(self._logging(f"{name}: {type_}")))

    @property
    def context(self) -> ModelContext:
        return associated_model_context(self.document)

    @property
    def navigable(self) -> Navigable:
        assert self.document.node_navigable is not None
        return self.document.node_navigable

    def _logging(self, entry: str) -> Callable[[list[JSValue]], JSValue]:
        def behavior(arguments: list[JSValue]) -> JSValue:
            self.log.append(entry)
            return UNDEFINED

        return behavior

    def function(self, body: Callable[[list[JSValue]], JSValue]) -> JSFunction:
        return JSFunction(self.realm, lambda this, arguments: body(arguments))

    def frame(self, name: str, url: str = "https://a.test/", allow: str = "") -> Page:
        container = insert_an_iframe(self.document, allow=allow)
        assert container.content_navigable is not None
        document = replace_the_initial_document(container.content_navigable, Response(url))
        return Page(self.world, document, name, self.log)

    def run(self, script: Callable[[], Any]) -> Any:
        """Run a script, then everything that follows from it, and return the result of the script."""
        returned = self.world.user_agent.run_script_now(self.document, script)
        self.world.run_until_idle()
        return returned

    def call(self, name: str, *arguments: JSValue) -> Promise:
        promise = self.run(lambda: self.world.boundary.call(self.context, name, list(arguments)))
        assert isinstance(promise, Promise)
        return promise

    def register(self, name: str = "t") -> Promise:
        """Register a tool, and return the pending promise that its callback will return."""
        pending = Promise(self.realm)

        def execute(arguments: list[JSValue]) -> JSValue:
            options = arguments[1]
            assert isinstance(options, JSObject)
            signal = options.get("signal")
            assert isinstance(signal, AbortSignal)
            self.signals.append(signal)
            return pending

        members: dict[str, Any] = {"name": name, "description": "d", "execute": self.function(execute)}
        assert state(self.call("registerTool", JSObject(self.realm, members))) == "fulfilled"
        self.log.clear()
        return pending

    def execute(self, target: Page, name: str = "t") -> Promise:
        members: dict[str, Any] = {
            "name": name, "description": "", "origin": "https://a.test", "window": target.document.window.proxy,
        }  # fmt: skip
        return self.call("executeTool", JSObject(self.realm, members))


def state(promise: Promise) -> str:
    """Return the state of a promise, or the name of the DOMException that it is rejected with."""
    return promise.result.name if isinstance(promise.result, DOMException) else promise.state


def new_page() -> Page:
    """Return a page in a world of its own."""
    world = World()
    world.enter()
    document = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    return Page(world, document, "page", [])


@pytest.fixture
def page() -> Page:
    return new_page()


@pytest.fixture
def state_of() -> Callable[[Promise], str]:
    return state
