"""Names in docstrings and docs resolve: to modules, definitions, attributes, parameters, verbs, options and files."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import click
import pytest

from modelcontext.people.cli import _group

ROOT = Path(__file__).resolve().parent.parent

DOCS = re.compile(r"README\.md|CONTRIBUTING\.md|docs/[\w-]+\.md|packages/[\w-]+/README\.md")
OURS = re.compile(r"(?:src|packages/[\w-]+/src|tools|surveys|benchmarks)/.*\.py")
ROLE = re.compile(r":\w+:`~?([\w.]+)`")
LITERAL = re.compile(r"(?<!`)``([^`\n]+)``(?!`)")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?modelcontext (\w.*?)(?: +#.*)?$", re.MULTILINE)
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?")
#: A file or a folder, and perhaps a definition in it: ``a/b.py: Class.method``, ``a/``, ``a/test_b.py::test_c``.
PLACE = re.compile(
    r"([\w.*<>{},-]+(?:/[\w.*<>{},-]+)*(?:/|\.(?:py|c?js|ts|toml|md|html|bs|webidl)))(?:::? ?([A-Za-z_][\w.]*))?"
)
#: Parts of a path that stand for others.
STANDS_FOR = re.compile(r"<[\w-]+>|\b(?!README|[A-Z]+(?:ING|LOG|TY)\b)[A-Z][A-Z0-9_]*\b|\bx(?=\.)")
COMMENT = re.compile(r"(?:^|  ) *#.*", re.MULTILINE)
#: Names of other projects, which no code here has, and names that code puts together.
ELSEWHERE = {
    *(
        "Agent.iter",
        "Model.system",
        "Promise.try()",
        "Target.detachedFromTarget",
        "ObservableArray",
        "Raises",
        "colorspace",
    ),
    *(
        "npm ci --ignore-scripts",
        "--log-wptreport",
        "--verbose",
        "git diff --word-diff",
        "max_tasks_per_child",
        "slotchange",
    ),
    *("node_modules/.bin/biome check --write", "@jason.today/webmcp", "input_required", "page1_", "page2_", "\\uXXXX"),
    *("towncrier build --draft", "modelcontext_agent_tool_calls_total", "anthropic:claude-sonnet-4-5"),
}
STAR = re.compile(r"^ *from ([\w.]+) import \*", re.MULTILINE)
ARGUMENTS = re.compile(r"^Args:\n((?:(?: {4}.*)?\n?)*)", re.MULTILINE)
Definition = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Module:
    """A Python file: what it defines, the members and bases of its classes, the words of its code, and its docstrings."""

    def __init__(self, path: str, text: str) -> None:
        self.name = re.sub(r"^(?:packages/[\w-]+/)?(?:src/)?|/__init__\.py$|\.py$", "", path).replace("/", ".")
        self.package = self.name if path.endswith("__init__.py") else self.name.rpartition(".")[0]
        self.docstrings: list[tuple[Definition, str]] = []
        self.members: dict[str, set[str]] = {}
        self.bases: dict[str, list[str]] = {}
        self.defined: set[str] = set()
        self._lines = text.splitlines()
        self._read(ast.parse(text))
        self.code = COMMENT.sub("", "\n".join(self._lines))
        self.words = self.defined.union(re.findall(r"[\w$]+", self.code))

    def _read(self, scope: Definition) -> None:
        docstring = ast.get_docstring(scope)
        if docstring is not None:
            self.docstrings.append((scope, docstring))
        for name in parameters(scope):
            self.defined.add(name)
        if isinstance(scope, ast.ClassDef):
            lines = self._lines[scope.lineno - 1 : scope.end_lineno]
            self.members[scope.name] = set(re.findall(r"\bself\.(\w+)(?:: [^=]+)? = ", "\n".join(lines)))
            self.bases[scope.name] = [ast.unparse(base).partition("[")[0] for base in scope.bases]
        for node in statements(scope.body):
            names = set(names_of(node))
            self.defined |= names
            if isinstance(scope, ast.ClassDef):
                self.members[scope.name] |= names
            if isinstance(node, Definition):
                self._read(node)
        if docstring is not None:
            first = scope.body[0]
            self._lines[first.lineno - 1 : first.end_lineno] = [""] * ((first.end_lineno or 0) - first.lineno + 1)


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those in their blocks, but none inside of a definition."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from statements([one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt)])


def names_of(node: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement defines; those of a tuple of strings are ``__slots__``, or generated members."""
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets, value=value):
            yield from (one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name))
            if isinstance(value, ast.Tuple | ast.List):
                yield from (
                    one.value for one in value.elts if isinstance(one, ast.Constant) and isinstance(one.value, str)
                )


def parameters(node: Definition) -> set[str]:
    """Return the names that the section ``Args`` of a docstring can have."""
    if isinstance(node, ast.ClassDef):
        init = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
        return parameters(init[0]) if init else set()
    if isinstance(node, ast.Module):
        return set()
    every = node.args
    given = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    return {one.arg for one in given if one is not None}


class Tree:
    """The files of a checkout, and the names in them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self.elsewhere: set[str] = set()
        self.projects = "".join(text for path, text in files.items() if path.endswith("pyproject.toml"))
        self.places = {*files, *(f"{parent}/" for path in files for parent in Path(path).parents)}
        self.ends = {end for place in self.places for end in ends(place)}
        self.modules = {path: Module(path, text) for path, text in files.items() if OURS.fullmatch(path)}
        self.by_name = {module.name: module for module in self.modules.values()}
        self.classes: defaultdict[str, list[Module]] = defaultdict(list)
        self.beside: defaultdict[str, set[str]] = defaultdict(set)
        self.words = {word for place in self.places for word in re.findall(r"[\w$]+", place)}
        for path, text in files.items():
            if path not in self.modules and not path.endswith(".md"):
                self.words.update(re.findall(r"[\w$]+", text))
        for module in self.modules.values():
            self.words |= module.defined
            self.beside[module.package] |= module.words
            for name in module.members:
                self.classes[name].append(module)

    def problems(self) -> Iterator[str]:
        """Yield each name that does not resolve, after its file."""
        for path, text in self.files.items():
            if DOCS.fullmatch(path):
                for command in COMMAND.findall("\n".join(FENCE.findall(text))):
                    yield from (f"{path}: {problem}" for problem in problems_of_command(command))
                for span in SPAN.findall(FENCE.sub("", text)):
                    yield from (f"{path}: {problem}" for problem in self.problems_of(span.replace("\\|", "|"), path))
            elif path in self.modules:
                module = self.modules[path]
                for node, docstring in module.docstrings:
                    given = parameters(node)
                    listed = re.findall(r"^ {4}\*{0,2}(\w+):", "".join(ARGUMENTS.findall(docstring)), re.MULTILINE)
                    yield from (f"{path}: no parameter {name}" for name in listed if given and name not in given)
                    yield from (f"{path}: {name}" for name in ROLE.findall(docstring) if not self.has(name, module))
                    for literal in LITERAL.findall(docstring):
                        yield from (f"{path}: {problem}" for problem in self.problems_of(literal, path))

    def problems_of(self, text: str, path: str) -> Iterator[str]:
        """Yield what does not resolve of one text in backquotes."""
        module = self.modules.get(path)
        verb, _, rest = text.partition(" ")
        if text in ELSEWHERE:
            self.elsewhere.add(text)
        elif command := COMMAND.fullmatch(text):
            yield from problems_of_command(command[1])
        elif verb in verbs() and re.match(r"--|[a-z-]+\b", rest):
            yield from problems_of_command(text)
        elif place := PLACE.fullmatch(text):
            if not self.has_place(place[1], place[2], Path(path).parent):
                yield text
        elif DOTTED.fullmatch(text):
            if not self.has(text.removesuffix("()"), module):
                yield text
        else:
            options = re.findall(r"(?<![\w-])--[a-z][\w-]*", text)
            yield from (one for one in options if one not in all_options() and not self.is_text_of_code(one))
            words = re.findall(r"(?<![\w$-])[A-Za-z_$][\w$]+", re.sub(r"--[\w-]+", "", text))
            yield from (f"{word} of {text}" for word in words if not self.is_word(word, module))

    def is_word(self, word: str, module: Module | None) -> bool:
        """Return whether a word is in the code of a module, defined elsewhere, or in a file that is not Python."""
        if module is None:
            return word in self.words or any(word in one.words for one in self.modules.values())
        return word in module.words or word in self.words or word in self.beside[module.package] or word.isupper()

    def has_place(self, place: str, name: str | None, folder: Path) -> bool:
        """Return whether a path is that of a file, or the end of one, and that defines a name."""
        patterns = [place]
        if braces := re.search(r"\{([^{}]*)\}", place):
            patterns = [place.replace(braces[0], one) for one in braces[1].split(",")]
        for pattern in patterns:
            pattern = STANDS_FOR.sub("*", pattern)
            if "*" not in pattern and not name and pattern in self.ends:
                continue
            found = [one for one in self.places if fnmatchcase(one, pattern) or fnmatchcase(one, f"*/{pattern}")]
            if not found and not self.is_text_of_code(pattern):
                return False
            if name and not any(self.defines(one, name) for one in found):
                return False
        return True

    def is_text_of_code(self, name: str) -> bool:
        """Return whether code has this text, such as the name of a file that a command writes."""
        return any(name.removeprefix("build/").strip("/*") in module.code for module in self.modules.values())

    def defines(self, path: str, name: str) -> bool:
        """Return whether a file defines a name, or a class with a member."""
        module = self.modules.get(path)
        if module is None:
            return name in self.files.get(path, "")
        first, _, rest = name.partition(".")
        return first in module.defined and (not rest or self.has_member(first, rest))

    def has_member(self, class_: str, member: str) -> bool:
        """Return whether a class of that name has a member, of its own or of a base; a base from elsewhere may have any."""
        if class_ not in self.classes:
            return class_ not in ("Protocol", "Generic", "ABC", "NamedTuple", "object")
        return any(
            member in module.members[class_] or any(self.has_member(base, member) for base in module.bases[class_])
            for module in self.classes[class_]
        )

    def has(self, dotted: str, module: Module | None) -> bool:
        """Return whether a dotted name leads to something; one that begins with a point begins at the package."""
        if dotted.startswith("."):
            assert module is not None
            dotted = module.package + dotted
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            found = self.by_name.get(".".join(parts[:length]))
            if found is not None:
                rest = parts[length:]
                known = found.words.union(*(self.by_name[name].words for name in STAR.findall(found.code)))
                is_there = not rest or (rest[0] in known and (len(rest) == 1 or self.has_member(*rest[:2])))
                return is_there or dotted in (module.code if module is not None else self.projects)
        if parts[0] == "modelcontext":
            return False
        if parts[0] in self.classes and len(parts) > 1:
            return self.has_member(parts[0], parts[1])
        return all(self.is_word(part, module) for part in parts)


def ends(place: str) -> Iterator[str]:
    """Yield a path without none, one and more of its first parts."""
    parts = place.split("/")
    return ("/".join(parts[index:]) for index in range(len(parts)))


@cache
def verbs() -> frozenset[str]:
    """Return the verbs of the command line."""
    group = _group()
    return frozenset(group.list_commands(click.Context(group)))


@cache
def all_options() -> frozenset[str]:
    """Return every option of every verb."""
    return frozenset(option for command in commands(_group()) for option in options_of(command))


def commands(command: click.Command) -> Iterator[click.Command]:
    """Yield a command, and those below it."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below)


def options_of(command: click.Command) -> set[str]:
    """Return the options of a command."""
    return {"--help", *(option for one in command.params for option in (*one.opts, *one.secondary_opts))}


def problems_of_command(text: str) -> Iterator[str]:
    """Yield the verbs and the options of a line, after ``modelcontext``, that there are none of."""
    command: click.Command = _group()
    words = re.sub(r"'[^']*'|\"[^\"]*\"", "", text).split()
    while (
        words and isinstance(command, click.Group) and not (words[0].startswith("-") and command.invoke_without_command)
    ):
        if words[0] in ("VERB", "…", "--help"):
            return
        # A verb of two words is one command.
        if (both := " ".join(words[:2])) in command.list_commands(click.Context(command)):
            words = [both, *words[2:]]
        below = command.get_command(click.Context(command), words[0])
        if below is None:
            yield f"modelcontext {text}: no verb {words[0]}"
            return
        command = below
        words.pop(0)
    yield from (
        f"modelcontext {text}: no option {word}"
        for word in words
        if word.startswith("--") and word not in options_of(command)
    )


def files() -> dict[str, str]:
    """Return the text of each file of the checkout, by its path."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True
    )
    paths = [path for path in listed.stdout.decode().splitlines() if (ROOT / path).is_file()]
    return {
        path: (ROOT / path).read_text(encoding="utf-8", errors="ignore") for path in paths if not path.endswith(".png")
    }


@pytest.fixture(scope="module")
def tree(takes_long: None) -> Tree:
    return Tree(files())


def test_names_in_docstrings_and_docs_resolve(tree: Tree) -> None:
    assert list(tree.problems()) == []
    assert ELSEWHERE - tree.elsewhere == set(), "no text has these names any more"


MODULE = """
'A module: {}.'

class Known:
    def __init__(self, known):
        self.attribute = known
"""


@pytest.mark.parametrize(
    "text",
    [
        "``schedule/graph.py``",
        "``tests/test_names.py``",
        "``Known``",
        "``Known.attribute``",
        "``modelcontext.planted.Known.attribute``",
        ":class:`Known`",
        ":mod:`.planted`",
        "``modelcontext litmus explain NAME --bound 3``",
        "``--bound``",
    ],
)
def test_name_that_is_there_resolves(text: str) -> None:
    assert planted("src/modelcontext/planted.py", MODULE.format(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "``schedule/grapheme.py``",
        "``tests/test_nothing.py``",
        "``Unheard``",
        "``_unheard_of``",
        "``Known.unheard_of``",
        "``modelcontext.unheard``",
        "``modelcontext.planted.Known.unheard``",
        ":class:`Unheard`",
        ":meth:`Known.unheard_of`",
        ":mod:`.unheard`",
        "``modelcontext unheard``",
        "``modelcontext litmus unheard``",
        "``litmus unheard``",
        "``modelcontext litmus explain --unheard``",
        "``--unheard``",
    ],
)
def test_name_that_is_not_there_is_found(text: str) -> None:
    assert planted("src/modelcontext/planted.py", MODULE.format(text)) != []


def test_parameter_that_is_not_there_is_found() -> None:
    text = 'def known(known):\n    """Do something.\n\n    Args:\n        {}: something.\n    """\n'
    assert planted("src/modelcontext/planted.py", text.format("known")) == []
    assert planted("src/modelcontext/planted.py", text.format("unheard")) != []


@pytest.mark.parametrize(
    "text",
    ["`planted.py: unheard`", "`unheard/`", "`Known.unheard_of`", "```console\n$ modelcontext trace --unheard\n```"],
)
def test_name_in_docs_that_is_not_there_is_found(text: str) -> None:
    assert planted("docs/planted.md", f"{text}\n") != []


def planted(path: str, text: str) -> list[str]:
    """Return the problems of a tree of three files, one of them planted."""
    others = {
        "src/modelcontext/ground/schedule/graph.py": "",
        "tests/test_names.py": "",
        "src/modelcontext/planted.py": MODULE,
    }
    return list(Tree({**others, path: text}).problems())
