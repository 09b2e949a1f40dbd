"""The pages of clients of page tools and of the properties that they may rely on, from the report about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.checkout import PACKAGE
from modelcontext.ground.files import read_text
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.properties import PROPERTIES
from modelcontext.judging.clients.report import PROGRAMS, REPORT
from modelcontext_site.markdown_pages import rendered
from modelcontext_site.pages import SitePage, render

if TYPE_CHECKING:
    from markdown_it.token import Token

    from modelcontext_site.knowledge import SiteKnowledge
    from modelcontext_site.markdown_pages import Documents

#: The folder of the texts of clients in a checkout.
_ALGORITHMS: Final = Path("src/modelcontext/judging/clients/algorithms")


def files_of_clients() -> Mapping[str, str]:
    """Return the page of each client, by the path of its text in a checkout."""
    return {_text_of(name).as_posix(): f"clients/{name}.html" for name in CLIENTS}


def _text_of(client: str) -> Path:
    return _ALGORITHMS / f"{client.replace('-', '_')}.md"


def client_pages(root: Path, knowledge: SiteKnowledge, documents: Documents) -> Iterator[SitePage]:
    """Yield the page of each client and of each property."""
    tokens, _ = documents.parsed(read_text(root / REPORT), REPORT.as_posix())
    table = _cells(tokens)
    for index, (name, client) in enumerate(CLIENTS.items()):
        text = read_text(PACKAGE / _text_of(name).relative_to("src/modelcontext"))
        cells = [
            (property_, PROPERTIES[property_].says, row[index]) for property_, row in table.items() if index < len(row)
        ]
        # The title of the text is that of the page.
        _, _, words = text.partition("\n")
        algorithm = documents.html(words.replace("\n## ", "\n### "), _text_of(name).as_posix())
        body = render("client.html", client=client, cells=cells, algorithm=algorithm)
        yield SitePage(f"clients/{name}.html", client.title, "clients.html", body, "Client", client.place)
    for name, property_ in PROPERTIES.items():
        program = root / PROGRAMS / f"{name}.toml"
        body = render(
            "property.html",
            property=property_,
            knowledge=knowledge,
            cells=list(zip(CLIENTS.values(), table.get(name, ()), strict=False)),
            run=rendered(list(_section(tokens, name))),
            program=read_text(program) if program.is_file() else "",
        )
        yield SitePage(f"properties/{name}.html", name, "clients.html", body, "Property of clients", property_.says)


def _cells(tokens: Sequence[Token]) -> Mapping[str, Sequence[str]]:
    """Return the cells of each property, as HTML, from the table whose rows begin with what properties say."""
    says = {property_.says.rstrip("."): name for name, property_ in PROPERTIES.items()}
    found: dict[str, list[str]] = {}
    row: list[str] = []
    for index, token in enumerate(tokens):
        if token.type == "tr_open":
            row = []
        elif token.type in ("td_open", "th_open"):
            row.append(rendered([tokens[index + 1]]))
        elif token.type == "tr_close" and row:
            name = next((name for words, name in says.items() if row[0].startswith(words)), None)
            if name is not None:
                found.setdefault(name, row[1:])
    return found


def _section(tokens: Sequence[Token], name: str) -> Iterator[Token]:
    """Yield the tokens below the heading of a property, up to the next heading."""
    last, is_inside = "", False
    for token in tokens:
        if token.type == "heading_open":
            last, is_inside = str(token.attrGet("id")), False
        elif token.type == "heading_close":
            is_inside = last == name
        elif is_inside:
            yield token
