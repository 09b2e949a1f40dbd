"""Forms of a real page, and those of the simulated browser, have the same schemas and take the same values."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from modelcontext.html.forms import HTMLFormElement
from modelcontext.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.html.parsing import parse_html
from modelcontext.products import make_target
from modelcontext.revisions.current.form_schemas import synthesize_a_declarative_json_schema_object
from modelcontext.world import World
from modelcontext.wpt.discovery import find_tests
from modelcontext.wpt.results import FileStatus
from modelcontext.wpt.runner import run_tests
from modelcontext.wpt.server.server import TestServer
from modelcontext.wpt.tree import Tree, checkout_tree

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

SCRIPT = """
"use strict";
const expected = JSON.parse(document.querySelector("#expected").textContent);
promise_test(async () => {
  let tools = [];
  // Each form is registered in a task of its own.
  while (tools.length < expected.length) tools = await document.modelContext.getTools();
  assert_equals(tools.length, expected.length);
  for (const { name, inputSchema } of tools) {
    test(() => assert_equals(JSON.stringify(inputSchema), expected[+name.slice(1)]), name);
  }
}, "Every form is a tool");
"""


def schemas_of_the_model(source: str) -> list[str]:
    """Return the schemas of all forms of a document in the simulated browser, as JSON texts."""
    world = World()
    world.enter()
    document = create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))
    parse_html(document, source)
    forms = [node for node in document.descendants if isinstance(node, HTMLFormElement)]
    schemas = [synthesize_a_declarative_json_schema_object(form) for form in forms]
    return [json.dumps(schema, ensure_ascii=False, separators=(",", ":")) for schema in schemas]


@pytest.fixture(scope="module")
def differences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what a page with every control there is says otherwise than the model, by the controls of a form."""
    folder = tmp_path_factory.mktemp("forms")
    source = "".join(
        f"<form toolname=t{number} tooldescription=d>{controls.replace('ID', f'i{number}')}</form>\n"
        for number, controls in enumerate(EVERY_CONTROL)
    )
    expected = html.escape(json.dumps(schemas_of_the_model(source)), quote=False)
    harness = "".join(f"<script src=/resources/{name}.js></script>" for name in ("testharness", "testharnessreport"))
    text = f"<!DOCTYPE html><meta charset=utf-8>{harness}{source}<pre id=expected>{expected}</pre><script>{SCRIPT}</script>"
    (folder / "controls.https.html").write_text(text, encoding="utf-8")
    target, tree = make_target("page"), checkout_tree(ROOT)
    with TestServer(Tree(folder, tree.files, tree.folders).with_folders(target.folders())) as server:
        [result] = run_tests(find_tests(folder, ["."]), server, target)
    assert result.status is FileStatus.OK, result.message
    results = {subtest.name: subtest for subtest in result.subtests}
    overall = results.pop("Every form is a tool")
    assert overall.status == "PASS", overall.message
    assert len(results) == len(EVERY_CONTROL)
    named = {controls: results[f"t{number}"] for number, controls in enumerate(EVERY_CONTROL)}
    return {controls: str(one.message) for controls, one in named.items() if one.status != "PASS"}


def test_page_with_every_control_has_the_schemas_of_the_model(differences: dict[str, str]) -> None:
    assert differences == {}
