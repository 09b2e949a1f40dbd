"""The context limit of a model, read from whatever metadata a provider gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LIMIT = re.compile(
    r"(?:.*_)?"
    r"(?:context_(?:limit|window|length)(?:_tokens?)?"
    r"|max_context(?:_(?:tokens?|size))?"
    r"|max_input_tokens?"
    r"|input_tokens?_limit)"
)
# "remaining_context_window" is no property of a model.
_OF_A_REQUEST = {"used", "remaining", "current", "available"}


def is_context_limit(key: str) -> bool:
    """Return whether the words of a metadata key say that it holds the limit of a model's context, in tokens."""
    found = [word.lower() for word in _WORDS.findall(key)]
    return _LIMIT.fullmatch("_".join(found)) is not None and _OF_A_REQUEST.isdisjoint(found)


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
