"""Calls through the bindings of the current revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.world import World
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import (
    UNDEFINED,
    Accessor,
    JSArray,
    JSError,
    JSFunction,
    JSObject,
    JSValue,
    Throw,
)
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.revisions.current.model import ModelContext, associated_model_context

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.webidl.boundary import Boundary


@pytest.fixture
def world() -> World:
    world = World()
    world.enter()
    return world


@pytest.fixture
def page(world: World) -> Document:
    return create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))


@pytest.fixture
def boundary(world: World) -> Boundary:
    return world.boundary


@pytest.fixture
def context(page: Document) -> ModelContext:
    return associated_model_context(page)


def function(page: Document) -> JSFunction:
    return JSFunction(page.realm, lambda this, arguments: UNDEFINED)


def tool(page: Document, **members: JSValue | Accessor) -> JSObject:
    return JSObject(page.realm, {"name": "t", "description": "d", "execute": function(page), **members})


def outcome(promise: JSValue) -> str:
    """Return the state of a promise, or the kind of its reason if it is rejected."""
    assert isinstance(promise, Promise)
    if promise.state != "rejected":
        return promise.state
    reason = promise.result
    return reason.name if isinstance(reason, JSError | DOMException) else f"rejected with {reason}"


@pytest.mark.parametrize("name", ["registerTool", "executeTool"])
def test_operation_with_missing_arguments_rejects_with_a_type_error(
    name: str, boundary: Boundary, context: ModelContext, page: Document
) -> None:
    promise = boundary.call(context, name, [])
    assert outcome(promise) == "TypeError"
    assert isinstance(promise, Promise)
    assert isinstance(promise.result, JSError)
    assert (promise.realm, promise.result.realm) == (page.realm, page.realm)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([UNDEFINED], "pending"),
        ([None], "pending"),
        ([], "pending"),
        ([1], "TypeError"),
        ([JSObject(None, {"fromOrigins": None})], "TypeError"),
        ([JSObject(None, {"fromOrigins": JSArray(None, ["null"])})], "SecurityError"),
        ([JSObject(None, {"fromOrigins": UNDEFINED})], "pending"),
        ([UNDEFINED, 1, 2], "pending"),
    ],
)
def test_optional_argument_of_get_tools_may_be_missing_or_convertible(
    arguments: list[JSValue], expected: str, boundary: Boundary, context: ModelContext
) -> None:
    assert outcome(boundary.call(context, "getTools", arguments)) == expected


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("name", UNDEFINED),
        ("description", UNDEFINED),
        ("execute", UNDEFINED),
        ("execute", None),
        ("execute", JSObject()),
        ("inputSchema", None),
        ("inputSchema", "{}"),
        ("annotations", True),
    ],
)
def test_tool_member_that_does_not_convert_rejects_with_a_type_error(
    member: str, value: JSValue, boundary: Boundary, context: ModelContext, page: Document
) -> None:
    assert outcome(boundary.call(context, "registerTool", [tool(page, **{member: value})])) == "TypeError"


def test_tool_members_are_read_once_and_in_order(boundary: Boundary, context: ModelContext, page: Document) -> None:
    log: list[str] = []
    values = tool(page, annotations=JSObject(page.realm), inputSchema=JSObject(page.realm), title="t").properties

    def logged(name: str) -> Accessor:
        def get(this: JSObject) -> JSValue:
            log.append(name)
            value = values[name]
            assert not isinstance(value, Accessor)
            return value

        return Accessor(get)

    observed = JSObject(page.realm, {name: logged(name) for name in values})
    assert outcome(boundary.call(context, "registerTool", [observed])) == "pending"
    assert log == ["annotations", "description", "execute", "inputSchema", "name", "title"]


def test_operation_that_returns_a_promise_rejects_instead_of_throwing(
    boundary: Boundary, context: ModelContext, page: Document
) -> None:
    def throw(this: JSObject) -> JSValue:
        raise Throw("thrown")

    promise = boundary.call(context, "registerTool", [tool(page, name=Accessor(throw))])
    assert outcome(promise) == "rejected with thrown"


def test_execute_tool_rejects_a_tool_without_a_window(
    boundary: Boundary, context: ModelContext, page: Document
) -> None:
    members: dict[str, JSValue | Accessor] = {"name": "t", "description": "", "origin": "https://a.test"}
    for window in (UNDEFINED, None, JSObject(page.realm), "window"):
        described = JSObject(page.realm, {**members, "window": window})
        assert outcome(boundary.call(context, "executeTool", [described])) == "TypeError"
    described = JSObject(page.realm, {**members, "window": page.window.proxy})
    assert outcome(boundary.call(context, "executeTool", [described])) == "pending"
    assert outcome(boundary.call(context, "executeTool", [described, None])) == "TypeError"
    assert outcome(boundary.call(context, "executeTool", [described, UNDEFINED])) == "pending"


def test_calling_an_unknown_operation_is_an_error_that_names_it(boundary: Boundary, context: ModelContext) -> None:
    with pytest.raises(NoMeaningError, match=r"no operation ModelContext\.provideContext"):
        boundary.call(context, "provideContext", [])


def test_event_handler_attribute_keeps_objects_and_drops_other_values(
    boundary: Boundary, context: ModelContext, page: Document
) -> None:
    handler, object_ = function(page), JSObject(page.realm)
    assert boundary.get(context, "ontoolchange") is None
    assignments: list[tuple[JSValue, JSValue]] = [
        (handler, handler), ("text", None), (object_, object_), (1, None), (handler, handler), (None, None),
    ]  # fmt: skip
    for value, read_back in assignments:
        boundary.set(context, "ontoolchange", value)
        assert boundary.get(context, "ontoolchange") is read_back
    with pytest.raises(KeyError):
        boundary.set(context, "onclick", handler)


def test_model_context_accessor_returns_one_object_and_only_in_secure_contexts(
    world: World, boundary: Boundary, page: Document, context: ModelContext
) -> None:
    assert boundary.get(page, "modelContext") is context
    assert boundary.get(page, "unknown") is UNDEFINED
    insecure = create_a_new_top_level_traversable(world.user_agent, Response("http://a.test/"))
    assert boundary.get(insecure, "modelContext") is UNDEFINED


def test_event_constructor_converts_its_arguments(boundary: Boundary, page: Document) -> None:
    type_, init = boundary.construct_arguments("ToolActivatedEvent", ["x"], page.realm)
    assert (type_, init.tool_name, init.bubbles) == ("x", "", False)
    _, init = boundary.construct_arguments(
        "ToolCancelEvent", [1, JSObject(page.realm, {"toolName": None, "bubbles": "yes"})], page.realm
    )
    assert (init.tool_name, init.bubbles, init.composed) == ("null", True, False)
    wrong: list[tuple[str, list[JSValue]]] = [
        ("ToolCancelEvent", []), ("ModelContext", ["x"]), ("ToolCancelEvent", ["x", 1]),
    ]  # fmt: skip
    for interface, arguments in wrong:
        with pytest.raises(Throw) as thrown:
            boundary.construct_arguments(interface, arguments, page.realm)
        error = thrown.value.value
        assert isinstance(error, JSError)
        assert (error.name, error.realm) == ("TypeError", page.realm)
