"""Instrumentation of an algorithm's code: calls before its steps and around its conditions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from modelcontext.spec.specification.code.comments import is_case

if TYPE_CHECKING:
    from modelcontext.spec.specification.code.comments import QuotedStep
    from modelcontext.spec.weaving.weaving import AlgorithmCopy

N = TypeVar("N", bound=ast.AST)

#: The function that is called before a step, with its number in the order of the revision's files.
STEP: Final = "__step_is_reached__"
#: The function that is called with the number of a condition and its value, which it returns.
SIDE: Final = "__side_is_taken__"

_COMPOUND = (ast.If, ast.For, ast.While, ast.Try, ast.With)


@dataclass(frozen=True, slots=True)
class StepOf:
    """A step of an algorithm."""

    algorithm: str
    number: str

    def __str__(self) -> str:
        return f"{self.algorithm} {self.number}"


@dataclass(frozen=True, slots=True)
class Condition:
    """The ``place``-th condition in the code of a step, counted from 1.

    ``text`` is its Python code, and ``position`` the line and the column in the file. It has two sides. For a loop
    ``yes`` means another item, for an exception that it was thrown.
    """

    step: StepOf
    place: int
    text: str = field(compare=False)
    position: tuple[int, int] = field(default=(0, 0), compare=False)

    @property
    def sides(self) -> tuple[str, str]:
        """The names of both sides, ``yes`` first."""
        return self.side(True), self.side(False)

    def side(self, is_taken: bool) -> str:
        """Return the name of one of the two sides."""
        return f"{self.step} {self.place} {'yes' if is_taken else 'no'}"


class Instrumentation:
    """The instrumentation of one algorithm's copy, which adds its steps and conditions to those of the revision."""

    def __init__(self, copy: AlgorithmCopy, steps: dict[StepOf, str], conditions: list[Condition]) -> None:
        self._id = copy.function.id
        self._step_at = copy.function.step_at
        self._steps = copy.function.steps
        self._numbers = {step.number: len(steps) + index for index, step in enumerate(self._steps)}
        self._conditions = conditions
        steps |= {StepOf(self._id, step.number): step.text for step in self._steps}
        copy.definition.body = self._block(copy.definition.body, None)

    def _step(self, number: str) -> ast.expr:
        return _call(STEP, self._numbers[number])

    def _new(self, number: str, text: str, at: ast.expr | ast.stmt | ast.excepthandler) -> int:
        """Return the number of a new condition of a step."""
        step = StepOf(self._id, number)
        place = sum(condition.step == step for condition in self._conditions) + 1
        self._conditions.append(Condition(step, place, text, (at.lineno, at.col_offset)))
        return len(self._conditions) - 1

    def _block(self, body: list[ast.stmt], before: str | None) -> list[ast.stmt]:
        """Return the statements of a block with calls; ``before`` is the step that was reported before the block."""
        said = before
        result: list[ast.stmt] = []
        for statement in body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
                # Others may run before the steps continue, so the step is reported again.
                result.append(statement)
                said = None
                continue
            number = self._step_at(statement.lineno, statement.col_offset)
            if number is not None and is_case(number):
                number = number.rpartition(".")[0]
            if number is not None and number != said:
                result.append(_at(statement, ast.Expr(self._step(number))))
            said = None if isinstance(statement, _COMPOUND) else number
            result.append(statement)
            self._statement(statement, number)
        return result

    def _statement(self, statement: ast.stmt, number: str | None) -> None:
        match statement:
            case ast.FunctionDef():
                own = self._step_at(statement.lineno, statement.col_offset)
                statement.body = self._block(statement.body, None)
                if own is not None and is_case(own):
                    statement.body.insert(0, _at(statement.body[0], ast.Expr(self._step(own))))
            case ast.If():
                statement.test = self._condition(statement.test, number)
                statement.body = self._block(statement.body, number)
                otherwise = self._otherwise(statement)
                statement.orelse = [*otherwise, *self._block(statement.orelse, number)]
            case ast.For():
                text = f"for {ast.unparse(statement.target)} in {ast.unparse(statement.iter)}"
                index = self._new(number, text, statement) if number is not None else None
                statement.body = self._block(statement.body, number)
                if index is not None:
                    statement.body.insert(0, _at(statement, ast.Expr(_known_side(index, True))))
                    statement.orelse.insert(0, _at(statement, ast.Expr(_known_side(index, False))))
                self._expressions(statement.iter, number)
            case ast.Try():
                self._try(statement, number)
            case _:
                self._expressions(statement, number)

    def _condition(self, test: ast.expr, number: str | None) -> ast.expr:
        if number is None:
            return test
        return _at(test, _call(SIDE, self._new(number, ast.unparse(test), test), test))

    def _otherwise(self, statement: ast.If) -> list[ast.stmt]:
        """Return calls for the steps whose comment stands above ``else``, which is not a statement."""
        if not statement.orelse:
            return []
        first, last = statement.orelse[0], statement.body[-1]
        if isinstance(first, ast.If) and first.col_offset == statement.col_offset:
            return []
        between = self._between(last.end_lineno or last.lineno, first.lineno, statement.col_offset)
        return [_at(first, ast.Expr(self._step(step.number))) for step in between]

    def _try(self, statement: ast.Try, number: str | None) -> None:
        last_line = statement.body[-1].end_lineno or statement.body[-1].lineno
        statement.body = self._block(statement.body, number)
        for handler in statement.handlers:
            between = self._between(last_line, handler.lineno, statement.col_offset)
            last_line = handler.body[-1].end_lineno or handler.body[-1].lineno
            handler.body = self._block(handler.body, between[-1].number if between else number)
            for step in reversed(between):
                text = f"except {ast.unparse(handler.type)}" if handler.type is not None else "except"
                index = self._new(step.number, text, handler)
                threw, not_ = ([self._step(step.number), _known_side(index, side)] for side in (True, False))
                handler.body[:0] = [_at(handler.body[0], ast.Expr(call)) for call in threw]
                statement.body += [_at(statement.body[-1], ast.Expr(call)) for call in not_]

    def _expressions(self, node: ast.AST, number: str | None) -> None:
        """Report the sides of conditional expressions, and the step of a lambda when it runs."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.IfExp):
                inner.test = self._condition(inner.test, number)
            elif isinstance(inner, ast.Lambda) and number is not None:
                said = ast.Tuple([self._step(number), inner.body], ast.Load())
                inner.body = _at(inner.body, ast.Subscript(said, ast.Constant(1), ast.Load()))

    def _between(self, after: int, before: int, column: int) -> list[QuotedStep]:
        return [step for step in self._steps if after < step.line < before and step.column == column]


def _known_side(index: int, value: bool) -> ast.expr:
    return _call(SIDE, index, ast.Constant(value))


def _call(name: str, index: int, *more: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(index), *more], [])


def _at(place: ast.AST, node: N) -> N:
    """Give a new node, and the new nodes in it, the place of another one."""
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)
    return node
