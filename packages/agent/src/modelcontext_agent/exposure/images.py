"""Images of tools: what an image is by its bytes, and which providers take it.

A page names a type, and a provider refuses the whole request when it takes no such type, or when the bytes are others. So
the bytes decide.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import BinaryContent, ModelMessage, ModelRequest, ToolReturnPart

from modelcontext_agent.exposure.providers import Provider

#: The types that some model takes, by the first bytes of an image.
_BEGINNINGS = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_TYPES = frozenset({*_BEGINNINGS.values(), "image/webp"})
#: The types that a provider takes, where these are not all.
_TAKEN = {Provider.GEMINI: _TYPES - {"image/gif"}}
#: The pixels of the longest side.
LONGEST_SIDE = 8_000


def type_of(data: bytes) -> str | None:
    """Return the media type of an image by its bytes, or None where no model takes such an image."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((type_ for beginning, type_ in _BEGINNINGS.items() if data.startswith(beginning)), None)


def longest_side(data: bytes) -> int:
    """Return the pixels of the longer side of an image, or 0 where its bytes do not say it."""
    sides: Sequence[int] = ()
    if data.startswith(b"\x89PNG") and len(data) >= 24:
        sides = struct.unpack(">II", data[16:24])
    elif data.startswith(b"GIF8") and len(data) >= 10:
        sides = struct.unpack("<HH", data[6:10])
    elif data[12:16] == b"VP8X" and len(data) >= 30:
        sides = [int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27)]
    elif data.startswith(b"\xff\xd8"):
        sides = _sides_of_jpeg(data)
    return max(sides, default=0)


def _sides_of_jpeg(data: bytes) -> Sequence[int]:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        # A start of frame; DHT, JPG and DAC lie between these markers and are none.
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return struct.unpack(">HH", data[at + 5 : at + 9])
        at += 2 + max(2, length)
    return ()


def with_sendable_images(
    messages: Iterable[ModelMessage], provider: Provider, *, none: bool = False
) -> list[ModelMessage]:
    """Return messages in which words stand for each image that a provider does not take.

    Args:
        messages: the conversation.
        provider: the provider. Of one that is unknown nothing is assumed.
        none: True to send no image at all.
    """
    taken = frozenset[str]() if none else _TAKEN.get(provider, _TYPES)
    return [_sendable(message, taken) if isinstance(message, ModelRequest) else message for message in messages]


def has_images(messages: Iterable[ModelMessage]) -> bool:
    """Return whether a result in the messages has an image."""
    requests = (message for message in messages if isinstance(message, ModelRequest))
    return any(
        _images(part.content) for request in requests for part in request.parts if isinstance(part, ToolReturnPart)
    )


def _images(content: Any) -> list[BinaryContent]:
    return [item for item in _items(content) if isinstance(item, BinaryContent)]


def _items(content: Any) -> list[Any]:
    return content if isinstance(content, list) else []


def _sendable(request: ModelRequest, taken: frozenset[str]) -> ModelRequest:
    parts = list(request.parts)
    for index, part in enumerate(parts):
        if isinstance(part, ToolReturnPart) and any(image.media_type not in taken for image in _images(part.content)):
            # The class of a part decides about its content; that of a result takes any.
            content: Any = [_taken_or_words(item, taken) for item in _items(part.content)]
            parts[index] = replace(part, content=content)
    return replace(request, parts=parts)


def _taken_or_words(item: Any, taken: frozenset[str]) -> Any:
    if not isinstance(item, BinaryContent) or item.media_type in taken:
        return item
    return f"[an image of the type {item.media_type}, which is not sent: the provider does not take it]"
