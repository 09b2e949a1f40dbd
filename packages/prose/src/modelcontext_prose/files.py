"""The files of a revision, made from its text: one for each section, and those of the model and of the dictionaries."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from modelcontext_prose.hooks import hooks_text
from modelcontext_prose.imports import by_module, import_lines
from modelcontext_prose.platform import home_of
from modelcontext_prose.python_text import Declaration, statements_text
from modelcontext_prose.structs import Model

if TYPE_CHECKING:
    from modelcontext_prose.emit.program import Program
    from speclint.prose.prose_text import Algorithm

#: Steps; the algorithms of a larger section are in one file for each of its parts.
_LARGEST: Final = 150
_HEADING: Final = re.compile(r"^<h([23])\b[^>]*\bid=[\"']?([\w-]+)[^>]*>(.*?)</h\d>", re.MULTILINE)


# A section with its functions; the other one is that of the built text.
@dataclass(frozen=True, slots=True)
class Section:
    """A section of the text: its id, its title, and the line and the level of its heading."""

    id: str
    title: str
    line: int
    level: int


@dataclass(slots=True)
class _Module:
    """A module of algorithms; ``annotations`` and ``names`` are the names that it uses, the former in annotations only."""

    name: str
    section: Section
    functions: list[ast.FunctionDef] = field(default_factory=list)


class Files:
    """The generated files of one text, by the names of their modules.

    ``package`` is the Python package that they are to be in, ``source`` the words that name the text.
    """

    def __init__(self, program: Program, content: str, package: str, source: str) -> None:
        self._program = program
        self._package = package
        self._source = source
        self._sections = list(_sections_of(content))

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """The text of each file."""
        modules = self._modules
        found = {module.name: self._text(module) for module in modules}
        found["model"] = self._model()
        found["dictionaries"] = self._program.definitions.dictionaries_source
        found["__init__"] = hooks_text(
            self._program, self._package, [*(one.name for one in modules), "model"], self._source
        )
        return dict(sorted(found.items()))

    @cached_property
    def _modules(self) -> list[_Module]:
        steps: dict[str, int] = {}
        for algorithm in self._program.text.algorithms:
            top = self._section(algorithm, 2)
            steps[top.id] = steps.get(top.id, 0) + sum(1 for _ in algorithm.walk())
        found: dict[str, _Module] = {}
        for algorithm in self._program.text.algorithms:
            section = self._section(algorithm, 2)
            if steps[section.id] > _LARGEST:
                section = self._section(algorithm, 3)
            name = section.id.replace("-", "_")
            module = found.setdefault(name, _Module(name, section))
            module.functions.append(self._program.functions[algorithm.id])
        return list(found.values())

    def _section(self, algorithm: Algorithm, level: int) -> Section:
        before = [one for one in self._sections if one.line <= algorithm.place.line and one.level <= level]
        return before[-1] if before else Section("algorithms", "Algorithms", 0, 2)

    @cached_property
    def _homes(self) -> Mapping[str, str]:
        """The modules of the package's own names."""
        definitions = self._program.definitions
        own = {
            function.name: f"{self._package}.{module.name}" for module in self._modules for function in module.functions
        }
        model = f"{self._package}.model"
        names = [*map(definitions.class_of, definitions.structs), *definitions.interfaces, *definitions.aliases]
        names += [name.upper() for name in (*definitions.constants, *definitions.features)]
        names += [item.identifier for _, item in self._of_model.objects()]
        names += ["state_of", "FormState"] if self._of_model.states() else []
        own |= dict.fromkeys(names, model)
        return own | dict.fromkeys(definitions.dictionaries, f"{self._package}.dictionaries")

    @cached_property
    def _of_model(self) -> Model:
        return Model(self._program)

    def _home(self, name: str) -> str | None:
        return self._homes.get(name) or home_of(name)

    def _text(self, module: _Module) -> str:
        names, annotations = set[str](), set[str]()
        for function in module.functions:
            local = set(_bound(function))
            used, noted = _used(function)
            names |= used - local
            annotations |= noted
        own = f"{self._package}.{module.name}"
        body = "\n\n".join("\n" + statements_text([function]).rstrip("\n") for function in module.functions)
        return f"{self._head(module.section)}\n\n{self._imports(names, annotations, own)}\n{body}\n"

    def _head(self, section: Section) -> str:
        words = f"{section.title[0].upper()}{section.title[1:]}"
        address = self._program.definitions.address_of(section.id)
        mark = f"AUTOGENERATED by `modelcontext spec generate` from {self._source}: change that file instead."
        return f'"""{words}.\n\nSpec: {address}\n\n{mark}\n"""\n\nfrom __future__ import annotations'

    def _imports(self, names: set[str], annotations: set[str], own: str) -> str:
        homes = {name: home for name in names | annotations if (home := self._home(name)) not in (None, own)}
        unknown = [
            name for name in names if name not in homes and self._home(name) is None and not hasattr(builtins, name)
        ]
        if unknown:
            raise AssertionError(f"{own} uses {', '.join(sorted(unknown))}, which nothing defines")
        known = {name: str(home) for name, home in homes.items()}
        running = by_module(names & known.keys(), known)
        noted = by_module((annotations - names) & known.keys(), known)
        for module in [module for module in noted if module in running or module == "typing"]:
            running.setdefault(module, set()).update(noted.pop(module))
        if noted:
            running.setdefault("typing", set()).add("TYPE_CHECKING")
        lines = import_lines(running)
        if noted:
            lines += ["", "if TYPE_CHECKING:", *import_lines(noted, 1)]
        return "\n".join(lines) + "\n"

    def _model(self) -> str:
        model = self._of_model
        constants, aliases, classes = model.constants(), list(model.aliases()), list(model.classes())
        section = Section("model", "The structs, the state of objects, and the task source", 0, 2)
        own = f"{self._package}.model"
        body = "\n".join([*constants, *(["", *(line for lines in aliases for line in lines)] if aliases else [])])
        parts = ["\n".join(lines) for lines in classes]
        imports = self._imports(model.names, model.annotations, own)
        return f"{self._head(section)}\n\n{imports}\n" + "\n\n\n".join([body, *parts]) + "\n"


def _sections_of(content: str) -> Iterator[Section]:
    for match in _HEADING.finditer(content):
        title = re.sub(r"<[^>]*>|\{\{|\}\}|\[=|=\]", "", match[3])
        yield Section(match[2], title, content[: match.start()].count("\n") + 1, int(match[1]))


def _bound(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names that a function binds, with those of the functions in it."""
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | Declaration(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) if node is not function:
                yield name
            case ast.Assign(targets=targets):
                yield from (one.id for one in targets if isinstance(one, ast.Name))
            case ast.For(target=target) | ast.comprehension(target=target):
                yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def _used(function: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """Return the names that a function uses when it runs, and those in its annotations."""
    annotations: list[ast.expr] = []
    for node in ast.walk(function):
        match node:
            case ast.arg(annotation=ast.expr() as kind):
                annotations.append(kind)
            case ast.FunctionDef(returns=ast.expr() as kind):
                annotations.append(kind)
            case Declaration(annotation=ast.expr() as kind):
                annotations.append(kind)
            case ast.Call(func=ast.Name(id="cast"), args=[ast.Constant(value=str(words)), _]):
                annotations.append(ast.parse(words, mode="eval").body)
    noted = {name.id: name for one in annotations for name in ast.walk(one) if isinstance(name, ast.Name)}
    nodes = {id(name) for one in annotations for name in ast.walk(one)}
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and id(node) not in nodes}
    return used, set(noted)
