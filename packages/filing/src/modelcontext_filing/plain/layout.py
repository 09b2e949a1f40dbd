"""Pieces of JavaScript, and writing them in lines of a limited width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

#: The width of a line.
WIDTH: Final = 124
#: The most statements of a function that may stand in one line.
_MOST_IN_A_LINE: Final = 2


@dataclass(frozen=True, slots=True)
class Listed:
    """Pieces between two brackets, separated by commas; a broken list has each in a line of its own."""

    opening: str
    pieces: Sequence[Code]
    closing: str
    space: str = ""


@dataclass(frozen=True, slots=True)
class Braces:
    """The statements of a function, or of another block in braces."""

    statements: Sequence[Code]


@dataclass(frozen=True, slots=True)
class Joined:
    """Pieces that follow one another."""

    pieces: Sequence[Code]


Code: TypeAlias = str | Listed | Braces | Joined


def joined(*pieces: Code) -> Joined:
    """Return the pieces as one."""
    return Joined(pieces)


def call(function: Code, *arguments: Code) -> Joined:
    """Return the call of a function."""
    return joined(function, Listed("(", arguments, ")"))


def array(items: Sequence[Code]) -> Listed:
    """Return an array literal."""
    return Listed("[", items, "]")


def object_literal(members: Sequence[Code]) -> Code:
    """Return an object literal."""
    return Listed("{", members, "}", " ") if members else "{}"


def arrow(parameters: str, statements: Sequence[Code], *, is_async: bool = False) -> Joined:
    """Return an arrow function; one whose only statement returns a value is written without braces."""
    begin = f"{'async ' if is_async else ''}{parameters} => "
    if len(statements) == 1 and isinstance(only := statements[0], Joined) and only.pieces[0] == "return ":
        value = joined(*only.pieces[1:])
        return joined(begin, joined("(", value, ")") if flat(value).startswith("{") else value)
    if len(statements) == 1 and flat(statements[0]).startswith("show("):
        return joined(begin, statements[0])
    return joined(begin, Braces(statements) if statements else "{}")


def flat(code: Code) -> str:
    """Return a piece in one line."""
    match code:
        case str():
            return code
        case Joined(pieces):
            return "".join(map(flat, pieces))
        case Listed(opening, pieces, closing, space):
            return f"{opening}{space}{', '.join(map(flat, pieces))}{space}{closing}"
        case Braces(statements):
            return "{ " + " ".join(f"{flat(one)}{_end_of(one)}" for one in statements) + " }"


def written(code: Code, indent: str = "", before: int = 0, after: int = 1) -> str:
    """Return a piece in as few lines as fit.

    Args:
        code: the piece.
        indent: the indentation of its lines.
        before: the width of what stands before it in its first line, the indentation included.
        after: the width of what has to follow in its last line.
    """
    one_line = flat(code)
    if before + len(one_line) + after <= WIDTH and not _needs_lines(code):
        return one_line
    inner = f"{indent}  "
    match code:
        case str():
            return code
        case Joined(pieces):
            return _written_joined(pieces, indent, before, after)
        case Listed(opening, pieces, closing):
            lines = [f"{inner}{written(piece, inner, len(inner), 1)}," for piece in pieces]
            broken = "\n".join([opening, *lines, f"{indent}{closing}"])
            if opening == "(" and pieces and _may_break(pieces[-1]):
                # The last argument alone is broken, as in `addEventListener("message", (event) => {`.
                head = "".join(f"{flat(piece)}, " for piece in pieces[:-1])
                last = written(pieces[-1], indent, before + 1 + len(head), after + 1)
                fits = before + 1 + len(head) + len(last.partition("\n")[0]) <= WIDTH
                if fits and last.count("\n") <= broken.count("\n"):
                    return f"({head}{last})"
            return broken
        case Braces(statements):
            return "\n".join(["{", *script(statements, inner), f"{indent}}}"])


def _written_joined(pieces: Sequence[Code], indent: str, before: int, after: int) -> str:
    # The last piece that can be broken is.
    breakable = [number for number, piece in enumerate(pieces) if _may_break(piece)]
    text = ""
    for number, piece in enumerate(pieces):
        width = len(text.rpartition("\n")[2]) + (before if "\n" not in text else 0)
        rest = len("".join(map(flat, pieces[number + 1 :])))
        is_broken = bool(breakable) and (number == breakable[-1] or _needs_lines(piece))
        text += written(piece, indent, width, after + rest) if is_broken else flat(piece)
    return text


def _may_break(code: Code) -> bool:
    match code:
        case str():
            return False
        case Joined(pieces):
            return any(map(_may_break, pieces))
        case Listed(_, pieces):
            return bool(pieces)
        case Braces():
            return True


def _needs_lines(code: Code) -> bool:
    match code:
        case str():
            return "\n" in code
        case Joined(pieces) | Listed(_, pieces):
            return any(map(_needs_lines, pieces))
        case Braces(statements):
            return len(statements) > _MOST_IN_A_LINE or any(map(_needs_lines, statements))


def script(statements: Sequence[Code], indent: str = "") -> list[str]:
    """Return the lines of statements, each with its semicolon."""
    text = "\n".join(f"{indent}{written(one, indent, len(indent), 1)}{_end_of(one)}" for one in statements)
    return text.split("\n")


def _end_of(statement: Code) -> str:
    """Return the semicolon at the end of a statement, if it has one."""
    text = flat(statement)
    return "" if "; //" in text or text.startswith("try ") else ";"
