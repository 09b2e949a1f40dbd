"""The text of Python expressions, laid out as the project's formatter lays them out.

A line that is too long is opened at its last bracket. Its contents then stand on one line, or else each on its own line
with a comma behind it. A condition that is too long gets parentheses, and each operator begins a line.
"""

from __future__ import annotations

import ast
import json
from typing import Final

WIDTH: Final = 120
INDENT: Final = "    "

_LAMBDA, _CONDITIONAL, _OR, _AND, _NOT, _COMPARISON, _SUM, _TERM, _PRIMARY = range(9)
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_OPERATORS: Final[dict[type[ast.operator], tuple[str, int]]] = {
    ast.Add: ("+", _SUM),
    ast.Sub: ("-", _SUM),
    ast.BitOr: ("|", _SUM),
    ast.Mult: ("*", _TERM),
    ast.Mod: ("%", _TERM),
    ast.FloorDiv: ("//", _TERM),
}

#: What stands in a bracket: each expression, with what stands before it.
_Contents = list[tuple[str, ast.expr]]


def expression(node: ast.expr, around: int = _LAMBDA) -> str:
    """Return an expression on one line, in parentheses if an operator ``around`` it binds more strongly."""
    text, own = _text(node)
    return f"({text})" if own < around else text


def _text(node: ast.expr) -> tuple[str, int]:
    match node:
        case ast.Name(id=name):
            return name, _PRIMARY
        case ast.Constant(value=value):
            return constant(value), _PRIMARY
        case ast.Attribute(value=value, attr=name):
            return f"{expression(value, _PRIMARY)}.{name}", _PRIMARY
        case ast.Call() | ast.Subscript() | ast.List() | ast.Dict() | ast.Tuple():
            opening, items, closing = _bracketed(node)
            comma = "," if isinstance(node, ast.Tuple) and len(items) == 1 else ""
            return f"{opening}{_listed(items)}{comma}{closing}", _PRIMARY
        case ast.BoolOp(op=operator, values=values):
            word, own = ("or", _OR) if isinstance(operator, ast.Or) else ("and", _AND)
            return f" {word} ".join(_operand(value, own) for value in values), own
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"not {expression(operand, _NOT)}", _NOT
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            sign = _COMPARISONS[type(operator)]
            return f"{expression(left, _SUM)} {sign} {expression(right, _SUM)}", _COMPARISON
        case ast.BinOp(left=left, op=operator, right=right):
            sign, own = _OPERATORS[type(operator)]
            return f"{expression(left, own)} {sign} {expression(right, own + 1)}", own
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"{expression(body, _OR)} if {expression(test, _OR)} else {expression(orelse)}", _CONDITIONAL
        case ast.Lambda(args=arguments, body=body):
            return f"{_head_of_lambda(arguments)}{expression(body)}", _LAMBDA
        case ast.GeneratorExp(elt=element, generators=[loop]):
            condition = "".join(f" if {expression(test, _OR)}" for test in loop.ifs)
            source = expression(loop.iter, _OR)
            return f"({expression(element)} for {target(loop.target)} in {source}{condition})", _PRIMARY
        case ast.YieldFrom(value=value):
            return f"yield from {expression(value)}", _LAMBDA
        case ast.Starred(value=value):
            return f"*{expression(value, _PRIMARY)}", _PRIMARY
    raise TypeError(f"{ast.dump(node)} has no layout")


def _operand(value: ast.expr, own: int) -> str:
    # An `and` inside of an `or` needs no parentheses; its reader does.
    text = expression(value, own)
    return f"({text})" if isinstance(value, ast.BoolOp) and own == _OR and isinstance(value.op, ast.And) else text


def _head_of_lambda(arguments: ast.arguments) -> str:
    names = ", ".join(parameters(arguments))
    return f"lambda {names}: " if names else "lambda: "


def _bracketed(node: ast.expr) -> tuple[str, _Contents, str]:
    """Return what stands before the contents of the last bracket of an expression, the contents, and the closing bracket."""
    match node:
        case ast.Call(func=function, args=args, keywords=keywords):
            items = [("", one) for one in args] + [(f"{one.arg}=", one.value) for one in keywords]
            return f"{expression(function, _PRIMARY)}(", items, ")"
        case ast.Subscript(value=value, slice=index):
            inner = index.elts if isinstance(index, ast.Tuple) else [index]
            return f"{expression(value, _PRIMARY)}[", [("", one) for one in inner], "]"
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return "{", [(f"{expression(key)}: " if key else "**", value) for key, value in pairs], "}"
        case ast.List(elts=elements):
            return "[", [("", one) for one in elements], "]"
        case ast.Tuple(elts=elements):
            return "(", [("", one) for one in elements], ")"
    raise TypeError(f"{ast.dump(node)} has no brackets")


def _listed(items: _Contents) -> str:
    text = ", ".join(prefix + expression(item) for prefix, item in items)
    return text[1:-1] if _is_lone_generator(items) else text


def _is_lone_generator(items: _Contents) -> bool:
    return len(items) == 1 and isinstance(items[0][1], ast.GeneratorExp)


def constant(value: object) -> str:
    """Return a literal: strings have double quotes, unless only single ones need no escapes."""
    if not isinstance(value, str) or ('"' in value and "'" not in value):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)


def target(node: ast.expr) -> str:
    """Return the target of a loop; a tuple has no parentheses there."""
    return ", ".join(map(expression, node.elts)) if isinstance(node, ast.Tuple) else expression(node)


def parameters(arguments: ast.arguments) -> list[str]:
    """Return the parameters of a function, with annotations and defaults."""
    without = len(arguments.args) - len(arguments.defaults)
    found = []
    for index, argument in enumerate(arguments.args):
        text = argument.arg if argument.annotation is None else f"{argument.arg}: {expression(argument.annotation)}"
        if index >= without:
            sign = "=" if argument.annotation is None else " = "
            text += sign + expression(arguments.defaults[index - without])
        found.append(text)
    return found


def lines_of(prefix: str, node: ast.expr, suffix: str, indent: int) -> list[str]:
    """Return the lines of an expression between other text, indented by a number of levels."""
    margin = INDENT * indent
    line = f"{margin}{prefix}{expression(node)}{suffix}"
    if len(line) <= WIDTH:
        return [line]
    match node:
        case ast.BoolOp() | ast.Compare() | ast.BinOp() if lines := _opened_at_the_end(prefix, node, suffix, indent):
            return lines
        case ast.BoolOp() | ast.IfExp() | ast.Compare() | ast.BinOp():
            return [f"{margin}{prefix}(", *_operators(node, indent + 1), f"{margin}){suffix}"]
        case ast.Call() | ast.Subscript() | ast.List() | ast.Dict() | ast.Tuple():
            opening, items, closing = _bracketed(node)
            return [f"{margin}{prefix}{opening}", *_opened(node, items, indent + 1), f"{margin}{closing}{suffix}"]
        case ast.GeneratorExp():
            return [f"{margin}{prefix}(", *_clauses(node, indent + 1), f"{margin}){suffix}"]
        case ast.YieldFrom(value=value):
            return lines_of(f"{prefix}yield from ", value, suffix, indent)
        case ast.UnaryOp(op=ast.Not(), operand=ast.BoolOp() as operand):
            return [f"{margin}{prefix}not (", *_operators(operand, indent + 1), f"{margin}){suffix}"]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return lines_of(f"{prefix}not ", operand, suffix, indent)
        case ast.Lambda(args=arguments, body=body):
            return lines_of(f"{prefix}{_head_of_lambda(arguments)}", body, suffix, indent)
        case ast.Starred(value=value):
            return lines_of(f"{prefix}*", value, suffix, indent)
    return [line]


def _opened_at_the_end(prefix: str, node: ast.expr, suffix: str, indent: int) -> list[str]:
    """Return the lines of an expression with one operator that ends in a bracket, which is opened; or nothing."""
    last = node
    while isinstance(last, ast.BoolOp | ast.Compare | ast.BinOp):
        match last:
            case ast.BoolOp(values=[_, right]) | ast.Compare(comparators=[right]) | ast.BinOp(right=right):
                last = right
            case _:
                return []
    if not isinstance(last, ast.Call | ast.Subscript):
        return []
    _, items, closing = _bracketed(last)
    text, end = expression(node), f"{_listed(items)}{closing}"
    head = f"{INDENT * indent}{prefix}{text.removesuffix(end)}"
    if not items or not text.endswith(end) or len(head) > WIDTH:
        return []
    return [head, *_opened(last, items, indent + 1), f"{INDENT * indent}{closing}{suffix}"]


def _opened(node: ast.expr, items: _Contents, indent: int) -> list[str]:
    line = INDENT * indent + _listed(items)
    is_collection = isinstance(node, ast.List | ast.Dict | ast.Tuple) and len(items) > 1
    if len(line) <= WIDTH and not is_collection:
        return [line]
    first = items[0][1]
    if isinstance(first, ast.GeneratorExp) and _is_lone_generator(items):
        return _clauses(first, indent)
    return [line for prefix, item in items for line in lines_of(prefix, item, ",", indent)]


def _operators(node: ast.expr, indent: int) -> list[str]:
    """Return the lines inside of the parentheses around an expression with operators."""
    line = INDENT * indent + expression(node)
    if len(line) <= WIDTH and not isinstance(node, ast.BoolOp | ast.IfExp):
        return [line]
    match node:
        case ast.BoolOp(op=operator, values=values):
            word, own = ("or ", _OR) if isinstance(operator, ast.Or) else ("and ", _AND)
            if len(line) <= WIDTH:
                return [line]
            parts = [("" if index == 0 else word, value, _operand(value, own)) for index, value in enumerate(values)]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            if len(line) <= WIDTH:
                return [line]
            parts = [
                ("", body, expression(body, _OR)),
                ("if ", test, expression(test, _OR)),
                ("else ", orelse, expression(orelse)),
            ]
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            sign = f"{_COMPARISONS[type(operator)]} "
            parts = [("", left, expression(left, _SUM)), (sign, right, expression(right, _SUM))]
        case ast.BinOp(left=left, op=operator, right=right):
            sign, own = _OPERATORS[type(operator)]
            parts = [("", left, expression(left, own)), (f"{sign} ", right, expression(right, own + 1))]
        case _:
            return lines_of("", node, "", indent)
    return [line for prefix, part, text in parts for line in _part(prefix, part, text, indent)]


def _part(prefix: str, node: ast.expr, text: str, indent: int) -> list[str]:
    if len(INDENT * indent + prefix + text) <= WIDTH:
        return [INDENT * indent + prefix + text]
    if text.startswith("(") and isinstance(node, ast.BoolOp):
        return [f"{INDENT * indent}{prefix}(", *_operators(node, indent + 1), f"{INDENT * indent})"]
    return lines_of(prefix, node, "", indent)


def _clauses(node: ast.GeneratorExp, indent: int) -> list[str]:
    loop = node.generators[0]
    lines = lines_of("", node.elt, "", indent)
    lines += lines_of(f"for {target(loop.target)} in ", loop.iter, "", indent)
    return lines + [line for test in loop.ifs for line in lines_of("if ", test, "", indent)]
