"""Form owners, labels and disabledness of generated documents: the model, held against Chromium."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.platform.dom.nodes import in_tree_order
from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.forms.form_controls import HTMLInputElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.labels import labels_of
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.platform.html.parsing import parse_html

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.html.document import Document

DOCUMENTS = 100

OPENING = (
    "form",
    "form",
    "div",
    "p",
    "label",
    "fieldset",
    "fieldset disabled",
    "legend",
    "table",
    "tr",
    "td",
    "b",
    "template",
)
CONTROLS = (
    "<input>",
    "<input type=hidden>",
    "<input type=image>",
    "<input disabled>",
    "<input type=radio name=r checked>",
    "<input type=checkbox checked>",
    "<button>x</button>",
    "<textarea></form></textarea>",
    "<select><option disabled>1<option>2</select>",
    "<select multiple><option selected>1<option selected>2</select>",
    "<output>x</output>",
    "<object></object>",
    "<meter></meter>",
    "<!-- </form> -->",
    "<input value='</form>'>",
    "<svg></svg>",
    "<template><form><input></form><input></template>",
)
IDS = ("a", "b", "c")

# The document is parsed as a page is: the DOMParser of Chromium forgets the form element pointer.
READ = """() => {
    const associated = ["button", "fieldset", "input", "object", "output", "select", "textarea"];
    const name = (element) => element?.getAttribute("data-n") ?? null;
    return [...document.querySelectorAll("[data-n]")].filter((element) => element instanceof HTMLElement).map((element) => [
        name(element),
        associated.includes(element.localName) ? name(element.form) : null,
        [...(element.labels ?? [])].map(name),
        element.matches(":disabled"),
        element.localName === "form" ? [...element.elements].map(name) : null,
        element.localName === "input" ? element.checked : null,
        [...(element.selectedOptions ?? [])].map((option) => option.text),
    ]);
}"""


def generated_document(seed: int) -> str:
    """Return a document with forms, fieldsets, tables and labels in each other's way; every element has a number."""
    choices = random.Random(seed)
    parts: list[str] = []
    opened: list[str] = []
    for _ in range(choices.randint(10, 40)):
        roll = choices.random()
        if roll < 0.35:
            opened.append(choices.choice(OPENING))
            parts.append(f"<{opened[-1]}>")
        elif roll < 0.6 and opened:
            name = opened.pop(choices.randrange(len(opened))).split()[0]
            parts.append(f"</{name}>")
        else:
            parts.append(choices.choice(CONTROLS))
    html = ""
    for number, part in enumerate(parts):
        start = part.split(">")[0].split(" ")[0]
        if not part.startswith(("</", "<!")):
            more = f" data-n={number}"
            if choices.random() < 0.3:
                more += f" id={choices.choice(IDS)}"
            if choices.random() < 0.2:
                more += f" form={choices.choice(IDS)}"
            if start == "<label" and choices.random() < 0.5:
                more += f" for={choices.choice(IDS)}"
            part = start + more + part.removeprefix(start)
        html += part
    return "<!doctype html><body>" + html


def facts(document: Document) -> list[list[Any]]:
    """Return what the model says about the numbered elements, in the form of the script."""
    return [
        facts_about(node)
        for node in document.descendants
        if isinstance(node, HTMLElement) and node.has_attribute("data-n")
    ]


def facts_about(element: HTMLElement) -> list[Any]:
    owner = element.form_owner if isinstance(element, FormAssociatedElement) else None
    elements = element.elements if isinstance(element, HTMLFormElement) else None
    selected = in_tree_order(element.selected, element.root) if isinstance(element, HTMLSelectElement) else []
    checked = element.checkedness if isinstance(element, HTMLInputElement) else None
    return [
        name(element),
        name(owner),
        [name(label) for label in labels_of(element)],
        element.is_disabled,
        None if elements is None else [name(listed) for listed in elements],
        checked,
        [option.text for option in selected],
    ]


def name(element: Element | None) -> str | None:
    return None if element is None else element.get_attribute("data-n")


@pytest.fixture(scope="module")
def real_page(chromium: Browser) -> Page:
    return chromium.new_page()


@pytest.mark.parametrize("seed", range(DOCUMENTS))
def test_owners_labels_and_disabledness_agree_with_chromium(seed: int, page: Document, real_page: Page) -> None:
    html = generated_document(seed)
    parse_html(page, html)
    real_page.set_content(html)
    assert facts(page) == real_page.evaluate(READ), html


# Where the parser of the model has another tree. All are of the library that parses: a form in a misnested table belongs below
# the open element, the content of an SVG title is HTML, and a formatting element is made again behind what it was cut off by.
DIFFERENT = [
    "<table data-n=1><p data-n=2><form data-n=3>",
    "<svg><title><p data-n=1><td data-n=2>",
    "<template data-n=1><svg><title></template><p data-n=2>",
    "<form data-n=1><svg><title></form><form data-n=2>",
    "<b data-n=1><fieldset data-n=2><svg data-n=3><title></b>",
    "<fieldset data-n=1 disabled><b data-n=2></fieldset><template data-n=3><input></template><button data-n=4>x",
]


@pytest.mark.parametrize("html", DIFFERENT)
def test_document_that_differs_from_chromium_by_the_library_is_known(
    html: str, page: Document, real_page: Page
) -> None:
    parse_html(page, html)
    real_page.set_content(html)
    assert facts(page) != real_page.evaluate(READ)
