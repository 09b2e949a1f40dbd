"""Nodes and trees (https://dom.spec.whatwg.org/#nodes, https://dom.spec.whatwg.org/#trees).

A tree belongs to one event loop, and nothing in parallel reads it, so links and attributes leave no footprints. Every walk
is a loop, so that a deep tree needs no deep stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast

from modelcontext.ground.schedule.footprint import Kind
from modelcontext.platform.dom.events import Event, EventTarget

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.realm import Realm

_LISTENERS: Final = Kind("listeners of Node", structure=True)

_TREE_ORDER: Final = "tree order"

ClassT = TypeVar("ClassT")
NodeT = TypeVar("NodeT", bound="Node")


# DOM's name; the nodes of schedule/graph.py are states.
class Node(EventTarget):
    """A node. ``tree_scope`` is its root if that is a document or a shadow root, else None."""

    __slots__ = (
        "first_child",
        "last_child",
        "next_sibling",
        "node_document",
        "parent",
        "previous_sibling",
        "tree_scope",
    )

    interface: ClassVar[str] = "Node"
    kind_of_listeners: ClassVar[Kind] = _LISTENERS

    def __init__(self, node_document: DocumentNode | None, realm: Realm) -> None:
        super().__init__(realm)
        self.node_document: DocumentNode = node_document if node_document is not None else self._as_document()
        self.parent: Node | None = None
        self.first_child: Node | None = None
        self.last_child: Node | None = None
        self.previous_sibling: Node | None = None
        self.next_sibling: Node | None = None
        self.tree_scope: TreeScope | None = None

    def _as_document(self) -> DocumentNode:
        raise TypeError(f"a {self.interface} needs a node document")

    @property
    def children(self) -> Iterator[Node]:
        """The children, in tree order (https://dom.spec.whatwg.org/#concept-tree-child)."""
        child = self.first_child
        while child is not None:
            yield child
            child = child.next_sibling

    @property
    def ancestors(self) -> Iterator[Node]:
        """The ancestors, nearest first (https://dom.spec.whatwg.org/#concept-tree-ancestor)."""
        parent = self.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    @property
    def root(self) -> Node:
        """https://dom.spec.whatwg.org/#concept-tree-root"""
        if self.tree_scope is not None:
            return self.tree_scope
        node: Node = self
        while node.parent is not None:
            node = node.parent
        return node

    @property
    def shadow_including_root(self) -> Node:
        """https://dom.spec.whatwg.org/#concept-shadow-including-root"""
        root = self.root
        while isinstance(root, ShadowRoot):
            root = root.host.root
        return root

    @property
    def is_connected(self) -> bool:
        """https://dom.spec.whatwg.org/#connected"""
        return isinstance(self.shadow_including_root, DocumentNode)

    def walk(self) -> Iterator[tuple[Node, bool]]:
        """Yield every inclusive descendant in tree order with True, and again with False after its descendants."""
        node: Node = self
        while True:
            yield node, True
            if node.first_child is not None:
                node = node.first_child
                continue
            yield node, False
            while node is not self and node.next_sibling is None:
                assert node.parent is not None
                node = node.parent
                yield node, False
            if node is self:
                return
            assert node.next_sibling is not None
            node = node.next_sibling

    @property
    def inclusive_descendants(self) -> Iterator[Node]:
        """The inclusive descendants in tree order (https://dom.spec.whatwg.org/#concept-tree-inclusive-descendant)."""
        return (node for node, enters in self.walk() if enters)

    @property
    def descendants(self) -> Iterator[Node]:
        """The descendants in tree order (https://dom.spec.whatwg.org/#concept-tree-descendant)."""
        return (node for node, enters in self.walk() if enters and node is not self)

    @property
    def descendant_text_content(self) -> str:
        """https://dom.spec.whatwg.org/#concept-descendant-text-content"""
        return "".join(node.data for node in self.descendants if isinstance(node, Text))

    @property
    def child_text_content(self) -> str:
        """https://dom.spec.whatwg.org/#concept-child-text-content"""
        return "".join(child.data for child in self.children if isinstance(child, Text))

    def nearest_ancestor(self, kind: type[ClassT]) -> ClassT | None:
        """Return the nearest ancestor of a class, or None."""
        return next((ancestor for ancestor in self.ancestors if isinstance(ancestor, kind)), None)

    def is_shadow_including_inclusive_ancestor_of(self, other: Node) -> bool:
        """https://dom.spec.whatwg.org/#concept-shadow-including-inclusive-ancestor"""
        node: Node | None = other
        while node is not None and node is not self:
            node = node.parent if node.parent is not None else node.shadow_host
        return node is self

    @property
    def shadow_root(self) -> ShadowRoot | None:
        """The shadow root, of a shadow host; None of other nodes."""
        return None

    @property
    def shadow_host(self) -> Node | None:
        """The host, of a shadow root; None of other nodes."""
        return None

    @property
    def slottable_name(self) -> str | None:
        """The name of a slottable; None of nodes that are none (https://dom.spec.whatwg.org/#slotable-name)."""
        return None

    @property
    def slot_name(self) -> str | None:
        """The name of a slot; None of nodes that are none (https://dom.spec.whatwg.org/#slot-name)."""
        return None

    def get_the_parent(self, event: Event) -> EventTarget | None:
        """https://dom.spec.whatwg.org/#get-the-parent"""
        slot = find_a_slot(self)
        return slot if slot is not None else self.parent

    def insertion_steps(self) -> None:
        """https://dom.spec.whatwg.org/#concept-node-insert-ext"""

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://dom.spec.whatwg.org/#concept-node-remove-ext"""

    def moving_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://dom.spec.whatwg.org/#concept-node-move-ext"""

    def adopting_steps(self, old_document: DocumentNode) -> None:
        """https://dom.spec.whatwg.org/#concept-node-adopt-ext"""

    def children_changed_steps(self) -> None:
        """https://dom.spec.whatwg.org/#concept-node-children-changed-ext"""


class CharacterData(Node):
    """A node with data (https://dom.spec.whatwg.org/#interface-characterdata)."""

    __slots__ = ("data",)

    def __init__(self, node_document: DocumentNode, data: str) -> None:
        super().__init__(node_document, node_document.realm)
        self.data = data


# DOM's name; the texts of specification/comparison are specifications.
class Text(CharacterData):
    """A text (https://dom.spec.whatwg.org/#interface-text)."""

    __slots__ = ()

    interface: ClassVar[str] = "Text"

    @property
    def slottable_name(self) -> str | None:
        """https://dom.spec.whatwg.org/#slotable-name"""
        return ""


# DOM's name; the comments of specification/code are of Python.
class Comment(CharacterData):
    """A comment (https://dom.spec.whatwg.org/#interface-comment)."""

    __slots__ = ()

    interface: ClassVar[str] = "Comment"


class DocumentFragment(Node):
    """A document fragment (https://dom.spec.whatwg.org/#interface-documentfragment)."""

    __slots__ = ()

    interface: ClassVar[str] = "DocumentFragment"

    def __init__(self, node_document: DocumentNode) -> None:
        super().__init__(node_document, node_document.realm)


class DerivedFromTree(dict[str, object]):
    """Results computed from a tree and kept until the tree changes; they decide nothing, so fingerprints leave them out."""

    __slots__ = ()

    def relevant(self) -> tuple[object, ...]:
        """Return nothing, for fingerprints."""
        return ()


class IdTargets:
    """The elements of one tree with one ID. ``first`` is the first in tree order, or None until it is looked for."""

    __slots__ = ("elements", "first")

    def __init__(self) -> None:
        self.elements: dict[Node, None] = {}
        self.first: Node | None = None


class TreeScope(Node):
    """A root that finds elements by their ID: a document or a shadow root.

    Attributes:
        derived: what others keep until the tree changes.
        extensions: the objects that other specifications associate with the root.
        ids: the elements with an ID, by ID.
        id_observers: the elements that refer to another one by ID, by ID.
    """

    __slots__ = ("derived", "extensions", "id_observers", "ids")

    def __init__(self, node_document: DocumentNode | None, realm: Realm) -> None:
        super().__init__(node_document, realm)
        self.derived = DerivedFromTree()
        self.extensions: dict[str, object] = {}
        self.ids: dict[str, IdTargets] = {}
        self.id_observers: dict[str, dict[IdObserver, None]] = {}
        self.tree_scope = self

    def get_element_by_id(self, id_: str) -> Node | None:
        """https://dom.spec.whatwg.org/#dom-nonelementparentnode-getelementbyid"""
        targets = self.ids.get(id_)
        if targets is None:
            return None
        if targets.first is None:
            targets.first = next(node for node in self.descendants if node in targets.elements)
        return targets.first

    def add_id(self, id_: str, element: Node) -> bool:
        """Note that an element of this tree has an ID now, and return whether the first one with it has changed."""
        targets = self.ids.setdefault(id_, IdTargets())
        if not targets.elements or (targets.first is not None and precedes(element, targets.first)):
            targets.first = element
        targets.elements[element] = None
        return targets.first is None or targets.first is element

    def remove_id(self, id_: str, element: Node) -> bool:
        """Note that an element of this tree has an ID no longer, or has left, and return as :meth:`add_id` does."""
        targets = self.ids[id_]
        del targets.elements[element]
        if not targets.elements:
            del self.ids[id_]
        if targets.first is not None and targets.first is not element:
            return False
        targets.first = None
        return True

    def tell_observers(self, ids: Iterable[str]) -> None:
        """Tell the elements that refer to some IDs that the first element with such an ID has become another one."""
        for id_ in dict.fromkeys(ids):
            for observer in list(self.id_observers.get(id_, ())):
                observer.id_target_steps()

    def observe_id(self, id_: str, observer: IdObserver) -> None:
        """Tell an element of this tree from now on when the first element with an ID becomes another one."""
        self.id_observers.setdefault(id_, {})[observer] = None

    def stop_observing_id(self, id_: str, observer: IdObserver) -> None:
        """Tell an element no longer."""
        observers = self.id_observers[id_]
        del observers[observer]
        if not observers:
            del self.id_observers[id_]


class IdObserver(Node):
    """An element that refers to another one by ID."""

    __slots__ = ()

    def id_target_steps(self) -> None:
        """Do what is to be done when the first element with the ID may have become another one."""


class DocumentNode(TreeScope):
    """A document as a node (https://dom.spec.whatwg.org/#interface-document); on its own it has no browsing context."""

    __slots__ = ()

    interface: ClassVar[str] = "Document"
    realm: Realm

    def __init__(self, realm: Realm) -> None:
        super().__init__(None, realm)

    def _as_document(self) -> DocumentNode:
        return self

    def event_handler_content_attribute_steps(self, element: Node, local_name: str, value: str | None) -> None:
        """https://html.spec.whatwg.org/#event-handler-content-attributes (nothing here)"""

    def tree_change_steps(self, scope: TreeScope) -> None:
        """Run the steps of other specifications after a change of a tree of this document."""

    def get_the_parent(self, event: Event) -> EventTarget | None:
        """https://dom.spec.whatwg.org/#interface-document (one with a browsing context has its Window)"""
        return None


class ShadowRoot(TreeScope):
    """A shadow root (https://dom.spec.whatwg.org/#interface-shadowroot)."""

    __slots__ = ("host", "mode")

    interface: ClassVar[str] = "ShadowRoot"

    def __init__(self, host: Node, mode: str) -> None:
        super().__init__(host.node_document, host.node_document.realm)
        self.host = host
        self.mode = mode

    @property
    def shadow_host(self) -> Node | None:
        """The host."""
        return self.host

    def get_the_parent(self, event: Event) -> EventTarget | None:
        """https://dom.spec.whatwg.org/#shadowroot-get-the-parent"""
        origin = event.path[0].invocation_target
        if not event.composed and isinstance(origin, Node) and origin.root is self:
            return None
        return self.host


def precedes(node: Node, other: Node) -> bool:
    """Return whether a node precedes another one of its tree (https://dom.spec.whatwg.org/#concept-tree-preceding)."""
    lines = [[line, *line.ancestors] for line in (node, other)]
    branch: Node | None = None
    other_branch: Node | None = None
    while lines[0] and lines[1] and lines[0][-1] is lines[1][-1]:
        lines[0].pop()
        lines[1].pop()
    if not lines[0] or not lines[1]:
        return not lines[0] and bool(lines[1])
    branch, other_branch = lines[0][-1], lines[1][-1]
    first, other_first = branch.previous_sibling is None, other_branch.previous_sibling is None
    if first or other_first:
        return first
    # From both at once: the one that comes upon the other is before it, and the walk is no longer than their distance.
    forward, other_forward = branch.next_sibling, other_branch.next_sibling
    while forward is not None and other_forward is not None:
        if forward is other_branch:
            return True
        if other_forward is branch:
            return False
        forward, other_forward = forward.next_sibling, other_forward.next_sibling
    return other_forward is None


def in_tree_order(nodes: Iterable[NodeT], root: Node) -> list[NodeT]:
    """Return some nodes of a tree in tree order (https://dom.spec.whatwg.org/#concept-tree-order)."""
    derived = root.derived if isinstance(root, TreeScope) else {}
    if _TREE_ORDER not in derived:
        derived[_TREE_ORDER] = {node: index for index, node in enumerate(root.inclusive_descendants)}
    positions = cast("dict[Node, int]", derived[_TREE_ORDER])
    return sorted(nodes, key=lambda node: positions[node])


def shadow_including_inclusive_descendants(node: Node) -> Iterator[Node]:
    """https://dom.spec.whatwg.org/#concept-shadow-including-tree-order"""
    trees = [node.inclusive_descendants]
    while trees:
        found = next(trees[-1], None)
        if found is None:
            trees.pop()
            continue
        yield found
        if found.shadow_root is not None:
            trees.append(found.shadow_root.inclusive_descendants)


def find_a_slot(slottable: Node) -> Node | None:
    """https://dom.spec.whatwg.org/#find-a-slot"""
    name, parent = slottable.slottable_name, slottable.parent
    if name is None or parent is None or parent.shadow_root is None:
        return None
    return next((node for node in parent.shadow_root.descendants if node.slot_name == name), None)
