"""Compiled pattern regular expressions (https://html.spec.whatwg.org/#compiled-pattern-regular-expression).

They have ECMAScript's ``v`` flag, and are compiled and matched by corvus-regex-ecma262, or in a page by the page's RegExp.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Final, Protocol

from modelcontext.ground.problems import UserError
from modelcontext.platform.infra.strings import LONE_SURROGATE

#: Seconds after which a match is given up. Only a pattern with a backreference can take longer than its text is long.
TIME_LIMIT: Final = 2.0


class PatternLimitError(UserError):
    """A pattern that nothing can be said about: it is too large, or a match of it takes too long."""


class CompiledPattern(Protocol):
    """A compiled pattern regular expression."""

    def test(self, string: str, /) -> bool:
        """Return whether the pattern matches a string."""


if sys.platform == "emscripten":
    from js import RegExp
    from pyodide.ffi import JsException

    def _compile(pattern: str) -> CompiledPattern | None:
        try:
            RegExp.new(pattern, "v")
        except JsException:
            return None
        return RegExp.new(f"^(?:{pattern})$", "v")
else:
    from corvus_regex_ecma262 import MatchLimitError, Regex, error

    class _Limited:
        """A regular expression whose matches have a limit of time."""

        __slots__ = ("_regex",)

        def __init__(self, regex: Regex) -> None:
            self._regex = regex

        def test(self, string: str, /) -> bool:
            try:
                return self._regex.test(string)
            except MatchLimitError:
                raise PatternLimitError(
                    f"matching {string[:40]!r} with {self._regex.pattern[:80]!r} takes longer than {TIME_LIMIT:g} s: "
                    "give the pattern fewer ways to match the same text"
                ) from None

    def _compile(pattern: str) -> CompiledPattern | None:
        # The library takes Unicode text, in which a lone surrogate is only possible as an escape.
        pattern = LONE_SURROGATE.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", pattern)
        try:
            regex = Regex(f"^(?:{pattern})$", "v", timeout=TIME_LIMIT)
        except error as problem:
            if problem.kind == "too_large":
                raise PatternLimitError(
                    f"the pattern {pattern[:80]!r} is too large ({problem}): give it fewer groups, or fewer characters"
                ) from None
            return None
        # What is valid only between the parentheses is no regular expression.
        return _Limited(regex) if Regex.is_valid(pattern, "v") else None


@lru_cache(maxsize=1024)
def compiled_pattern_regular_expression(pattern: str) -> CompiledPattern | None:
    """https://html.spec.whatwg.org/#compiled-pattern-regular-expression

    Args:
        pattern: the value of the ``pattern`` attribute.

    Returns:
        the anchored regular expression, or None if the pattern alone is not a regular expression.

    Raises:
        PatternLimitError: if the pattern is too large to be compiled.
    """
    return _compile(pattern)
