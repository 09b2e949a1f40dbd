"""The repository itself: what depends on what, what is said about where, and what has no place here."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "modelcontext"

# An algorithm that could read a clock or a socket would not be a function of its program and its schedule.
STANDARD_LIBRARY_OF_REVISIONS = {
    "__future__",
    "collections",
    "dataclasses",
    "functools",
    "importlib",
    "types",
    "typing",
}

GENERATED = [
    "src/modelcontext/revisions/*/algorithms.json",
    "src/modelcontext/revisions/*/dictionaries.py",
    "src/modelcontext/revisions/*/modelcontext.webidl",
    "src/modelcontext/revisions/*/weights.json",
    "wpt_tests/findings/reproducer-document.html",
]

COMMENT_TAGS = re.compile(r"NON-SPEC:|SPEC-BUG\(#\d+\):|TODO-STEP:|HOST:")
LOOKS_LIKE_A_TAG = re.compile(r"#+\s*([A-Z]{2,}(?:-[A-Z]+)*(?:\([^)]*\))?:)")

# Each alternative has a bracketed letter, so that this file does not contain what it looks for.
OUT_OF_PLACE = re.compile(
    r"""
      (?<![\w.:/])/(?:wor[k]|hom[e]/\w+|roo[t]|tm[p]/pla[n])/    # a path of one machine
    | \.\./share[d]\b                                           # a folder outside the repository
    | \b(?:pyp[i]\.org|pythonhoste[d]\.org|npmj[s]\.(?:org|com)|deb\.debia[n]\.org)\b
    | "resolved"\s*:\s*"http[s]                                 # a lock file's download address
    | <<<<<<[<]\s | >>>>>>[>]\s                                 # an unresolved merge
    """,
    re.VERBOSE,
)


def tracked_files() -> list[Path]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    # A hook's GIT_DIR would make git answer for another folder.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    names = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout.decode()
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


FILES = tracked_files()
PYTHON_FILES = [path for path in FILES if path.suffix == ".py"]
PACKAGE_FILES = [path for path in PYTHON_FILES if path.is_relative_to(PACKAGE)]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the absolute dotted name of everything that the module imports, wherever it does so."""
    package = ["modelcontext", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


@pytest.mark.parametrize(
    "path", [path for path in PACKAGE_FILES if "revisions" in path.parts and path.name != "registry.py"], ids=name_of
)
def test_a_revision_touches_no_browser_network_clock_or_thread(path: Path) -> None:
    foreign = [
        f"line {line}: {dotted}"
        for line, dotted in imports(path)
        if dotted.split(".")[0] not in STANDARD_LIBRARY_OF_REVISIONS | {"modelcontext"}
    ]
    assert not foreign


@pytest.mark.parametrize(
    "path", [path for path in PACKAGE_FILES if path.parent.parent.name == "revisions"], ids=name_of
)
def test_a_revision_knows_no_other(path: Path) -> None:
    own = f"modelcontext.revisions.{path.parent.name}"
    shared = ("modelcontext.revisions.algorithm", "modelcontext.revisions.revision")
    others = [
        f"line {line}: {dotted}"
        for line, dotted in imports(path)
        if dotted.startswith("modelcontext.revisions") and not dotted.startswith((own, *shared))
    ]
    assert not others


@pytest.mark.parametrize("path", PYTHON_FILES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", PACKAGE_FILES, ids=name_of)
def test_comment_tags_are_of_the_closed_vocabulary(path: Path) -> None:
    unknown = [
        f"line {token.start[0]}: {token.string}"
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
        if token.type == tokenize.COMMENT
        and (tag := LOOKS_LIKE_A_TAG.match(token.string))
        and not COMMENT_TAGS.fullmatch(tag[1])
    ]
    assert not unknown


@pytest.mark.parametrize("pattern", GENERATED)
def test_generated_files_say_so(pattern: str) -> None:
    paths = list(ROOT.glob(pattern))
    assert paths
    assert [path for path in paths if "AUTOGENERATED" not in path.read_text(encoding="utf-8")[:500]] == []


def test_nothing_is_out_of_place() -> None:
    found = []
    for path in FILES:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        for number, line in enumerate(text.splitlines(), 1):
            if match := OUT_OF_PLACE.search(line):
                found.append(f"{name_of(path)}:{number}: {match[0]}")
    assert not found


@pytest.mark.parametrize("text", ["/" + "home/ann/x", "see .." + "/shared/x", "/" + "root/x", "https://pypi" + ".org/"])
def test_what_is_out_of_place_is_seen(text: str) -> None:
    assert OUT_OF_PLACE.search(text)


def test_the_path_of_a_web_address_is_not_a_path_of_this_machine() -> None:
    assert not OUT_OF_PLACE.search("https://site.example/" + "home/ann/x")
