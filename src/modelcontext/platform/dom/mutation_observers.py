"""Mutation observers (https://dom.spec.whatwg.org/#mutation-observers).

A document has them only if its scripts can make observers: the ``extensions`` of the document then have those of its agent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from modelcontext.platform.ecmascript.values import type_error
from modelcontext.platform.webidl.platform_object import PlatformObject

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import Node
    from modelcontext.platform.ecmascript.realm import Realm
    from modelcontext.platform.ecmascript.values import JSFunction

#: The key of an agent's observers in the ``extensions`` of its documents.
EXTENSION: Final = "mutation observers"


class MutationRecord(PlatformObject):
    """A mutation record (https://dom.spec.whatwg.org/#interface-mutationrecord). ``facts`` has its attributes by name."""

    __slots__ = ("facts",)

    interface: ClassVar[str] = "MutationRecord"

    def __init__(self, realm: Realm | None, facts: Mapping[str, Any]) -> None:
        super().__init__(realm)
        self.facts = facts


@dataclass(frozen=True, eq=False)
class RegisteredObserver:
    """A registered observer; a transient one has a ``source``."""

    observer: MutationObserver
    options: Mapping[str, Any]
    source: RegisteredObserver | None = None


class MutationObserver(PlatformObject):
    """https://dom.spec.whatwg.org/#interface-mutationobserver"""

    __slots__ = ("_agent", "callback", "nodes", "records")

    interface: ClassVar[str] = "MutationObserver"

    def __init__(self, realm: Realm, agent: MutationObservers, callback: JSFunction) -> None:
        super().__init__(realm)
        self._agent = agent
        self.callback = callback
        self.nodes: list[Node] = []
        self.records: list[MutationRecord] = []

    def observe(self, target: Node, options: Mapping[str, Any]) -> None:
        """https://dom.spec.whatwg.org/#dom-mutationobserver-observe

        Raises:
            Throw: a TypeError.
        """
        given = {"childList": False, "subtree": False, **options}
        if "attributeOldValue" in given or "attributeFilter" in given:
            given.setdefault("attributes", True)
        if "characterDataOldValue" in given:
            given.setdefault("characterData", True)
        if not (given["childList"] or given.get("attributes") or given.get("characterData")):
            raise type_error("an observer observes childList, attributes or characterData")
        if (given.get("attributeOldValue") or "attributeFilter" in given) and not given["attributes"]:
            raise type_error("attributeOldValue and attributeFilter need attributes")
        if given.get("characterDataOldValue") and not given["characterData"]:
            raise type_error("characterDataOldValue needs characterData")
        registered = self._agent.registered.setdefault(target, [])
        known = next((one for one in registered if one.observer is self and one.source is None), None)
        if known is None:
            registered.append(RegisteredObserver(self, given))
            self.nodes.append(target)
        else:
            self._agent.remove_transient(self, known)
            registered[registered.index(known)] = RegisteredObserver(self, given)

    def disconnect(self) -> None:
        """https://dom.spec.whatwg.org/#dom-mutationobserver-disconnect"""
        for node in self.nodes:
            registered = self._agent.registered.get(node, [])
            registered[:] = [one for one in registered if one.observer is not self]
        self.records = []

    def take_records(self) -> list[MutationRecord]:
        """https://dom.spec.whatwg.org/#dom-mutationobserver-takerecords"""
        records, self.records = self.records, []
        return records


class MutationObservers:
    """The observers of a similar-origin window agent.

    Args:
        queue_a_microtask: queues a microtask of the agent for a document.
        invoke: calls the callback of an observer with its records.
    """

    def __init__(
        self,
        queue_a_microtask: Callable[[Node, Callable[[], None]], None],
        invoke: Callable[[MutationObserver, list[MutationRecord]], None],
    ) -> None:
        self._queue_a_microtask = queue_a_microtask
        self._invoke = invoke
        self.registered: dict[Node, list[RegisteredObserver]] = {}
        self._pending: dict[MutationObserver, None] = {}
        self._is_microtask_queued = False

    def queue(self, kind: str, target: Node, name: str | None, old_value: str | None, facts: Mapping[str, Any]) -> None:
        """Queue a mutation record for each interested observer, as :func:`queue_a_mutation_record` says."""
        if not self.registered:
            return
        interested: dict[MutationObserver, str | None] = {}
        node: Node | None = target
        while node is not None:
            for one in self.registered.get(node, ()):
                options = one.options
                if (
                    (node is not target and not options["subtree"])
                    or not options.get(kind)
                    or (
                        "attributeFilter" in options and kind == "attributes" and name not in options["attributeFilter"]
                    )
                ):
                    continue
                interested.setdefault(one.observer, None)
                if options.get(f"{kind}OldValue" if kind == "characterData" else "attributeOldValue"):
                    interested[one.observer] = old_value
            node = node.parent
        for observer, value in interested.items():
            shown = {"type": kind, "target": target, "attributeName": name, "oldValue": value, **facts}
            observer.records.append(MutationRecord(observer.realm, shown))
            self._pending[observer] = None
        if interested and not self._is_microtask_queued:
            self._is_microtask_queued = True
            self._queue_a_microtask(target, self._notify)

    def follow(self, node: Node, parent: Node) -> None:
        """Have the observers of a parent's tree observe a removed node until they are notified."""
        if not self.registered:
            return
        ancestor: Node | None = parent
        while ancestor is not None:
            for one in list(self.registered.get(ancestor, ())):
                if one.options["subtree"]:
                    transient = RegisteredObserver(one.observer, one.options, one)
                    self.registered.setdefault(node, []).append(transient)
            ancestor = ancestor.parent

    def remove_transient(self, observer: MutationObserver, source: RegisteredObserver | None = None) -> None:
        """Remove the transient registered observers of an observer, or those from one source."""
        for registered in self.registered.values():
            registered[:] = [
                one
                for one in registered
                if one.source is None
                or one.observer is not observer
                or (source is not None and one.source is not source)
            ]

    def _notify(self) -> None:
        """https://dom.spec.whatwg.org/#notify-mutation-observers"""
        self._is_microtask_queued = False
        pending, self._pending = self._pending, {}
        for observer in pending:
            records = observer.take_records()
            self.remove_transient(observer)
            if records:
                self._invoke(observer, records)


def queue_a_mutation_record(
    kind: str, target: Node, name: str | None = None, old_value: str | None = None, **facts: object
) -> None:
    """https://dom.spec.whatwg.org/#queue-a-mutation-record"""
    observers = target.node_document.extensions.get(EXTENSION)
    if isinstance(observers, MutationObservers):
        observers.queue(kind, target, name, old_value, facts)


def queue_a_tree_mutation_record(
    target: Node,
    added: Sequence[Node],
    removed: Sequence[Node],
    previous_sibling: Node | None,
    next_sibling: Node | None,
) -> None:
    """https://dom.spec.whatwg.org/#queue-a-tree-mutation-record"""
    queue_a_mutation_record(
        *("childList", target),
        addedNodes=list(added),
        removedNodes=list(removed),
        previousSibling=previous_sibling,
        nextSibling=next_sibling,
    )


def follow_a_removed_node(node: Node, parent: Node) -> None:
    """Append transient registered observers to a node that is removed from a parent."""
    observers = parent.node_document.extensions.get(EXTENSION)
    if isinstance(observers, MutationObservers):
        observers.follow(node, parent)
