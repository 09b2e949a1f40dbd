"""The bindings of some IDL as JavaScript, for hosts that run real scripts.

The arguments of a script are converted in its own realm, in the order that Web IDL prescribes, and cross as data: strings,
booleans, lists, null for absent values, and numbers that stand for objects. The code uses the helpers in page/realm.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from modelcontext.platform.webidl.conversions import snake_case

if TYPE_CHECKING:
    from modelcontext.platform.webidl.idl import (
        Argument,
        Attribute,
        Definitions,
        Dictionary,
        IDLType,
        Interface,
        Operation,
    )

_SIMPLE = {
    "DOMString": "toDOMString({})",
    "USVString": "toUSVString({})",
    "boolean": "({} ? true : false)",
    "object": "toObject({}, true)",
    "any": "hold({})",
    "AbortSignal": "toAbortSignal({})",
    "Window": "toWindow({})",
}


def bindings(definitions: Definitions, own: Collection[str]) -> str:
    """Return the conversions and interfaces, as statements to run after the modules of page/realm.

    Args:
        definitions: the IDL, together with that of the platform.
        own: the names of the interfaces to make. Attributes of other interfaces, such as Document, are added to those.
    """
    lines: list[str] = []
    for dictionary in definitions.dictionaries.values():
        lines += _dictionary(definitions, dictionary)
    for interface in definitions.interfaces.values():
        if interface.name in own:
            lines += _interface(definitions, interface)
    for interface in definitions.interfaces.values():
        for attribute in interface.attributes.values():
            if interface.name not in own and attribute.type.name in own:
                lines += [f"extend({interface.name}.prototype, {{", *_indented(_attribute(interface, attribute)), "});"]
    return "\n".join(lines)


def shapes(definitions: Definitions) -> str:
    """Return the shapes by which Python makes values of the data, as JSON: of dictionaries and of operations."""
    dictionaries = {
        dictionary.name: [
            [member.name, snake_case(member.name), _shape(definitions, member.type)]
            for member in definitions.members_of(dictionary)
        ]
        for dictionary in definitions.dictionaries.values()
    }
    operations = {
        f"{interface.name}.{operation.name}": [_shape(definitions, argument.type) for argument in operation.arguments]
        for interface in definitions.interfaces.values()
        for operation in interface.operations.values()
    }
    return json.dumps({"dictionaries": dictionaries, "operations": operations}, sort_keys=True)


def _shape(definitions: Definitions, type_: IDLType) -> Any:
    if type_.name == "sequence" and type_.inner is not None:
        return ["sequence", _shape(definitions, type_.inner)]
    if type_.name in definitions.dictionaries:
        return ["dictionary", type_.name]
    if type_.name in definitions.callbacks:
        return ["callback", type_.name]
    if type_.name in ("DOMString", "USVString", "boolean"):
        return ["primitive"]
    if type_.name == "Window":
        return ["Window"]
    is_own = type_.name in definitions.interfaces and type_.name not in _SIMPLE
    return ["platform object"] if is_own else ["object"]


def _is_returned(definitions: Definitions, dictionary: Dictionary) -> bool:
    """Return whether operations return such dictionaries; algorithms do not read the objects in one that comes back."""

    def named(type_: IDLType) -> str:
        return named(type_.inner) if type_.inner is not None else type_.name

    operations = [one for interface in definitions.interfaces.values() for one in interface.operations.values()]
    return any(named(operation.returns) == dictionary.name for operation in operations)


def _conversion(definitions: Definitions, type_: IDLType, value: str, *, in_returned: bool = False) -> str:
    if type_.nullable:  # In the data, null stands for absent.
        raise NotImplementedError(f"no conversion for the nullable IDL type {type_.name}?")
    if type_.name == "object" and in_returned:
        return f"toObject({value}, false)"
    if type_.name in _SIMPLE:
        return _SIMPLE[type_.name].format(value)
    if type_.name == "sequence" and type_.inner is not None:
        return f"toSequence({value}, (item) => {_conversion(definitions, type_.inner, 'item')})"
    if type_.name in definitions.dictionaries:
        return f"to{type_.name}({value})"
    if type_.name in definitions.callbacks:
        return f"toCallback({value}, {json.dumps(type_.name)})"
    if type_.name in definitions.interfaces:
        return f"toPlatformObject({value}, {json.dumps(type_.name)})"
    raise NotImplementedError(f"no conversion for the IDL type {type_.name}")


def _dictionary(definitions: Definitions, dictionary: Dictionary) -> Iterator[str]:
    """https://webidl.spec.whatwg.org/#js-dictionary"""
    yield f"function to{dictionary.name}(V) {{"
    yield f"  const dictionary = toDictionary(V, {json.dumps(dictionary.name)});"
    yield "  const data = list();"
    yield "  let value;"
    returned = _is_returned(definitions, dictionary)
    for index, member in enumerate(definitions.members_of(dictionary)):
        yield f"  value = dictionary === undefined ? undefined : dictionary.{member.name};"
        if member.required:
            yield f"  if (value === undefined) throw missing({json.dumps(dictionary.name)}, {json.dumps(member.name)});"
            yield f"  data[{index}] = {_conversion(definitions, member.type, 'value', in_returned=returned)};"
        else:
            otherwise = json.dumps(member.default) if member.has_default else "null"
            converted = _conversion(definitions, member.type, "value", in_returned=returned)
            yield f"  data[{index}] = value === undefined ? {otherwise} : {converted};"
    yield "  return data;"
    yield "}"


def _interface(definitions: Definitions, interface: Interface) -> Iterator[str]:
    name = json.dumps(interface.name)
    above = interface.inherits
    yield f"class {interface.name}{f' extends {above}' if above else ''} {{"
    if interface.constructor is None:
        yield "  constructor() {"
        yield f"    {'return ' if above else ''}illegal({name});"
        yield "  }"
    else:
        yield from _indented(_event_constructor(definitions, interface, interface.constructor))
    yield "}"
    yield f"extend({interface.name}.prototype, {{"
    for operation in interface.operations.values():
        yield from _indented(_operation(definitions, interface, operation))
    for attribute in interface.attributes.values():
        yield from _indented(_attribute(interface, attribute))
    yield "});"
    yield f"expose({interface.name}, {name});"


def _event_constructor(definitions: Definitions, interface: Interface, constructor: Operation) -> Iterator[str]:
    """Yield the constructor of an interface that inherits from Event; it stores the members of the init dictionary."""
    init = constructor.arguments[1].type
    members = [member.name for member in definitions.members_of(definitions.dictionaries[init.name])]
    yield f"constructor({_required(constructor)}) {{"
    yield from _indented(_arguments(definitions, interface, constructor))
    yield f"  return newEvent(new.target, data[0], data[1], {json.dumps(members)});"
    yield "}"


def _operation(definitions: Definitions, interface: Interface, operation: Operation) -> Iterator[str]:
    promises = operation.returns.name == "Promise"
    yield f"{operation.name}({_required(operation)}) {{"
    if promises:
        yield "  try {"
    yield f"    const id = brand(this, {json.dumps(interface.name)});"
    yield from _indented(_indented(_arguments(definitions, interface, operation)))
    yield f"    return call(id, {json.dumps(f'{interface.name}.{operation.name}')}, data);"
    if promises:
        yield "  } catch (error) {"
        yield "    return rejectedWith(error);"
        yield "  }"
    yield "},"


def _arguments(definitions: Definitions, interface: Interface, operation: Operation) -> Iterator[str]:
    needed = operation.required_arguments
    if needed:
        yield f"if (arguments.length < {needed}) throw tooFew({json.dumps(operation.name)}, {needed}, arguments.length);"
    yield "const data = list();"
    for index, argument in enumerate(operation.arguments):
        yield f"data[{index}] = {_argument(definitions, argument, f'arguments[{index}]')};"


def _argument(definitions: Definitions, argument: Argument, value: str) -> str:
    converted = _conversion(definitions, argument.type, value)
    if argument.optional and not argument.has_default:
        return f"{value} === undefined ? null : {converted}"
    return converted


def _attribute(interface: Interface, attribute: Attribute) -> Iterator[str]:
    own = json.dumps(interface.name)
    name = attribute.name
    if attribute.type.name == "EventHandler":
        type_ = json.dumps(name.removeprefix("on"))
        yield f"get {name}() {{ return getHandler(this, {own}, {type_}); }},"
        yield f"set {name}(V) {{ setHandler(this, {own}, {type_}, V); }},"
    elif attribute.type.name in ("DOMString", "USVString", "boolean"):
        yield f"get {name}() {{ return eventAttribute(this, {own}, {json.dumps(name)}); }},"
    else:
        arguments = f"{own}, {json.dumps(name)}, {json.dumps(attribute.type.name)}"
        yield f"get {name}() {{ return getObject(identify{interface.name}(this), {arguments}); }},"


def _required(operation: Operation) -> str:
    return ", ".join(argument.name for argument in operation.arguments if not argument.optional)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
