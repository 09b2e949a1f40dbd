"""The registration of forms as tools, and its changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.platform.dom.elements import attach_a_shadow_root, remove_an_attribute, set_an_attribute_value
from modelcontext.platform.dom.mutations import append, move, remove, replace_all, replace_the_data
from modelcontext.platform.dom.nodes import DocumentNode, Node, Text
from modelcontext.platform.ecmascript.values import JSObject
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.interfaces import create_an_element
from modelcontext.platform.html.loading import (
    Response,
    insert_an_iframe,
    remove_an_iframe,
    replace_the_initial_document,
)
from modelcontext.platform.html.parsing import parse_html
from modelcontext.spec.revisions.current.model import state_of
from modelcontext.spec.revisions.current.tools import unregister_a_tool
from tests.revisions.conftest import Page as Document

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import Promise
    from modelcontext.platform.ecmascript.values import JSValue
    from tests.revisions.conftest import Page

FORM = "<form id=f toolname=t tooldescription=d><input id=i name=a></form>"


def by_id(page: Page, id_: str) -> HTMLElement:
    element = page.document.get_element_by_id(id_)
    assert isinstance(element, HTMLElement)
    return element


def form_of(page: Page, id_: str = "f") -> HTMLFormElement:
    form = by_id(page, id_)
    assert isinstance(form, HTMLFormElement)
    return form


def body_of(page: Page) -> HTMLElement:
    return next(
        node for node in page.document.descendants if isinstance(node, HTMLElement) and node.local_name == "body"
    )


def make(page: Page, local_name: str = "form", **attributes: str) -> HTMLElement:
    element = create_an_element(page.document, local_name)
    assert isinstance(element, HTMLElement)
    if local_name == "form":
        attributes = {"toolname": "t", "tooldescription": "d"} | attributes
    for name, value in attributes.items():
        set_an_attribute_value(element, name, value)
    return element


def load(page: Page, html: str = FORM) -> None:
    """Parse HTML, let the forms become tools, and forget the events."""
    page.run(lambda: parse_html(page.document, html))
    page.log.clear()


def names(page: Page) -> list[str]:
    return [definition.name for definition in page.context.internal_context.tool_map.values()]


def listed(page: Page, name: str = "t") -> str:
    """Return the description and the schema of a tool."""
    definition = page.context.internal_context.tool_map[name]
    assert definition.input_schema is not None
    return f"{definition.title} {definition.description} {definition.input_schema.serialized}"


def test_parsed_form_is_registered_by_a_task(page: Page) -> None:
    def script() -> None:
        parse_html(page.document, FORM)
        assert names(page) == []

    page.run(script)
    assert names(page) == ["t"]
    assert page.log == ["page: toolchange"]


def test_form_is_registered_with_its_attributes(page: Page) -> None:
    load(page, "<form toolname=t tooldescription='' tooltitle=T></form>")
    definition = page.context.internal_context.tool_map["t"]
    assert (definition.title, definition.description, definition.annotations) == ("T", "", None)
    assert definition.exposed_origins == []
    assert definition.input_schema is not None
    assert definition.input_schema.serialized == '{"type":"object","properties":{},"required":[]}'


def insert(page: Page) -> None:
    append(make(page, toolname="u"), body_of(page))


def insert_and_remove(page: Page) -> None:
    form = make(page, toolname="u")
    append(form, body_of(page))
    remove(form)


def insert_three(page: Page) -> None:
    for name in "uvw":
        append(make(page, toolname=name), body_of(page))


def remove_and_insert_again(page: Page) -> None:
    form = form_of(page)
    remove(form)
    append(form, body_of(page))


def set_attribute(id_: str, **attributes: str) -> Callable[[Page], None]:
    def script(page: Page) -> None:
        for name, value in attributes.items():
            set_an_attribute_value(by_id(page, id_), name.replace("_", "-"), value)

    return script


def remove_attribute(name: str) -> Callable[[Page], None]:
    return lambda page: remove_an_attribute(form_of(page), name)


def change_and_revert(page: Page) -> None:
    set_an_attribute_value(form_of(page), "tooldescription", "other")
    set_an_attribute_value(form_of(page), "tooldescription", "d")


def remove_and_set_again(page: Page) -> None:
    remove_an_attribute(form_of(page), "toolname")
    set_an_attribute_value(form_of(page), "toolname", "t")


def add(local_name: str, **attributes: str) -> Callable[[Page], None]:
    def script(page: Page) -> None:
        append(make(page, local_name, **attributes), form_of(page))

    return script


def remove_and_insert_a_control(page: Page) -> None:
    control = by_id(page, "i")
    remove(control)
    append(control, form_of(page))


def label_the_control(page: Page) -> None:
    label = make(page, "label", **{"for": "i"})
    append(Text(page.document, "L"), label)
    append(label, body_of(page))


@pytest.mark.parametrize(
    ("change", "events"),
    [
        (insert, 1),
        (insert_three, 3),
        (insert_and_remove, 0),
        (lambda page: remove(form_of(page)), 1),
        (lambda page: remove(body_of(page)), 1),
        (lambda page: move(form_of(page), body_of(page), None), 0),
        (remove_and_insert_again, 2),
        (remove_attribute("toolname"), 1),
        (remove_attribute("tooldescription"), 1),
        (set_attribute("f", toolname="not valid"), 1),
        (set_attribute("f", toolname="u"), 2),
        (set_attribute("f", tooldescription="e", tooltitle="T", toolautosubmit=""), 2),
        (set_attribute("f", tooltitle=""), 2),
        (set_attribute("f", toolautosubmit=""), 2),
        (set_attribute("f", tooldescription="d"), 0),
        (set_attribute("f", action="/"), 0),
        (change_and_revert, 0),
        (remove_and_set_again, 2),
        (set_attribute("i", required=""), 2),
        (set_attribute("i", aria_description="D"), 2),
        (set_attribute("i", disabled=""), 2),
        (set_attribute("i", value="v"), 0),
        (set_attribute("i", form="elsewhere"), 2),
        (add("input", name="b"), 2),
        (add("button"), 0),
        (remove_and_insert_a_control, 0),
        (label_the_control, 2),
    ],
)
def test_change_fires_toolchange(change: Callable[[Page], None], events: int, page: Page) -> None:
    load(page)
    page.run(lambda: change(page))
    assert page.log == ["page: toolchange"] * events


@pytest.mark.parametrize(
    ("control", "change"),
    [
        ("<select name=a id=s><option id=o>x</select>", set_attribute("o", label="L")),
        ("<select name=a id=s><option>x</select>", lambda page: append(make(page, "option"), by_id(page, "s"))),
        ("<label id=l>L<input name=a></label>", lambda page: replace_all([Text(page.document, "M")], by_id(page, "l"))),
        ("<label for=x id=l>L</label><input name=a id=i>", set_attribute("l", **{"for": "i"})),
        ("<fieldset id=s><input name=a></fieldset>", set_attribute("s", disabled="")),
    ],
)
def test_listed_schema_is_that_of_now(control: str, change: Callable[[Page], None], page: Page) -> None:
    load(page, f"<form id=f toolname=t tooldescription=d>{control}</form>")
    before = listed(page)
    page.run(lambda: change(page))
    assert listed(page) != before
    assert page.log == ["page: toolchange"] * 2


def test_data_of_a_text_counts(page: Page) -> None:
    load(page, "<form id=f toolname=t tooldescription=d><label id=l>L<input name=a></label></form>")
    text = by_id(page, "l").first_child
    assert isinstance(text, Text)
    page.run(lambda: replace_the_data(text, "M"))
    assert '"description":"M"' in listed(page)


def test_new_definition_is_listed_at_the_first_event(page: Page) -> None:
    load(page)
    seen: list[str] = []

    def look(arguments: list[JSValue]) -> JSValue:
        seen.append(listed(page).split()[1])
        return None

    page.context.add_event_listener("toolchange", page.function(look))
    page.run(lambda: set_an_attribute_value(form_of(page), "tooldescription", "new"))
    assert seen == ["new", "new"]


def test_removed_form_is_withdrawn_at_once(page: Page) -> None:
    load(page)

    def script() -> None:
        remove(form_of(page))
        assert names(page) == []

    page.run(script)


def test_form_that_awaits_an_update_is_withdrawn_at_once(page: Page) -> None:
    load(page)

    def script() -> None:
        set_an_attribute_value(form_of(page), "tooldescription", "other")
        assert names(page) == ["t"]
        remove_an_attribute(form_of(page), "toolname")
        assert names(page) == []

    page.run(script)
    assert page.log == ["page: toolchange"]


def test_first_of_two_forms_has_the_name(page: Page) -> None:
    load(
        page, "<form id=f toolname=t tooldescription=first></form><form id=g toolname=t tooldescription=second></form>"
    )
    assert listed(page).startswith("None first ")
    assert state_of(form_of(page, "g")).tool is None


@pytest.mark.parametrize(
    "change",
    [
        lambda page: remove(form_of(page, "g")),
        lambda page: set_an_attribute_value(form_of(page, "g"), "tooldescription", "new"),
        lambda page: remove_an_attribute(form_of(page, "g"), "toolname"),
    ],
)
def test_form_that_lost_its_name_does_not_disturb_the_winner(change: Callable[[Page], None], page: Page) -> None:
    load(
        page, "<form id=f toolname=t tooldescription=first></form><form id=g toolname=t tooldescription=second></form>"
    )
    page.run(lambda: change(page))
    assert listed(page).startswith("None first ")
    assert page.log == []


def test_form_gets_a_free_name_at_its_next_change(page: Page) -> None:
    load(
        page, "<form id=f toolname=t tooldescription=first></form><form id=g toolname=t tooldescription=second></form>"
    )
    page.run(lambda: remove(form_of(page)))
    page.run(lambda: set_an_attribute_value(form_of(page, "g"), "tooltitle", "T"))
    assert listed(page).startswith("T second ")


def tool(page: Page, description: str) -> JSObject:
    members: dict[str, Any] = {"name": "t", "description": description, "execute": page.function(lambda _: None)}
    return JSObject(page.realm, members)


def test_call_of_register_tool_is_before_a_form_of_the_same_script(page: Page) -> None:
    def script() -> None:
        parse_html(page.document, FORM)
        page.world.boundary.call(page.context, "registerTool", [tool(page, "imperative")])

    page.run(script)
    assert listed_description(page) == "imperative"


def listed_description(page: Page) -> str:
    return page.context.internal_context.tool_map["t"].description


def test_register_tool_rejects_the_name_of_a_form(page: Page, state_of: Callable[[Promise], str]) -> None:
    load(page)
    assert state_of(page.call("registerTool", tool(page, "imperative"))) == "InvalidStateError"


def test_form_whose_tool_is_gone_withdraws_no_other_one(page: Page) -> None:
    load(page)
    page.run(lambda: unregister_a_tool(page.context, "t"))
    page.run(lambda: remove_attribute("tooltitle")(page))
    page.call("registerTool", tool(page, "imperative"))
    page.run(lambda: remove(form_of(page)))
    assert listed_description(page) == "imperative"


def test_form_in_a_shadow_tree_is_a_tool(page: Page) -> None:
    load(page, "<div id=host></div>")

    def script() -> None:
        root = attach_a_shadow_root(by_id(page, "host"), "closed")
        append(make(page), root)

    page.run(script)
    assert names(page) == ["t"]
    page.run(lambda: remove(by_id(page, "host")))
    assert names(page) == []
    assert page.log == ["page: toolchange"] * 2


@pytest.mark.parametrize("html", [f"<template>{FORM}</template>", "<form toolname=t></form>"])
def test_form_is_no_tool(html: str, page: Page) -> None:
    page.run(lambda: parse_html(page.document, html))
    assert names(page) == []
    assert page.log == []


def test_form_in_a_document_without_a_browsing_context_is_no_tool(page: Page) -> None:
    document = DocumentNode(page.realm)

    def script() -> Node:
        parse_html(document, FORM)
        return append(make(page, toolname="u"), next(iter(document.children)))

    form = page.run(script)
    assert names(page) == []
    page.run(lambda: append(form, page.document))
    assert names(page) == ["u"]


@pytest.mark.parametrize(
    ("sandbox", "policy", "expected"),
    [
        (None, "", ["t"]),
        ("allow-scripts allow-same-origin", "", ["t"]),
        ("allow-same-origin", "", []),
        (None, "tools=()", []),
    ],
)
def test_form_in_a_frame_is_a_tool_where_scripts_run_and_the_feature_is_allowed(
    sandbox: str | None, policy: str, expected: list[str], page: Page
) -> None:
    container = insert_an_iframe(page.document, sandbox=sandbox)
    assert container.content_navigable is not None
    response = Response("https://a.test/", permissions_policy=policy)
    document = replace_the_initial_document(container.content_navigable, response)
    frame = Document(page.world, document, "frame", page.log)
    frame.run(lambda: parse_html(document, FORM))
    assert names(frame) == expected
    assert sorted(page.log) == ["frame: toolchange", "page: toolchange"] * len(expected)


def test_adopted_form_is_a_tool_of_its_new_document(page: Page) -> None:
    frame = page.frame("frame")
    load(page)
    load(frame, "<body>")
    page.run(lambda: append(form_of(page), body_of(frame)))
    assert (names(page), names(frame)) == ([], ["t"])
    assert page.log == ["page: toolchange", "frame: toolchange"] * 2


def test_form_that_is_adopted_before_its_task_is_a_tool_of_its_new_document_only(page: Page) -> None:
    frame = page.frame("frame")
    load(page, "<body>")
    load(frame, "<body>")
    form = make(page)

    def script() -> None:
        append(form, body_of(page))
        append(form, body_of(frame))

    page.run(script)
    assert (names(page), names(frame)) == ([], ["t"])


def test_form_whose_document_goes_away_before_its_task_can_be_a_tool_elsewhere(page: Page) -> None:
    frame = page.frame("frame")
    load(page, "<body>")
    load(frame, "<body>")
    form = make(frame)

    def script() -> None:
        append(form, body_of(frame))
        remove_an_iframe(page.document.navigable_containers[0])
        append(form, body_of(page))

    page.run(script)
    assert names(page) == ["t"]
