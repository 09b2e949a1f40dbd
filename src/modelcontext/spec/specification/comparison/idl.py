"""Comparison of the declarations in the IDL of two specifications.

The order of definitions and members, comments, white space, and the split of an interface into partial ones make no
difference. All other things do: interfaces, inheritance, members, types, arguments with their order, names and defaults,
required members, extended attributes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from pywebidl2 import expr

from modelcontext.spec.specification.comparison.differences import TextDifference
from modelcontext.spec.specification.text.algorithms import SpecificationError
from modelcontext.spec.specification.text.dictionaries import parse_idl

# The extended attributes that a partial definition can have for all of its members.
_OF_MEMBERS = ("Exposed", "SecureContext", "CrossOriginIsolated")
_ATTRIBUTES = "extended attributes"
_CONTAINERS = (expr.Interface, expr.InterfaceMixin, expr.CallbackInterface, expr.Dictionary, expr.Namespace)


@dataclass(slots=True)
class _Item:
    """A definition, a member or an argument, with its properties (``aspects``) and its parts."""

    name: str
    text: str
    aspects: dict[str, str | None]
    members: list[_Item] = field(default_factory=list)
    arguments: list[_Item] = field(default_factory=list)


def compare_idl(ours: str, other: str, our_name: str, other_name: str) -> list[TextDifference]:
    """Return the differences, in the order of our definitions and then of the other's.

    Raises:
        SpecificationError: if a text is not valid Web IDL; the message has its name.
    """
    return list(_compare("", _items(ours, our_name), _items(other, other_name)))


def _items(idl: str, name: str) -> list[_Item]:
    items: dict[str, _Item] = {}
    partial: set[str] = set()
    # The partial ones come last, so that they find the definition that they belong to.
    definitions = sorted(parse_idl(idl, name), key=lambda definition: getattr(definition, "partial", False))
    for definition in definitions:
        item = _definition(definition)
        is_partial = getattr(definition, "partial", False)
        known = items.setdefault(item.name, item)
        if known is item:
            partial |= {item.name} if is_partial else set()
        elif not is_partial or known.aspects["kind"] != item.aspects["kind"]:
            raise SpecificationError(f"{name} declares {item.name} twice: remove or rename one")
        else:
            known.members += item.members
    for item in items.values():
        if item.members:
            item.text += f" {{ {'; '.join(member.text for member in item.members)} }}"
        if item.name in partial:
            item.text = f"partial {item.text}"
    return list(items.values())


def _definition(definition: expr.Definition) -> _Item:
    match definition:
        case expr.Includes():
            text = f"{definition.target} includes {definition.includes}"
            return _Item(text, text, {"kind": "includes"})
        case expr.Typedef():
            type_ = _type(definition.idl_type)
            aspects = _aspects(definition, kind="typedef", type=type_)
            return _Item(definition.name, f"typedef {type_} {definition.name}", aspects)
        case expr.Enum():
            values = ", ".join(sorted(f'"{value.value}"' for value in definition.values))
            aspects = _aspects(definition, kind="enum", values=values)
            return _Item(definition.name, f"enum {definition.name} {{ {values} }}", aspects)
        case expr.Callback():
            type_ = _type(definition.idl_type)
            text = f"callback {definition.name} = {type_} ({_list(definition.arguments)})"
            aspects = _aspects(definition, kind="callback", return_type=type_)
            return _Item(definition.name, text, aspects, arguments=_arguments(definition.arguments))
    assert isinstance(definition, _CONTAINERS)
    return _container(definition)


def _container(definition: Any) -> _Item:
    members = [_member(member) for member in definition.members]
    inherits = getattr(definition, "inheritance", None)
    aspects = _aspects(definition, kind=definition.type, inheritance=inherits)
    if definition.partial:
        # The extended attributes of a partial definition are those of its members.
        aspects[_ATTRIBUTES] = None
        shared = [attribute for attribute in definition.ext_attrs if attribute.name in _OF_MEMBERS]
        for member, item in zip(definition.members, members, strict=True):
            own = {attribute.name for attribute in member.ext_attrs}
            item.aspects[_ATTRIBUTES] = _attributes(
                [*member.ext_attrs, *(one for one in shared if one.name not in own)]
            )
    text = f"{definition.type} {definition.name}" + (f" : {inherits}" if inherits else "")
    return _Item(definition.name, text, aspects, members)


def _member(member: expr.Member) -> _Item:
    match member:
        case expr.Constructor():
            text = f"constructor({_list(member.arguments)})"
            return _Item("constructor", text, _aspects(member), arguments=_arguments(member.arguments))
        case expr.Operation():
            type_ = _type(member.idl_type) if member.idl_type else None
            words = [word for word in (member.special, type_, f"{member.name}({_list(member.arguments)})") if word]
            aspects = _aspects(member, return_type=type_, special=member.special or None)
            name = member.name or member.special
            return _Item(name, " ".join(words), aspects, arguments=_arguments(member.arguments))
        case expr.Attribute():
            type_ = _type(member.idl_type)
            access = "read-only" if member.readonly else "read-write"
            words = [word for word in (member.special, "readonly" if member.readonly else "", "attribute") if word]
            aspects = _aspects(member, kind="attribute", type=type_, access=access, special=member.special or None)
            return _Item(member.name, " ".join([*words, type_, member.name]), aspects)
        case expr.Const():
            type_, value = _type(member.idl_type), _value(member.value)
            text = f"const {type_} {member.name} = {value}"
            return _Item(member.name, text, _aspects(member, kind="const", type=type_, value=value))
        case expr.Field():
            type_, default = _type(member.idl_type), _value(member.default)
            # Only for a field the parser keeps the underscore that marks a name as not a keyword.
            name = member.name.removeprefix("_")
            text = ("required " if member.required else "") + f"{type_} {name}" + (f" = {default}" if default else "")
            presence = "required" if member.required else "optional"
            return _Item(name, text, _aspects(member, type=type_, presence=presence, default=default))
    return _declared(member)


def _declared(member: Any) -> _Item:
    """Return the item of an iterable, maplike or setlike declaration."""
    types = ", ".join(_type(one) for one in member.idl_type)
    words = ["readonly" if member.readonly else "", "async" if getattr(member, "async_", False) else "", member.type]
    text = " ".join(word for word in words if word) + f"<{types}>"
    return _Item(member.type, text, _aspects(member, declaration=text), arguments=_arguments(member.arguments))


def _arguments(arguments: Iterable[expr.Argument]) -> list[_Item]:
    return [
        _Item(
            argument.name,
            _argument_text(argument),
            _aspects(
                argument,
                type=_type(argument.idl_type) + ("..." if argument.variadic else ""),
                presence="optional" if argument.optional else "required",
                default=_value(argument.default),
            ),
        )
        for argument in arguments
    ]


def _list(arguments: Iterable[expr.Argument]) -> str:
    return ", ".join(_argument_text(argument) for argument in arguments)


def _argument_text(argument: expr.Argument) -> str:
    default = _value(argument.default)
    text = f"{_type(argument.idl_type)}{'...' if argument.variadic else ''} {argument.name}"
    return ("optional " if argument.optional else "") + text + (f" = {default}" if default else "")


def _type(idl_type: expr.IdlType) -> str:
    inner = idl_type.idl_type
    if idl_type.union and isinstance(inner, list):
        # The order of a union's types makes no difference.
        text = f"({' or '.join(sorted(_type(one) for one in inner))})"
    elif idl_type.generic and isinstance(inner, list):
        text = f"{idl_type.generic}<{', '.join(_type(one) for one in inner)}>"
    else:
        text = _type(inner) if isinstance(inner, expr.IdlType) else str(inner)
    attributes = _attributes(idl_type.ext_attrs)
    return (f"{attributes} " if attributes else "") + text + ("?" if idl_type.nullable else "")


def _value(value: expr.Expression | None) -> str | None:
    match value:
        case None:
            return None
        case expr.Null():
            return "null"
        case expr.NaN():
            return "NaN"
        case expr.Infinity():
            return "-Infinity" if value.negative else "Infinity"
        case expr.Literal(type="string"):
            return f'"{value.value}"'
        case expr.Literal(type="boolean"):
            return str(value.value).lower()
        case expr.Literal(type="dictionary"):
            return "{}"
        case expr.Literal(type="sequence"):
            return "[]"
    return str(getattr(value, "value", value))


def _aspects(of: Any, **aspects: str | None) -> dict[str, str | None]:
    named = {name.replace("_", " "): value for name, value in aspects.items()}
    return named | {_ATTRIBUTES: _attributes(of.ext_attrs)}


def _attributes(attributes: Iterable[expr.ExtendedAttribute]) -> str | None:
    texts = sorted(_attribute(attribute) for attribute in attributes)
    return f"[{', '.join(texts)}]" if texts else None


def _attribute(attribute: expr.ExtendedAttribute) -> str:
    text = attribute.name
    match attribute.rhs:
        case expr.LiteralList(value=[only]):
            text += f"={_of_list(only)}"
        case expr.LiteralList():
            text += f"=({', '.join(sorted(_of_list(value) for value in attribute.rhs.value))})"
        case expr.Literal():
            text += f"={attribute.rhs.value}"
    if attribute.arguments:
        text += f"({', '.join(_of_list(argument) for argument in attribute.arguments)})"
    return text


def _of_list(value: Any) -> str:
    return _argument_text(value) if isinstance(value, expr.Argument) else str(getattr(value, "value", value))


def _compare(prefix: str, ours: list[_Item], other: list[_Item]) -> Iterator[TextDifference]:
    """Yield the differences of items matched by name; overloads are matched by their text first, then by order."""
    candidates: dict[str, list[_Item]] = defaultdict(list)
    for item in other:
        candidates[item.name].append(item)
    pairs: dict[int, _Item] = {}
    for item in ours:
        same = next((one for one in candidates[item.name] if one.text == item.text), None)
        if same is not None:
            candidates[item.name].remove(same)
            pairs[id(item)] = same
    for item in ours:
        if id(item) not in pairs and candidates[item.name]:
            pairs[id(item)] = candidates[item.name].pop(0)
    for item in ours:
        counterpart = pairs.get(id(item))
        if counterpart is None:
            yield TextDifference("idl", prefix + item.name, "removed", item.text, None)
        else:
            yield from _compare_items(prefix + item.name, item, counterpart)
    for items in candidates.values():
        for item in items:
            yield TextDifference("idl", prefix + item.name, "added", None, item.text)


def _compare_items(subject: str, ours: _Item, other: _Item) -> Iterator[TextDifference]:
    for aspect in dict.fromkeys([*ours.aspects, *other.aspects]):
        left, right = ours.aspects.get(aspect), other.aspects.get(aspect)
        if left != right:
            yield TextDifference("idl", subject, aspect, left, right)
    yield from _compare_arguments(subject, ours.arguments, other.arguments)
    yield from _compare(f"{subject}.", ours.members, other.members)


def _compare_arguments(subject: str, ours: list[_Item], other: list[_Item]) -> Iterator[TextDifference]:
    """Yield the differences of lists of arguments, which match if they have the same name or the same place."""
    matcher = SequenceMatcher(None, [item.name for item in ours], [item.name for item in other], autojunk=False)
    for _, first, last, other_first, other_last in matcher.get_opcodes():
        old, new = ours[first:last], other[other_first:other_last]
        if len(old) == len(new):
            for left, right in zip(old, new, strict=True):
                if left.name != right.name:
                    yield TextDifference("idl", f"{subject}({left.name})", "name", left.name, right.name)
                yield from _compare_items(f"{subject}({left.name})", left, right)
            continue
        for item in old:
            yield TextDifference("idl", f"{subject}({item.name})", "removed", item.text, None)
        for item in new:
            yield TextDifference("idl", f"{subject}({item.name})", "added", None, item.text)
