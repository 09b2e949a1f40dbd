"""The context limit of a model, read from whatever metadata a provider gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
#: The whole keys, as they are without separators.
_EXACT = frozenset(
    f"{key}{end}"
    for key in (
        *("contextlimit", "contextwindow", "contextlength", "contextsize", "contexttokenlimit", "contexttokenslimit"),
        *("maxcontext", "maxcontexttokens", "maxcontextsize", "maxcontextlength", "maxcontextwindow"),
        *("maxinputtokens", "maxinputtoken", "inputtokenlimit", "inputtokenslimit", "modelcontextlimit"),
    )
    for end in ("", "tokens")
)
_QUALIFIERS = frozenset(("size", "limit", "length", "tokens", "token", "model", "total"))
# "remaining_context_window" is no property of a model.
_OF_A_REQUEST = frozenset(("used", "remaining", "current", "available", "count", "left"))


def is_context_limit(key: str) -> bool:
    """Return whether the words of a metadata key say that it holds the limit of a model's context, in tokens."""
    words = [word.lower() for word in _WORDS.findall(key)]
    said = set(words)
    if said & _OF_A_REQUEST or "version" in said:
        return False
    if "".join(words) in _EXACT:
        return True
    is_most = bool(said & {"max", "maximum", "limit"})
    if "input" in said and said & {"token", "tokens"}:
        return is_most
    if "context" not in said:
        return False
    # "context_tokens" alone counts those of a request.
    return bool(said & {"limit", "window", "length"} or (is_most and said & _QUALIFIERS))


def context_limit(metadata: Any) -> int | None:
    """Return the largest context limit in a JSON value, or None if it has none.

    A limit is a positive integer, or a string of digits.
    """
    return max(_limits(metadata), default=None)


def _limits(value: Any) -> Iterator[int]:
    if isinstance(value, Mapping):
        for key, member in value.items():
            if isinstance(key, str) and is_context_limit(key):
                limit = _tokens(member)
                if limit:
                    yield limit
            yield from _limits(member)
    elif isinstance(value, list):
        for item in value:
            yield from _limits(item)


def _tokens(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return max(value, 0)
    # No model reads 10^18 tokens.
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}", value.strip()):
        return int(value)
    return 0
