"""The parts of the revision 2026-03 that no program reaches: stored tools, their execution, and the client."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.world import World
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSError, JSFunction, JSObject, JSValue, Throw, type_error
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable, insert_an_iframe
from modelcontext.spec.revisions.r2026_03.model import InputSchema, ModelContext, ModelContextClient
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document


class Page:
    """One document, in which tests run as scripts."""

    def __init__(self, url: str = "https://a.test/") -> None:
        self.world = World(REVISIONS["2026-03"])
        self.world.enter()
        self.document = create_a_new_top_level_traversable(self.world.user_agent, Response(url))
        self.realm = self.document.realm

    def get(self, document: Document | None = None) -> JSValue:
        return self.world.boundary.get((document or self.document).window.navigator, "modelContext")

    @property
    def model_context(self) -> ModelContext:
        model_context = self.get()
        assert isinstance(model_context, ModelContext)
        return model_context

    def run(self, script: Callable[[], object]) -> None:
        self.world.user_agent.run_script_now(self.document, script)
        self.world.run_until_idle()

    def function(self, body: Callable[[list[JSValue]], JSValue]) -> JSFunction:
        return JSFunction(self.realm, lambda this, arguments: body(arguments))

    def register(self, **members: JSValue) -> None:
        execute = self.function(lambda arguments: UNDEFINED)
        tool = JSObject(self.realm, {"name": "t", "description": "d", "execute": execute, **members})
        self.world.boundary.call(self.model_context, "registerTool", [tool])


@pytest.fixture
def page() -> Page:
    return Page()


def test_accessor_always_returns_the_same_model_context(page: Page) -> None:
    assert page.get() is page.get()


def test_every_window_has_its_own_model_context(page: Page) -> None:
    frame = insert_an_iframe(page.document, src="https://a.test/frame").content_navigable
    assert frame is not None
    assert frame.active_document is not None
    other = page.get(frame.active_document)
    assert isinstance(other, ModelContext)
    assert other is not page.get()


def test_insecure_context_has_no_model_context() -> None:
    assert Page("http://insecure.test/").get() is UNDEFINED


def test_document_has_no_model_context_attribute(page: Page) -> None:
    assert page.world.boundary.get(page.document, "modelContext") is UNDEFINED


def test_registered_tool_stores_its_members(page: Page) -> None:
    schema = JSObject(page.realm, {"type": "object"})
    page.register(inputSchema=schema, annotations=JSObject(page.realm, {"readOnlyHint": 1}))
    schema.set("type", "changed later")
    (tool,) = page.model_context.internal_context.tool_map.values()
    assert (tool.name, tool.description, tool.read_only_hint) == ("t", "d", True)
    assert tool.input_schema == InputSchema('{"type":"object"}', {"type": "object"})


@pytest.mark.parametrize("members", [{}, {"annotations": None}])
def test_tool_without_annotations_and_schema_stores_defaults(page: Page, members: dict[str, JSValue]) -> None:
    page.register(**members)
    (tool,) = page.model_context.internal_context.tool_map.values()
    assert (tool.input_schema, tool.read_only_hint) == (None, False)


def test_schema_whose_json_is_a_number_is_stored(page: Page) -> None:
    page.register(inputSchema=JSObject(page.realm, {"toJSON": page.function(lambda arguments: 5)}))
    (tool,) = page.model_context.internal_context.tool_map.values()
    assert tool.input_schema == InputSchema("5", 5)


def test_execute_steps_call_the_callback_with_input_and_client(page: Page) -> None:
    given: list[list[JSValue]] = []
    results: list[Promise] = []

    def execute(arguments: list[JSValue]) -> JSValue:
        given.append(arguments)
        return "done"

    page.register(execute=page.function(execute))
    (tool,) = page.model_context.internal_context.tool_map.values()
    input_, client = JSObject(page.realm), ModelContextClient(page.realm)

    def run() -> None:
        promise = tool.execute_steps(input_, client)
        assert isinstance(promise, Promise)
        results.append(promise)

    page.run(run)
    assert given == [[input_, client]]
    assert [(result.state, result.result) for result in results] == [("fulfilled", "done")]


def request(page: Page, arguments: list[JSValue]) -> Promise:
    promises: list[JSValue] = []
    client = ModelContextClient(page.realm)
    page.run(lambda: promises.append(page.world.boundary.call(client, "requestUserInteraction", arguments)))
    (promise,) = promises
    assert isinstance(promise, Promise)
    return promise


def test_user_interaction_resolves_with_the_result_of_the_callback(page: Page) -> None:
    given: list[list[JSValue]] = []

    def confirm(arguments: list[JSValue]) -> JSValue:
        given.append(arguments)
        promise = Promise(page.realm)
        promise.resolve("yes")
        return promise

    promise = request(page, [page.function(confirm)])
    assert (promise.state, promise.result, given) == ("fulfilled", "yes", [[]])


def test_user_interaction_rejects_if_the_callback_throws(page: Page) -> None:
    error = type_error("no")

    def throw(arguments: list[JSValue]) -> JSValue:
        raise error

    promise = request(page, [page.function(throw)])
    assert (promise.state, promise.result) == ("rejected", error.value)


@pytest.mark.parametrize("arguments", [[], [JSObject()]])
def test_user_interaction_without_a_callback_rejects(page: Page, arguments: list[JSValue]) -> None:
    promise = request(page, arguments)
    assert promise.state == "rejected"
    assert isinstance(promise.result, JSError)
    assert (promise.result.name, promise.result.realm) == ("TypeError", page.realm)


def test_failures_of_register_tool_are_thrown(page: Page) -> None:
    page.register()
    with pytest.raises(Throw) as duplicate:
        page.register()
    assert repr(duplicate.value.value) == "InvalidStateError DOMException"
    with pytest.raises(Throw) as unknown:
        page.world.boundary.call(page.model_context, "unregisterTool", ["T"])
    assert repr(unknown.value.value) == "InvalidStateError DOMException"
    assert page.world.boundary.call(page.model_context, "unregisterTool", ["t"]) is UNDEFINED
    page.register()
