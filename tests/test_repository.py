"""The repository itself: imports, names, docstrings, marks of generated files, and text that is out of place."""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import LONGEST

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
    "src/modelcontext/spec/revisions/*/modelcontext.webidl",
    "src/modelcontext/spec/revisions/*/weights.json",
    "docs/agents.md",
    "docs/agents/*.toml",
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


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the absolute dotted name of each import of a module, also in functions."""
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
def test_revision_imports_no_browser_network_clock_or_thread(path: Path) -> None:
    foreign = [
        f"line {line}: {dotted}"
        for line, dotted in imports(path)
        if dotted.split(".")[0] not in STANDARD_LIBRARY_OF_REVISIONS | {"modelcontext"}
    ]
    assert not foreign


@pytest.mark.parametrize(
    "path", [path for path in PACKAGE_FILES if path.parent.parent.name == "revisions"], ids=name_of
)
def test_revision_imports_no_other_revision(path: Path) -> None:
    own = f"modelcontext.spec.revisions.{path.parent.name}"
    shared = ("modelcontext.spec.revisions.algorithm", "modelcontext.spec.revisions.revision")
    others = [
        f"line {line}: {dotted}"
        for line, dotted in imports(path)
        if dotted.startswith("modelcontext.spec.revisions") and not dotted.startswith((own, *shared))
    ]
    assert not others


@pytest.mark.parametrize("path", PYTHON_FILES, ids=name_of)
def test_every_module_has_a_docstring(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def definitions(source: str) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the module, its classes and its functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


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
        sibling = re.sub(r"^revisions/[^/]+/", "revisions/*/", path)
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


@pytest.mark.parametrize("path", PACKAGE_FILES, ids=name_of)
def test_no_docstring_begins_with_a_question_word(path: Path) -> None:
    assert headless_docstrings(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", [path for path in PYTHON_FILES if path not in PACKAGE_FILES], ids=name_of)
def test_name_of_each_test_says_what_is_asserted(path: Path) -> None:
    assert anaphoric_tests(path.read_text(encoding="utf-8")) == []


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
    siblings = dict.fromkeys(("revisions/current/model.py", "revisions/r2026_03/model.py"), "class A: ...\n")
    assert unexplained_namesakes(siblings) == {}
    unexplained = unexplained_namesakes({**siblings, "dom/a.py": "class A: ...\n"})
    assert unexplained == {"A": ["revisions/*/model.py", "dom/a.py"]}
    for explained in ("# Wraps the other.\n@final\nclass A: ...\n", "class A: ...  # Wraps the other.\n"):
        assert unexplained_namesakes({**siblings, "dom/a.py": explained}) == {}


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


def test_each_of_the_longest_files_of_tests_exists_and_is_named_once() -> None:
    assert [name for name in LONGEST if not (ROOT / "tests" / name).is_file()] == []
    assert len(set(LONGEST)) == len(LONGEST)


@pytest.mark.parametrize("pattern", GENERATED)
def test_generated_files_are_marked(pattern: str) -> None:
    paths = list(ROOT.glob(pattern))
    assert paths
    assert [path for path in paths if "AUTOGENERATED" not in path.read_text(encoding="utf-8")[:500]] == []


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
