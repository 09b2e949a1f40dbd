"""Changes of trees (https://dom.spec.whatwg.org/#mutation-algorithms), with the hooks of other specifications.

Left out: ranges, node iterators and the ``slotchange`` event, which no algorithm here can see.
"""

from __future__ import annotations

from collections.abc import Iterable

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.mutation_observers import (
    follow_a_removed_node,
    queue_a_mutation_record,
    queue_a_tree_mutation_record,
)
from modelcontext.platform.dom.nodes import (
    CharacterData,
    DocumentFragment,
    DocumentNode,
    Node,
    TreeScope,
    shadow_including_inclusive_descendants,
)
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.webidl.dom_exception import DOMException


def ensure_pre_insert_validity(node: Node, parent: Node, child: Node | None) -> None:
    """https://dom.spec.whatwg.org/#concept-node-ensure-pre-insertion-validity

    Raises:
        Throw: a HierarchyRequestError or a NotFoundError.
    """
    if isinstance(parent, CharacterData) or is_host_including_inclusive_ancestor(node, parent):
        raise _hierarchy_request_error(f"{node} cannot be inserted into {parent}", parent)
    if child is not None and child.parent is not parent:
        raise Throw(DOMException("NotFoundError", f"{child} is not a child of {parent}", parent.realm))
    if isinstance(node, TreeScope):
        raise _hierarchy_request_error(f"{node} cannot be inserted anywhere", parent)
    if isinstance(parent, DocumentNode):
        _ensure_one_document_element(node, parent)


def _ensure_one_document_element(node: Node, parent: DocumentNode) -> None:
    nodes = list(node.children) if isinstance(node, DocumentFragment) else [node]
    elements = [item for item in nodes if isinstance(item, Element)]
    others = [item for item in parent.children if isinstance(item, Element) and item is not node]
    if len(elements) + len(others) > 1 and elements:
        raise _hierarchy_request_error("a document has one document element", parent)
    if len(elements) < len(nodes) and any(type(item).interface == "Text" for item in nodes):
        raise _hierarchy_request_error("a document has no text as a child", parent)


def _hierarchy_request_error(message: str, parent: Node) -> Throw:
    return Throw(DOMException("HierarchyRequestError", message, parent.realm))


def is_host_including_inclusive_ancestor(node: Node, other: Node) -> bool:
    """https://dom.spec.whatwg.org/#concept-tree-host-including-inclusive-ancestor"""
    return node.is_shadow_including_inclusive_ancestor_of(other)


def pre_insert(node: Node, parent: Node, child: Node | None) -> Node:
    """https://dom.spec.whatwg.org/#concept-node-pre-insert

    Raises:
        Throw: a HierarchyRequestError or a NotFoundError.
    """
    ensure_pre_insert_validity(node, parent, child)
    reference_child = child if child is not node else node.next_sibling
    insert(node, parent, reference_child)
    return node


def insert(node: Node, parent: Node, child: Node | None, *, suppress_observers: bool = False) -> None:
    """https://dom.spec.whatwg.org/#concept-node-insert"""
    nodes = [node]
    if isinstance(node, DocumentFragment):
        nodes = list(node.children)
        for item in nodes:
            remove(item, suppress_observers=True)
        if nodes:
            queue_a_tree_mutation_record(node, [], nodes, None, None)
    if not nodes:
        return
    previous_sibling = child.previous_sibling if child is not None else parent.last_child
    for item in nodes:
        adopt(item, parent.node_document)
        _link(item, parent, child)
        _enter(item, parent.tree_scope)
        # The nodes of now: a hook may change the tree.
        for inclusive_descendant in list(shadow_including_inclusive_descendants(item)):
            inclusive_descendant.insertion_steps()
    if not suppress_observers:
        queue_a_tree_mutation_record(parent, nodes, [], previous_sibling, child)
    _has_changed(parent)


def append(node: Node, parent: Node) -> Node:
    """https://dom.spec.whatwg.org/#concept-node-append

    Raises:
        Throw: a HierarchyRequestError.
    """
    return pre_insert(node, parent, None)


def adopt(node: Node, document: DocumentNode) -> None:
    """https://dom.spec.whatwg.org/#concept-node-adopt"""
    old_document = node.node_document
    if node.parent is not None:
        remove(node)
    if document is not old_document:
        nodes = list(shadow_including_inclusive_descendants(node))
        for inclusive_descendant in nodes:
            inclusive_descendant.node_document = document
            if inclusive_descendant.shadow_root is not None:
                inclusive_descendant.shadow_root.node_document = document
        for inclusive_descendant in nodes:
            inclusive_descendant.adopting_steps(old_document)


def remove(node: Node, *, suppress_observers: bool = False) -> None:
    """https://dom.spec.whatwg.org/#concept-node-remove"""
    parent = node.parent
    assert parent is not None
    previous_sibling, next_sibling = node.previous_sibling, node.next_sibling
    _unlink(node)
    _leave(node, parent.tree_scope)
    for inclusive_descendant in list(shadow_including_inclusive_descendants(node)):
        inclusive_descendant.removing_steps(inclusive_descendant is node, parent)
    follow_a_removed_node(node, parent)
    if not suppress_observers:
        queue_a_tree_mutation_record(parent, [], [node], previous_sibling, next_sibling)
    _has_changed(parent)


def replace_all(nodes: Iterable[Node], parent: Node) -> None:
    """https://dom.spec.whatwg.org/#concept-node-replace-all"""
    removed, added = list(parent.children), list(nodes)
    for child in removed:
        remove(child, suppress_observers=True)
    for node in added:
        insert(node, parent, None, suppress_observers=True)
    if removed or added:
        queue_a_tree_mutation_record(parent, added, removed, None, None)


def move(node: Node, new_parent: Node, child: Node | None) -> None:
    """https://dom.spec.whatwg.org/#move

    Raises:
        Throw: a HierarchyRequestError or a NotFoundError.
    """
    same_root = node.shadow_including_root is new_parent.shadow_including_root
    if not same_root or is_host_including_inclusive_ancestor(node, new_parent) or node.parent is None:
        raise _hierarchy_request_error(f"{node} cannot be moved into {new_parent}", new_parent)
    if child is not None and child.parent is not new_parent:
        raise Throw(DOMException("NotFoundError", f"{child} is not a child of {new_parent}", new_parent.realm))
    old_parent = node.parent
    child = child if child is not node else node.next_sibling
    old_siblings = node.previous_sibling, node.next_sibling
    _unlink(node)
    _leave(node, old_parent.tree_scope)
    new_previous_sibling = child.previous_sibling if child is not None else new_parent.last_child
    _link(node, new_parent, child)
    _enter(node, new_parent.tree_scope)
    for inclusive_descendant in list(shadow_including_inclusive_descendants(node)):
        inclusive_descendant.moving_steps(inclusive_descendant is node, old_parent)
    follow_a_removed_node(node, old_parent)
    queue_a_tree_mutation_record(old_parent, [], [node], *old_siblings)
    queue_a_tree_mutation_record(new_parent, [node], [], new_previous_sibling, child)
    _has_changed(old_parent)
    if new_parent is not old_parent:
        _has_changed(new_parent)


def replace_the_data(node: CharacterData, data: str) -> None:
    """https://dom.spec.whatwg.org/#concept-cd-replace (of all data)"""
    queue_a_mutation_record("characterData", node, None, node.data)
    node.data = data
    if node.parent is not None:
        _has_changed(node.parent)


def _has_changed(parent: Node) -> None:
    """Run the steps after a change of the children of a node, or of the data of one of them."""
    parent.children_changed_steps()
    scope = parent.tree_scope
    if scope is not None:
        scope.node_document.tree_change_steps(scope)


def _link(node: Node, parent: Node, child: Node | None) -> None:
    node.parent = parent
    node.next_sibling = child
    node.previous_sibling = child.previous_sibling if child is not None else parent.last_child
    if node.previous_sibling is not None:
        node.previous_sibling.next_sibling = node
    else:
        parent.first_child = node
    if child is not None:
        child.previous_sibling = node
    else:
        parent.last_child = node


def _unlink(node: Node) -> None:
    assert node.parent is not None
    if node.previous_sibling is not None:
        node.previous_sibling.next_sibling = node.next_sibling
    else:
        node.parent.first_child = node.next_sibling
    if node.next_sibling is not None:
        node.next_sibling.previous_sibling = node.previous_sibling
    else:
        node.parent.last_child = node.previous_sibling
    node.parent = node.previous_sibling = node.next_sibling = None


def _enter(node: Node, scope: TreeScope | None) -> None:
    """Note that a subtree is in a tree now, so that its elements are found by their IDs."""
    if scope is not None:
        scope.derived.clear()
        scope.tell_observers([id_ for id_, element in _set_the_scope(node, scope) if scope.add_id(id_, element)])


def _leave(node: Node, scope: TreeScope | None) -> None:
    """Note that a subtree is in a tree no longer."""
    if scope is not None:
        scope.derived.clear()
        scope.tell_observers([id_ for id_, element in _set_the_scope(node, None) if scope.remove_id(id_, element)])


def _set_the_scope(node: Node, scope: TreeScope | None) -> list[tuple[str, Element]]:
    """Set the scope of all nodes of a subtree, and return their IDs and elements."""
    found = []
    for inclusive_descendant in node.inclusive_descendants:
        inclusive_descendant.tree_scope = scope
        if isinstance(inclusive_descendant, Element) and inclusive_descendant.attributes.get("id"):
            found.append((inclusive_descendant.attributes["id"], inclusive_descendant))
    return found
