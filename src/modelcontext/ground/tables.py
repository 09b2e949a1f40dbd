"""The strict reader of tables from TOML or JSON. Its errors say what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from modelcontext.ground.problems import UserError

#: An integer beyond has more than 64 bits, and perhaps too many digits to be written.
_LARGEST_INTEGER = 2**63


class TableError(UserError, ValueError):
    """Wrong input in a table.

    ``source`` names the text, ``place`` a part of it (``script.top[3].tool.callback``; empty for all of it); ``problem``
    says what is wrong there and what would be allowed.
    """

    def __init__(self, source: str, place: str, problem: str) -> None:
        super().__init__(": ".join(part for part in (source, place, problem) if part))
        self.source = source
        self.place = place
        self.problem = problem


def quoted(names: Iterable[str]) -> str:
    """Return names in quotation marks, with commas between them."""
    return ", ".join(f'"{name}"' for name in names)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint at the nearest of the known names, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f' (did you mean "{near[0]}"?)' if near else ""


def did_you_mean(name: str, allowed: Iterable[str]) -> str:
    """Return a hint at the nearest of the allowed names, then all of them."""
    allowed = list(allowed)
    hint = nearest(name, allowed)
    return f"{hint}; allowed: {quoted(allowed)}" if allowed else hint


def type_in_words(value: Any) -> str:
    """Return the type of a value from TOML or JSON in words, with an article."""
    for python, name in ((bool, "a boolean"), (str, "a string"), (dict, "a table"), (list, "an array")):
        if isinstance(value, python):
            return name
    if isinstance(value, (int, float)):
        return "a number"
    return "null" if value is None else f"a {type(value).__name__}"


def _number_in_words(value: Any) -> str:
    """Return a number as it is, if it is short, or the type of a value."""
    is_short = isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST_INTEGER)
    return str(value) if is_short and not isinstance(value, bool) else type_in_words(value)


class TableReader:
    """A reader of tables from one source. Every method raises :attr:`error` for wrong input."""

    #: The error of the language that a subclass reads.
    error: type[TableError] = TableError

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, place: str, problem: str) -> NoReturn:
        """Raise the error for a problem at a place in the source."""
        raise self.error(self.source, place, problem)

    def table(self, value: Any, place: str, what: str) -> dict[str, Any]:
        """Read a table with keys that are strings."""
        if not isinstance(value, dict):
            self.fail(place, f"{what} must be a table, not {type_in_words(value)}")
        for key in value:
            if not isinstance(key, str):
                self.fail(place, f"{key!r} is not a key: keys are strings")
        return value

    def keys(self, table: Mapping[str, Any], allowed: Iterable[str], place: str) -> None:
        """Refuse keys that are not allowed."""
        allowed = list(allowed)
        for key in table:
            if key not in allowed:
                self.fail(place, f'unknown key "{key}"' + did_you_mean(key, allowed))

    def text(self, value: Any, place: str, *, empty: bool = False) -> str:
        """Read a string, which may be ``empty``."""
        if not isinstance(value, str):
            self.fail(place, f"a string is needed here, not {type_in_words(value)}")
        if not value.strip() and not empty:
            self.fail(place, "this string is empty")
        return value

    def texts(self, value: Any, place: str, *, empty: bool = False) -> list[str]:
        """Read an array of strings, which may be ``empty``."""
        return [
            self.text(item, f"{place}[{index}]", empty=empty) for index, item in enumerate(self.array(value, place))
        ]

    def choice(self, value: Any, allowed: Iterable[str], place: str, what: str) -> str:
        """Read one of the allowed strings."""
        allowed = list(allowed)
        text = self.text(value, place, empty=True)
        if text not in allowed:
            self.fail(place, f'unknown {what} "{text}"' + did_you_mean(text, allowed))
        return text

    def whole_number(self, value: Any, place: str, least: int, most: int) -> int:
        """Read a whole number between two others."""
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.fail(place, f"a whole number from {least} to {most} is needed here, not {_number_in_words(value)}")
        return value

    def seconds(self, value: Any, place: str, most: int) -> float:
        """Read a number of seconds."""
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= most:
            self.fail(place, f"seconds from 0 to {most} are needed here, not {_number_in_words(value)}")
        return float(value)

    def flag(self, value: Any, place: str) -> bool:
        """Read a boolean."""
        if not isinstance(value, bool):
            self.fail(place, f"a boolean is needed here, not {type_in_words(value)}")
        return value

    def array(self, value: Any, place: str) -> list[Any]:
        """Read an array of anything."""
        if not isinstance(value, list):
            self.fail(place, f"an array is needed here, not {type_in_words(value)}")
        return value
