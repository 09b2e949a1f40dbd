"""Checking the documents of a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.hosts.world import World
from modelcontext.people.forms.deciding import Algorithms
from modelcontext.people.forms.documents import DocumentReader
from modelcontext.people.forms.page_report import DocumentReport, PageReport
from modelcontext.people.forms.trees import custom_elements_with_names, ignored_forms, make_shadow_trees
from modelcontext.platform.dom.nodes import DocumentNode
from modelcontext.platform.html.loading import (
    Response,
    create_a_new_top_level_traversable,
    insert_an_iframe,
    replace_the_initial_document,
)
from modelcontext.platform.html.parsing import parse_html

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document as HTMLDocument

_FILE_URL: Final = "https://page.invalid/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The source of a document.

    Attributes:
        name: its name in the page.
        html: the HTML.
        url: its URL; None if it is a file.
        parent: the index of the document that its frame is in, among those of the page; None for the page's own.
        allow, sandbox: the attributes of its frame.
        permissions_policy: the value of its ``Permissions-Policy`` header.
        form_associated: the names of the form-associated custom elements; None if a script could say it, and none has run.
        notes: what a reader must know.
    """

    name: str
    html: str
    url: str | None = None
    parent: int | None = None
    allow: str = ""
    sandbox: str | None = None
    permissions_policy: str = ""
    form_associated: Collection[str] | None = None
    notes: Sequence[str] = ()


def check_page(sources: Sequence[Source]) -> PageReport:
    """Return the forms of a page, and their problems.

    Args:
        sources: the documents of the page; that of a frame stands after that of its parent.
    """
    world = World()
    world.enter()
    algorithms = Algorithms()
    documents: list[HTMLDocument] = []
    for source in sources:
        documents.append(_create(world, source, documents))
    return PageReport(
        [_check(source, document, algorithms) for source, document in zip(sources, documents, strict=True)]
    )


def _create(world: World, source: Source, documents: Sequence[HTMLDocument]) -> HTMLDocument:
    response = Response(source.url or _FILE_URL, source.permissions_policy)
    if source.parent is None:
        return create_a_new_top_level_traversable(world.user_agent, response)
    parent = documents[source.parent]
    container = insert_an_iframe(parent, allow=source.allow, sandbox=source.sandbox, src=response.url)
    assert container.content_navigable is not None
    return replace_the_initial_document(container.content_navigable, response)


def _check(source: Source, document: HTMLDocument, algorithms: Algorithms) -> DocumentReport:
    html = source.html.removeprefix("\ufeff")
    names = source.form_associated
    if names is None:
        # Until a script has run, any of them could be one.
        names = custom_elements_with_names(html, DocumentNode(document.realm))
    indexes = parse_html(document, html, form_associated=names)
    ignored = ignored_forms(html, indexes, DocumentNode(document.realm))
    make_shadow_trees(document)
    reader = DocumentReader(document, algorithms, html, indexes, is_file=source.url is None)
    return reader.read(source.name, source.url, ignored, source.notes)
