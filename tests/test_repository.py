"""The repository itself: imports, names, docstrings, marks of generated files, and text that is out of place."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
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
    "src/modelcontext/spec/revisions/*/algorithms.json",
    "src/modelcontext/spec/revisions/*/dictionaries.py",
    "src/modelcontext/spec/revisions/*/definitions.json",
    "src/modelcontext/spec/revisions/*/modelcontext.webidl",
    "src/modelcontext/spec/revisions/*/weights.json",
    "src/modelcontext/spec/revisions/*/published.json",
    "docs/agents.md",
    "docs/agents/*.toml",
    "docs/proposals/*.md",
]

COMMENT_TAGS = re.compile(r"NON-SPEC:|SPEC-BUG\(#\d+\):|TODO-STEP:|HOST:")
LOOKS_LIKE_A_TAG = re.compile(r"#+\s*([A-Z]{2,}(?:-[A-Z]+)*(?:\([^)]*\))?:)")

#: A title with one of these needs its reader to guess the subject.
HEADLESS = re.compile(r"(?:What|Where|Whether|How|Who|Which|Why)(?:ever)?\b")
#: A name with one of these does not say what is asserted.
ANAPHORIC = re.compile(r"test_(?:it|what|so|there)_")

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
# A distribution has its code in a folder src: that of the checkout, or one in packages/NAME.
PACKAGE_FILES = [path for path in PYTHON_FILES if "src" in path.relative_to(ROOT).parts[:3]]
REVISION_FILES = [path for path in PYTHON_FILES if path.is_relative_to(PACKAGE / "spec/revisions")]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(source: str, package: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the absolute dotted name of each import of a module in a package, also in functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the imports of a file of this package."""
    package = ["modelcontext", *path.relative_to(PACKAGE).parent.parts]
    return imports(path.read_text(encoding="utf-8"), package)


def test_no_revision_imports_a_browser_network_clock_or_thread() -> None:
    assert len(REVISION_FILES) > 10
    foreign = [
        f"{name_of(path)}:{line}: {dotted}"
        for path in REVISION_FILES
        if path.name != "registry.py"
        for line, dotted in imports_of(path)
        if dotted.split(".")[0] not in STANDARD_LIBRARY_OF_REVISIONS | {"modelcontext"}
    ]
    assert foreign == []


def test_no_revision_imports_another_revision() -> None:
    shared = ("modelcontext.spec.revisions.algorithm", "modelcontext.spec.revisions.revision")
    others = [
        f"{name_of(path)}:{line}: {dotted}"
        for path in REVISION_FILES
        if path.parent.parent.name == "revisions"
        for line, dotted in imports_of(path)
        if dotted.startswith("modelcontext.spec.revisions")
        and not dotted.startswith((f"modelcontext.spec.revisions.{path.parent.name}", *shared))
    ]
    assert others == []


def test_check_of_imports_finds_those_in_functions_and_the_relative_ones() -> None:
    source = "import socket\n\ndef f():\n    from ..annex import a, b\n"
    found = list(imports(source, ["modelcontext", "revisions"]))
    assert found == [(1, "socket"), (4, "modelcontext.annex.a"), (4, "modelcontext.annex.b")]


@cache
def definitions(source: str) -> list[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the module, its classes and its functions."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]


def headless_docstrings(source: str) -> list[str]:
    """Return the first lines of docstrings that begin with a question word."""
    docstrings = (ast.get_docstring(node) or "" for node in definitions(source))
    return [docstring.partition("\n")[0] for docstring in docstrings if HEADLESS.match(docstring)]


def anaphoric_tests(source: str) -> list[str]:
    """Return the names of tests that do not say what is asserted."""
    names = [node.name for node in definitions(source) if not isinstance(node, ast.Module)]
    return [name for name in names if ANAPHORIC.match(name)]


def unexplained_namesakes(sources: dict[str, str]) -> dict[str, list[str]]:
    """Return the places of classes that share a name and have no comment on their line or above it.

    Revisions are siblings: each has a class of a name in the same module, so that a name counts once for all of them.

    Args:
        sources: the texts of modules, by their paths below the package.
    """
    all_places = defaultdict[str, dict[str, bool]](dict)
    for path, source in sources.items():
        lines = source.splitlines()
        sibling = re.sub(r"^spec/revisions/[^/]+/", "spec/revisions/*/", path)
        for node in definitions(source):
            if isinstance(node, ast.ClassDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                above = lines[first - 2] if first > 1 else ""
                all_places[node.name][sibling] = above.lstrip().startswith("#") or "  #" in lines[node.lineno - 1]
    unexplained = {}
    for name, places in all_places.items():
        without = [place for place, is_explained in places.items() if not is_explained]
        if len(without) > 1:
            unexplained[name] = without
    return unexplained


def offenders(paths: Iterable[Path], rule: Callable[[str], list[str]]) -> list[str]:
    """Return what a rule finds in the texts of files, each with the name of its file."""
    return [f"{name_of(path)}: {found}" for path in paths for found in rule(path.read_text(encoding="utf-8"))]


@pytest.mark.usefixtures("takes_long")
def test_no_docstring_begins_with_a_question_word() -> None:
    assert offenders(PACKAGE_FILES, headless_docstrings) == []


@pytest.mark.usefixtures("takes_long")
def test_name_of_each_test_says_what_is_asserted() -> None:
    assert offenders(set(PYTHON_FILES) - set(PACKAGE_FILES), anaphoric_tests) == []


def test_classes_share_a_name_only_with_a_comment_that_says_why() -> None:
    sources = {
        name_of(path).removeprefix("src/modelcontext/"): path.read_text(encoding="utf-8") for path in PACKAGE_FILES
    }
    assert unexplained_namesakes(sources) == {}


def test_check_of_prose_finds_headless_docstrings_and_anaphoric_tests() -> None:
    source = (
        '''"""Where it is."""\nclass A:\n    def test_it_works(self):\n        """What it does.\n\n        More."""\n'''
    )
    assert headless_docstrings(source) == ["Where it is.", "What it does."]
    assert anaphoric_tests(source) == ["test_it_works"]
    assert headless_docstrings('"""Whole files."""') == []
    assert anaphoric_tests("def test_items_are_there(): ...") == []


def test_check_of_names_finds_namesakes_without_a_comment() -> None:
    siblings = dict.fromkeys(("spec/revisions/current/model.py", "spec/revisions/r2026_03/model.py"), "class A: ...\n")
    assert unexplained_namesakes(siblings) == {}
    unexplained = unexplained_namesakes({**siblings, "dom/a.py": "class A: ...\n"})
    assert unexplained == {"A": ["spec/revisions/*/model.py", "dom/a.py"]}
    for explained in ("# Wraps the other.\n@final\nclass A: ...\n", "class A: ...  # Wraps the other.\n"):
        assert unexplained_namesakes({**siblings, "dom/a.py": explained}) == {}


def unknown_tags(source: str) -> list[str]:
    """Return the comments that look like a tag, and are none of the four."""
    if not LOOKS_LIKE_A_TAG.search(source):
        return []
    return [
        f"line {token.start[0]}: {token.string}"
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
        and (tag := LOOKS_LIKE_A_TAG.match(token.string))
        and not COMMENT_TAGS.fullmatch(tag[1])
    ]


def test_comment_tags_are_of_the_closed_vocabulary() -> None:
    assert offenders(PACKAGE_FILES, unknown_tags) == []


def test_check_of_comment_tags_finds_another_tag() -> None:
    assert unknown_tags("a = 1  # NOTE: odd\n# HOST: one of four\n") == ["line 1: # NOTE: odd"]


def test_no_mark_of_a_lane_is_set_by_hand() -> None:
    # In a conftest.py it is the value of a fixture's parameter that has a mark.
    tests = [path for path in PYTHON_FILES if path.name.startswith("test_")]
    assert offenders(tests, re.compile(r"\bmark\.(?:browser|slow)\b").findall) == []


def test_generated_files_are_marked() -> None:
    paths = {pattern: list(ROOT.glob(pattern)) for pattern in GENERATED}
    assert [pattern for pattern, found in paths.items() if not found] == []
    unmarked = [
        name_of(path)
        for found in paths.values()
        for path in found
        if "AUTOGENERATED" not in path.read_text(encoding="utf-8")[:500]
    ]
    assert unmarked == []


def test_no_file_has_text_that_is_out_of_place() -> None:
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
def test_check_finds_text_that_is_out_of_place(text: str) -> None:
    assert OUT_OF_PLACE.search(text)


def test_path_of_a_web_address_is_not_a_path_of_a_machine() -> None:
    assert not OUT_OF_PLACE.search("https://site.example/" + "home/ann/x")
