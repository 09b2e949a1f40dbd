"""The words in a schema: descriptions and titles in the page's frame, and values in which nothing hides.

A model sends names of properties and values as the schema has them. So those cannot be framed: where something could hide in
one, another word is sent, and a call gets the page's own word again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_ai.framing import neutralize_tags, wrap

from modelcontext_agent.exposure.dialects import is_plain
from modelcontext_agent.exposure.framing import PAGE_TEXT, marked
from modelcontext_agent.exposure.references import subschemas

if TYPE_CHECKING:
    from modelcontext_agent.exposure.drafts import Schema

#: Keywords whose values are words for a reader, and those that only show values.
_PROSE = ("description", "title", "$comment")
_SHOWN = ("default", "examples", "discriminator", "format", "contentMediaType", "contentEncoding")
#: The characters of the longest value that is sent as it is; a longer one is more than a value.
_LONGEST_VALUE = 100


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
        _describe_sentences(one)
        for keyword, value in list(one.items()):
            if keyword in _PROSE and isinstance(value, str):
                one[keyword] = wrap(PAGE_TEXT, marked(value))
            elif keyword == "pattern":
                one[keyword] = _plain(value)
            elif keyword in ("const", "enum"):
                one[keyword] = _sendable(value, own)
    return copied


def _describe_sentences(schema: Schema) -> None:
    """Move values that are only shown into the description, where they are more than single words: it stands in the frame."""
    for keyword in _SHOWN:
        if keyword in schema and not all(map(is_plain, _strings(schema[keyword]))):
            words = f"{keyword}: {json.dumps(schema.pop(keyword), ensure_ascii=False)}"
            said = schema.get("description")
            schema["description"] = f"{said} ({words})" if isinstance(said, str) and said else words


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings in a value that have a character."""
    if isinstance(value, str) and value:
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (key, *_strings(item))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _plain(word: str) -> str:
    """Return a word with nothing hidden in it and no tag."""
    return marked(neutralize_tags(word))


def _sendable(value: Any, own: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {_sendable(key, own): _sendable(item, own) for key, item in value.items()}
    if isinstance(value, list):
        return [_sendable(item, own) for item in value]
    if not isinstance(value, str) or (
        _plain(value) == value and len(value) <= _LONGEST_VALUE and not set("\n\r\t") & set(value)
    ):
        return value
    readable = re.sub(r"[^A-Za-z0-9]+", "_", value).strip("_")[:40] or "value"
    sent = f"{readable}_{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    own[sent] = value
    return sent
