"""Forms: owners, categories, disabledness, labels, selectedness, radio buttons, activation, reset and focus."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import pytest

from modelcontext.platform.dom.elements import (
    Element,
    attach_a_shadow_root,
    remove_an_attribute,
    set_an_attribute_value,
)
from modelcontext.platform.dom.events import Event, EventTarget, event_attribute
from modelcontext.platform.dom.mutations import append, insert, move, remove
from modelcontext.platform.dom.nodes import Text
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.focus import focusing_steps, is_focusable_area
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLOutputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.labels import HTMLLabelElement, labeled_control, labels_of
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.select import HTMLOptionElement, HTMLSelectElement
from modelcontext.platform.html.forms.submission import submit
from modelcontext.platform.html.interfaces import create_an_element
from modelcontext.platform.html.parsing import parse_html

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document

E = TypeVar("E", bound=Element)


class Parsed:
    """A document parsed from HTML, whose elements are found by ID."""

    def __init__(self, document: Document, html: str) -> None:
        self.document = document
        self.log: list[str] = []
        parse_html(document, html, form_associated={"x-control"})

    def __getitem__(self, id_: str) -> HTMLElement:
        return self.get(id_, HTMLElement)

    def get(self, id_: str, kind: type[E]) -> E:
        found = self.document.get_element_by_id(id_)
        assert isinstance(found, kind)
        return found

    def owner(self, id_: str) -> str | None:
        owner = self.get(id_, FormAssociatedElement).form_owner
        return None if owner is None else owner.get_attribute("id")

    def make(self, local_name: str, /, **attributes: str) -> HTMLElement:
        made = create_an_element(self.document, local_name)
        assert isinstance(made, HTMLElement)
        for key, value in attributes.items():
            set_an_attribute_value(made, key, value)
        return made

    def listen(self, target: EventTarget, type_: str, *, cancels: bool = False) -> None:
        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            event = arguments[0]
            assert isinstance(event, Event)
            self.log.append(f"{type_} at {event_attribute(event, 'target')}")
            if cancels:
                event.set_the_canceled_flag()
            return UNDEFINED

        target.add_event_listener(type_, JSFunction(self.document.realm, behavior))


def ids(elements: object) -> list[str | None]:
    return [element.get_attribute("id") for element in elements]  # type: ignore[attr-defined]


def test_nearest_ancestor_form_is_the_form_owner(page: Document) -> None:
    parsed = Parsed(page, "<form id=f></form>")
    control = parsed.make("input", id="i")
    append(control, parsed["f"])
    assert parsed.owner("i") == "f"
    remove(control)
    assert isinstance(control, FormAssociatedElement)
    assert control.form_owner is None


@pytest.mark.parametrize("name", ["button", "fieldset", "input", "object", "output", "select", "textarea", "x-control"])
def test_form_attribute_names_the_owner_of_each_listed_element(page: Document, name: str) -> None:
    parsed = Parsed(page, f"<form id=f></form><form id=g><{name} id=i form=f></{name}></form>")
    assert parsed.owner("i") == "f"
    set_an_attribute_value(parsed["i"], "form", "g")
    assert parsed.owner("i") == "g"
    set_an_attribute_value(parsed["i"], "form", "missing")
    assert parsed.owner("i") is None
    remove_an_attribute(parsed["i"], "form")
    assert parsed.owner("i") == "g"


def test_form_attribute_that_names_no_form_leaves_no_owner(page: Document) -> None:
    parsed = Parsed(page, "<div id=d></div><form id=f><input id=i form=d></form>")
    assert parsed.owner("i") is None


def test_first_element_with_the_id_must_be_the_form(page: Document) -> None:
    parsed = Parsed(page, "<form id=f></form><input id=i form=f>")
    assert parsed.owner("i") == "f"
    body = parsed["f"].parent
    assert body is not None
    decoy = parsed.make("div", id="f")
    insert(decoy, body, body.first_child)
    assert parsed.owner("i") is None
    remove(decoy)
    assert parsed.owner("i") == "f"


def test_form_owner_follows_the_id_of_the_form(page: Document) -> None:
    parsed = Parsed(page, "<input id=i form=f><form id=g></form>")
    assert parsed.owner("i") is None
    form = parsed["g"]
    set_an_attribute_value(form, "id", "f")
    assert parsed.owner("i") == "f"
    remove(form)
    assert parsed.owner("i") is None


def test_form_attribute_means_nothing_outside_of_a_document(page: Document) -> None:
    parsed = Parsed(page, "<form id=f></form>")
    form, control = parsed.make("form", id="g"), parsed.make("input", form="f")
    append(control, form)
    assert isinstance(control, FormAssociatedElement)
    assert control.form_owner is form
    append(form, parsed["f"])
    assert control.form_owner is parsed["f"]


def test_form_attribute_looks_into_its_own_tree_only(page: Document) -> None:
    parsed = Parsed(page, "<form id=f></form><div id=h></div>")
    shadow = attach_a_shadow_root(parsed["h"], "open")
    control = parsed.make("input", form="f")
    append(control, shadow)
    assert isinstance(control, FormAssociatedElement)
    assert control.form_owner is None
    form = parsed.make("form", id="f")
    append(form, shadow)
    assert control.form_owner is form


def test_control_in_a_shadow_tree_inside_of_a_form_is_not_its_own(page: Document) -> None:
    parsed = Parsed(page, "<form id=f><div id=h></div></form>")
    control = parsed.make("input")
    append(control, attach_a_shadow_root(parsed["h"], "open"))
    assert isinstance(control, FormAssociatedElement)
    assert control.form_owner is None


def test_control_associated_by_the_parser_alone_loses_a_form_that_is_removed(page: Document) -> None:
    parsed = Parsed(page, "<table id=t><form id=f><tr><td><input id=i></table>")
    assert parsed.owner("i") == "f"
    remove(parsed["f"])
    assert parsed.owner("i") is None


def test_control_that_moves_within_the_tree_keeps_its_owner(page: Document) -> None:
    parsed = Parsed(page, "<form id=f><input id=i></form><form id=g></form>")
    move(parsed["i"], parsed["g"], None)
    assert parsed.owner("i") == "f"


def test_elements_of_a_form_come_in_tree_order_without_image_buttons(page: Document) -> None:
    html = "<input id=a form=f><form id=f><input id=b><input id=image type=image><x-control id=c></x-control>"
    parsed = Parsed(page, html + "<meter></meter></form><input id=d form=f>")
    form = parsed.get("f", HTMLFormElement)
    assert ids(form.elements) == ["a", "b", "c", "d"]
    assert ids(form.listed_elements) == ["a", "b", "image", "c", "d"]


def test_disabled_attribute_disables_controls_and_no_other_listed_elements(page: Document) -> None:
    names = ("button", "fieldset", "input", "select", "textarea", "output", "object", "label")
    parsed = Parsed(page, "".join(f"<{name} id={name} disabled></{name}>" for name in names if name != "fieldset"))
    assert [name for name in names if name != "fieldset" and parsed[name].is_disabled] == [
        *("button", "input", "select", "textarea"),
    ]


def test_disabled_fieldset_disables_what_is_outside_of_its_first_legend(page: Document) -> None:
    parsed = Parsed(
        page,
        "<fieldset disabled id=f><p><legend><input id=deep></legend></p><legend><input id=first><fieldset id=inner>"
        "<input id=within></fieldset></legend><legend><input id=second></legend><input id=after></fieldset>",
    )
    controls = ("f", "deep", "first", "inner", "within", "second", "after")
    assert [id_ for id_ in controls if parsed[id_].is_disabled] == ["f", "deep", "second", "after"]
    remove_an_attribute(parsed["f"], "disabled")
    assert not any(parsed[id_].is_disabled for id_ in controls)


def test_options_are_disabled_by_their_own_optgroup(page: Document) -> None:
    parsed = Parsed(
        page,
        "<select disabled><option id=a><option id=b disabled><optgroup id=g disabled><option id=c></optgroup></select>",
    )
    assert [id_ for id_ in "abgc" if parsed[id_].is_disabled] == ["b", "g", "c"]


def test_label_labels_its_first_labelable_descendant(page: Document) -> None:
    parsed = Parsed(
        page, "<label id=l><input type=hidden id=h><object id=o></object><meter id=m></meter><input id=i></label>"
    )
    assert labeled_control(parsed.get("l", HTMLLabelElement)) is parsed["m"]
    assert ids(labels_of(parsed["m"])) == ["l"]
    assert labels_of(parsed["i"]) == []
    remove(parsed["m"])
    assert ids(labels_of(parsed["i"])) == ["l"]


def test_for_attribute_names_the_first_element_with_the_id_if_it_is_labelable(page: Document) -> None:
    parsed = Parsed(page, "<label id=l for=i><input id=inside></label><div id=i></div><input id=j>")
    label = parsed.get("l", HTMLLabelElement)
    assert labeled_control(label) is None
    set_an_attribute_value(label, "for", "j")
    assert labeled_control(label) is parsed["j"]
    set_an_attribute_value(label, "for", "")
    assert labeled_control(label) is None
    remove_an_attribute(label, "for")
    assert labeled_control(label) is parsed["inside"]


def test_labels_come_in_tree_order(page: Document) -> None:
    parsed = Parsed(
        page, "<label id=a for=i></label><label id=b><label id=c><input id=i></label></label><label id=d for=i>"
    )
    assert ids(labels_of(parsed["i"])) == ["a", "b", "c", "d"]


def test_labels_that_refer_to_each_other_label_nothing(page: Document) -> None:
    parsed = Parsed(page, "<label id=a for=b>x</label><label id=b for=a>y</label><label id=c for=c>z</label>")
    assert [labeled_control(parsed.get(id_, HTMLLabelElement)) for id_ in "abc"] == [None] * 3


def test_labels_are_found_outside_of_documents(page: Document) -> None:
    parsed = Parsed(page, "")
    label, control = parsed.make("label"), parsed.make("input")
    append(control, label)
    assert labels_of(control) == [label]


def selected(select: HTMLElement) -> list[str | None]:
    assert isinstance(select, HTMLSelectElement)
    assert set(select.selected) == {option for option in select.list_of_options if option.selectedness}
    return ids(option for option in select.list_of_options if option.selectedness)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<option id=a><option id=b>", ["a"]),
        ("<option id=a disabled><option id=b>", ["b"]),
        ("<optgroup disabled><option id=a></optgroup><option id=b>", ["b"]),
        ("<option id=a disabled>", []),
        ("<option id=a selected><option id=b selected><option id=c>", ["b"]),
        ("<option id=a disabled selected><option id=b>", ["a"]),
    ],
)
def test_drop_down_selects_one_option(page: Document, html: str, expected: list[str]) -> None:
    assert selected(Parsed(page, f"<select id=s>{html}</select>")["s"]) == expected


@pytest.mark.parametrize(
    ("size", "expected"), [("1", ["a"]), ("2", []), (" +03x", []), ("0", ["a"]), ("9" * 9_999, [])]
)
def test_display_size_decides_whether_an_option_is_selected_by_default(
    page: Document, size: str, expected: list[str]
) -> None:
    assert selected(Parsed(page, f"<select id=s size='{size}'><option id=a></select>")["s"]) == expected


def test_select_multiple_keeps_every_selected_option_until_it_takes_one(page: Document) -> None:
    parsed = Parsed(page, "<select id=s multiple><option id=a><option id=b selected><option id=c selected></select>")
    assert selected(parsed["s"]) == ["b", "c"]
    remove_an_attribute(parsed["s"], "multiple")
    assert selected(parsed["s"]) == ["c"]
    remove(parsed["c"])
    assert selected(parsed["s"]) == ["a"]


def test_option_that_becomes_enabled_can_be_selected_by_the_next_insertion(page: Document) -> None:
    parsed = Parsed(page, "<select id=s><option id=a disabled></select>")
    remove_an_attribute(parsed["a"], "disabled")
    assert selected(parsed["s"]) == []
    append(parsed.make("option", id="b"), parsed["s"])
    assert selected(parsed["s"]) == ["a"]


def test_options_of_a_datalist_are_none_of_the_select(page: Document) -> None:
    parsed = Parsed(page, "<select id=s></select>")
    datalist, option = parsed.make("datalist"), parsed.make("option", id="a")
    append(option, datalist)
    append(datalist, parsed["s"])
    assert selected(parsed["s"]) == []
    append(option, parsed["s"])
    assert selected(parsed["s"]) == ["a"]


def test_option_has_the_text_of_its_descendants_as_value_and_label(page: Document) -> None:
    parsed = Parsed(page, "<select><option id=a> a \n b\u00a0</option><option id=b value=v label=l>x</option></select>")
    option, other = parsed.get("a", HTMLOptionElement), parsed.get("b", HTMLOptionElement)
    assert (option.text, option.value, option.label) == ("a b\u00a0",) * 3
    assert (other.text, other.value, other.label) == ("x", "v", "l")


def checked(parsed: Parsed, names: str) -> str:
    return "".join(id_ for id_ in names if parsed.get(id_, HTMLInputElement).checkedness)


def test_radio_button_group_has_one_checked_member(page: Document) -> None:
    radio = "<input type=radio checked name="
    parsed = Parsed(
        page, f"<form id=f>{radio}n id=a>{radio}n id=b>{radio}m id=c></form>{radio}n id=d>{radio}n id=e>{radio}'' id=g>"
    )
    assert checked(parsed, "abcdeg") == "bceg"
    set_an_attribute_value(parsed["c"], "name", "n")
    assert checked(parsed, "abcdeg") == "ceg"
    append(parsed["e"], parsed["f"])
    assert checked(parsed, "abcdeg") == "eg"
    parsed.get("d", HTMLInputElement).set_checkedness(True)
    assert checked(parsed, "abcdeg") == "deg"


def test_radio_buttons_outside_of_documents_are_a_group(page: Document) -> None:
    parsed = Parsed(page, "")
    parent = parsed.make("div")
    buttons = [parsed.make("input", type="radio", name="n") for _ in range(3)]
    for button in buttons:
        append(button, parent)
        assert isinstance(button, HTMLInputElement)
        button.set_checkedness(True)
    assert [isinstance(button, HTMLInputElement) and button.checkedness for button in buttons] == [False, False, True]


def test_value_follows_the_attribute_until_it_is_dirty(page: Document) -> None:
    parsed = Parsed(page, "<input id=i value=a><textarea id=t>b</textarea>")
    control, area = parsed.get("i", HTMLInputElement), parsed.get("t", HTMLTextAreaElement)
    assert (control.value, area.raw_value) == ("a", "b")
    set_an_attribute_value(control, "value", "c")
    append(Text(page, "d"), area)
    assert (control.value, area.raw_value) == ("c", "bd")
    control.dirty_value_flag = area.dirty_value_flag = True
    remove_an_attribute(control, "value")
    append(Text(page, "e"), area)
    assert (control.value, area.raw_value) == ("c", "bd")


def test_reset_restores_every_resettable_element(page: Document) -> None:
    html = "<input id=i value=a><input id=c type=checkbox checked><textarea id=t>b</textarea><output id=o>c</output>"
    parsed = Parsed(page, f"<form id=f>{html}<select id=s><option id=x><option id=y selected></select></form>")
    control, area = parsed.get("i", HTMLInputElement), parsed.get("t", HTMLTextAreaElement)
    box, output = parsed.get("c", HTMLInputElement), parsed.get("o", HTMLOutputElement)
    control.set_value("changed")
    area.raw_value = "changed"
    control.dirty_value_flag = area.dirty_value_flag = True
    box.set_checkedness(False)
    output.set_value("changed")
    parsed.get("y", HTMLOptionElement).set_selectedness(False)
    parsed.listen(parsed["f"], "reset")
    reset(parsed.get("f", HTMLFormElement))
    assert parsed.log == ["reset at <form id=f>"]
    assert (control.value, area.raw_value, box.checkedness, output.value) == ("a", "b", True, "c")
    assert not (control.dirty_value_flag)
    assert not (area.dirty_value_flag)
    assert selected(parsed["s"]) == ["y"]


def test_canceled_reset_changes_nothing(page: Document) -> None:
    parsed = Parsed(page, "<form id=f><input id=i value=a></form>")
    control = parsed.get("i", HTMLInputElement)
    control.set_value("changed")
    parsed.listen(parsed["f"], "reset", cancels=True)
    reset(parsed.get("f", HTMLFormElement))
    assert control.value == "changed"


BUTTONS = {
    "<button id=b></button>": "submit",
    "<button id=b type=SUBMIT></button>": "submit",
    "<button id=b type=nonsense></button>": "submit",
    "<button id=b command=close></button>": None,
    "<button id=b type=button></button>": None,
    "<button id=b type=reset></button>": "reset",
    "<button id=b disabled></button>": None,
    "<input id=b type=submit>": "submit",
    "<input id=b type=image>": "submit",
    "<input id=b type=reset>": "reset",
    "<input id=b type=submit disabled>": None,
    "<input id=b>": None,
}


@pytest.mark.parametrize("html", BUTTONS)
def test_click_on_a_button_submits_or_resets_its_form(page: Document, html: str) -> None:
    parsed = Parsed(page, f"<form id=f>{html}</form>")
    for type_ in ("submit", "reset"):
        parsed.listen(parsed["f"], type_)
    click(parsed["b"])
    expected = BUTTONS[html]
    assert parsed.log == ([] if expected is None else [f"{expected} at <form id=f>"])


def test_canceled_click_submits_nothing(page: Document) -> None:
    parsed = Parsed(page, "<form id=f><button id=b></button></form>")
    parsed.listen(parsed["b"], "click", cancels=True)
    parsed.listen(parsed["f"], "submit")
    click(parsed["b"])
    assert parsed.log == ["click at <button id=b>"]


def test_click_on_a_checkbox_changes_it_before_the_listeners_and_tells_input_and_change(page: Document) -> None:
    parsed = Parsed(page, "<input id=b type=checkbox>")
    for type_ in ("click", "input", "change"):
        parsed.listen(parsed["b"], type_)
    click(parsed["b"])
    assert parsed.log == [f"{type_} at <input id=b>" for type_ in ("click", "input", "change")]
    assert checked(parsed, "b") == "b"


@pytest.mark.parametrize(
    ("html", "clicked"),
    [
        ("<label id=l>L <input id=b type=checkbox></label>", True),
        ("<label id=o><b id=l>L</b><meter></meter></label>", False),
        ("<label id=l for=b>L</label><input id=b type=checkbox>", True),
        ("<label id=l for=nobody>L <input id=b type=checkbox></label>", False),
        ("<label id=l>L <input id=b type=checkbox disabled></label>", False),
        ("<label><input id=b type=checkbox> <i id=l>L</i></label>", True),
        ("<label><input id=b type=checkbox> <a href=x><i id=l>L</i></a></label>", False),
        ("<label><input id=b type=checkbox> <a id=l>L</a></label>", True),
        ("<label><input id=b type=checkbox> <label id=l>L</label></label>", False),
        ("<label><input id=b type=checkbox> <output id=l>L</output></label>", True),
        ("<label><input id=b type=checkbox> <textarea id=l></textarea></label>", False),
    ],
)
def test_click_on_a_label_is_one_on_its_control(page: Document, html: str, *, clicked: bool) -> None:
    parsed = Parsed(page, html)
    if page.get_element_by_id("b") is not None:
        parsed.listen(parsed["b"], "change")
    click(parsed["l"])
    assert parsed.log == (["change at <input id=b>"] if clicked else [])


def test_canceled_click_on_a_label_is_none_on_its_control(page: Document) -> None:
    parsed = Parsed(page, "<label id=l>L <input id=b type=checkbox></label>")
    parsed.listen(parsed["l"], "click", cancels=True)
    click(parsed["l"])
    assert checked(parsed, "b") == ""


def test_canceled_click_gives_a_radio_button_group_its_checked_member_back(page: Document) -> None:
    parsed = Parsed(page, "<input id=a type=radio name=n checked><input id=b type=radio name=n>")
    parsed.listen(parsed["b"], "click", cancels=True)
    click(parsed["b"])
    assert checked(parsed, "ab") == "a"
    click(parsed["a"])
    assert checked(parsed, "ab") == "a"


def test_submission_stops_where_the_form_cannot_navigate(page: Document) -> None:
    parsed = Parsed(page, "<form id=f></form>")
    form = parsed.get("f", HTMLFormElement)
    assert submit(form)
    parsed.listen(form, "submit", cancels=True)
    assert not submit(form)
    remove(form)
    assert not submit(form)
    assert parsed.log == ["submit at <form id=f>"]


def test_form_that_its_submit_event_removes_is_not_submitted(page: Document) -> None:
    parsed = Parsed(page, "<form id=f></form>")
    form = parsed.get("f", HTMLFormElement)

    def removing(this: JSValue, arguments: list[JSValue]) -> JSValue:
        assert not submit(form)  # While its submission events are fired, nothing happens.
        remove(form)
        return UNDEFINED

    form.add_event_listener("submit", JSFunction(page.realm, removing))
    assert not submit(form)


def test_focus_goes_to_focusable_areas_only(page: Document) -> None:
    parsed = Parsed(
        page,
        "<input id=a><input id=b disabled><input id=c type=hidden><div id=d></div><div id=e tabindex=-1></div>"
        "<p hidden><input id=f></p><button id=g></button>",
    )
    assert [id_ for id_ in "abcdefg" if is_focusable_area(parsed[id_])] == ["a", "e", "g"]
    for id_ in "abeg":
        for type_ in ("focus", "blur"):
            parsed.listen(parsed[id_], type_)
        focusing_steps(parsed[id_])
    assert parsed.log == [
        *("focus at <input id=a>", "blur at <input id=a>", "focus at <div id=e>"),
        *("blur at <div id=e>", "focus at <button id=g>"),
    ]
    assert page.focused_area is parsed["g"]


def test_removed_element_loses_the_focus_without_an_event(page: Document) -> None:
    parsed = Parsed(page, "<input id=a>")
    control = parsed["a"]
    focusing_steps(control)
    parsed.listen(control, "blur")
    remove(control)
    assert page.focused_area is None
    assert parsed.log == []
