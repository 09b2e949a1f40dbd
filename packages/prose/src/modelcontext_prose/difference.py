"""The difference between the code of the project's own text and that of another one, as the steps at which runs can part.

Theory. Both texts are compiled to Python, and two functions with equal code do the same. So a run by the other text does what
the run by ours does, under the same schedule, until it comes to a place where the code differs: there the runs *part*. If no
run of a program by our text comes to such a place, then every run by the other text is one of ours, step by step, and the
program has the same outcomes. An exploration records the steps that its runs reach. It leaves out only schedules whose actions
are those of an explored one in another order that changes nothing, and these reach the same steps. So what an exploration by
our text has reached decides whether the program has to be explored by the other text.

The place where runs part lies before the first statement of a block that is not the same, and the blocks below equal headers
are compared in turn. A probe reports the step of a statement before the statement runs, so a place is reached only if the
step of the statement there is, or the step of the one before it at the end of a block. If the statement has no step of its own
below a condition, the side of the condition stands for it. What makes the same statement mean
something else is a difference at the entry of the function: another signature, another kind of function, a name that is
bound in one version and used in the other, or a global name that is something else. What no step stands for (a class, a
constant, the IDL, a new algorithm, which the platform may look for) is a difference everywhere.

The other text is compiled here as the project's own is, without the names of lines in what it raises, and without checked
lookups. Neither changes a run that does not end in an error, and no run of a kept exploration does.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext.spec.specification.code.comments import AlgorithmFunction, is_case, parse_source
from modelcontext_prose.compiler import compile_text

if TYPE_CHECKING:
    from modelcontext.platform.webidl.idl import Definitions
    from modelcontext.spec.revisions.registry import RevisionFiles
    from modelcontext_prose.other_text import OtherText

#: The sides of a condition, ``yes`` first, by the id of its algorithm, its line and its column.
_Sides: TypeAlias = "Mapping[tuple[str, int, int], tuple[str, str]]"
_SCOPES: Final = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Difference:
    """The places where the runs by two texts can part: steps or sides (``keys``), entries of ``algorithms``, or everywhere."""

    is_everywhere: bool = False
    keys: frozenset[str] = frozenset()
    algorithms: frozenset[str] = frozenset()

    def concerns(self, reached: Collection[str]) -> bool:
        """Return whether a program can have other outcomes, given the steps and sides that it reaches by our text."""
        return (
            self.is_everywhere
            or not self.keys.isdisjoint(reached)
            or any(key.partition(" ")[0] in self.algorithms for key in reached)
        )


def difference(revision: RevisionFiles, text: OtherText) -> Difference:
    """Return where the runs by a revision and by another text can part.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    if _interfaces(REVISIONS.own(revision.name).definitions) != _interfaces(text.linked.revision.definitions):
        return Difference(is_everywhere=True)
    ours = {path.stem: path.read_text(encoding="utf-8") for path in revision.installed.glob("*.py")}
    conditions = inventory(revision.module).conditions
    sides = {(one.step.algorithm, *one.position): one.sides for one in conditions}
    return _between(_Code(ours, revision.module), _code_of(text), sides)


def difference_of_texts(before: OtherText, after: OtherText) -> Difference:
    """Return where the runs by a text and by another one can part.

    Raises:
        SpecificationError: if a text cannot be read.
    """
    if _interfaces(before.linked.revision.definitions) != _interfaces(after.linked.revision.definitions):
        return Difference(is_everywhere=True)
    # The probes of a text in memory are in code with other columns, so that its steps have to do.
    return _between(_code_of(before), _code_of(after), {})


@lru_cache(maxsize=2)
def _code_of(text: OtherText) -> _Code:
    module = CURRENT.module
    return _Code(compile_text(text.content, text.path, module, {}).files, module)


def _interfaces(definitions: Definitions) -> tuple[object, ...]:
    # In a representation the order of members counts, too.
    return repr(definitions.interfaces), repr(definitions.dictionaries), definitions.callbacks


@dataclass(frozen=True, slots=True)
class _Algorithm:
    """The function of an algorithm, with its steps and what its module's names are."""

    definition: ast.FunctionDef
    function: AlgorithmFunction
    names: Mapping[str, tuple[str, str]]

    def key_of(self, statement: ast.stmt, above: str | None) -> str | None:
        """Return what is reported before a statement: its step, or ``above`` if that is about the same step."""
        number = self.function.step_at(statement.lineno, statement.col_offset)
        if number is None:
            return None
        step = f"{self.function.id} {number.rpartition('.')[0] if is_case(number) else number}"
        return above if above is not None and above.startswith(f"{step} ") else step


@dataclass(slots=True)
class _Code:
    """The code of a revision: its algorithms by id, and everything else by name."""

    texts: Mapping[str, str]
    package: str
    algorithms: dict[str, _Algorithm] = field(default_factory=dict)
    others: dict[str, object] = field(default_factory=dict)
    is_clear: bool = True

    def __post_init__(self) -> None:
        defined = set[str]()
        for module, text in self.texts.items():
            tree = ast.parse(text)
            functions = {one.name: one for one in parse_source(Path(f"{module}.py"), text).functions}
            names = dict(self._imported(tree))
            own = {name for node in tree.body for name in _defined(node)}
            # A name means one thing in the whole package.
            self.is_clear &= defined.isdisjoint(own)
            defined |= own
            names |= {name: ("", name) for name in own}
            for node in tree.body:
                if isinstance(node, ast.FunctionDef) and node.name in functions:
                    function = functions[node.name]
                    plain = _Plain(_inner_names(node, function))
                    self.algorithms[function.id] = _Algorithm(plain.visit(node), function, names)
                elif not isinstance(node, ast.Import | ast.ImportFrom | ast.If) and not _is_docstring(node):
                    meant = {name: names.get(name) for name in _names(node)}
                    for name in _defined(node) or [ast.dump(node)]:
                        self.others[name] = ast.dump(_Plain({}).visit(node)), meant
        self.others.pop("__all__", None)

    def _imported(self, tree: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                module = str(node.module)
                own = module == self.package or module.startswith(f"{self.package}.")
                for one in node.names:
                    yield one.asname or one.name, ("" if own else module, one.name)


def _inner_names(definition: ast.FunctionDef, function: AlgorithmFunction) -> Mapping[str, str]:
    """Return a name for each inner function, after its step; it is named after its actions, so that it changes with these."""
    inner = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef) and node is not definition]
    counts = Counter(node.name for node in inner)
    steps = {node.name: str(function.step_at(node.lineno, node.col_offset)) for node in inner if counts[node.name] == 1}
    found: dict[str, str] = {}
    for name, step in steps.items():
        found[name] = f"{step} {sum(1 for other in found if steps[other] == step)}"
    return found


class _Plain(ast.NodeTransformer):
    """Takes away what does not run: docstrings, annotations, the words of casts; gives inner functions other ``names``."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        node.name = self._names.get(node.name, node.name)
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            one.annotation = None
        if len(node.body) > 1 and _is_docstring(node.body[0]):
            del node.body[0]
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if len(node.body) > 1 and _is_docstring(node.body[0]):
            del node.body[0]
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        # A dataclass asks only whether a field is one of the class.
        is_of_class = "ClassVar" in ast.dump(node.annotation)
        node.annotation = ast.copy_location(ast.Constant(is_of_class), node.annotation)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node:
            case ast.Call(func=ast.Name(id="cast"), args=[_, value]):
                return self.visit(value)  # type: ignore[no-any-return]
        return self.generic_visit(node)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [one.id for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _between(ours: _Code, theirs: _Code, sides: _Sides) -> Difference:
    new = theirs.algorithms.keys() - ours.algorithms.keys()
    if new or ours.others != theirs.others or not (ours.is_clear and theirs.is_clear):
        return Difference(is_everywhere=True)
    keys, algorithms = set[str](), set[str]()
    for id_, one in ours.algorithms.items():
        other = theirs.algorithms.get(id_)
        places = [None] if other is None else [*_parting(one, other, sides)]
        if None in places and not one.function.steps:
            return Difference(is_everywhere=True)
        algorithms |= {id_} if None in places else set()
        keys |= {key for key in places if key is not None}
    return Difference(False, frozenset(keys), frozenset(algorithms))


def _parting(ours: _Algorithm, theirs: _Algorithm, sides: _Sides) -> Iterator[str | None]:
    """Yield the steps and sides at which the runs of an algorithm can part; None is its entry."""
    mine, other = ours.definition, theirs.definition
    used = _names(mine) & _names(other)
    if not _is_alike(mine, other) or any(ours.names.get(name) != theirs.names.get(name) for name in used):
        yield None
        return
    yield from _of_blocks(ours, (mine.body, other.body), sides, None)


def _of_blocks(
    ours: _Algorithm, blocks: tuple[list[ast.stmt], list[ast.stmt]], sides: _Sides, above: str | None
) -> Iterator[str | None]:
    """Yield where runs can part in a block; ``above`` is the step of its header, or the side that leads into it."""
    last = above
    for one, two in zip_longest(*blocks):
        if one is None:
            yield last
            return
        last = ours.key_of(one, above)
        if two is None or not _is_alike(one, two):
            yield last
            return
        inner = [last] * len(_blocks(one))
        if isinstance(one, ast.If):
            inner = [*sides.get((ours.function.id, one.test.lineno, one.test.col_offset), inner)]
        for index, pair in enumerate(zip(_blocks(one), _blocks(two), strict=True)):
            yield from _of_blocks(ours, pair, sides, inner[index])


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """Return the blocks of a compound statement; another statement has none."""
    match statement:
        case ast.FunctionDef(body=body) | ast.With(body=body):
            return [body]
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
            return [body, orelse]
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            return [body, *(one.body for one in handlers), orelse, final]
    return []


def _is_alike(one: ast.stmt, two: ast.stmt) -> bool:
    """Return whether two statements are the same, except for what is in their blocks."""
    if type(one) is not type(two) or _header(one) != _header(two):
        return False
    if not isinstance(one, ast.FunctionDef) or not isinstance(two, ast.FunctionDef):
        return True
    mine, other = _bound(one), _bound(two)
    # A name that one version binds means something else in the other.
    return _names(one).isdisjoint(other - mine) and _names(two).isdisjoint(mine - other)


def _header(statement: ast.stmt) -> object:
    """Return what a statement has beside its blocks."""
    match statement:
        case ast.FunctionDef():
            nodes = [*_in_scope(statement)]
            others = {name for node in nodes if isinstance(node, ast.Nonlocal | ast.Global) for name in node.names}
            is_generator = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
            decorators = [*map(ast.dump, statement.decorator_list)]
            return statement.name, ast.dump(statement.args), decorators, others, is_generator
        case ast.If(test=test) | ast.While(test=test):
            return ast.dump(test)
        case ast.For():
            return ast.dump(statement.target), ast.dump(statement.iter)
        case ast.With(items=items):
            return [*map(ast.dump, items)]
        case ast.Try(handlers=handlers):
            return [(one.name, ast.dump(one.type) if one.type is not None else None) for one in handlers]
    return ast.dump(statement)


def _in_scope(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function without those of the scopes in it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)


def _bound(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function binds, other than its parameters."""
    found = set[str]()
    for node in _in_scope(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.ExceptHandler(name=str(name)) | ast.FunctionDef(name=name):
                found.add(name)
    return found


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
