"""Probes: letting the algorithms of a revision say which step they are at, and which side of a condition they take.

While probes are in, every algorithm runs from a copy of its own code in which calls stand before the steps and around
the conditions. Nothing else differs, line numbers included, and where no probes are in nothing is slower.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final

from modelcontext.specification.code.comments import AlgorithmFunction, Source, parse_source
from modelcontext.tracing.instrumentation import Instrumentation

_STEP: Final = "__step_is_reached__"
_SIDE: Final = "__side_is_taken__"

#: The module that texts with probes import. The page has a function ``modelcontextReached``, which is told everything once:
#: ``s17`` is a step, ``y3`` and ``n3`` are sides of a condition, by their numbers in the inventory.
MARKS: Final = f'''"""Tells the page what is reached."""

import js

_told = set()


def _tell(mark):
    if mark not in _told:
        _told.add(mark)
        js.modelcontextReached(mark)


def {_STEP}(index):
    _tell(f"s{{index}}")


def {_SIDE}(index, value):
    _tell(f"{{'y' if value else 'n'}}{{index}}")
    return value
'''


@dataclass(frozen=True, slots=True)
class StepOf:
    """A step of an algorithm."""

    algorithm: str
    number: str

    def __str__(self) -> str:
        return f"{self.algorithm} {self.number}"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in the code of a step: the ``place``-th one of it, counted from 1; ``text`` is its Python code.

    It has two sides. ``yes`` of a loop is that there is another item, of an exception that it was thrown.
    """

    step: StepOf
    place: int
    text: str = field(compare=False)

    def side(self, is_taken: bool) -> str:
        """Return the name of one of the two sides."""
        return f"{self.step} {self.place} {'yes' if is_taken else 'no'}"


@dataclass(frozen=True, slots=True)
class Inventory:
    """The steps and conditions of a revision's code, in the order of its files; ``texts`` has the words of each step."""

    steps: tuple[StepOf, ...]
    conditions: tuple[Condition, ...]
    texts: dict[StepOf, str] = field(compare=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """Both sides of every condition."""
        return tuple(condition.side(side) for condition in self.conditions for side in (True, False))

    def decode(self, mark: str) -> str:
        """Return the name of what :data:`MARKS` tells of: a step, or a side of a condition."""
        index = int(mark[1:])
        return str(self.steps[index]) if mark[0] == "s" else self.conditions[index].side(mark[0] == "y")


@dataclass(frozen=True, slots=True)
class _Instrumented:
    inventory: Inventory
    texts: dict[str, str]
    codes: tuple[tuple[FunctionType, CodeType, CodeType], ...]


def inventory(package: str) -> Inventory:
    """Return the steps and conditions of the revision in a Python package."""
    return _instrumented(package).inventory


@contextmanager
def probes(
    package: str,
    reached: Callable[[StepOf], None],
    taken: Callable[[Condition, bool], None] = lambda condition, side: None,
) -> Iterator[None]:
    """Put probes into the revision in a Python package, until the block ends; one set at a time.

    Args:
        package: the revision's package.
        reached: called before a step runs.
        taken: called when a condition has been evaluated, with the side that is taken.
    """
    instrumented = _instrumented(package)
    steps, conditions = instrumented.inventory.steps, instrumented.inventory.conditions

    def side(index: int, value: object) -> object:
        taken(conditions[index], bool(value))
        return value

    for function, _, code in instrumented.codes:
        function.__globals__[_STEP] = lambda index: reached(steps[index])
        function.__globals__[_SIDE] = side
        function.__code__ = code
    try:
        yield
    finally:
        for function, code, _ in instrumented.codes:
            function.__code__ = code
            function.__globals__.pop(_STEP, None)
            function.__globals__.pop(_SIDE, None)


@cache
def _instrumented(package: str) -> _Instrumented:
    steps: dict[StepOf, str] = {}
    conditions: list[Condition] = []
    codes = []
    texts: dict[str, str] = {}
    for module in _modules(package):
        source = _source(module)
        path = source.path
        tree = ast.parse("\n".join(source.lines), filename=str(path))
        for function in source.functions:
            _instrument(tree, function, steps, conditions)
        texts[module.__name__] = _importing_marks(tree)
        if source.functions:
            compiled = compile(ast.fix_missing_locations(tree), str(path), "exec", dont_inherit=True)
            codes += [
                (live := getattr(module, one.name), live.__code__, _code(compiled, live)) for one in source.functions
            ]
    return _Instrumented(Inventory(tuple(steps), tuple(conditions), steps), texts, tuple(codes))


def texts_with_probes(package: str) -> dict[str, str]:
    """Return the text of every module of the revision in a Python package with probes in it, by the module's name.

    They import what they call from a module ``modelcontext.marks``, whose text is :data:`MARKS`.
    """
    return _instrumented(package).texts


def sources(package: str) -> list[Source]:
    """Return the source of every module of the revision in a Python package."""
    return [_source(module) for module in _modules(package)]


def _source(module: ModuleType) -> Source:
    # In a page the module may come out of an archive.
    return parse_source(Path(str(module.__file__)), inspect.getsource(module))


def _instrument(
    tree: ast.Module, function: AlgorithmFunction, steps: dict[StepOf, str], conditions: list[Condition]
) -> None:
    """Change one algorithm in a tree, and add what it has to the steps and conditions of its revision."""
    before = len(steps)
    order = {quoted.number: before + index for index, quoted in enumerate(function.steps)}
    steps |= {StepOf(function.id, quoted.number): quoted.text for quoted in function.steps}
    places: dict[str, int] = {}

    def step(number: str) -> ast.expr:
        return _call(_STEP, order[number])

    def side(number: str, text: str, value: ast.expr) -> tuple[int, ast.expr]:
        places[number] = places.get(number, 0) + 1
        conditions.append(Condition(StepOf(function.id, number), places[number], text))
        return len(conditions) - 1, _call(_SIDE, len(conditions) - 1, value)

    def known_side(index: int, value: bool) -> ast.expr:
        return _call(_SIDE, index, ast.Constant(value))

    node = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function.name)
    Instrumentation(function.steps, step, side, known_side).change(node)


def _importing_marks(tree: ast.Module) -> str:
    imports = ast.ImportFrom("modelcontext.marks", [ast.alias(_STEP), ast.alias(_SIDE)], 0)
    last = max(
        (
            index
            for index, node in enumerate(tree.body)
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        ),
        default=0,
    )
    body = [*tree.body[: last + 1], imports, *tree.body[last + 1 :]]
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))


def _call(name: str, index: int, *more: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(index), *more], [])


def _modules(package: str) -> Iterator[ModuleType]:
    path = importlib.import_module(package).__path__
    for found in pkgutil.iter_modules(path):
        yield importlib.import_module(f"{package}.{found.name}")


def _code(module: CodeType, function: FunctionType) -> CodeType:
    return next(
        code for code in module.co_consts if isinstance(code, CodeType) and code.co_name == function.__code__.co_name
    )
