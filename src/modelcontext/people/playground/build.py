"""The builder of the playground: a self-contained folder of files for any static server."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import lxml.html

from modelcontext.ground.checkout import npm_packages, path_in
from modelcontext.ground.files import write_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.hosts.scripting.engine import FOLDER, setup_of
from modelcontext.hosts.scripting.interfaces import definitions
from modelcontext.judging.conformance.corpus import CORPORA, read_corpus
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.judging.wpt.wrappers import wrapped_script
from modelcontext.people.playground.session import PREPARED, PROGRAM
from modelcontext.platform.webidl import javascript
from modelcontext.running.products.page import own_interfaces
from modelcontext.running.serving.bundle import PLATFORM, VARIABLE, archive, runtime_folder, write_bundle, zipped
from modelcontext.spec.revisions.registry import CURRENT, FILES, REVISIONS
from modelcontext.spec.specification.text.bikeshed import build, build_leniently
from modelcontext.spec.specification.text.built_html import add_anchors, elements

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from modelcontext.judging.conformance.corpus import Case
    from modelcontext.judging.litmus.language import Litmus

#: The parts of this package that the page needs beside the platform and the revisions.
PARTS: Final = (
    *PLATFORM,
    *(
        "ground/checkout",
        "ground/files",
        "people/playground",
        "programs/program",
        "hosts/scripting",
        "ground/joining",
        "ground/keeping",
        "spec/specification",
        "ground/tables",
        "ground/words",
        "programs/tracing",
        "spec/weaving",
        "hosts/simulated",
        "hosts/world",
    ),
    *("judging/litmus/conditions", "judging/litmus/language"),
    *("judging/wpt/metadata", "judging/wpt/results", "judging/wpt/server", "judging/wpt/tree", "judging/wpt/wrappers"),
)
#: Packages in pure Python: the parser of HTML, and what the rules of the tests' server are made with.
_PACKAGES: Final = ("justhtml", "starlette", "anyio")
#: The compiler of prose, with the packages in pure Python that it needs. The first one need not be installed.
_COMPILER: Final = ("modelcontext_prose", "speclint", "pywebidl2", "antlr4", "more_itertools")
#: The folder of the suite, whose tests are examples.
_TESTS: Final = "webmcp"
#: The folder of pages that are examples.
_DEMOS: Final = Path(__file__).parent / "demos"
#: The modules of the npm package quickjs-wasi, and its WebAssembly.
_ENGINE: Final = ("dist/index.js", "dist/extensions.js", "dist/version.js", "dist/wasi-shim.js", "quickjs.wasm")
_CORE_OF_QUICKJS: Final = Path(__file__).parent / "quickjs-core.js"
_CORE: Final = ("engine.cjs", "modules.cjs", "window_proxy.cjs")
_ARCHIVE: Final = "modelcontext.zip"
#: The modules that the snapshot has: the session, and what scripts need, whose import takes seconds in a page.
_IMPORTED: Final = ("modelcontext.people.playground.session", "modelcontext.people.playground.in_page")
_DROPPED: Final = "//script | //style | //*[contains-token(@class, 'self-link')] | //aside"


def build_playground(root: Path, out: Path, pyodide: Path | None = None) -> None:
    """Write the playground of the project in ``root`` into a folder.

    Raises:
        UnavailableError: if Pyodide or another package is not installed.
        SpecificationError: if the text of a revision cannot be built.
        ProgramError: if an example is not a valid program.
        WriteError: if a file cannot be written.
    """
    is_named = pyodide is not None or VARIABLE in os.environ
    # All are asked for at once, so that one command installs what is missing.
    [engine, *_] = npm_packages(root, "quickjs-wasi", "wpt-runner", "@webref/idl", *([] if is_named else ["pyodide"]))
    pyodide = runtime_folder(pyodide)
    tree = checkout_tree(root)
    assets = Path(str(files("modelcontext.people.playground").joinpath("assets")))
    contents = {path.name: path.read_bytes() for path in sorted(assets.iterdir()) if path.is_file()}
    contents |= {f"quickjs/{Path(name).name}": (engine / name).read_bytes() for name in _ENGINE}
    contents[_ARCHIVE] = _archive()
    contents["examples.json"] = json.dumps(examples(root), ensure_ascii=False).encode()
    contents["scripts.json"] = json.dumps(_scripts(), ensure_ascii=False).encode()
    contents["suite.zip"] = zipped(suite(tree))
    editing = _editing(root)
    contents |= editing
    for name, revision in FILES.items():
        html = _built_stand_in(root, name) or build(root / revision.text, path_in(root, revision.cache))
        contents[f"specification-{name}.html"] = _fragment(
            html, can_change=bool(editing) and revision.is_current
        ).encode()
    write_bundle(out, contents, _ARCHIVE, _IMPORTED, pyodide)


def _editing(root: Path) -> dict[str, bytes]:
    """Return the compiler and the source of the current text, with which a page changes steps, if the compiler is there."""
    if find_spec(_COMPILER[0]) is None:
        return {}
    stand_in = REVISIONS.stand_ins.get(CURRENT.name)
    source = stand_in.content.encode() if stand_in is not None else path_in(root, CURRENT.text).read_bytes()
    return {"compiler.zip": zipped(_packages(_COMPILER)), CURRENT.text.name: source}


def _built_stand_in(root: Path, name: str) -> str | None:
    """Return the HTML of the text that stands in for a revision, if there is one."""
    if name not in REVISIONS.stand_ins:
        return None
    folder = path_in(root, FILES[name].cache).with_name("other-text")
    write_whole(folder / "index.bs", REVISIONS.stand_ins[name].content)
    return build_leniently(folder / "index.bs")


def _archive() -> bytes:
    """Return the parts, with packages that they need, and with parsed IDL.

    The parser of IDL takes seconds in a page, and memory that is not freed.
    """
    with zipfile.ZipFile(io.BytesIO(archive(PARTS, REVISIONS.in_memory))) as parts:
        contents = {name: parts.read(name) for name in parts.namelist()}
    contents |= _packages(_PACKAGES)
    stand_ins = {name: REVISIONS[name].name for name in REVISIONS.stand_ins}
    prepared = json.dumps({"platform": definitions(), "stand-ins": stand_ins}).encode()
    return zipped(contents | {f"modelcontext/people/playground/{PREPARED}": prepared})


def _packages(names: Sequence[str]) -> dict[str, bytes]:
    """Return the modules of packages, by their paths."""
    contents: dict[str, bytes] = {}
    for package in names:
        if (found := find_spec(package)) is None or found.origin is None:
            raise UnavailableError(f"the package {package} is not installed", "pip install 'modelcontext[spec,wpt]'")
        folder = Path(found.origin).parent
        contents |= {
            f"{package}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in folder.rglob("*.py")
        }
    return contents


def _scripts() -> dict[str, Any]:
    """Return what the engine for scripts is made of: the sources of its core, and the platform of its realms."""
    revision = REVISIONS[CURRENT.name]
    source, description = setup_of(javascript.bindings(revision.definitions, own_interfaces(revision)))
    core = [FOLDER / name for name in _CORE]
    sources = {path.name: path.read_text(encoding="utf-8") for path in (*core, _CORE_OF_QUICKJS)}
    return {"sources": sources, "realms": {"source": source, "description": description}}


def suite(tree: Tree) -> dict[str, bytes]:
    """Return the files of the suite and of what its tests load, by the paths of their URLs, without the first slash."""
    folders = {f"/{_TESTS}/": tree.root / _TESTS, "/common/": tree.folders["/common/"]}
    found = dict(tree.files)
    for prefix, folder in folders.items():
        found |= {
            f"{prefix}{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*") if path.is_file()
        }
    interfaces = tree.folders["/interfaces/"]
    named = {
        word
        for path in found.values()
        if path.suffix == ".js"
        for word in _words(path)
        if (interfaces / word).is_file()
    }
    found = {f"/interfaces/{name}": interfaces / name for name in named} | found
    return {path.lstrip("/"): file.read_bytes() for path, file in found.items()}


def _words(script: Path) -> Iterator[str]:
    """Yield the names of files of IDL that a script may ask for."""
    for call in re.findall(r"\bidl_test\((.*?)=>", script.read_text(encoding="utf-8"), re.DOTALL):
        yield from (f"{word}.idl" for word in re.findall(r'"([\w-]+)"', call))


def examples(root: Path) -> list[dict[str, Any]]:
    """Return the litmus tests, the programs and the tests of a checkout, and the demos, with their texts.

    Raises:
        ProgramError: if one of the programs is not valid.
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
    return [*litmus, *_demos(), *programs, *_tests(root / "wpt_tests")]


def _example(group: str, name: str, one: Case | Litmus) -> dict[str, Any]:
    text = one.path.read_text(encoding="utf-8")
    return {"group": group, "name": name, "title": one.program.title, "text": text, "language": PROGRAM, "place": ""}


def _demos() -> Iterator[dict[str, Any]]:
    """Yield the demos: pages and scripts whose first comment is their title."""
    for path in sorted(_DEMOS.iterdir()):
        text = path.read_text(encoding="utf-8")
        title = re.search(r"<title>(.*?)</title>|^// (.*)", text)
        assert title is not None
        yield {
            "group": "JavaScript",
            "name": f"demos/{path.name}",
            "title": title[1] or title[2],
            "text": text,
            "language": "script" if path.suffix == ".js" else "page",
            "place": "",
        }


def _tests(root: Path) -> Iterator[dict[str, Any]]:
    for test in find_tests(root, [_TESTS]):
        path = test.path.lstrip("/")
        file = (root / path) if (root / path).is_file() else root / (wrapped_script(f"/{path}") or "").lstrip("/")
        text = file.read_text(encoding="utf-8")
        yield {
            "group": f"Tests: {'/'.join(path.split('/')[1:-1]) or _TESTS}",
            "name": f"tests/{path}",
            "title": path.rpartition("/")[2],
            "text": text,
            "language": "test",
            "place": test.path,
        }


def _fragment(html: str, *, can_change: bool) -> str:
    """Return the body of a built specification for a page with its own style. Every step has an anchor.

    ``can_change`` says whether the page can change steps.
    """
    document = lxml.html.document_fromstring(html)
    add_anchors(document)
    for element in elements(document, _DROPPED):
        element.drop_tree()
    main: HtmlElement = elements(document, "//main")[0]
    # Headings of the text are below the heading of the panel.
    for level in (5, 4, 3, 2):
        for heading in elements(main, f".//h{level}"):
            heading.tag = f"h{level + 1}"
    main.tag = "div"
    main.attrib.clear()
    if can_change:
        main.set("data-source", CURRENT.text.name)
    text: str = lxml.html.tostring(main, encoding="unicode")
    return text
