"""Conversion of arguments by the polyfill @mcp-b/webmcp-polyfill 5, a script that does not use Web IDL.

Each public function stands around the calls of an operation. It reads and checks the arguments as the polyfill does, and
calls the operation with plain data that Web IDL does not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from modelcontext.judging.profiles.scripted import member, promise_reject, string
from modelcontext.platform.dom.abort import AbortSignal
from modelcontext.platform.ecmascript.json import parse, stringify
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSArray, JSFunction, JSObject, JSValue, Throw, type_error
from modelcontext.platform.html.origin import is_opaque, serialization
from modelcontext.platform.html.url import url_origin, url_parser
from modelcontext.platform.infra.strings import convert_to_a_scalar_value_string
from modelcontext.platform.webidl.conversions import to_boolean, to_string
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.revisions.current.model import ModelContext
from modelcontext.spec.revisions.current.tools import valid_tool_name
from modelcontext.spec.verbs import a_promise_rejected_with, associated_document, origin_of, relevant_global_object

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.webidl.boundary import Call
    from modelcontext.platform.webidl.platform_object import PlatformObject


def registering(go_on: Call, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Read the signal first, then the tool, which is checked before the other options are read."""
    if name != "registerTool":
        return go_on(this, name, arguments)
    assert isinstance(this, ModelContext)
    tool, options = _padded(arguments, 2)
    try:
        signal = member(options, "signal")
        read = _tool(this, tool)
        _throw_if_aborted(signal)
        exposed_to = _origins(options, "exposedTo")
        _throw_if_aborted(signal)
        member(options, "exposedTo")
    except Throw as throw:
        return a_promise_rejected_with(throw.value, this.realm)
    plain = JSObject(this.realm, {"exposedTo": exposed_to, "signal": UNDEFINED if signal is None else signal})
    return go_on(this, name, [read, plain])


def listing(go_on: Call, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Read the origins twice."""
    if name != "getTools":
        return go_on(this, name, arguments)
    assert isinstance(this, ModelContext)
    (options,) = _padded(arguments, 1)
    try:
        from_origins = _origins(options, "fromOrigins")
        member(options, "fromOrigins")
    except Throw as throw:
        return a_promise_rejected_with(throw.value, this.realm)
    return go_on(this, name, [JSObject(this.realm, {"fromOrigins": from_origins})])


def executing(go_on: Call, this: PlatformObject, name: str, arguments: Sequence[JSValue]) -> JSValue:
    """Refuse tools of other documents, and read the input as JSON text."""
    if name != "executeTool":
        return go_on(this, name, arguments)
    assert isinstance(this, ModelContext)
    tool, text, options = _padded(arguments, 3)
    try:
        tool_name = _name_of_an_own_tool(this, tool)
    except Throw as throw:
        return a_promise_rejected_with(throw.value, this.realm)
    try:
        _throw_if_aborted(member(options, "signal"))
        if not isinstance(tool_name, str) or not this.internal_context.tool_map.exists(tool_name):
            # The polyfill puts the name into a message, which fails for a symbol.
            to_string(tool_name)
            raise Throw(DOMException("UnknownError"))
        parsed = _input(text, this.realm)
        _throw_if_aborted(member(options, "signal"))
        signal = member(options, "signal")
    except Throw as throw:
        # One async function returns the promise of another one.
        promise = Promise(this.realm)
        promise.resolve(promise_reject(this.realm, throw.value))
        return promise
    document = _document(this)
    handle = JSObject(
        this.realm,
        {
            "name": tool_name,
            "description": "",
            "origin": serialization(origin_of(document)),
            "window": document.window.proxy,
        },
    )
    plain = JSObject(this.realm, {"signal": UNDEFINED if signal is None else signal})
    return go_on(this, name, [handle, parsed, plain])


def _padded(arguments: Sequence[JSValue], count: int) -> list[JSValue]:
    return [*arguments[:count], *[UNDEFINED] * (count - len(arguments))]


def _document(this: ModelContext) -> Document:
    return associated_document(relevant_global_object(this))


def _throw_if_aborted(signal: JSValue) -> None:
    """Call ``signal?.throwIfAborted()``."""
    if signal is UNDEFINED or signal is None:
        return
    if not isinstance(signal, AbortSignal):
        raise type_error("signal.throwIfAborted is not a function")
    if signal.aborted:
        raise Throw(signal.reason)


def _tool(this: ModelContext, tool: JSValue) -> JSObject:
    """Return the members of a tool, or throw if it is not valid."""
    if not isinstance(tool, JSObject) or isinstance(tool, JSFunction):
        raise type_error("the tool must be an object")
    name, description, title = (tool.get(key) for key in ("name", "description", "title"))
    if name is UNDEFINED or description is UNDEFINED:
        raise type_error("the tool needs a name and a description")
    annotations, schema, _, execute = (
        tool.get(key) for key in ("annotations", "inputSchema", "outputSchema", "execute")
    )
    name_text = to_string(name)
    read = JSObject(this.realm, {"name": name_text, "execute": execute})
    if title is not UNDEFINED:
        read.properties["title"] = to_string(title)
    description_text = read.properties["description"] = to_string(description)
    if annotations is not UNDEFINED:
        read.properties["annotations"] = _annotations(annotations, this.realm)
    if not valid_tool_name(name_text) or description_text == "":
        raise Throw(DOMException("InvalidStateError"))
    if not isinstance(execute, JSFunction):
        raise type_error("execute must be a function")
    if this.internal_context.tool_map.exists(name_text):
        raise Throw(DOMException("InvalidStateError"))
    if schema is not UNDEFINED:
        read.properties["inputSchema"] = _schema(schema, this.realm)
    return read


def _annotations(annotations: JSValue, realm: Realm) -> JSObject:
    """Return the annotations; those for other libraries are read a second time if they are not undefined."""
    members = UNDEFINED if isinstance(annotations, JSArray | JSFunction) else annotations
    read = JSObject(realm)
    if member(members, "title") is not UNDEFINED:
        to_string(member(members, "title"))
    read.properties["readOnlyHint"] = to_boolean(member(members, "readOnlyHint"))
    for key in ("destructiveHint", "idempotentHint", "openWorldHint"):
        if member(members, key) is not UNDEFINED:
            member(members, key)
    read.properties["untrustedContentHint"] = to_boolean(member(members, "untrustedContentHint"))
    return read


def _schema(schema: JSValue, realm: Realm) -> JSObject:
    """Return an object with the JSON text of the schema."""
    if not isinstance(schema, JSObject):
        raise type_error("the schema must be an object")
    text = stringify(schema)
    if not isinstance(text, str):
        raise type_error("the schema must have a JSON text")
    return JSObject(realm, {"toJSON": JSFunction(realm, lambda this, arguments: parse(text, realm), "toJSON")})


def _origins(options: JSValue, key: str) -> JSArray:
    """Return the origins as text, each of which must be a URL."""
    origins = member(options, key)
    items: Iterable[JSValue] = []
    if isinstance(origins, JSArray | str):
        items = origins
    elif origins is not UNDEFINED and origins is not None:
        raise type_error("the origins are not iterable")
    return JSArray(None, [_url(origin) for origin in items])


def _url(origin: JSValue) -> str:
    try:
        text = convert_to_a_scalar_value_string(to_string(origin))
    except Throw:
        text = ""
    if url_parser(text) is None:
        # The polyfill puts the value into a message.
        string(origin)
        raise Throw(DOMException("SecurityError"))
    return text


def _name_of_an_own_tool(this: ModelContext, tool: JSValue) -> JSValue:
    if not isinstance(tool, JSObject) or isinstance(tool, JSFunction):
        raise type_error("the tool must be an object")
    if any(key not in tool.properties for key in ("name", "description", "window", "origin")):
        raise type_error("the tool lacks a member")
    origin = tool.get("origin")
    try:
        url = url_parser(convert_to_a_scalar_value_string(string(origin)))
    except Throw:
        url = None
    # In Chromium the origin of a file: URL has a serialization of its own.
    if url is None or (is_opaque(url_origin(url)) and url.scheme != "file"):
        # The polyfill puts the value into a message.
        string(origin)
        raise Throw(DOMException("NotSupportedError"))
    document = _document(this)
    is_own = tool.get("window") is document.window.proxy
    if not is_own or tool.get("origin") != serialization(origin_of(document)):
        to_string(tool.get("name"))
        raise Throw(DOMException("UnknownError"))
    return tool.get("name")


def _input(text: JSValue, realm: Realm) -> JSObject:
    """Return the object of a JSON text."""
    try:
        value = parse(to_string(text), realm)
    except Throw:
        value = UNDEFINED
    if not isinstance(value, JSObject):
        raise Throw(DOMException("UnknownError"))
    return value
