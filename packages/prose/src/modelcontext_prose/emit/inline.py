"""Phrases that Python itself says: what is done with strings, numbers, lists and maps."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from modelcontext_prose.emit.scope import Emitter, Value
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_types import (
    BOOLEAN,
    NONE,
    STRING,
    UNKNOWN,
    PythonType,
    list_of,
)

if TYPE_CHECKING:
    from speclint.prose import tree

_Arguments: TypeAlias = "Sequence[tree.Expression]"
Inline: TypeAlias = "Callable[[Emitter, _Arguments], Value]"

#: For tests of a value's class, the class, and the type that the test shows.
TYPE_TESTS: Final[Mapping[str, tuple[str, PythonType]]] = {
    "is_a_string": ("str", STRING),
    "is_a_javascript_string": ("str", STRING),
    "is_a_symbol": ("Symbol", PythonType("Symbol")),
    "is_a_boolean": ("bool", BOOLEAN),
    "is_a_list": ("list", list_of(PythonType("object"))),
    "is_an_ordered_map": ("dict", PythonType("dict", (STRING, PythonType("object")))),
}
#: For tests that are functions, the type that the test shows.
TYPE_GUARDS: Final[Mapping[str, PythonType]] = {
    "is_a_number": PythonType("float"),
    "is_an_integer": PythonType("float"),
}


def _size(emitter: Emitter, arguments: _Arguments) -> Value:
    return Value(_called("len", emitter.present(arguments[0]).node), PythonType("int"))


def _new_object(emitter: Emitter, arguments: _Arguments) -> Value:
    return Value(ast.Call(ast.Name("new_empty_object"), [emitter.own_realm(arguments[0])], []), PythonType("JSObject"))


def _invoked(emitter: Emitter, arguments: _Arguments) -> Value:
    given = emitter.present(arguments[1]).node
    listed = given if isinstance(given, ast.List) else ast.List([given])
    callback = emitter.fitted(arguments[0], PythonType("CallbackFunction"))
    return Value(
        ast.Call(ast.Name("invoke"), [callback, listed, ast.Name("UNDEFINED")], []), PythonType("PromiseObject")
    )


def _keys(emitter: Emitter, arguments: _Arguments) -> Value:
    found = emitter.present(arguments[0])
    if found.type.name == "OrderedMap":
        # It records each entry that is read.
        found = _clone(emitter, arguments)
    return Value(_called("list", found.node), list_of(_part(found, 0)))


def _values(emitter: Emitter, arguments: _Arguments) -> Value:
    found = emitter.present(arguments[0])
    call = ast.Call(ast.Attribute(found.node, "values"), [], [])
    return Value(call if found.type.name == "OrderedMap" else _called("list", call), list_of(_part(found, 1)))


def _concatenation(emitter: Emitter, arguments: _Arguments) -> Value:
    if len(arguments) == 2:
        parts, separator = emitter.present(arguments[0]), emitter.present(arguments[1])
        return Value(ast.Call(ast.Attribute(separator.node, "join"), [parts.node], []), STRING)
    parts = emitter.present(arguments[0])
    if not isinstance(parts.node, ast.List):
        raise ProseError("the parts of a concatenation are not listed", arguments[0].place)
    node, *others = parts.node.elts
    for other in others:
        node = ast.BinOp(node, ast.Add(), other)
    return Value(node, STRING)


def _sorted(*, is_descending: bool = False) -> Inline:
    def sort(emitter: Emitter, arguments: _Arguments) -> Value:
        items, first, second, is_less = arguments
        found = emitter.present(items)
        order = [ast.keyword(arg="key", value=emitter.sort_key(first, second, is_less, _part(found, 0)))]
        order += [ast.keyword(arg="reverse", value=ast.Constant(True))] if is_descending else []
        return Value(ast.Call(ast.Name("sorted"), [found.node], order), found.type)

    return sort


def _item_at(index: int) -> Inline:
    def look_up(emitter: Emitter, arguments: _Arguments) -> Value:
        found = emitter.as_collection(emitter.present(arguments[0]))
        return Value(ast.Subscript(found.node, ast.Constant(index)), _part(found, 0))

    return look_up


def _calculated(operator: ast.operator) -> Inline:
    def calculate(emitter: Emitter, arguments: _Arguments) -> Value:
        left, right = (emitter.present(one) for one in arguments)
        return Value(ast.BinOp(left.node, operator, right.node), left.type)

    return calculate


def _method(name: str) -> Inline:
    def call(emitter: Emitter, arguments: _Arguments) -> Value:
        string, *others = (emitter.present(one).node for one in arguments)
        given = others[0] if len(others) == 1 else ast.Tuple(others)
        return Value(ast.Call(ast.Attribute(string, name), [given], []), BOOLEAN)

    return call


def _contains(emitter: Emitter, arguments: _Arguments) -> Value:
    items, item = emitter.as_collection(emitter.present(arguments[0])), emitter.value(arguments[1])
    if items.type.name == "OrderedMap":
        return Value(ast.Call(ast.Attribute(items.node, "exists"), [item.node], []), BOOLEAN)
    return Value(ast.Compare(item.node, [ast.In()], [items.node]), BOOLEAN)


def _is_empty(emitter: Emitter, arguments: _Arguments) -> Value:
    return Value(ast.UnaryOp(ast.Not(), emitter.present(arguments[0]).node), BOOLEAN)


def _compared(operator: ast.cmpop) -> Inline:
    def compare(emitter: Emitter, arguments: _Arguments) -> Value:
        left, right = (emitter.present(one) for one in arguments)
        return Value(ast.Compare(left.node, [operator], [right.node]), BOOLEAN)

    return compare


def _is_a_multiple(emitter: Emitter, arguments: _Arguments) -> Value:
    number, other = (emitter.present(one) for one in arguments)
    rest = ast.BinOp(number.node, ast.Mod(), other.node)
    return Value(ast.Compare(rest, [ast.Eq()], [ast.Constant(0)]), BOOLEAN)


def _attribute(name: str, type_: PythonType) -> Inline:
    def look_up(emitter: Emitter, arguments: _Arguments) -> Value:
        return Value(ast.Attribute(emitter.present(arguments[0]).node, name), type_)

    return look_up


def _append(emitter: Emitter, arguments: _Arguments) -> Value:
    items, item = emitter.present(arguments[0]), emitter.value(arguments[1])
    emitter.put(arguments[0], (item.type,))
    return Value(ast.Call(ast.Attribute(items.node, "append"), [item.node], []), NONE)


def _changed(name: str) -> Inline:
    """Return the call of a function that changes a list by an item."""

    def change(emitter: Emitter, arguments: _Arguments) -> Value:
        items, item = emitter.present(arguments[0]), emitter.value(arguments[1])
        emitter.put(arguments[0], (item.type,))
        return Value(_called(name, items.node, item.node), NONE)

    return change


def _prepend(emitter: Emitter, arguments: _Arguments) -> Value:
    items, item = emitter.present(arguments[0]), emitter.value(arguments[1])
    emitter.put(arguments[0], (item.type,))
    return Value(ast.Call(ast.Attribute(items.node, "insert"), [ast.Constant(0), item.node], []), NONE)


def _emptied(name: str, *given: int) -> Inline:
    """Return the call of a method of a list that takes items out."""

    def empty(emitter: Emitter, arguments: _Arguments) -> Value:
        items = emitter.present(arguments[0])
        return Value(ast.Call(ast.Attribute(items.node, name), [ast.Constant(one) for one in given], []), NONE)

    return empty


def _extend(emitter: Emitter, arguments: _Arguments) -> Value:
    items, others = emitter.present(arguments[0]), emitter.present(arguments[1])
    emitter.put(arguments[0], (_part(others, 0),))
    return Value(ast.Call(ast.Attribute(items.node, "extend"), [others.node], []), NONE)


def _clone(emitter: Emitter, arguments: _Arguments) -> Value:
    found = emitter.present(arguments[0])
    if found.type.name == "OrderedMap":
        entries = ast.Call(ast.Attribute(found.node, "items"), [], [])
        return Value(_called("dict", entries), PythonType("dict", found.type.arguments))
    return Value(_called(found.type.name, found.node), found.type)


def _part(found: Value, index: int) -> PythonType:
    return found.type.arguments[index] if len(found.type.arguments) > index else UNKNOWN


def _called(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name), list(arguments), [])


#: The expressions of phrases, by the names of their verbs.
INLINE: Final[Mapping[str, Inline]] = {
    "size": _size,
    "keys": _keys,
    "values": _values,
    "concatenation": _concatenation,
    "sorted_in_ascending_order": _sorted(),
    "sorted_in_descending_order": _sorted(is_descending=True),
    # Taken at its word, the act makes a sorted list and drops it.
    "sort_in_ascending_order": _sorted(),
    "ordinary_object_create": _new_object,
    "invoke_with": _invoked,
    "contains": _contains,
    "is_empty": _is_empty,
    "is_greater_than": _compared(ast.Gt()),
    "is_less_than": _compared(ast.Lt()),
    "is_at_least": _compared(ast.GtE()),
    "is_at_most": _compared(ast.LtE()),
    "is_a_multiple_of": _is_a_multiple,
    "option_value": _attribute("value", STRING),
    "option_label": _attribute("label", STRING),
    "option_text": _attribute("descendant_text_content", STRING),
    "dirty_value_flag": _attribute("dirty_value_flag", BOOLEAN),
    "is_initial_about_blank": _attribute("is_initial_about_blank", BOOLEAN),
    "option_selectedness": _attribute("selectedness", BOOLEAN),
    "option_is_disabled": _attribute("is_disabled", BOOLEAN),
    "canceled_flag": _attribute("canceled_flag", BOOLEAN),
    "dispatch_flag": _attribute("dispatch_flag", BOOLEAN),
    "plus": _calculated(ast.Add()),
    "minus": _calculated(ast.Sub()),
    "first_item": _item_at(0),
    "last_item": _item_at(-1),
    "starts_with": _method("startswith"),
    "ends_with": _method("endswith"),
    "append": _append,
    "append_to_a_set": _changed("append_to_a_set"),
    "remove_from_a_list": _changed("remove_from_a_list"),
    "prepend": _prepend,
    "remove_first_item": _emptied("pop", 0),
    "empty": _emptied("clear"),
    "extend": _extend,
    "clone": _clone,
}
