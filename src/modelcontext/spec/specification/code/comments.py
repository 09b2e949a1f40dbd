"""Reader of the step comments in a revision's Python code.

A step comment stands on a line of its own: ``# 13.1. Notify documents of a tool change given …``. It includes
the comment lines directly below. It ends at the first line that is not a comment, at an empty ``#``, at the next step, and
at a tag such as ``NON-SPEC:``.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from modelcontext.spec.specification.text.algorithms import SpecificationError

TAG = re.compile(r"([A-Z][A-Z-]+)(?:\(#(\d+)\))?:")
_POSSIBLE_TAG = re.compile(rf"#[#\s]*{TAG.pattern}")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_STEP = re.compile(r"# (\d+(?:\.(?:\d+|[a-z]))*)\. (.+)")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment token; ``own_line`` is true if nothing else stands on its line."""

    line: int
    column: int
    text: str
    own_line: bool


@dataclass(frozen=True, slots=True)
class QuotedStep:
    """A step quoted in a comment on ``line`` to ``last_line``, indented by ``column``."""

    number: str
    text: str
    line: int
    last_line: int
    column: int


@dataclass(frozen=True, slots=True)
class AlgorithmFunction:
    """A function decorated with ``@algorithm(id)``: from its first decorator on ``line`` to ``last_line``.

    ``is_generator`` is true if it has a ``yield`` of its own, as steps that run in parallel have.
    """

    id: str
    name: str
    parameters: tuple[str, ...]
    line: int
    last_line: int
    is_generator: bool
    steps: tuple[QuotedStep, ...]

    def step_at(self, line: int, column: int) -> str | None:
        """Return the last step above a line, except for steps in blocks that have ended."""
        for step in reversed(self.steps):
            if step.line < line and step.column <= column:
                return step.number
        return None


@dataclass(frozen=True, slots=True)
class PythonSource:
    """The content of one Python file."""

    path: Path
    functions: tuple[AlgorithmFunction, ...]
    comments: tuple[Comment, ...]
    lines: list[str]
    tree: ast.Module


def is_case(number: str) -> bool:
    """Return whether a number is that of a case, which stands in a step with another number."""
    return number.rpartition(".")[2].isalpha()


def read_source(path: Path) -> PythonSource:
    """Read a Python file.

    Raises:
        SpecificationError: if the file cannot be read, or is not valid Python.
    """
    return parse_source(path, _read(path))


def read_sources_with_tags(paths: Iterable[Path]) -> Iterator[PythonSource]:
    """Yield the Python files that may have comment tags. The others, which are most, are not parsed.

    Raises:
        SpecificationError: if a file cannot be read, or one with a tag is not valid Python.
    """
    for path in paths:
        text = _read(path)
        if _POSSIBLE_TAG.search(text):
            yield parse_source(path, text)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecificationError(f"the file cannot be read: {error}", path) from None


def parse_source(path: Path, text: str) -> PythonSource:
    """Read the text of a Python file.

    Raises:
        SpecificationError: if the text is not valid Python.
    """
    try:
        return PythonSource(path, *_parsed(text))
    except SyntaxError as error:
        raise SpecificationError(f"the file is not valid Python: {error.msg}", path, error.lineno) from None


@lru_cache(maxsize=512)
def _parsed(text: str) -> tuple[tuple[AlgorithmFunction, ...], tuple[Comment, ...], list[str], ast.Module]:
    """Return the parts of a text; a file that has not changed is parsed once, however often the code is checked."""
    tree, comments, lines = ast.parse(text), tuple(_comments(text)), text.splitlines()
    return tuple(_functions(tree, comments, len(lines))), comments, lines, tree


def _comments(text: str) -> Iterator[Comment]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            yield Comment(line, column, token.string, own_line=not token.line[:column].strip())


def _functions(tree: ast.Module, comments: Iterable[Comment], last_line: int) -> Iterator[AlgorithmFunction]:
    for position, node in enumerate(tree.body):
        if not isinstance(node, ast.FunctionDef):
            continue
        # A step without code may be quoted below the last statement of the function.
        last = first_line(tree.body[position + 1]) - 1 if position + 1 < len(tree.body) else last_line
        inside = [comment for comment in comments if comment.column > 0 and node.lineno < comment.line <= last]
        steps = tuple(_quoted_steps(inside))
        end = max([node.end_lineno or last, *(step.line for step in steps)])
        arguments = node.args
        names = tuple(argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs])
        for decorator in node.decorator_list:
            identifier = _algorithm_id(decorator)
            if identifier is not None:
                yield AlgorithmFunction(identifier, node.name, names, first_line(node), end, is_generator(node), steps)


def first_line(node: ast.stmt) -> int:
    """Return the line on which a statement, or its first decorator, begins."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below one in the order of evaluation, without those of inner functions."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _FUNCTIONS):
            yield from own_nodes(child)
            yield child


def is_generator(function: ast.FunctionDef) -> bool:
    """Return whether a function has a ``yield`` of its own."""
    nodes = list[ast.AST](function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, _FUNCTIONS):
            nodes += ast.iter_child_nodes(node)
    return False


def _algorithm_id(decorator: ast.expr) -> str | None:
    """Return the id in the decorator ``@algorithm("id")``, or None for another decorator."""
    match decorator:
        case ast.Call(
            func=ast.Name(id="algorithm") | ast.Attribute(attr="algorithm"),
            args=[ast.Constant(value=str(identifier)), *_],
        ):
            return identifier
    return None


def _quoted_steps(comments: list[Comment]) -> Iterator[QuotedStep]:
    step: QuotedStep | None = None
    for comment in comments:
        if not comment.own_line:
            continue
        content = comment.text.lstrip("#").strip()
        begin = _STEP.fullmatch(comment.text.rstrip())
        continues = step is not None and comment.line == step.last_line + 1 and content and not TAG.match(content)
        if step is not None and continues and begin is None:
            step = replace(step, text=f"{step.text} {content}", last_line=comment.line)
            continue
        if step is not None:
            yield step
        step = None
        if begin is not None:
            step = QuotedStep(begin.group(1), begin.group(2).strip(), comment.line, comment.line, comment.column)
    if step is not None:
        yield step
