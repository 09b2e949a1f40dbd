"""Parsing HTML: the tree, the form element pointer, and documents that are large, deep or broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.mutations import append
from modelcontext.platform.dom.nodes import Comment, Node, Text
from modelcontext.platform.html.elements import HTMLTemplateElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.labels import labels_of
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_a_fragment, parse_html
from tests.work import calls_made

if TYPE_CHECKING:
    from collections.abc import Callable

    from modelcontext.hosts.world import World
    from modelcontext.platform.html.document import Document


def outline(node: Node) -> str:
    """Return a tree in words: names, then the children in parentheses."""
    if isinstance(node, Text):
        return repr(node.data)
    if isinstance(node, Comment):
        return f"!{node.data}"
    name = node.local_name if isinstance(node, Element) else "#"
    below = node.content if isinstance(node, HTMLTemplateElement) else node
    children = " ".join(outline(child) for child in below.children)
    return f"{name}({children})" if children else name


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("", "#(html(head body))"),
        ("<!doctype html><p>a<p>b", "#(html(head body(p('a') p('b'))))"),
        ("\ufeff<!--c-->x", "#(!c html(head body('x')))"),
        ("<template><p>a</template>", "#(html(head(template(p('a'))) body))"),
        ("<b><i></b>x</i>", "#(html(head body(b(i) i('x'))))"),
    ],
)
def test_tree_is_that_of_the_parsing_algorithm(page: Document, html: str, expected: str) -> None:
    parse_html(page, html)
    assert outline(page) == expected


def test_content_of_a_template_is_inert(page: Document) -> None:
    parse_html(page, "<template id=t><form id=f><input></form></template><input form=f id=i>")
    template, control = page.get_element_by_id("t"), page.get_element_by_id("i")
    assert isinstance(template, HTMLTemplateElement)
    assert isinstance(control, FormAssociatedElement)
    assert control.form_owner is None
    form = template.content.first_child
    assert isinstance(form, HTMLFormElement)
    assert not form.is_connected
    assert form.node_document is not page
    assert len(form.elements) == 1


def test_attributes_of_foreign_elements_and_custom_elements_are_kept(page: Document) -> None:
    parse_html(page, "<svg viewbox=1 id=s></svg><x-y id=c A=1 a=2 disabled></x-y>", form_associated={"x-y"})
    svg, custom = page.get_element_by_id("s"), page.get_element_by_id("c")
    assert isinstance(svg, Element)
    assert (svg.namespace, svg.attributes) == ("http://www.w3.org/2000/svg", {"viewBox": "1", "id": "s"})
    assert isinstance(custom, FormAssociatedElement)
    assert custom.attributes == {"id": "c", "a": "1", "disabled": ""}


# The owners of the controls of a document, in tree order, by https://html.spec.whatwg.org/#create-an-element-for-the-token.
OWNERS = {
    "<form id=f><input></form><input>": ["f", None],
    "<form id=f><form id=g><input></form><input>": ["f", None],
    # The end tag takes the form off the stack; the div goes on inside of it.
    "<form id=f><div></form><input></div>": ["f"],
    "<form id=f><div></form><form id=g></div><input></form><input>": ["g", None],
    # In a table the form is empty, and its controls know it by the pointer alone.
    "<table><form id=f><tr><td><input></form><tr><td><input></table>": ["f", None],
    "<table><form id=f><input></table>": ["f"],
    "<table><form id=f><tr><td><input></table><input>": ["f", "f"],
    # An end tag that closes nothing ends the pointer all the same.
    "<form id=f><table><tr><td></form><td><form id=g><input>": ["g"],
    "<form id=f></p></form><input>": [None],
    "<form id=f><table></form><caption><input></table>": ["f"],
    # What looks like an end tag and is none.
    "<table><form id=f><tr><td><input value='</form>'><!-- </form> --><textarea></form></textarea><input>": ["f"] * 3,
    "<table><form id=f><tr><td><script></form></script><a </form>x</a><source </form><input>": ["f"],
    "<table><form id=f><tr><td><template></form></template><input>": ["f"],
    "<table><form id=f><tr><td></FORM\n x=1><input>": [None],
    "<table><form id=f><tr><td></formula><input>": ["f"],
    # The pointer yields to the attribute, and means nothing to custom elements.
    "<table><form id=f><tr><td><input form=f form=g></table>": ["f"],
    "<table><form id=f><tr><td><input form=g></table><form id=g></form>": [None],  # No form g: the pointer is at f.
    "<table><form id=f><tr><td><input form=g></form></table><form id=g></form>": ["g"],
    "<table><form id=f><tr><td><x-y></x-y></table>": [None],
}


@pytest.mark.parametrize("html", OWNERS)
def test_form_element_pointer_decides_about_the_form_owner(page: Document, html: str) -> None:
    parse_html(page, html, form_associated={"x-y"})
    controls = [node for node in page.descendants if isinstance(node, FormAssociatedElement)]
    owners = [control.form_owner for control in controls]
    assert [owner and owner.get_attribute("id") for owner in owners] == OWNERS[html]


# Each document in sizes of any number; a size of 1 is the smallest.
LARGE: dict[str, Callable[[int], str]] = {
    "many controls": lambda n: "<form>" + "<p><label>a<input name=x></label>" * n,
    "many controls by ID": lambda n: "<input form=f id=f>" * n + "<form id=f>",
    "many forms with one ID": lambda n: "<form id=f></form>" * n + "<input form=f>" * n,
    "many forms": lambda n: "<form><input></form>" * n,
    "nested forms": lambda n: "<form>" * n + "<input>" * n,
    "forms nested by wrong end tags": lambda n: "<form><input><div></form>" * n,
    "nested labels": lambda n: "<label>" * n + "<input>",
    "labels for one ID": lambda n: "<label for=a id=a>x<input id=a>" * n,
    "radio buttons": lambda n: "<form>" + "<input type=radio name=a checked>" * n,
    "radio buttons without a form": lambda n: "<input type=radio name=a checked>" * n,
    "selected options": lambda n: "<select>" + "<option selected>x" * n,
    "disabled options": lambda n: "<select>" + "<option disabled>x" * n,
    "legends": lambda n: "<fieldset disabled>" + "<legend><input></legend>" * n,
    "nested fieldsets": lambda n: "<fieldset disabled><legend><input>" * n,
    "nested tables": lambda n: "<form><table><tr><td></form>" * n + "<input>",
}


def read_all(html: str, page: Document) -> tuple[int, int]:
    """Parse a document, read what forms and labels need, and return how many controls its forms own by two ways."""
    parse_html(page, html)
    elements = list(page.descendants)
    controls = [node for node in elements if isinstance(node, FormAssociatedElement)]
    for control in controls:
        labels_of(control)
        _ = control.is_disabled
    owned = sum(len(node.listed_elements) for node in elements if isinstance(node, HTMLFormElement))
    return owned, sum(control.form_owner is not None for control in controls)


def new_page(world: World) -> Document:
    return create_a_new_top_level_traversable(world.user_agent, Response("https://a.test/"))


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("html", LARGE.values(), ids=LARGE)
def test_large_document_is_parsed_and_read(page: Document, html: Callable[[int], str]) -> None:
    owned_by_forms, owned = read_all(html(10_000), page)
    assert owned_by_forms == owned


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("html", LARGE.values(), ids=LARGE)
def test_work_for_a_document_grows_with_its_length_only(world: World, html: Callable[[int], str]) -> None:
    small, large = (new_page(world) for _ in range(2))
    read_all(html(2), new_page(world))  # What is done once for all documents.
    # A tree has no more than 512 levels, and the work for a control may grow with them.
    less, more = calls_made(lambda: read_all(html(700), small)), calls_made(lambda: read_all(html(1400), large))
    assert more < 2.8 * less


def test_tree_is_no_deeper_than_that_of_a_browser(page: Document) -> None:
    parse_html(page, "<div>" * 2_000 + "<input>")
    deepest = max(len(list(node.ancestors)) for node in page.descendants)
    assert deepest == 512


@pytest.mark.parametrize(
    "html",
    ["<", "</", "<!", "<form", "<form id='", "</form", "<!-- </form", "\0", "<input \ud800=\ud800>", "<svg></form>"],
)
def test_broken_html_gives_a_tree(page: Document, html: str) -> None:
    parse_html(page, html)
    assert outline(page).startswith(("#(html(head", "#(!"))


def test_form_tags_in_a_fragment_for_the_inside_of_a_form_are_ignored(page: Document) -> None:
    parse_html(page, "<form id=f><p id=p>")
    context = page.get_element_by_id("p")
    assert isinstance(context, Element)
    append(parse_a_fragment(context, "<form id=g><input id=a></form><input id=b>"), context)
    assert page.get_element_by_id("g") is None
    owners = [getattr(page.get_element_by_id(id_), "form_owner", None) for id_ in ("a", "b")]
    assert owners == [page.get_element_by_id("f")] * 2
