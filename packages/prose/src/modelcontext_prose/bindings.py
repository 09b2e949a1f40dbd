"""Comparison of the IDL's interfaces with the algorithms of their members.

The rule by which the boundary binds a member:

* An operation ``op`` of interface ``I`` is the method whose dfn has the id ``dom-i-op``; its parameters are ``this`` and
  the arguments of the operation.
* A read-only attribute ``a`` is the getter with the id ``dom-i-a``.
* An attribute of type ``EventHandler`` is an event handler IDL attribute, which HTML defines.
* The constructor and the attributes of an interface that inherits from ``Event`` are those that DOM defines for events: an
  attribute returns the value that it was initialized to.
* No other member is bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pywebidl2 import expr

from modelcontext.spec.specification.text.dictionaries import parse_idl

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.algorithms import Algorithm


@dataclass(frozen=True, slots=True)
class UnboundMember:
    """A member of an interface, or an algorithm, without its counterpart."""

    id: str
    message: str


def check_bindings(idl: str, platform_idl: str, algorithms: list[Algorithm]) -> Iterator[UnboundMember]:
    """Yield the members without an algorithm, and the methods and accessors without a member."""
    known = {algorithm.id: algorithm for algorithm in algorithms}
    own = _interfaces(idl, "the IDL of the specification")
    parents = {
        interface.name: interface.inheritance
        for interface in [*own, *_interfaces(platform_idl, "the IDL of the platform")]
        if not interface.partial
    }
    bound: set[str] = set()
    for interface in own:
        is_event = _inherits_from_event(interface.name, parents)
        for member in interface.members:
            name = f"{interface.name}.{getattr(member, 'name', 'constructor')}"
            identifier = f"dom-{name}".replace(".", "-").lower()
            match member:
                case expr.Constructor() if is_event:
                    continue
                case expr.Attribute() if is_event or member.idl_type.idl_type == "EventHandler":
                    continue
                case expr.Attribute() if member.readonly:
                    kind, parameters = "getter", ["this"]
                case expr.Operation() if not member.special:
                    kind, parameters = "method", ["this", *(argument.name for argument in member.arguments)]
                case _:
                    message = f"{name} cannot be bound: the boundary has no rule for such a member"
                    yield UnboundMember(identifier, message)
                    continue
            bound.add(identifier)
            yield from _check_member(name, identifier, kind, parameters, known.get(identifier))
    for algorithm in algorithms:
        if algorithm.kind != "abstract operation" and algorithm.id not in bound:
            yield UnboundMember(algorithm.id, f"the IDL has no member for this {algorithm.kind}")


def _check_member(
    member: str, identifier: str, kind: str, parameters: list[str], algorithm: Algorithm | None
) -> Iterator[UnboundMember]:
    if algorithm is None:
        yield UnboundMember(identifier, f"{member} is in the IDL, but the text has no {kind} with the id {identifier}")
    elif algorithm.kind != kind:
        yield UnboundMember(identifier, f"{member} is a {kind} in the IDL, but a {algorithm.kind} in the text")
    elif (names := [parameter.name for parameter in algorithm.parameters]) != parameters:
        yield UnboundMember(
            identifier, f"{member} takes ({', '.join(parameters)}) in the IDL, but ({', '.join(names)}) in the text"
        )


def _interfaces(idl: str, what: str) -> list[expr.Interface]:
    return [definition for definition in parse_idl(idl, what) if isinstance(definition, expr.Interface)]


def _inherits_from_event(name: str, parents: dict[str, str | None]) -> bool:
    current: str | None = name
    seen: set[str] = set()
    while current is not None and current not in seen:
        if current == "Event":
            return True
        seen.add(current)
        current = parents.get(current)
    return False
