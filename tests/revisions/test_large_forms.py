"""Tools of forms that nobody would write: large, broken, nested and cyclic ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.patterns import PatternLimitError
from modelcontext.platform.html.parsing import parse_html
from modelcontext.spec.revisions.current.form_input import perform_an_assignment, validate_the_input_of_a_form
from tests.revisions.conftest import Page, new_page
from tests.work import calls_made

if TYPE_CHECKING:
    from modelcontext.spec.revisions.current.model import ToolDefinition

pytestmark = pytest.mark.usefixtures("takes_long")

FORM = "<form id=f toolname=t tooldescription=d>"


def numbered(template: str, n: int) -> str:
    return "".join(template.format(number=number) for number in range(n))


#: Sources of a form with so many controls, or so much around a few.
LARGE: dict[str, Callable[[int], str]] = {
    "texts with labels": lambda n: numbered("<label>L <input name=n{number}></label>", n),
    "hidden inputs": lambda n: numbered("<input type=hidden name=n{number} toolparamdescription=x>", n),
    "inputs of one name": lambda n: "<input name=a>" * n,
    "numbers": lambda n: numbered("<input type=number name=n{number} min=1 step=.1>", n),
    "checkboxes of one name": lambda n: numbered("<input type=checkbox name=a value=v{number}>", n),
    "radio buttons of one name": lambda n: numbered("<input type=radio name=a value=v{number}>", n),
    "radio buttons": lambda n: numbered("<input type=radio name=n{number}>", n),
    "options": lambda n: "<select name=a multiple>" + numbered("<option>v{number}", n),
    "disabled options": lambda n: "<select name=a>" + "<option disabled>x" * n,
    "elsewhere": lambda n: "</form>" + numbered("<input form=f name=n{number}>", n),
    "labels of one control": lambda n: "<label for=x>l</label>" * n + "<input id=x name=a>",
    "nested labels": lambda n: "<label>l" * n + "<input name=a>",
    "labels that label each other": lambda n: numbered("<label id=i{number} for=i{number}>", n) + "<input name=a>",
    "nested fieldsets": lambda n: "<fieldset>" * n + "<input name=a type=checkbox><input name=a type=checkbox>",
    "nested forms": lambda n: FORM * n + "<input name=a>",
    "forms": lambda n: "</form>" + numbered("<form toolname=t{number} tooldescription=d><input name=a></form>", n),
}


def tools(page: Page) -> dict[str, ToolDefinition]:
    return {definition.name: definition for definition in page.context.internal_context.tool_map.values()}


def schema_of(definition: ToolDefinition) -> dict[str, Any]:
    assert definition.input_schema is not None
    return dict(json.loads(definition.input_schema.serialized))


def a_value_of(schema: dict[str, Any]) -> object:
    """Return a value that changes the control of a generated form."""
    if schema["type"] == "array":
        return schema["items"]["enum"]
    return schema["enum"][-1] if "enum" in schema else {"boolean": True, "number": 5, "string": "x"}[schema["type"]]


def load(page: Page, html: str) -> dict[str, ToolDefinition]:
    """Parse a document with the start of a form and more, let its forms become tools, and return these."""
    page.run(lambda: parse_html(page.document, f"<!doctype html><body>{FORM}{html}"))
    return tools(page)


def load_and_fill(page: Page, html: str) -> tuple[int, int]:
    """Return how many parameters the tool of a form has, and how many controls a call fills in."""
    schema = schema_of(load(page, html)["t"])
    form = next(node for node in page.document.descendants if isinstance(node, HTMLFormElement))
    values = {name: a_value_of(parameter) for name, parameter in schema["properties"].items()}

    def script() -> int:
        assignments = validate_the_input_of_a_form(form, json.dumps(values))
        assert assignments is not None
        for assignment in assignments:
            perform_an_assignment(form, assignment)
        return len(assignments)

    return len(values), page.run(script)


@pytest.mark.parametrize("name", LARGE)
def test_work_for_a_form_grows_with_its_length_only(name: str) -> None:
    html = LARGE[name]
    load_and_fill(new_page(), html(2))  # What is done once for all forms.
    # A tree has no more than 512 levels, and the work for a control may grow with them.
    n = 600 if name.startswith("nested") else 150
    less = calls_made(lambda: load_and_fill(new_page(), html(n)))
    more = calls_made(lambda: load_and_fill(new_page(), html(2 * n)))
    assert more < 2.8 * less


@pytest.mark.parametrize(
    ("name", "parameters", "filled"),
    [
        ("texts with labels", 10_000, 10_000),
        ("hidden inputs", 10_000, 10_000),
        ("inputs of one name", 0, 0),
        ("checkboxes of one name", 1, 10_000),
        ("options", 1, 1),
        ("labels of one control", 1, 1),
        ("labels that label each other", 1, 1),
        ("nested forms", 1, 1),
    ],
)
def test_form_with_ten_thousand_controls_is_a_tool_and_can_be_filled_in(
    name: str, parameters: int, filled: int, page: Page
) -> None:
    assert load_and_fill(page, LARGE[name](10_000)) == (parameters, filled)


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<input name=a", []),
        ("<input name='a", []),
        ("<input name=a><!-- <input name=b>", ["a"]),
        ("<input name=a></form></form></div></p><input name=b>", ["a"]),
        ("<table><input name=a><tr><input name=b></table>", ["a", "b"]),
        ("<select name=a><option>x<input name=b>", ["a", "b"]),
        ("<textarea name=a><input name=b>", ["a"]),
        ("<template><input name=a></template><input name=b>", ["b"]),
        ("<svg><input name=a></svg><input name=b>", ["b"]),
        ("<form toolname=u tooldescription=d><input name=a></form><input name=b>", ["a"]),
        ("<div></form><input name=a></div>", ["a"]),
        ("<input name=\0a>", ["\ufffda"]),
    ],
)
def test_broken_html_has_a_tool_with_the_controls_that_the_form_owns(html: str, names: list[str], page: Page) -> None:
    found = load(page, html)
    assert list(found) == ["t"]
    assert list(schema_of(found["t"])["properties"]) == names


@pytest.mark.parametrize(
    ("html", "description"),
    [
        ("<label id=i for=i>L<input name=a></label>", None),
        ("<label id=i for=j>L<label id=j for=i>M<input name=a></label></label>", None),
        ("<label for=f>L<input name=a></label>", None),
        ("<label>L<label>M<input name=a></label></label>", "LM; M"),
        ("<label for=a>L</label><label for=a>M</label><input id=a name=a><input id=a name=b>", "L; M"),
        ("<input name=a id=i aria-labelledby=i aria-describedby=i>", None),
    ],
)
def test_labels_and_ids_that_point_in_circles_describe_what_they_label(
    html: str, description: str | None, page: Page
) -> None:
    assert schema_of(load(page, html)["t"])["properties"]["a"].get("description") == description


@pytest.mark.parametrize(
    "attributes",
    [
        f"type=number min={'9' * 100_000} step=0.{'1' * 100_000}",
        f"type=number min=1e{'9' * 1_000} step=1e-{'9' * 1_000}",
        f"type=range min=1e-{'9' * 1_000} max=1e{'9' * 1_000}",
        f"type=date min={'9' * 100_000}-01-01",
        f"type=time step=1.{'1' * 100_000}",
        f"pattern='{'(a|b)*' * 1_000}'",
        f"pattern='{'a{1000}' * 50}'",
        "pattern='((a{99}){99}){99}'",
        f"toolparamdescription='{'x' * 1_000_000}'",
    ],
    ids=lambda attributes: attributes[:20],
)
def test_control_with_a_huge_attribute_has_a_schema(attributes: str, page: Page) -> None:
    (schema,) = schema_of(load(page, f"<input name=a {attributes}>")["t"])["properties"].values()
    assert schema["type"] in ("number", "string")


def test_pattern_that_is_too_large_is_an_error_that_names_it(page: Page) -> None:
    with pytest.raises(PatternLimitError, match=r"the pattern '\(\(\(.* is too large .*: give it fewer groups"):
        load(page, f"<input name=a pattern='{'(' * 5_000}{')' * 5_000}'>")
