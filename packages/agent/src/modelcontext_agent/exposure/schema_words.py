"""The words in a schema: descriptions and titles in the page's frame, and values in which nothing hides.

A model sends names of properties and values as the schema has them. So those cannot be framed: where something could hide in
one, another word is sent, and a call gets the page's own word again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic_ai.framing import neutralize_tags, wrap

from modelcontext_agent.exposure.framing import PAGE_TEXT, marked
from modelcontext_agent.exposure.references import subschemas

if TYPE_CHECKING:
    from modelcontext_agent.exposure.drafts import Schema

#: Keywords whose values are words for a reader, and those that only show values.
_PROSE = ("description", "title", "$comment")
_SHOWN = ("default", "examples", "deprecated", "format", "pattern", "contentMediaType", "contentEncoding")


def with_framed_words(schema: Schema) -> tuple[Schema, dict[str, str]]:
    """Return a schema whose words stand in the page's frame, and the page's values by those that are sent instead."""
    own: dict[str, str] = {}
    return _framed(schema, own), own


def restored(arguments: Any, own_words: Mapping[str, str]) -> Any:
    """Return the arguments of a call in the page's own words."""
    if not own_words:
        return arguments
    if isinstance(arguments, dict):
        return {own_words.get(key, key): restored(value, own_words) for key, value in arguments.items()}
    if isinstance(arguments, list):
        return [restored(item, own_words) for item in arguments]
    return own_words.get(arguments, arguments) if isinstance(arguments, str) else arguments


def _framed(schema: Schema, own: dict[str, str]) -> Schema:
    # A copy: parts of the page's schema may stand in it more than once.
    copied: Schema = _copy(schema)
    for _, _, one in list(subschemas(copied)):
        for keyword, value in list(one.items()):
            if keyword in _PROSE and isinstance(value, str):
                one[keyword] = wrap(PAGE_TEXT, marked(value))
            elif keyword in _SHOWN:
                one[keyword] = _plain(value)
            elif keyword == "const":
                one[keyword] = _sendable(value, own)
            elif keyword == "enum" and isinstance(value, list):
                one[keyword] = [_sendable(item, own) for item in value]
    return copied


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Return a value that is only shown, with nothing hidden in its strings and no tag."""
    if isinstance(value, str):
        return marked(neutralize_tags(value))
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _sendable(value: Any, own: dict[str, str]) -> Any:
    if not isinstance(value, str) or _plain(value) == value:
        return value
    readable = re.sub(r"[^A-Za-z0-9]+", "_", value).strip("_")[:40] or "value"
    sent = f"{readable}_{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    own[sent] = value
    return sent
