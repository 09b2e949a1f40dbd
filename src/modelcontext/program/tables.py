"""The strict reader of tables. Its errors say what is allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from modelcontext.infra.strings import has_lone_surrogate
from modelcontext.program.language import ProgramError
from modelcontext.program.markup import MarkupError, ids_of


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


class TableReader:
    """A reader of tables from one source. Every method raises :class:`ProgramError` for wrong input."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, place: str, problem: str) -> NoReturn:
        """Raise the error for a problem at a place in the source."""
        raise ProgramError(self.source, place, problem)

    def table(self, value: Any, place: str, what: str) -> dict[str, Any]:
        """Read a table with keys that are strings."""
        if not isinstance(value, dict):
            self.fail(place, f"{what} is a table, not {type_in_words(value)}")
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
        if has_lone_surrogate(value):
            self.fail(place, 'lone surrogates can stand in values only: {"$string" = [55296]}')
        return value

    def texts(self, value: Any, place: str, *, empty: bool = False) -> list[str]:
        """Read an array of strings, which may be ``empty``."""
        return [
            self.text(item, f"{place}[{index}]", empty=empty) for index, item in enumerate(self.array(value, place))
        ]

    def markup(self, value: Any, place: str) -> str:
        """Read markup."""
        text = self.text(value, place, empty=True)
        try:
            ids_of(text)
        except MarkupError as error:
            self.fail(place, str(error))
        return text

    def choice(self, value: Any, allowed: Iterable[str], place: str, what: str) -> str:
        """Read one of the allowed strings."""
        allowed = list(allowed)
        text = self.text(value, place, empty=True)
        if text not in allowed:
            self.fail(place, f'unknown {what} "{text}"' + did_you_mean(text, allowed))
        return text

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
