"""Forms of a real page, and those of the simulated browser, have the same schemas and take the same values."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.world import World
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import FileStatus
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.platform.dom.events import Event
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_html
from modelcontext.running.products import make_target
from modelcontext.spec.revisions.current.form_input import perform_an_assignment, validate_the_input_of_a_form
from modelcontext.spec.revisions.current.schema_synthesis import synthesize_a_declarative_json_schema_object

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document

ROOT = Path(__file__).resolve().parents[2]

TEXTS = [
    *[f"<input name=a type={type}>" for type in ("text", "search", "email", "url", "tel", "password", "unknown")],
    *["<input name=a>", "<textarea name=a pattern=x></textarea>", "<textarea name=a readonly></textarea>"],
    *["<input name=a pattern='[a-z]+'>", "<input name=a pattern=''>", "<input name=a pattern='['>"],
    *[
        "<input name=a pattern='[(]'>",
        "<input name=a type=email pattern=x multiple>",
        "<input name=a type=email multiple>",
    ],
    *["<input name=a type=hidden toolparamdescription=A>", "<input name=a type=hidden>", "<input name=a readonly>"],
    "<input name=_charset_ type=hidden toolparamdescription=A>",
]
NUMBERS = [
    *[
        f"<input name=a type=number {rest}>"
        for rest in ("", "min=-0 max=.5", "min=x max=' 5'", "min=2 max=1", "step=any")
    ],
    *[f"<input name=a type=number {rest}>" for rest in ("min=1 step=2", "value=1 step=2", "min=.3 step=.1", "step=-1")],
    *[
        f"<input name=a type=range {rest}>"
        for rest in ("", "min=200", "step=any", "readonly", "min=0.5 max=9 required")
    ],
]
DATES = [
    f"<input name=a type={type} {rest}>"
    for type in ("date", "month", "week", "time", "datetime-local", "color")
    for rest in ("", "step=1 required", "step=.1", "step=120 min=12:00:30", "readonly toolparamdescription=D")
]
CHOICES = [
    *["<input name=a type=checkbox>", "<input name=a type=checkbox required value=x>"],
    *["<input name=a type=checkbox><input name=a type=checkbox>", "<input name=a type=radio>"],
    "<label>X <input name=a type=radio value=x></label><label>Y <input name=a type=radio value=y required></label>",
    "<input name=a type=checkbox value=x><input name=a type=checkbox value=y disabled>",
    "<input name=a type=checkbox value=x><input name=a type=radio value=y>",
    "<select name=a></select>",
    "<select name=a required><option value=''>Choose<option>x<option value=y label=L>M<option disabled>z</select>",
    "<select name=a multiple><optgroup label=G disabled><option>x</optgroup><optgroup><option> y  z </optgroup></select>",
    "<select name=a><option>x<option>x</select><datalist><option>y</datalist>",
]
ASSOCIATIONS = [
    "<input name=' a '><input>",
    "<input name=a><input name=a>",
    "<fieldset disabled><legend><input name=a></legend><input name=b></fieldset>",
    "<fieldset name=f toolparamdescription=F><fieldset><input name=a type=radio value=x></fieldset>"
    "<input name=a type=radio value=y></fieldset>",
    "<fieldset toolparamdescription=F><fieldset><input name=a type=radio value=x>"
    "<input name=a type=radio value=y></fieldset></fieldset>",
    "<input name=a type=file><input name=b type=submit><input name=c type=image><input name=d type=reset>"
    "<input name=e type=button><button name=f></button><output name=g></output><object name=h></object>",
    "<input name=a form=nowhere><datalist><input name=b></datalist><input name=c hidden><div inert><input name=d></div>",
    "<input name=__proto__>",
]
LABELS = [
    "<label>L <input name=a toolparamdescription=' '></label>",
    "<label>L <input name=a toolparamdescription=''></label>",
    "<label for=ID> One  two\n</label><label for=ID> </label><label for=ID>Three</label><input name=a id=ID>",
    "<label>Size <select name=a><option>big</select> please <b>now</b><script>0</script></label>",
    "<input name=a aria-description=D title=T placeholder=P>",
    "<input name=a aria-label=L title=T placeholder=P>",
    "<label>One <label>Two <input name=a></label></label>",
    "<label for=nobody>One <input name=a></label>",
]
EVERY_CONTROL = [*TEXTS, *NUMBERS, *DATES, *CHOICES, *ASSOCIATIONS, *LABELS]

TEXT = "<input name=a>"
BOXES = "<input name=a type=checkbox value=x><input name=a type=checkbox value=y checked>"
RADIOS = "<input name=a type=radio value=x><input name=a type=radio value=y checked><input name=a type=radio value=x>"
SELECT = "<select name=a><option>x<option selected>y<option>x<option disabled>z</select>"
MULTIPLE = "<select name=a multiple><option>x<option selected>y<option disabled selected>z</select>"
AREA = "<textarea name=a>old</textarea>"

#: Controls, with values for the parameter "a".
FILLINGS: list[tuple[str, list[object]]] = [
    (TEXT, ["x", "", "a\nb", 1, 1.5, 1e21, 1e-7, -0.0, True, None, [], {}]),
    (AREA, ["x", "a\nb", "", "old"]),
    ("<input name=a type=email>", ["a@b", " a@b ", "  ", "x"]),
    ("<input name=a type=email multiple>", [" a@b , c@d ", ""]),
    ("<input name=a type=url>", [" https://a.test ", " "]),
    ("<input name=a type=hidden toolparamdescription=d>", ["x", ""]),
    ("<input name=a type=number>", [5, "5", ".5", "x", "", "1e3", "+1"]),
    ("<input name=a type=range>", [5, 500, -1, "x", "", 5.5]),
    ("<input name=a type=range value=50>", [5, 50]),
    ("<input name=a type=date>", ["2020-02-29", "2021-02-29", "", "x"]),
    ("<input name=a type=month>", ["2020-02", "2020-13"]),
    ("<input name=a type=week>", ["2020-W53", "2021-W53"]),
    ("<input name=a type=time>", ["12:00", "12:00:30.5", "24:00"]),
    ("<input name=a type=datetime-local>", ["2020-02-29T12:00", "2020-02-29 12:00", "x"]),
    ("<input name=a type=color>", ["#AABBCC", "#abc", "red", ""]),
    ("<input name=a type=checkbox>", [True, False, 1, 0, -1, 1.5, "TRUE", "0", "x", None]),
    ("<input name=a type=checkbox checked>", [True, False]),
    (BOXES, [["x"], [], ["x", "y"], ["x", "x"], ["z"], "x", [True]]),
    (RADIOS, ["x", "y", "z", ["x"]]),
    (SELECT, ["x", "y", "z", 1, ["x"]]),
    (MULTIPLE, [["x"], [], ["x", "y"], ["z"], "x"]),
    ("<input name=b><input name=c disabled>", ["x"]),
]
FILLED = [(controls, value) for controls, values in FILLINGS for value in values]

SCRIPT = """
"use strict";
const [schemas, results] = JSON.parse(document.querySelector("#expected").textContent);
const listed = new Promise(async (resolve) => {
  let tools = [];
  // Each form is registered in a task of its own.
  while (tools.length < document.forms.length) tools = await document.modelContext.getTools();
  resolve(new Map(tools.map((tool) => [tool.name, tool])));
});

function stateOf({ localName, type, checked, value, selectedOptions }) {
  if (localName === "select") return Array.from(selectedOptions, (option) => option.value).join();
  return type === "checkbox" || type === "radio" ? checked : value;
}

async function fill(form, input) {
  const log = [];
  for (const type of ["input", "change"]) {
    form.addEventListener(type, ({ target, bubbles, composed }) => {
      log.push([type, Array.prototype.indexOf.call(form.elements, target), bubbles, composed]);
    });
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    event.respondWith({ log, states: Array.from(form.elements, stateOf) });
  });
  return JSON.parse(await document.modelContext.executeTool((await listed).get(form.getAttribute("toolname")), input));
}

schemas.forEach((expected, number) => promise_test(async () => {
  assert_equals(JSON.stringify((await listed).get(`s${number}`).inputSchema), expected);
}, `s${number}`));

results.forEach(([input, expected], number) => promise_test(async (t) => {
  const filled = fill(document.querySelector(`[toolname=f${number}]`), input);
  if (expected === null) await promise_rejects_dom(t, "UnknownError", filled);
  else assert_equals(JSON.stringify(await filled), JSON.stringify(expected));
}, `f${number}`));
"""


def document_of(source: str) -> tuple[World, Document]:
    """Return a document of the simulated browser."""
    world = World()
    world.enter()
    document = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    parse_html(document, source)
    return world, document


def forms_of(document: Document) -> list[HTMLFormElement]:
    return [node for node in document.descendants if isinstance(node, HTMLFormElement)]


def schema_in_the_model(source: str) -> str:
    """Return the schema of a form, as JSON text."""
    [form] = forms_of(document_of(source)[1])
    schema = synthesize_a_declarative_json_schema_object(form)
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))


def state_of(element: FormAssociatedElement) -> object:
    if isinstance(element, HTMLSelectElement):
        return ",".join(option.value for option in element.list_of_options if option.selectedness)
    if isinstance(element, HTMLTextAreaElement):
        return element.raw_value
    assert isinstance(element, HTMLInputElement)
    return element.checkedness if element.type_state in ("checkbox", "radio") else element.value


def filled_in_the_model(source: str, text: str) -> object:
    """Return the events of filling in a form and the states of its controls, or None if the input is not valid."""
    world, document = document_of(source)
    [form] = forms_of(document)
    log: list[object] = []

    def note(_: JSValue, arguments: list[JSValue]) -> JSValue:
        [event] = arguments
        assert isinstance(event, Event)
        assert isinstance(event.target, FormAssociatedElement)
        log.append([event.type, form.elements.index(event.target), event.bubbles, event.composed])
        return UNDEFINED

    def script() -> bool:
        assignments = validate_the_input_of_a_form(form, text)
        for assignment in assignments or ():
            perform_an_assignment(form, assignment)
        return assignments is not None

    for type_ in ("input", "change"):
        form.add_event_listener(type_, JSFunction(document.realm, note))
    is_valid = world.user_agent.run_script_now(document, script)
    return {"log": log, "states": [state_of(element) for element in form.elements]} if is_valid else None


def form_with(name: str, controls: str) -> str:
    return f"<form toolname={name} tooldescription=d toolautosubmit novalidate>{controls.replace('ID', name)}</form>\n"


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory, starts_a_browser: None) -> dict[str, str | None]:
    """Return how a page with every control differs from the model, or None, by the names of its forms."""
    folder = tmp_path_factory.mktemp("forms")
    described = [form_with(f"s{number}", controls) for number, controls in enumerate(EVERY_CONTROL)]
    filled = [form_with(f"f{number}", controls) for number, (controls, _) in enumerate(FILLED)]
    inputs = [{"a": value} for _, value in FILLED]
    results = [
        [input, filled_in_the_model(source, json.dumps(input))] for source, input in zip(filled, inputs, strict=True)
    ]
    expected = html.escape(json.dumps([[schema_in_the_model(source) for source in described], results]), quote=False)
    harness = "".join(f"<script src=/resources/{name}.js></script>" for name in ("testharness", "testharnessreport"))
    source = "".join(described + filled)
    head = f"<!DOCTYPE html><meta charset=utf-8><meta name=timeout content=long>{harness}"
    text = f"{head}{source}<pre id=expected>{expected}</pre><script>{SCRIPT}</script>"
    (folder / "controls.https.html").write_text(text, encoding="utf-8")
    target, tree = make_target("page"), checkout_tree(ROOT)
    with TestServer(Tree(folder, tree.files, tree.folders).with_folders(target.folders())) as server:
        [result] = run_tests(find_tests(folder, ["."]), server, target)
    assert result.status is FileStatus.OK, result.message
    assert len(result.subtests) == len(EVERY_CONTROL) + len(FILLED)
    return {one.name: None if one.status == "PASS" else str(one.message) for one in result.subtests}


def test_page_with_every_control_has_the_schemas_of_the_model(messages: dict[str, str | None]) -> None:
    assert len(EVERY_CONTROL) >= 80
    compared = {controls: messages[f"s{number}"] for number, controls in enumerate(EVERY_CONTROL)}
    assert {controls: message for controls, message in compared.items() if message is not None} == {}


def test_controls_of_a_page_take_the_values_of_the_model_with_the_same_events(messages: dict[str, str | None]) -> None:
    assert len(FILLED) >= 80
    compared = {f"{filled}": messages[f"f{number}"] for number, filled in enumerate(FILLED)}
    assert {filled: message for filled, message in compared.items() if message is not None} == {}
