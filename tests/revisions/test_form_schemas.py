"""Forms that offer a tool, and the schemas of their tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.parsing import parse_html
from modelcontext.spec.revisions.current.forms_that_are_tools import offers_a_tool
from modelcontext.spec.revisions.current.schema_synthesis import synthesize_a_declarative_json_schema_object

if TYPE_CHECKING:
    from tests.revisions.conftest import Page

TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]"
DAY = "[0-9]{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T"
DATE_HINT = "(Dates MUST be provided in 'YYYY-MM-DD' format.)"


def forms(page: Page, html: str) -> list[HTMLFormElement]:
    parse_html(page.document, html)
    return [node for node in page.document.descendants if isinstance(node, HTMLFormElement)]


def schema_of(page: Page, controls: str) -> dict[str, Any]:
    """Return the schema of a form with some controls, and check that it is a schema."""
    form, *_ = forms(page, f"<form id=f toolname=t tooldescription=d>{controls}</form>")
    schema = json.loads(json.dumps(synthesize_a_declarative_json_schema_object(form)))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert list(schema) == ["type", "properties", "required"]
    assert schema["type"] == "object"
    return dict(schema)


def choices(*values: str, **titles: str) -> dict[str, Any]:
    """Return the schema of one of some values; a title is given by its value."""
    alternatives = [
        {"type": "string", "const": value} | ({"title": titles[value]} if value in titles else {})
        for value in [*values, *titles]
    ]
    return {"type": "string", "anyOf": alternatives, "enum": [*values, *titles]}


def several(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "uniqueItems": True}


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        *[
            (f"<input name=a type={type}>", {"type": "string"})
            for type in ("text", "search", "email", "url", "tel", "password", "unknown")
        ],
        ("<textarea name=a pattern=x></textarea>", {"type": "string"}),
        ("<input name=a pattern='[a-z]+'>", {"type": "string", "pattern": "^(?:[a-z]+)$"}),
        ("<input name=a pattern=''>", {"type": "string", "pattern": "^(?:)$"}),
        ("<input name=a pattern='['>", {"type": "string"}),
        ("<input name=a type=email pattern=x multiple>", {"type": "string"}),
        ("<input name=a type=hidden toolparamdescription=A>", {"type": "string", "description": "A"}),
        ("<input name=a type=number>", {"type": "number", "multipleOf": 1}),
        ("<input name=a type=number min=-0 max=.5>", {"type": "number", "minimum": 0, "maximum": 0.5, "multipleOf": 1}),
        ("<input name=a type=number min=x max=' 5'>", {"type": "number", "maximum": 5, "multipleOf": 1}),
        ("<input name=a type=number min=2 max=1>", {"type": "number", "minimum": 2, "maximum": 1, "multipleOf": 1}),
        ("<input name=a type=number min=1 step=2>", {"type": "number", "minimum": 1}),
        ("<input name=a type=number value=1 step=2>", {"type": "number"}),
        ("<input name=a type=number min=.3 step=.1>", {"type": "number", "minimum": 0.3, "multipleOf": 0.1}),
        ("<input name=a type=number step=any pattern=x>", {"type": "number"}),
        ("<input name=a type=number step=-1>", {"type": "number", "multipleOf": 1}),
        ("<input name=a type=range>", {"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 1}),
        ("<input name=a type=range min=200>", {"type": "number", "minimum": 200, "maximum": 200, "multipleOf": 1}),
        ("<input name=a type=range step=any>", {"type": "number", "minimum": 0, "maximum": 100}),
        ("<input name=a type=date>", {"type": "string", "format": "date", "description": DATE_HINT}),
        (
            "<input name=a type=date toolparamdescription=Day>",
            {"type": "string", "format": "date", "description": f"Day {DATE_HINT}"},
        ),
        ("<input name=a type=month>", {"type": "string", "pattern": "^[0-9]{4,}-(0[1-9]|1[0-2])$"}),
        ("<input name=a type=week>", {"type": "string", "pattern": "^[0-9]{4,}-W(0[1-9]|[1-4][0-9]|5[0-3])$"}),
        ("<input name=a type=color>", {"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}),
        ("<input name=a type=time>", {"type": "string", "pattern": f"^{TIME}$"}),
        ("<input name=a type=time step=30>", {"type": "string", "pattern": f"^{TIME}(:[0-5][0-9])?$"}),
        ("<input name=a type=time step=90>", {"type": "string", "pattern": f"^{TIME}(:[0-5][0-9])?$"}),
        ("<input name=a type=time min=10:00:30>", {"type": "string", "pattern": f"^{TIME}(:[0-5][0-9])?$"}),
        (
            "<input name=a type=time step=.5>",
            {"type": "string", "pattern": rf"^{TIME}(:[0-5][0-9](\.[0-9]{{1,3}})?)?$"},
        ),
        (
            "<input name=a type=time step=any>",
            {"type": "string", "pattern": rf"^{TIME}(:[0-5][0-9](\.[0-9]{{1,3}})?)?$"},
        ),
        ("<input name=a type=datetime-local>", {"type": "string", "pattern": f"^{DAY}{TIME}$"}),
        ("<input name=a type=checkbox value=x>", {"type": "boolean"}),
        (
            "<input name=a type=checkbox value=x><input name=a type=checkbox value=y id=y><label for=y>Why</label>",
            several(choices("x", y="Why")),
        ),
        ("<input name=a type=checkbox><input name=a type=checkbox>", several(choices("on"))),
        ("<input name=a type=checkbox><input name=a type=checkbox disabled>", {"type": "boolean"}),
        ("<label> X <input name=a type=radio value=x></label>", choices(x="X") | {"description": "X"}),
        ("<input name=a type=radio value=x><input name=a type=radio value=y>", choices("x", "y")),
        ("<select name=a><option>x<option value=y> Y  y </select>", choices(x="x", y="Y y")),
        ("<select name=a multiple><option>x</select>", several(choices(x="x"))),
        ("<select name=a readonly><option label=L>x</select>", choices(x="L")),
        ("<select name=a><option value=''></option><optgroup><option>x</optgroup></select>", choices("", x="x")),
        ("<select name=a><option>x<option>x<option disabled>y</select>", choices(x="x")),
    ],
)
def test_control_becomes_a_schema(control: str, expected: dict[str, Any], page: Page) -> None:
    assert schema_of(page, control) == {"type": "object", "properties": {"a": expected}, "required": []}


@pytest.mark.parametrize(
    "controls",
    [
        "",
        *[f"<input name=a type={type}>" for type in ("hidden", "file", "submit", "image", "reset", "button")],
        "<input name=a type=hidden toolparamdescription=''>",
        "<input name=_Charset_ type=hidden toolparamdescription=A>",
        "<button name=a>A</button><output name=a></output><fieldset name=a></fieldset><object name=a></object>",
        "<input name=a disabled>",
        "<input name=a readonly>",
        "<textarea name=a readonly></textarea>",
        "<fieldset disabled><input name=a></fieldset>",
        "<input name=a form=elsewhere>",
        "<input name=a><input name=a>",
        "<input name=a><input name=a type=checkbox>",
        "<input name=a type=checkbox><input name=a type=radio>",
        "<select name=a></select>",
        "<select name=a><option disabled>x</select>",
    ],
)
def test_controls_that_are_no_parameter_are_left_out(controls: str, page: Page) -> None:
    assert schema_of(page, controls)["properties"] == {}


@pytest.mark.parametrize(
    ("controls", "names"),
    [
        ("<input name=b><input name=a>", ["b", "a"]),
        ("<input name=' a '>", ["a"]),
        ("<input>", [""]),
        ("<input><button>Go</button>", [""]),
        ("<input name=a type=hidden value=0><input name=a type=checkbox>", ["a"]),
        ("<fieldset disabled><legend><input name=a></legend><input name=b></fieldset>", ["a"]),
        ("<input name=c hidden><input name=d type=range readonly>", ["c", "d"]),
        ("</form><input name=a form=f><form>", ["a"]),
        ("<input name=__proto__>", ["__proto__"]),
    ],
)
def test_parameters_have_the_names_of_their_controls(controls: str, names: list[str], page: Page) -> None:
    assert list(schema_of(page, controls)["properties"]) == names


@pytest.mark.parametrize(
    ("controls", "required"),
    [
        ("<input name=a required>", ["a"]),
        ("<input name=a><textarea name=b required></textarea>", ["b"]),
        ("<input name=a type=radio value=x><input name=a type=radio value=y required>", ["a"]),
        ("<input name=a type=checkbox required>", ["a"]),
        ("<select name=a required><option>x</select>", ["a"]),
        ("<input name=a type=range required><input name=b type=color required>", []),
        ("<input name=a aria-required=true>", []),
    ],
)
def test_parameters_are_required_where_html_gives_the_attribute_a_meaning(
    controls: str, required: list[str], page: Page
) -> None:
    assert schema_of(page, controls)["required"] == required


@pytest.mark.parametrize(
    ("controls", "description"),
    [
        ("<label>L <input name=a toolparamdescription=' '></label>", " "),
        ("<label>L <input name=a toolparamdescription=''></label>", "L"),
        ("<label>L <input name=a aria-description=D></label>", "L"),
        ("<label for=a> One  two\n</label><label for=a> </label><label for=a>Three</label><input name=a id=a>",
         "One  two; Three"),
        ("<label>Size <select name=a><option>big</select> please</label>", "Size  please"),
        ("<input name=a aria-description=D title=T placeholder=P>", "D"),
        ("<input name=a aria-label=L title=T placeholder=P>", None),
        ("<fieldset toolparamdescription=F><input name=a type=radio value=x toolparamdescription=X>"
         "<input name=a type=radio value=y></fieldset>", "F"),
        ("<fieldset toolparamdescription=F><fieldset><input name=a type=radio value=x>"
         "<input name=a type=radio value=y></fieldset></fieldset>", None),
        ("<fieldset toolparamdescription=F><fieldset><input name=a type=radio value=x></fieldset>"
         "<input name=a type=radio value=y></fieldset>", "F"),
        ("<fieldset toolparamdescription=F><input name=a type=checkbox></fieldset>", None),
    ],
)  # fmt: skip
def test_parameter_is_described(controls: str, description: str | None, page: Page) -> None:
    assert schema_of(page, controls)["properties"]["a"].get("description") == description


@pytest.mark.parametrize(
    ("attributes", "offers"),
    [
        ("toolname=t tooldescription=d", True),
        ("toolname=t tooldescription=''", True),
        ("toolname=t", False),
        ("tooldescription=d", False),
        ("toolname='' tooldescription=d", False),
        ("toolname=' t' tooldescription=d", False),
        ("toolname='Search flights' tooldescription=d", False),
    ],
)
def test_form_offers_a_tool_with_a_valid_name_and_a_description(attributes: str, offers: bool, page: Page) -> None:
    (form,) = forms(page, f"<form {attributes}></form>")
    assert offers_a_tool(form) is offers
