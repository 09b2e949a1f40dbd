"""Events in trees: capturing, bubbling, shadow trees, activation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.dom.dispatching import dispatch
from modelcontext.platform.dom.elements import Element, attach_a_shadow_root
from modelcontext.platform.dom.events import Event, EventTarget, event_attribute
from modelcontext.platform.dom.mutations import insert
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document


class Activatable(Element):
    """An element with an activation behavior, which is logged."""

    log: list[str]

    @property
    def has_activation_behavior(self) -> bool:
        return True

    def activation_behavior(self, event: Event) -> None:
        self.log.append(f"{self.local_name} activated")

    def legacy_pre_activation_behavior(self) -> None:
        self.log.append(f"{self.local_name} before")

    def legacy_canceled_activation_behavior(self) -> None:
        self.log.append(f"{self.local_name} canceled")


class Tree:
    """A document element ``r`` with a child ``h`` with a child ``c``, and listeners that log."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.log: list[str] = []
        self.r, self.h, self.c = (self.element(name) for name in "rhc")
        insert(self.r, document, None)
        insert(self.h, self.r, None)
        insert(self.c, self.h, None)

    def element(self, name: str) -> Activatable:
        made = Activatable(self.document, name, "")
        made.log = self.log
        return made

    def listen(self, target: EventTarget, *, capture: bool, then: Callable[[Event], None] = lambda event: None) -> None:
        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            event = arguments[0]
            assert isinstance(event, Event)
            assert event_attribute(event, "currentTarget") is target
            phase = event_attribute(event, "eventPhase")
            self.log.append(f"{target} {phase} of {event_attribute(event, 'target')}")
            then(event)
            return UNDEFINED

        target.add_event_listener("click", JSFunction(self.document.realm, behavior), capture=capture)

    def click(
        self, target: EventTarget, *, bubbles: bool = True, composed: bool = True, cancelable: bool = True
    ) -> Event:
        realm = self.document.realm
        event = Event(realm, "click", bubbles=bubbles, composed=composed, cancelable=cancelable)
        dispatch(event, target)
        return event


@pytest.fixture
def tree(page: Document) -> Tree:
    return Tree(page)


def test_capturing_listeners_run_downwards_and_others_upwards(tree: Tree) -> None:
    for target in (tree.c, tree.h, tree.r):
        tree.listen(target, capture=False)
        tree.listen(target, capture=True)
    tree.click(tree.c)
    assert tree.log == [
        *("<r> 1 of <c>", "<h> 1 of <c>", "<c> 2 of <c>"),
        *("<c> 2 of <c>", "<h> 3 of <c>", "<r> 3 of <c>"),
    ]


def test_event_that_does_not_bubble_is_captured_all_the_same(tree: Tree) -> None:
    tree.listen(tree.r, capture=True)
    tree.listen(tree.r, capture=False)
    tree.click(tree.c, bubbles=False)
    assert tree.log == ["<r> 1 of <c>"]


def test_document_is_the_end_of_the_path(tree: Tree) -> None:
    tree.listen(tree.document, capture=False)
    tree.click(tree.c)
    assert tree.log == ["<Document https://a.test/> 3 of <c>"]


def test_stopped_propagation_lets_the_other_listeners_of_the_target_run(tree: Tree) -> None:
    tree.listen(tree.h, capture=False, then=Event.stop_propagation)
    tree.listen(tree.h, capture=False)
    tree.listen(tree.r, capture=False)
    tree.click(tree.c)
    assert tree.log == ["<h> 3 of <c>"] * 2


def test_immediately_stopped_propagation_lets_no_listener_run(tree: Tree) -> None:
    tree.listen(tree.h, capture=False, then=Event.stop_immediate_propagation)
    tree.listen(tree.h, capture=False)
    tree.listen(tree.r, capture=False)
    tree.click(tree.c)
    assert tree.log == ["<h> 3 of <c>"]


def test_path_is_made_before_the_first_listener_runs(tree: Tree) -> None:
    tree.listen(tree.c, capture=False, then=lambda event: insert(tree.c, tree.r, None))
    tree.listen(tree.h, capture=False)
    tree.click(tree.c)
    assert tree.log == ["<c> 2 of <c>", "<h> 3 of <c>"]


def test_same_listener_for_both_phases_is_two_listeners(tree: Tree) -> None:
    def note(this: JSValue, arguments: list[JSValue]) -> JSValue:
        tree.log.append("called")
        return UNDEFINED

    function = JSFunction(tree.document.realm, note)
    for capture in (True, False, True):
        tree.c.add_event_listener("click", function, capture=capture)
    tree.click(tree.c)
    assert tree.log == ["called"] * 2
    tree.c.remove_event_listener("click", function, capture=True)
    tree.click(tree.c)
    assert tree.log == ["called"] * 3


def test_listeners_outside_of_a_shadow_tree_see_the_host_as_target(tree: Tree) -> None:
    inner = tree.element("i")
    insert(inner, attach_a_shadow_root(tree.h, "open"), None)
    for target in (inner, tree.h, tree.r):
        tree.listen(target, capture=False)
    event = tree.click(inner)
    assert tree.log == ["<i> 2 of <i>", "<h> 2 of <h>", "<r> 3 of <h>"]
    assert event.target is tree.h


def test_target_of_an_event_that_stays_in_a_shadow_tree_is_cleared(tree: Tree) -> None:
    inner = tree.element("i")
    insert(inner, attach_a_shadow_root(tree.h, "open"), None)
    tree.listen(tree.h, capture=False)
    event = tree.click(inner, composed=False)
    assert tree.log == []
    assert event.target is None


def test_event_at_a_slotted_element_passes_the_slot(tree: Tree) -> None:
    slot = tree.element("slot")
    insert(slot, attach_a_shadow_root(tree.h, "open"), None)
    for target in (slot, tree.h):
        tree.listen(target, capture=False)
    tree.click(tree.c)
    assert tree.log == ["<slot> 3 of <c>", "<h> 3 of <c>"]


def test_click_activates_the_nearest_element_that_can_be(tree: Tree) -> None:
    leaf = Element(tree.document, "leaf", "")
    insert(leaf, tree.c, None)
    event = Event(tree.document.realm, "click", "PointerEvent", bubbles=True, cancelable=True)
    assert dispatch(event, leaf)
    assert tree.log == ["c before", "c activated"]


def test_canceled_click_undoes_the_activation(tree: Tree) -> None:
    tree.listen(tree.r, capture=False, then=Event.set_the_canceled_flag)
    event = Event(tree.document.realm, "click", "PointerEvent", bubbles=True, cancelable=True)
    assert not dispatch(event, tree.c)
    assert tree.log == ["c before", "<r> 3 of <c>", "c canceled"]
    assert event_attribute(event, "defaultPrevented") is True


def test_click_that_does_not_bubble_activates_no_ancestor(tree: Tree) -> None:
    leaf = Element(tree.document, "leaf", "")
    insert(leaf, tree.c, None)
    dispatch(Event(tree.document.realm, "click", "PointerEvent"), leaf)
    assert tree.log == []


def test_event_of_another_interface_activates_nothing(tree: Tree) -> None:
    tree.click(tree.c)
    assert tree.log == []


def test_event_that_cannot_be_canceled_is_not(tree: Tree) -> None:
    tree.listen(tree.c, capture=False, then=Event.set_the_canceled_flag)
    assert not tree.click(tree.c, cancelable=False).canceled_flag
    assert tree.click(tree.c).canceled_flag


def test_handler_that_returns_false_cancels(tree: Tree) -> None:
    tree.c.set_event_handler("click", JSFunction(tree.document.realm, lambda this, arguments: False))
    assert tree.click(tree.c).canceled_flag
