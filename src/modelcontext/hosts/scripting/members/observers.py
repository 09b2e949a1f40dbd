"""Mutation observers for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.hosts.scripting.members.member_tables import GETTERS, OPERATIONS, Getter, constructor
from modelcontext.platform.dom.mutation_observers import MutationObserver, MutationRecord
from modelcontext.platform.html.window import document_of

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.border import EngineFunction
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSValue

_ATTRIBUTES = (
    *("type", "target", "addedNodes", "removedNodes", "previousSibling", "nextSibling"),
    *("attributeName", "attributeNamespace", "oldValue"),
)


@constructor("MutationObserver")
def new_mutation_observer(parts: Parts, realm: Realm, callback: EngineFunction) -> MutationObserver:
    """https://dom.spec.whatwg.org/#dom-mutationobserver-mutationobserver"""
    return MutationObserver(realm, parts.realms.mutation_observers(document_of(realm)), callback)


OPERATIONS["MutationObserver.observe"] = lambda parts, observer, target, options: observer.observe(target, options)
OPERATIONS["MutationObserver.disconnect"] = lambda parts, observer: observer.disconnect()
OPERATIONS["MutationObserver.takeRecords"] = lambda parts, observer: observer.take_records()


def _fact(name: str) -> Getter:
    def get(parts: Parts, record: MutationRecord) -> JSValue:
        value: JSValue = record.facts.get(name, [] if name.endswith("Nodes") else None)
        return value

    return get


for _name in _ATTRIBUTES:
    GETTERS[f"MutationRecord.{_name}"] = _fact(_name)
