"""Conditions of prose in Python, and what they show.

``x is not null and x's y …`` may look something up of ``x`` in its second part; so each part of a condition is made with
what the parts before it have shown.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Final

from modelcontext_prose.emit.expressions import Expressions, path_of
from modelcontext_prose.emit.inline import TYPE_GUARDS, TYPE_TESTS
from modelcontext_prose.emit.scope import Condition, Value
from modelcontext_prose.prose_error import ProseError
from modelcontext_prose.python_types import BOOLEAN, NONE, UNKNOWN, PythonType, union
from speclint.prose import tree

#: Values that are the same if they are equal. Others are the same if they are one object.
_EQUAL: Final = ("str", "int", "float", "literal", "|", "Fraction")
_NEGATED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.LtE: ast.Gt,
}


class Conditions(Expressions):
    """The emitter of the conditions of one algorithm."""

    def condition(self, node: tree.Expression) -> Condition:
        """Return a condition in Python."""
        match node:
            case tree.And(conditions=parts):
                return self._all(parts)
            case tree.Or(conditions=parts):
                return self._any(self._joined(parts))
            case tree.Not(condition=inner):
                return negated(self.condition(inner))
            case tree.Is(left=left, right=right):
                return self._is(self.value(left), right)
            case tree.Exists(entry=entry):
                return self._exists(entry)
            case tree.IsGiven(parameter=parameter):
                return self._is_there(self.value(parameter))
            case tree.AnyOf(collection=collection, condition=test):
                return self._quantified("any", collection, test)
            case tree.EachOf(collection=collection, condition=test):
                return self._quantified("all", collection, test)
            case tree.Call(phrase=phrase, arguments=arguments) if phrase.verb in TYPE_TESTS:
                name, shown = TYPE_TESTS[phrase.verb]
                found = self.value(arguments[0])
                is_one = ast.Call(ast.Name("isinstance"), [found.node, ast.Name(name)], [])
                return Condition(is_one, self._shown(found, shown))
            case tree.Call(phrase=phrase, arguments=arguments) if phrase.verb in TYPE_GUARDS:
                found = self.value(arguments[0])
                guard = ast.Call(ast.Name(phrase.verb), [found.node], [])
                return Condition(guard, self._shown(found, TYPE_GUARDS[phrase.verb]))
            case tree.RunningInParallel() | tree.RunningOn():
                raise ProseError("an algorithm can assert where its steps run, but cannot test this", node.place)
        found = self.there(self.value(node))
        if found.type not in (BOOLEAN, UNKNOWN, PythonType("object")):
            raise ProseError(f"this is not a condition, but a {found.type.name}", node.place)
        return Condition(found.node)

    def _all(self, parts: Sequence[tree.Expression]) -> Condition:
        before = dict(self.scope.facts)
        nodes, shown = [], dict[str, PythonType]()
        for part in parts:
            found = self.condition(part)
            nodes.append(found.node)
            shown |= found.if_true
            self.scope.learn(found.if_true)
        self.scope.facts = before
        return Condition(ast.BoolOp(ast.And(), _flat(nodes, ast.And)), shown)

    def _any(self, parts: Sequence[tree.Expression | Condition]) -> Condition:
        before = dict(self.scope.facts)
        nodes, shown = [], dict[str, PythonType]()
        for part in parts:
            found = part if isinstance(part, Condition) else self.condition(part)
            nodes.append(found.node)
            shown |= found.if_false
            self.scope.learn(found.if_false)
        self.scope.facts = before
        if len(nodes) == 1:
            return Condition(nodes[0], {}, shown)
        return Condition(ast.BoolOp(ast.Or(), _flat(nodes, ast.Or)), {}, shown)

    def _joined(self, parts: Sequence[tree.Expression]) -> list[tree.Expression | Condition]:
        """Return the parts of a choice in which "x is "a" or "b"" is one test of membership."""
        found: list[tree.Expression | Condition] = []
        same: list[tuple[tree.Is, str | int]] = []
        for part in [*parts, None]:
            word = _word(part.right) if isinstance(part, tree.Is) else None
            if isinstance(part, tree.Is) and word is not None and (not same or part.left == same[0][0].left):
                same.append((part, word))
                continue
            found += self._one_of(same)
            same = [(part, word)] if isinstance(part, tree.Is) and word is not None else []
            found += [part] if part is not None and not same else []
        return found

    def _one_of(self, same: Sequence[tuple[tree.Is, str | int]]) -> list[tree.Expression | Condition]:
        if len(same) < 2:
            return [part for part, _ in same]
        options = ast.Tuple([ast.Constant(word) for _, word in same])
        return [Condition(ast.Compare(self.value(same[0][0].left).node, [ast.In()], [options]))]

    def _is(self, left: Value, right_node: tree.Expression) -> Condition:
        if isinstance(right_node, tree.Constant) and isinstance(right_node.value, bool):
            # A value that may be null is neither true nor false.
            if left.type == BOOLEAN:
                return Condition(left.node) if right_node.value else negated(Condition(left.node))
            return Condition(ast.Compare(left.node, [ast.Is()], [ast.Constant(right_node.value)]))
        right = self.value(right_node)
        # A variable that is null here can be another value when the steps run that hold this condition.
        if right.type == NONE and not isinstance(right_node, tree.Variable):
            return self._is_null(left)
        return Condition(ast.Compare(left.node, [self._sameness(left, right)], [right.node]))

    def _sameness(self, left: Value, right: Value) -> ast.cmpop:
        names = {one.type.name for one in (left, right)}
        if "bool" in names or path_of(right.node) == "UNDEFINED":
            return ast.Is()
        return ast.Eq() if names & set(_EQUAL) else ast.Is()

    def _is_null(self, found: Value) -> Condition:
        test = ast.Compare(found.node, [ast.Is()], [ast.Constant(None)])
        return Condition(test, self._shown(found, NONE), self._shown(found, found.type.present))

    def _shown(self, found: Value, type_: PythonType) -> Mapping[str, PythonType]:
        path = path_of(found.node)
        return {path: type_} if path else {}

    def _exists(self, entry: tree.Expression) -> Condition:
        match entry:
            case tree.Member():
                return self._is_there(self.value(entry))
            case tree.Entry(collection=collection, key=key):
                found, index = self.present(collection), self.present(key)
                if found.type.name == "OrderedMap":
                    return Condition(ast.Call(ast.Attribute(found.node, "exists"), [index.node], []))
                return Condition(ast.Compare(index.node, [ast.In()], [found.node]))
        raise ProseError("only an entry of a map and a member of a dictionary can exist", entry.place)

    def _is_there(self, found: Value) -> Condition:
        parts = found.type.arguments if found.type.name == "|" else ()
        rest = union(part for part in parts if part.name != "Absent") if parts else found.type
        test = ast.Compare(found.node, [ast.IsNot()], [ast.Name("ABSENT")])
        return Condition(test, self._shown(found, rest))

    def _quantified(self, word: str, collection: tree.Expression, test: tree.Expression) -> Condition:
        items = self.as_collection(self.present(collection))
        item = self.item_of(items)
        asked = self.about(item, test)
        loop = ast.comprehension(item.node, items.node, [], 0)
        return Condition(ast.Call(ast.Name(word), [ast.GeneratorExp(asked.node, [loop])], []))


def _word(node: tree.Expression) -> str | int | None:
    value = node.value if isinstance(node, tree.Constant) else None
    return None if isinstance(value, bool) else value


def negated(asked: Condition) -> Condition:
    """Return the opposite of a condition."""
    match asked.node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            node: ast.expr = ast.Compare(left, [_NEGATED[type(operator)]()], [right])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node = operand
        case _:
            node = ast.UnaryOp(ast.Not(), asked.node)
    return Condition(node, asked.if_false, asked.if_true)


def _flat(nodes: list[ast.expr], operator: type[ast.boolop]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in nodes:
        is_same = isinstance(node, ast.BoolOp) and isinstance(node.op, operator)
        found += node.values if isinstance(node, ast.BoolOp) and is_same else [node]
    return found
