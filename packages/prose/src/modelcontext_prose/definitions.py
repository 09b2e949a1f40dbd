"""The definitions of a text, with their names and types in Python: structs, state of objects, IDL, and algorithms.

A struct is a class with its name in capitals; if the IDL has that name already, "Struct" stands behind it:
``ModelContextStruct`` beside the interface ``ModelContext``. State that the text gives to an object of the platform
is kept by that object; there are three ways, and :class:`Owner` says which.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, cast

from pywebidl2 import expr

from modelcontext.spec.specification.text.algorithms import python_identifier
from modelcontext.spec.specification.text.dictionaries import generate_dictionaries, parse_idl
from modelcontext_prose.platform import home_of
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_types import (
    BOOLEAN,
    NONE,
    STRING,
    UNKNOWN,
    PythonType,
    list_of,
    read_type,
    union,
)

if TYPE_CHECKING:
    from speclint.prose.prose_text import Algorithm, ItemDefinition, StructDefinition, Text
    from speclint.prose.tree import Type

#: The Python types of what prose names in other words than Python.
_TYPES: Final[Mapping[str, PythonType]] = {
    "string": STRING,
    "scalar value string": STRING,
    "code point": STRING,
    "boolean": BOOLEAN,
    "number": read_type("int | float"),
    "unique internal value": PythonType("int"),
    "origin": PythonType("Origin"),
    "document": PythonType("Document"),
    "navigable": PythonType("Navigable"),
    "traversable navigable": PythonType("Navigable"),
    "top-level traversable": PythonType("Navigable"),
    "realm": PythonType("Realm"),
    "promise": PythonType("PromiseObject"),
    "node": PythonType("TreeScope"),
    "element": PythonType("FormAssociatedElement"),
    "form element": PythonType("HTMLFormElement"),
    "infra value": PythonType("object"),
    "javascript value": PythonType("JSValue"),
    "object": PythonType("JSObject"),
    "null": NONE,
}
_IDL_TYPES: Final[Mapping[str, PythonType]] = {
    "DOMString": STRING,
    "USVString": STRING,
    "boolean": BOOLEAN,
    "object": PythonType("JSObject"),
    "any": PythonType("JSValue"),
}
ABSENT: Final = PythonType("Absent")


@dataclass(frozen=True, slots=True)
class Owner:
    """Objects to which the text gives state: the Python class, and how they keep it.

    "attribute": as attributes of their own. "object": one object for each item, which is made together with them and
    found by a function. "state": in one object with all items, which ``state_of`` finds.
    """

    type: PythonType
    keeps: Literal["attribute", "object", "state"]


_OWNERS: Final[Mapping[str, Owner]] = {
    "document": Owner(PythonType("Document"), "object"),
    "navigator": Owner(PythonType("Navigator"), "object"),
    "traversable navigable": Owner(PythonType("Navigable"), "object"),
    "form": Owner(PythonType("HTMLFormElement"), "state"),
    "submitevent": Owner(PythonType("SubmitEvent"), "attribute"),
}


@dataclass(frozen=True, slots=True)
class ItemClass:
    """An item of a struct, or of an object's state: its name in the text's own letters, and its name and type in Python."""

    words: str
    identifier: str
    type: PythonType
    definition: ItemDefinition


@dataclass(frozen=True, slots=True)
class Alias:
    """The type of steps that are a value: its name, and the types of their parameters."""

    name: str
    parameters: tuple[PythonType, ...]


# The definitions of a text; the other ones are those of an IDL.
class Definitions:
    """The definitions of one text."""

    def __init__(self, text: Text, address: str, inferred: Mapping[tuple[str, str], PythonType]) -> None:
        self.text = text
        self._inferred = inferred
        self.address = address
        self._idl = parse_idl(text.source.idl, "the IDL of the specification")
        #: The policy-controlled features that steps name, by their names in Python.
        self.features: dict[str, str] = {}

    @cached_property
    def dictionaries_source(self) -> str:
        """The source of the module of the dictionaries."""
        platform = files("modelcontext.platform.webidl").joinpath("platform.webidl").read_text(encoding="utf-8")
        return generate_dictionaries(self.text.source.idl, platform, Path(self.text.source.path.name))

    @cached_property
    def dictionaries(self) -> Mapping[str, Mapping[str, PythonType]]:
        """The members of each dictionary, with their types, by their names in Python."""
        classes = [node for node in ast.parse(self.dictionaries_source).body if isinstance(node, ast.ClassDef)]
        return {
            one.name: {
                node.target.id: read_type(ast.unparse(node.annotation))
                for node in one.body
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            }
            for one in classes
        }

    @cached_property
    def interfaces(self) -> Mapping[str, expr.Interface]:
        """The interfaces that the text itself defines, except those of events: the platform has these."""
        found = {one.name: one for one in self._idl if isinstance(one, expr.Interface) and not one.partial}
        return {name: one for name, one in found.items() if not self.is_event(name)}

    @cached_property
    def callbacks(self) -> frozenset[str]:
        """The names of the callback functions."""
        return frozenset(one.name for one in self._idl if isinstance(one, expr.Callback))

    @cached_property
    def partial_interfaces(self) -> list[expr.Interface]:
        """The interfaces of the platform that the text extends."""
        return [one for one in self._idl if isinstance(one, expr.Interface) and one.partial]

    def is_event(self, interface: str) -> bool:
        """Return whether an interface is that of an event."""
        parents = {one.name: one.inheritance for one in self._idl if isinstance(one, expr.Interface)}
        return interface == "Event" or interface.endswith("Event") or parents.get(interface) == "Event"

    @cached_property
    def _names_of_idl(self) -> frozenset[str]:
        return frozenset(str(getattr(one, "name", "")) for one in self._idl)

    def class_of(self, struct: str) -> str:
        """Return the name of the class of a struct."""
        name = "".join(word[:1].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", struct))
        return f"{name}Struct" if name in self._names_of_idl or home_of(name) is not None else name

    @cached_property
    def structs(self) -> Mapping[str, Mapping[str, ItemClass]]:
        """The items of each struct, by their names in the text."""
        return {name: self._items(struct) for name, struct in self.text.structs.items()}

    def _items(self, struct: StructDefinition) -> Mapping[str, ItemClass]:
        return {name: self._item(one) for name, one in struct.items.items()}

    def _item(self, one: ItemDefinition) -> ItemClass:
        type_ = self.inferred(one.owner, one.name) if one.type is None else self.python_type(one.type, one.name).shared
        words = self._written(one.owner, one.name)
        return ItemClass(words, python_identifier(words), type_, one)

    def _written(self, owner: str, name: str) -> str:
        """Return the name of an item as its definition writes it, with capitals."""
        names = (name for one in self.text.source.definitions if one.owner.lower() == owner for name in one.names)
        return next((written for written in names if written.lower() == name), name)

    def inferred(self, owner: str, name: str) -> PythonType:
        """Return the type of an item whose definition says none: that of what steps put there, if they have been read."""
        return self._inferred.get((owner, name), PythonType("object"))

    @cached_property
    def state(self) -> Mapping[tuple[str, str], ItemClass]:
        """The state that the text gives to objects, by owner and name."""
        return {key: self._item(one) for key, one in self.text.state.items()}

    def owner(self, name: str) -> Owner:
        """Return the owner of state with a name in small letters.

        Raises:
            ProseError: if objects of the platform cannot keep state for the text.
        """
        for interface in self.interfaces:
            if interface.lower() == name:
                return Owner(PythonType(interface), "attribute")
        if name not in _OWNERS:
            raise ProseError(f"the text cannot give state to objects of the kind {name}")
        return _OWNERS[name]

    @cached_property
    def aliases(self) -> Mapping[str, Alias]:
        """The types of steps that are values, by their names in Python."""
        found = {}
        for name, type_ in self._steps():
            parameters = tuple(self.python_type(one) for one in type_.arguments)
            found[_alias(name)] = Alias(_alias(name), parameters)
        return found

    def _steps(self) -> Iterator[tuple[str, Type]]:
        yield from ((name, type_) for name, type_ in self.text.types.items() if type_.name == "steps")
        for struct in self.text.structs.values():
            for one in struct.items.values():
                if one.type is not None and one.type.name == "steps":
                    yield one.name, one.type

    def names_of_steps(self) -> list[str]:
        """Return the names in the text of the types of steps."""
        return list(dict.fromkeys(name for name, _ in self._steps()))

    def alias_of(self, name: str) -> Alias | None:
        """Return the type of the steps that a variable holds, which has the name of that type."""
        return self.aliases.get(_alias(name))

    @cached_property
    def maps(self) -> frozenset[str]:
        """The names in Python of the ordered maps that strands share."""
        items = [item for struct in self.structs.values() for item in struct.values()]
        return frozenset(one.identifier for one in [*items, *self.state.values()] if one.type.name == "OrderedMap")

    @cached_property
    def constants(self) -> Mapping[str, str]:
        """The single objects that the text defines: task sources, by their names in Python."""
        return {
            python_identifier(name): name
            for one in self.text.source.definitions
            for name in one.names
            if not one.owner and name.endswith(" task source")
        }

    def this_of(self, algorithm: Algorithm) -> PythonType | None:
        """Return the type of the object whose member an algorithm is."""
        return PythonType(algorithm.subject) if algorithm.subject else None

    def address_of(self, id_: str) -> str:
        """Return the address of a place in the text."""
        return f"{self.address}#{id_}"

    def python_type(self, type_: Type, what: str = "") -> PythonType:
        """Return the Python type of a type; ``what`` is the name of what has it."""
        found = self._present(type_, what)
        return found.optional if type_.may_be_null else found

    def _present(self, type_: Type, what: str) -> PythonType:
        name, arguments = type_.name, [self.python_type(one) for one in type_.arguments]
        match name:
            case "list":
                return list_of(arguments[0] if arguments else UNKNOWN)
            case "map":
                return PythonType("dict", tuple(arguments)) if arguments else read_type("Mapping[str, object]")
            case "tuple":
                return PythonType("tuple", tuple(arguments))
            case "or":
                return union(arguments)
            case "one of":
                return PythonType("literal", words=tuple(one.name for one in type_.arguments))
            case "steps":
                return PythonType(_alias(what))
        if name in self.text.types:
            return self._present(self.text.types[name], name)
        owner, _, item = name.partition("/")
        known = self.text.structs[owner].items.get(item) if owner in self.text.structs else None
        known = known or self.text.state.get((owner, item))
        if known is not None:
            return self.python_type(known.type) if known.type is not None else UNKNOWN
        if name.lower() in self.text.structs:
            return PythonType(self.class_of(name.lower()))
        if name in self.interfaces or name in self.dictionaries:
            return PythonType(name)
        if name in self.callbacks:
            return PythonType("CallbackFunction")
        if name.endswith(" element") and name not in _TYPES:
            return _TYPES["element"]
        return _TYPES.get(name.lower()) or PythonType(name if home_of(name) is not None else "object")

    def structs_of(self, name: str) -> Collection[str]:
        """Return the names of the items of a struct, or nothing."""
        return self.text.structs[name].items if name in self.text.structs else ()

    def idl_type(self, type_: expr.IdlType) -> PythonType:
        """Return the Python type of a type of the IDL."""
        inner = type_.idl_type
        if type_.generic == "Promise":
            found = PythonType("PromiseObject")
        elif type_.generic in ("sequence", "FrozenArray"):
            found = list_of(self.idl_type(cast("list[expr.IdlType]", inner)[0]))
        else:
            name = str(inner)
            found = _IDL_TYPES.get(name) or PythonType("CallbackFunction" if name in self.callbacks else name)
        return found.optional if type_.nullable else found

    def attribute_of(self, interface: str, name: str) -> PythonType | None:
        """Return the type of an attribute of an interface, or None if the text defines no such attribute."""
        own = (one for one in self._idl if isinstance(one, expr.Interface) and one.name == interface)
        for member in (member for one in own for member in one.members):
            if isinstance(member, expr.Attribute) and member.name == name:
                return self.idl_type(member.idl_type)
        return None

    def arguments_of(self, interface: str, operation: str) -> Mapping[str, PythonType]:
        """Return the arguments of an operation with their types; one that script may leave out can be absent."""
        parts = [*self.interfaces.values(), *self.partial_interfaces]
        for member in (member for one in parts if one.name == interface for member in one.members):
            if isinstance(member, expr.Operation) and member.name == operation:
                found = {}
                for argument in member.arguments:
                    type_ = self.idl_type(argument.idl_type)
                    may_be_absent = argument.optional and argument.default is None
                    found[argument.name] = union([type_, ABSENT]) if may_be_absent else type_
                return found
        return {}


def _alias(what: str) -> str:
    return "".join(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", what))
