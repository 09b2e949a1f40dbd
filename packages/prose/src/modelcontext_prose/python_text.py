"""The text of a Python file, from statements and the comments between them.

A comment is a statement of its own, so that a step stays above its code wherever the code is moved to. A comment at the
beginning of an ``else`` block or of an exception's handler that is a ``heading`` stands above the ``else`` or ``except``.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence

from modelcontext_prose.python_expressions import INDENT, WIDTH, expression, lines_of, parameters, target


# A comment to be written; the other one was read.
class Comment(ast.stmt):
    """A comment, which is as long as it has to be; ``is_heading`` tells one above an ``else`` or an ``except``."""

    _fields = ()

    def __init__(self, text: str, *, is_heading: bool = False) -> None:
        super().__init__()
        self.text = text
        self.is_heading = is_heading


class Declaration(ast.stmt):
    """The first assignment to a variable, with an annotation if a reader or a type checker needs one.

    ``is_apart`` is set if the annotation has to stand above the assignment.
    """

    _fields = ("value",)

    def __init__(self, name: str, value: ast.expr) -> None:
        super().__init__()
        self.name = name
        self.value = value
        self.annotation: ast.expr | None = None
        self.is_apart = False


def statements_text(body: Sequence[ast.stmt], indent: int = 0) -> str:
    """Return the text of statements at the top of a file, or indented by a number of levels."""
    return "\n".join(_block(body, indent)) + "\n"


def _block(body: Sequence[ast.stmt], indent: int) -> Iterator[str]:
    previous: ast.stmt | None = None
    for statement in body:
        if (previous is not None and _is_apart(previous, statement)) or (
            previous is None and indent > 1 and isinstance(statement, ast.FunctionDef)
        ):
            yield ""
        yield from _statement(statement, indent)
        previous = statement


def _is_apart(previous: ast.stmt, statement: ast.stmt) -> bool:
    """Return whether a blank line stands between two statements: before a step, and around a function."""
    if isinstance(previous, Comment):
        return False
    return isinstance(statement, Comment | ast.FunctionDef) or isinstance(previous, ast.FunctionDef)


def _statement(statement: ast.stmt, indent: int) -> Iterator[str]:
    margin = INDENT * indent
    match statement:
        case Comment(text=text):
            yield from textwrap.wrap(
                text,
                WIDTH,
                initial_indent=f"{margin}# ",
                subsequent_indent=f"{margin}# ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        case ast.FunctionDef():
            yield from _function(statement, indent)
        case ast.If():
            yield from _branches(statement, indent, "if ")
        case ast.For(target=targets, iter=source, body=body):
            opened, closed = ("(", ")") if isinstance(source, ast.YieldFrom) else ("", "")
            yield from lines_of(f"for {target(targets)} in {opened}", source, f"{closed}:", indent)
            yield from _block(body, indent + 1)
        case ast.Try(body=body, handlers=handlers):
            yield f"{margin}try:"
            yield from _block(body, indent + 1)
            for handler in handlers:
                headings, rest = _headings(handler.body)
                yield ""
                yield from _block(headings, indent)
                assert handler.type is not None
                name = f" as {handler.name}" if handler.name else ""
                yield f"{margin}except {expression(handler.type)}{name}:"
                yield from _block(rest, indent + 1)
        case _:
            yield from _simple(statement, indent)


def _simple(statement: ast.stmt, indent: int) -> Iterator[str]:
    margin = INDENT * indent
    match statement:
        case ast.Expr(value=ast.Yield(value=None)):
            yield f"{margin}yield"
        case ast.Expr(value=value):
            yield from lines_of("", value, "", indent)
        case ast.Assign(targets=[assigned], value=value):
            yield from lines_of(f"{target(assigned)} = ", value, "", indent)
        case Declaration(name=name, value=value, annotation=None):
            yield from lines_of(f"{name} = ", value, "", indent)
        case Declaration(name=name, value=value, annotation=ast.expr() as kind, is_apart=True):
            # A checker knows the type of a value that is assigned, and not that of one in a declaration.
            yield f"{margin}{name}: {expression(kind)}"
            yield from lines_of(f"{name} = ", value, "", indent)
        case Declaration(name=name, value=value, annotation=ast.expr() as kind):
            yield from lines_of(f"{name}: {expression(kind)} = ", value, "", indent)
        case ast.AugAssign(target=assigned, op=ast.Add(), value=value):
            yield from lines_of(f"{expression(assigned)} += ", value, "", indent)
        case ast.AnnAssign(target=assigned, annotation=kind, value=None):
            yield f"{margin}{expression(assigned)}: {expression(kind)}"
        case ast.AnnAssign(target=assigned, annotation=kind, value=ast.expr() as value):
            yield from lines_of(f"{expression(assigned)}: {expression(kind)} = ", value, "", indent)
        case ast.Return(value=None):
            yield f"{margin}return"
        case ast.Return(value=ast.expr() as value):
            yield from lines_of("return ", value, "", indent)
        case ast.Raise(exc=ast.expr() as value):
            yield from lines_of("raise ", value, "", indent)
        case ast.Raise(exc=None):
            yield f"{margin}raise"
        case ast.Continue():
            yield f"{margin}continue"
        case ast.Break():
            yield f"{margin}break"
        case ast.Pass():
            yield f"{margin}pass"
        case _:
            raise TypeError(f"{ast.dump(statement)} has no layout")


def _function(function: ast.FunctionDef, indent: int) -> Iterator[str]:
    margin = INDENT * indent
    for decorator in function.decorator_list:
        yield f"{margin}@{expression(decorator)}"
    result = "" if function.returns is None else f" -> {expression(function.returns)}"
    names = parameters(function.args)
    head = f"{margin}def {function.name}({', '.join(names)}){result}:"
    if len(head) <= WIDTH:
        yield head
    else:
        yield f"{margin}def {function.name}("
        line = f"{margin}{INDENT}{', '.join(names)}"
        yield from [line] if len(line) <= WIDTH else [f"{margin}{INDENT}{name}," for name in names]
        yield f"{margin}){result}:"
    yield from _documented(function.body, indent + 1)


def _documented(body: Sequence[ast.stmt], indent: int) -> Iterator[str]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str(text))), *rest]:
            yield f'{INDENT * indent}"""{text}"""'
            yield from _block(rest, indent)
        case _:
            yield from _block(body, indent)


def _branches(branch: ast.If, indent: int, word: str) -> Iterator[str]:
    yield from lines_of(word, branch.test, ":", indent)
    yield from _block(branch.body, indent + 1)
    if not branch.orelse:
        return
    headings, rest = _headings(branch.orelse)
    if headings:
        yield ""
        yield from _block(headings, indent)
    if len(rest) == 1 and isinstance(rest[0], ast.If):
        yield from _branches(rest[0], indent, "elif ")
    else:
        yield f"{INDENT * indent}else:"
        yield from _block(rest, indent + 1)


def _headings(body: Sequence[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    count = next((i for i, one in enumerate(body) if not (isinstance(one, Comment) and one.is_heading)), len(body))
    return list(body[:count]), list(body[count:])
