"""IDL fragments, parsed into the parts that the bindings need."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any, Final, TypeVar

_Typed = TypeVar("_Typed")

_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IDLType:
    """A type: a name such as ``DOMString``, or ``sequence`` or ``Promise`` of another type."""

    name: str
    nullable: bool = False
    inner: IDLType | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of an operation or a constructor; ``has_default`` is about the default value ``{}``."""

    name: str
    type: IDLType
    optional: bool
    has_default: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A dictionary member. ``default`` has a meaning only with ``has_default``."""

    name: str
    type: IDLType
    required: bool
    has_default: bool
    default: object


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A dictionary's own members, in lexicographical order."""

    name: str
    inherits: str | None
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation; a constructor has the return type ``undefined``."""

    name: str
    arguments: tuple[Argument, ...]
    returns: IDLType

    @property
    def required_arguments(self) -> int:
        """The number of arguments that a call must have."""
        return sum(not argument.optional for argument in self.arguments)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute."""

    name: str
    type: IDLType
    secure_context: bool


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface with all its partial interfaces."""

    name: str
    inherits: str | None
    operations: Mapping[str, Operation]
    attributes: Mapping[str, Attribute]
    constructor: Operation | None
    secure_context: bool

    @property
    def event_types(self) -> list[str]:
        """The types of events that have an event handler IDL attribute."""
        handlers = [attribute for attribute in self.attributes.values() if attribute.type.name == "EventHandler"]
        return [handler.name.removeprefix("on") for handler in handlers]


@dataclass(frozen=True, slots=True)
class Definitions:
    """Everything that some IDL fragments define, by name; of callback functions, only the names."""

    interfaces: Mapping[str, Interface]
    dictionaries: Mapping[str, Dictionary]
    callbacks: frozenset[str]

    def members_of(self, dictionary: Dictionary) -> list[Member]:
        """Return a dictionary's members in the order of reading: inherited ones first."""
        inherited = [] if dictionary.inherits is None else self.members_of(self.dictionaries[dictionary.inherits])
        return [*inherited, *dictionary.members]

    def to_data(self) -> dict[str, Any]:
        """Return the definitions as plain data, for :meth:`from_data`: the parser takes a fifth of a second."""
        return asdict(self) | {"callbacks": sorted(self.callbacks)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Definitions:
        """Return the definitions that :meth:`to_data` has returned as data."""
        return cls(
            {name: _known_interface(one) for name, one in data["interfaces"].items()},
            {
                name: Dictionary(**(one | {"members": tuple(map(_with_known_type(Member), one["members"]))}))
                for name, one in data["dictionaries"].items()
            },
            frozenset(data["callbacks"]),
        )


def _known_type(data: Mapping[str, Any]) -> IDLType:
    return IDLType(data["name"], data["nullable"], _known_type(data["inner"]) if data["inner"] else None)


def _with_known_type(kind: Callable[..., _Typed]) -> Callable[[Mapping[str, Any]], _Typed]:
    return lambda data: kind(**{**data, "type": _known_type(data["type"])})


def _known_operation(data: Mapping[str, Any]) -> Operation:
    arguments = tuple(map(_with_known_type(Argument), data["arguments"]))
    return Operation(data["name"], arguments, _known_type(data["returns"]))


def _known_interface(data: Mapping[str, Any]) -> Interface:
    attributes = {name: _with_known_type(Attribute)(one) for name, one in data["attributes"].items()}
    operations = {name: _known_operation(one) for name, one in data["operations"].items()}
    make = _known_operation(data["constructor"]) if data["constructor"] else None
    return Interface(**{**data, "operations": operations, "attributes": attributes, "constructor": make})


def read_definitions(package: str) -> Definitions:
    """Return what ``spec extract`` has written for a revision's package: its IDL together with the platform's."""
    data = json.loads(files(package).joinpath("definitions.json").read_bytes())
    return Definitions.from_data(data["definitions"])


def is_blank(fragment: str) -> bool:
    """Return whether IDL has nothing but white space and comments, which the parser refuses."""
    return not _COMMENT.sub("", fragment).strip()


def parse(fragments: Iterable[str]) -> Definitions:
    """Parse IDL fragments together; partial interfaces and dictionaries join those of the same name.

    Raises:
        ValueError: if a fragment is not Web IDL.
    """
    # Imported here, because most commands read IDL that was parsed when it was extracted.
    import pywebidl2
    from pywebidl2.exceptions import IDLParseError

    interfaces: dict[str, Interface] = {}
    dictionaries: dict[str, Dictionary] = {}
    callbacks: set[str] = set()
    for fragment in fragments:
        if is_blank(fragment):
            continue
        try:
            parsed = pywebidl2.parse(fragment)
        except IDLParseError:
            raise ValueError(f"this is not Web IDL: {pywebidl2.validate(fragment)[0]}") from None
        for definition in parsed["definitions"]:
            name = definition["name"]
            if definition["type"] == "interface":
                interfaces[name] = _join(interfaces.get(name), _interface(definition))
            elif definition["type"] == "dictionary":
                dictionaries[name] = _join_dictionaries(dictionaries.get(name), definition)
            elif definition["type"] == "callback":
                callbacks.add(name)
    return Definitions(interfaces, dictionaries, frozenset(callbacks))


def _type(data: dict[str, Any]) -> IDLType:
    if data["generic"]:
        return IDLType(data["generic"], data["nullable"], _type(data["idl_type"][0]))
    return IDLType(data["idl_type"], data["nullable"])


def _arguments(data: dict[str, Any]) -> tuple[Argument, ...]:
    return tuple(
        Argument(argument["name"], _type(argument["idl_type"]), argument["optional"], argument["default"] is not None)
        for argument in data["arguments"]
    )


def _member(data: dict[str, Any]) -> Member:
    default = data["default"]
    return Member(
        data["name"],
        _type(data["idl_type"]),
        data["required"],
        default is not None,
        None if default is None or default["type"] == "null" else default["value"],
    )


def _is_secure_context(data: dict[str, Any]) -> bool:
    return any(attribute["name"] == "SecureContext" for attribute in data["ext_attrs"])


def _interface(data: dict[str, Any]) -> Interface:
    operations: dict[str, Operation] = {}
    attributes: dict[str, Attribute] = {}
    constructor = None
    for member in data["members"]:
        if member["type"] == "operation":
            operation = Operation(member["name"], _arguments(member), _type(member["idl_type"]))
            operations[operation.name] = operation
        elif member["type"] == "attribute":
            attribute = Attribute(member["name"], _type(member["idl_type"]), _is_secure_context(member))
            attributes[attribute.name] = attribute
        elif member["type"] == "constructor":
            constructor = Operation("constructor", _arguments(member), IDLType("undefined"))
    return Interface(data["name"], data["inheritance"], operations, attributes, constructor, _is_secure_context(data))


def _join_dictionaries(known: Dictionary | None, data: dict[str, Any]) -> Dictionary:
    members = [*(known.members if known is not None else ()), *map(_member, data["members"])]
    inherits = data["inheritance"] or (known.inherits if known is not None else None)
    return Dictionary(data["name"], inherits, tuple(sorted(members, key=lambda member: member.name)))


def _join(known: Interface | None, more: Interface) -> Interface:
    if known is None:
        return more
    return Interface(
        known.name,
        known.inherits or more.inherits,
        {**known.operations, **more.operations},
        {**known.attributes, **more.attributes},
        known.constructor or more.constructor,
        known.secure_context or more.secure_context,
    )
