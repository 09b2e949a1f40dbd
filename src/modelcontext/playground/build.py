"""The builder of the playground: a self-contained folder of files for any static server."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import lxml.html

from modelcontext.checkout import path_in
from modelcontext.conformance.corpus import CORPORA, read_corpus
from modelcontext.litmus.language import CATALOGUE, read_catalogue
from modelcontext.playground.session import DEFINITIONS
from modelcontext.revisions.registry import FILES, REVISIONS
from modelcontext.serving.bundle import PLATFORM, archive, runtime_folder, write_bundle, zipped
from modelcontext.specification.text.bikeshed import build
from modelcontext.specification.text.elements import add_anchors, elements

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from modelcontext.conformance.corpus import Case
    from modelcontext.litmus.language import Litmus

#: The parts of this package that the page needs beside the platform and the revisions.
PARTS: Final = (
    *PLATFORM,
    *("checkout", "playground", "problems", "program", "scripts", "specification", "tracing", "weaving", "world"),
)
_ARCHIVE: Final = "modelcontext.zip"
#: The parser of the markup of programs: a package in pure Python that needs no other one.
_PARSER: Final = "justhtml"
_DROPPED: Final = "//script | //style | //*[contains-token(@class, 'self-link')] | //aside"


def build_playground(root: Path, out: Path, pyodide: Path | None = None) -> None:
    """Write the playground of the project in ``root`` into a folder.

    Raises:
        UnavailableError: if Pyodide is not installed.
        SpecificationError: if the text of a revision cannot be built.
        ProgramError: if an example is not a valid program.
        WriteError: if a file cannot be written.
    """
    pyodide = runtime_folder(pyodide)
    assets = Path(str(files("modelcontext.playground").joinpath("assets")))
    contents = {path.name: path.read_bytes() for path in sorted(assets.iterdir()) if path.is_file()}
    contents[_ARCHIVE] = _archive()
    contents["examples.json"] = json.dumps(examples(root), ensure_ascii=False).encode()
    for name, revision in FILES.items():
        contents[f"specification-{name}.html"] = _fragment(
            build(root / revision.text, path_in(root, revision.cache))
        ).encode()
    write_bundle(out, contents, _ARCHIVE, ["modelcontext.playground.session"], pyodide)


def _archive() -> bytes:
    """Return the parts, with the parser of HTML, and with parsed IDL.

    The parser of IDL takes seconds in a page, and memory that is not freed.
    """
    with zipfile.ZipFile(io.BytesIO(archive(PARTS))) as parts:
        contents = {name: parts.read(name) for name in parts.namelist()}
    parser = Path(str(files(_PARSER)))
    contents |= {f"{_PARSER}/{path.relative_to(parser).as_posix()}": path.read_bytes() for path in parser.rglob("*.py")}
    definitions = {name: revision.definitions for name, revision in REVISIONS.items()}
    return zipped(contents | {f"modelcontext/playground/{DEFINITIONS}": pickle.dumps(definitions, protocol=4)})


def examples(root: Path) -> list[dict[str, Any]]:
    """Return the litmus tests and the programs of a checkout, with their texts.

    Raises:
        ProgramError: if one of them is not a valid program.
    """
    litmus = [
        _example(f"Litmus: {one.name.partition('/')[0]}", f"litmus/{one.name}", one) | {"race": one.race}
        for one in read_catalogue(root / CATALOGUE)
    ]
    programs = [
        _example(f"{folder.name.capitalize()}: {case.section}", f"{folder.name}/{case.name}", case)
        for folder in CORPORA
        for case in read_corpus(root / folder)
    ]
    return [*litmus, *programs]


def _example(group: str, name: str, one: Case | Litmus) -> dict[str, Any]:
    return {"group": group, "name": name, "title": one.program.title, "text": one.path.read_text(encoding="utf-8")}


def _fragment(html: str) -> str:
    """Return the body of a built specification for a page with its own style. Every step has an anchor."""
    document = lxml.html.document_fromstring(html)
    add_anchors(document)
    for element in elements(document, _DROPPED):
        element.drop_tree()
    main: HtmlElement = elements(document, "//main")[0]
    # Headings of the text are below the heading of the panel.
    for level in (5, 4, 3, 2):
        for heading in elements(main, f".//h{level}"):
            heading.tag = f"h{level + 1}"
    return "".join(lxml.html.tostring(child, encoding="unicode") for child in main)
