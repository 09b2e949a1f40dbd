"""Yields of steps in parallel: before each act that touches shared state, if other steps may have run since the last one.

A missing yield loses outcomes, and a needless one makes every exploration larger by a factor. The start of the steps is a
place to give way already. The unit is the *act*: a statement of the text, and not a numbered step. Consecutive acts on one
thing are one access, because the text means them so: it removes an entry that it has just found. Each iteration of a loop
begins anew. What matters is what was touched last on some way to an act. Two branches that both begin with a yield have one
before their condition.

The host's verbs that are declared ``@shared`` touch shared state, and so does each access to an ordered map of the text's
structs and objects.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from modelcontext_prose.emit.evaluation_order import head_of, is_yield, own_nodes, statements_of
from modelcontext_prose.python_text import Comment

if TYPE_CHECKING:
    from modelcontext_prose.emit.making import Making


@dataclass(frozen=True, slots=True)
class _Touch:
    """An access to the shared thing of a name: the act and the loop that it belongs to."""

    touched: str
    act: int
    loop: int


#: What may have been touched last on the ways to a place; None if nothing was.
_Lasts: TypeAlias = "frozenset[_Touch | None]"


def place_yields(body: list[ast.stmt], making: Making) -> list[ast.stmt]:
    """Return the body of a generator function with its yields; without any, it says that it is a generator."""
    placing = _Placing(making)
    placing.block(body, frozenset([None]), 0)
    if not any(is_yield(node) for one in body for node in own_nodes(one)):
        place = 0 if isinstance(body[-1], ast.Return) else len(body)
        if all(isinstance(one, ast.Pass | Comment) for one in body):
            body[:] = [one for one in body if isinstance(one, Comment)]
            place = len(body)
        body.insert(place, ast.Expr(ast.YieldFrom(ast.Tuple([]))))
    return body


class _Placing:
    def __init__(self, making: Making) -> None:
        self._making = making

    def block(self, body: list[ast.stmt], lasts: _Lasts, loop: int) -> _Lasts | None:
        """Place the yields of a block; return what may be last at its end, or None if its end is not reached."""
        ways: _Lasts | None = lasts
        index = 0
        while index < len(body):
            statement = body[index]
            if ways is None:
                return None
            if isinstance(statement, Comment):
                index += 1
                continue
            head = head_of(statement)
            touches = self._touches(head, statement, loop)
            if touches and self._demands(touches[0], ways):
                body.insert(index, ast.Expr(ast.Yield(None)))
                index += 1
            if touches:
                ways = frozenset([touches[-1]])
            ways = self._inside(statement, ways, loop)
            if isinstance(statement, ast.If) and self._join(statement):
                body.insert(index, ast.Expr(ast.Yield(None)))
                index += 1
            index += 1
        return ways

    def _join(self, branch: ast.If) -> bool:
        """Remove the yields with which both branches of a condition begin, and return whether they did."""
        if len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
            return False
        firsts = [
            next((one for one in body if not isinstance(one, Comment)), None) for body in (branch.body, branch.orelse)
        ]
        if not all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Yield) for one in firsts):
            return False
        branch.body = [one for one in branch.body if one is not firsts[0]]
        branch.orelse = [one for one in branch.orelse if one is not firsts[1]]
        return True

    def _demands(self, touch: _Touch, lasts: _Lasts) -> bool:
        return any(
            last is not None and last.act != touch.act and (last.touched, last.loop) != (touch.touched, touch.loop)
            for last in lasts
        )

    def _inside(self, statement: ast.stmt, lasts: _Lasts, loop: int) -> _Lasts | None:
        match statement:
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                return None
            case ast.If(body=body, orelse=orelse):
                return _met([self.block(body, lasts, loop), self.block(orelse, lasts, loop)])
            case ast.Try(body=body, handlers=handlers):
                after = self.block(body, lasts, loop)
                return _met([after, *(self.block(one.body, after or lasts, loop) for one in handlers)])
            case ast.For(body=body):
                # A second iteration comes after the first one, whose touches are those of another loop.
                inner = id(statement)
                again = self._iterated(body, inner)
                end = self.block(body, lasts | again, inner)
                return _met([lasts, end, again or None])
        return lasts

    def _iterated(self, body: Sequence[ast.stmt], loop: int) -> _Lasts:
        """Return what an iteration may have touched when the next one begins."""
        touches = [
            touch for one in body for part in statements_of(one) for touch in self._touches(head_of(part), part, loop)
        ]
        return frozenset(_Touch(one.touched, 0, -1) for one in touches[-1:])

    def _touches(self, nodes: Sequence[ast.AST], statement: ast.stmt, loop: int) -> list[_Touch]:
        act = id(self._making.acts.get(statement, statement))
        return [_Touch(name, act, loop) for node in nodes for name in self._making.touched_by(node)]


def _met(ends: Sequence[_Lasts | None]) -> _Lasts | None:
    reached = [one for one in ends if one is not None]
    return frozenset().union(*reached) if reached else None
