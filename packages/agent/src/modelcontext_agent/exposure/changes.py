"""Changes of schemas: what a provider is sent instead of a page's words, and whether the meaning is the same."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ChangeKind(StrEnum):
    """The kinds of changes."""

    #: Other words with the same meaning.
    REWORDED = "reworded"
    #: Words for people are gone; what the schema accepts is the same.
    ANNOTATION = "annotation"
    #: The provider's schema accepts more than the page's. The description says what is lost.
    WIDENED = "widened"
    #: What the page gave is no JSON Schema, or none of an object; that part accepts anything now.
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a schema. ``path`` is a JSON Pointer into the page's schema."""

    path: str
    kind: ChangeKind
    message: str
