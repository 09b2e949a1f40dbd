"""Trees of nodes: insertion, removal, moves, adoption, shadow trees, IDs, and the hooks that they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.dom.elements import (
    Element,
    attach_a_shadow_root,
    remove_an_attribute,
    set_an_attribute_value,
)
from modelcontext.platform.dom.mutations import adopt, append, insert, move, pre_insert, remove, replace_all
from modelcontext.platform.dom.nodes import (
    Comment,
    DocumentFragment,
    DocumentNode,
    Node,
    Text,
    find_a_slot,
    in_tree_order,
    precedes,
    shadow_including_inclusive_descendants,
)
from modelcontext.platform.ecmascript.values import Throw
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document

LOG: list[str] = []


class Logging(Element):
    """An element that logs its hooks."""

    def insertion_steps(self) -> None:
        LOG.append(f"{self.local_name} inserted{' connected' if self.is_connected else ''}")

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        LOG.append(f"{self.local_name} removed from {old_ancestor}{' as root' if is_subtree_root else ''}")

    def moving_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        LOG.append(f"{self.local_name} moved from {old_ancestor}{' as root' if is_subtree_root else ''}")

    def adopting_steps(self, old_document: DocumentNode) -> None:
        LOG.append(f"{self.local_name} adopted")

    def children_changed_steps(self) -> None:
        LOG.append(f"{self.local_name}'s children changed")

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        LOG.append(f"{self.local_name}'s {local_name}: {old_value} -> {value}")

    def id_target_steps(self) -> None:
        LOG.append(f"{self.local_name} told")


def log() -> list[str]:
    entries = list(LOG)
    LOG.clear()
    return entries


@pytest.fixture(autouse=True)
def _empty_log() -> None:
    LOG.clear()


def element(document: DocumentNode, local_name: str, /, *children: Node, **attributes: str) -> Logging:
    """Make an element with children, without a trace in the log."""
    made = Logging(document, local_name, "")
    for key, value in attributes.items():
        set_an_attribute_value(made, key, value)
    for child in children:
        insert(child, made, None)
    LOG.clear()
    return made


def names(nodes: object) -> list[str]:
    return [node.local_name for node in nodes if isinstance(node, Element)]  # type: ignore[attr-defined]


def name_of_exception(caught: pytest.ExceptionInfo[Throw]) -> str:
    assert isinstance(caught.value.value, DOMException)
    return caught.value.value.name


def test_insertion_steps_run_in_tree_order_before_those_of_the_parents_children(page: Document) -> None:
    inner = element(page, "a", element(page, "b"), element(page, "c"))
    root = element(page, "r")
    insert(root, page, None)
    assert log() == ["r inserted connected"]
    insert(inner, root, None)
    assert log() == ["a inserted connected", "b inserted connected", "c inserted connected", "r's children changed"]


def test_removing_steps_name_the_old_parent_and_the_root_of_the_subtree(page: Document) -> None:
    child = element(page, "a", element(page, "b"))
    root = element(page, "r", child)
    remove(child)
    assert log() == ["a removed from <r> as root", "b removed from <r>", "r's children changed"]
    assert child.parent is None
    assert list(root.children) == []


def test_insertion_before_a_child_keeps_all_links(page: Document) -> None:
    first, last = element(page, "a"), element(page, "c")
    root = element(page, "r", first, last)
    pre_insert(element(page, "b"), root, last)
    pre_insert(element(page, "z"), root, first)
    assert names(root.children) == ["z", "a", "b", "c"]
    backwards, child = [], root.last_child
    while child is not None:
        backwards.append(child)
        child = child.previous_sibling
    assert names(reversed(backwards)) == ["z", "a", "b", "c"]


def test_insertion_before_itself_stays_in_place(page: Document) -> None:
    node, last = element(page, "a"), element(page, "b")
    root = element(page, "r", node, last)
    pre_insert(node, root, node)
    assert names(root.children) == ["a", "b"]


def test_fragment_gives_its_children(page: Document) -> None:
    fragment = DocumentFragment(page)
    for name in "ab":
        append(element(page, name), fragment)
    root = element(page, "r")
    append(fragment, root)
    assert names(root.children) == ["a", "b"]
    assert fragment.first_child is None


def test_adoption_changes_the_node_document_of_shadow_trees_too(page: Document) -> None:
    host = element(page, "host")
    inner = element(page, "inner")
    insert(inner, attach_a_shadow_root(host, "open"), None)
    other = DocumentNode(page.realm)
    log()
    adopt(host, other)
    assert log() == ["host adopted", "inner adopted"]
    assert inner.node_document is other
    assert inner.root.node_document is other


def test_move_runs_moving_steps_and_neither_insertion_nor_removing_steps(page: Document) -> None:
    moved = element(page, "m", element(page, "n"))
    one, two = element(page, "one", moved), element(page, "two")
    insert(element(page, "r", one, two), page, None)
    log()
    move(moved, two, None)
    assert log() == [
        "m moved from <one> as root",
        "n moved from <one>",
        "one's children changed",
        "two's children changed",
    ]
    assert moved.parent is two


def test_move_between_trees_throws(page: Document) -> None:
    moved = element(page, "m")
    element(page, "r", moved)
    with pytest.raises(Throw) as caught:
        move(moved, element(page, "elsewhere"), None)
    assert name_of_exception(caught) == "HierarchyRequestError"


def test_insertion_into_itself_or_a_text_throws(page: Document) -> None:
    child = element(page, "a")
    root = element(page, "r", child)
    for parent in (child, root, Text(page, "x")):
        with pytest.raises(Throw) as caught:
            append(root, parent)
        assert name_of_exception(caught) == "HierarchyRequestError"


def test_insertion_into_an_own_shadow_tree_throws(page: Document) -> None:
    host = element(page, "host")
    with pytest.raises(Throw) as caught:
        append(host, attach_a_shadow_root(host, "open"))
    assert name_of_exception(caught) == "HierarchyRequestError"


def test_insertion_before_a_strange_child_throws(page: Document) -> None:
    with pytest.raises(Throw) as caught:
        pre_insert(element(page, "a"), element(page, "r"), element(page, "b"))
    assert name_of_exception(caught) == "NotFoundError"


def test_document_takes_one_element_comments_and_no_text(page: Document) -> None:
    append(Comment(page, "x"), page)
    append(element(page, "r"), page)
    for node in (element(page, "second"), Text(page, "x")):
        with pytest.raises(Throw) as caught:
            append(node, page)
        assert name_of_exception(caught) == "HierarchyRequestError"


def test_second_shadow_root_throws(page: Document) -> None:
    host = element(page, "host")
    attach_a_shadow_root(host, "open")
    with pytest.raises(Throw) as caught:
        attach_a_shadow_root(host, "open")
    assert name_of_exception(caught) == "NotSupportedError"


def test_replace_all_removes_all_children_and_inserts_the_new_ones(page: Document) -> None:
    root = element(page, "r", element(page, "a"), element(page, "b"))
    replace_all([element(page, "c")], root)
    assert names(root.children) == ["c"]


def test_connected_nodes_are_those_below_a_document_through_shadow_trees(page: Document) -> None:
    host, inner = element(page, "host"), element(page, "inner")
    insert(inner, attach_a_shadow_root(host, "closed"), None)
    assert not inner.is_connected
    insert(host, page, None)
    assert inner.is_connected
    assert inner.root is not page
    assert inner.shadow_including_root is page
    remove(host)
    assert not inner.is_connected


def test_shadow_including_tree_order_has_a_shadow_tree_before_the_children_of_its_host(page: Document) -> None:
    host = element(page, "host", element(page, "light"))
    insert(element(page, "dark"), attach_a_shadow_root(host, "open"), None)
    root = element(page, "r", host, element(page, "after"))
    assert names(shadow_including_inclusive_descendants(root)) == ["r", "host", "dark", "light", "after"]


def test_slot_is_found_by_name_in_the_shadow_tree_of_the_parent(page: Document) -> None:
    named, unnamed, text = element(page, "a", slot="s"), element(page, "b"), Text(page, "x")
    host = element(page, "host", named, unnamed, text, element(page, "c", slot="missing"))
    slots = element(page, "slot", name="s"), element(page, "slot")
    for slot in slots:
        insert(slot, host.shadow_root or attach_a_shadow_root(host, "open"), None)
    found = [find_a_slot(child) for child in host.children]
    assert found == [slots[0], slots[1], slots[1], None]


def test_first_element_in_tree_order_is_found_by_its_id(page: Document) -> None:
    root = element(page, "r", element(page, "b", id="x"))
    insert(root, page, None)
    assert page.get_element_by_id("x") is root.first_child
    first = element(page, "a", id="x")
    pre_insert(first, root, root.first_child)
    assert page.get_element_by_id("x") is first
    set_an_attribute_value(first, "id", "y")
    assert page.get_element_by_id("x") is root.last_child
    assert page.get_element_by_id("y") is first
    remove_an_attribute(first, "id")
    assert page.get_element_by_id("y") is None
    remove(root)
    assert page.get_element_by_id("x") is None


def test_observers_are_told_when_the_first_element_with_an_id_changes_and_only_then(page: Document) -> None:
    observer = element(page, "o")
    root = element(page, "r", observer)
    insert(root, page, None)
    page.observe_id("x", observer)
    log()
    first, second = element(page, "a", id="x"), element(page, "b", id="x")
    insert(first, root, None)
    assert "o told" in log()
    insert(second, root, None)
    assert "o told" not in log()
    remove(first)
    assert "o told" in log()
    assert page.get_element_by_id("x") is second
    page.stop_observing_id("x", observer)
    remove(second)
    assert "o told" not in log()


def test_subtree_with_one_id_twice_leaves_nothing_behind(page: Document) -> None:
    observer = element(page, "o")
    twice = element(page, "t", element(page, "a", id="x"), element(page, "b", id="x"))
    insert(element(page, "r", twice, observer), page, None)
    page.observe_id("x", observer)
    log()
    remove(twice)
    assert log().count("o told") == 1
    assert page.get_element_by_id("x") is None


def test_tree_order_of_any_two_nodes(page: Document) -> None:
    leaves = [element(page, name) for name in "abcdefg"]
    root = element(page, "r", element(page, "s", *leaves[:3]), *leaves[3:5], element(page, "t", *leaves[5:]))
    nodes = list(root.inclusive_descendants)
    for index, node in enumerate(nodes):
        for other_index, other in enumerate(nodes):
            assert precedes(node, other) is (index < other_index)
    assert in_tree_order(reversed(nodes), root) == nodes


def test_deep_tree_needs_no_deep_stack(page: Document) -> None:
    tree = leaf = Element(page, "r", "")
    for _ in range(5_000):
        child = Element(page, "d", "")
        insert(child, leaf, None)
        leaf = child
    insert(tree, page, None)
    assert leaf.is_connected
    assert len(list(shadow_including_inclusive_descendants(page))) == 5_002
    remove(tree)
    assert not tree.is_connected


def test_text_content_is_that_of_all_texts(page: Document) -> None:
    root = element(page, "r", Text(page, "a"), element(page, "b", Text(page, "c")), Comment(page, "d"), Text(page, "e"))
    assert root.descendant_text_content == "ace"
    assert root.child_text_content == "ae"
