"""Dialects: the part of JSON Schema that each provider takes, and the words of a page that are sent as they are."""

from __future__ import annotations

import re
from dataclasses import dataclass

from modelcontext_agent.exposure.drafts import LISTS, MAPS, ONE
from modelcontext_agent.exposure.providers import Provider

#: Keywords that accept and refuse nothing.
FOR_PEOPLE = frozenset(
    {
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$id",
        "$schema",
        "$vocabulary",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "deprecated",
        "discriminator",
        "example",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)

#: The keywords that are sent at all. The words of others would stand outside of the page's frame.
KEYWORDS = frozenset(
    {
        *(ONE - {"additionalItems"}),
        *LISTS,
        *MAPS,
        *(FOR_PEOPLE - {"$vocabulary"}),
        "$ref",
        "const",
        "dependentRequired",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "required",
        "type",
        "uniqueItems",
    }
)

#: Names that are sent as they are: nothing can hide in them, and they are no sentence.
_NAME = re.compile(r"[^\s<>&]{1,128}")


@dataclass(frozen=True)
class SchemaDialect:
    """The part of JSON Schema that a provider takes. ``keywords`` None stands for all of them."""

    keywords: frozenset[str] | None = None
    #: anyOf, oneOf and allOf may stand at the root.
    combines_at_root: bool = True
    #: Other keywords that may not stand at the root.
    refused_at_root: frozenset[str] = frozenset()
    #: The names that properties may have.
    property_name: re.Pattern[str] = _NAME
    #: A schema elsewhere may be referred to.
    refers_elsewhere: bool = False

    def takes_name(self, name: str) -> bool:
        """Return whether a property may have a name."""
        return is_plain(name) and bool(self.property_name.fullmatch(name))


def is_plain(word: str) -> bool:
    """Return whether a page's word is sent as it is: nothing can hide in it, and it is no sentence."""
    return word.isprintable() and bool(_NAME.fullmatch(word))


_OPENAI = SchemaDialect(combines_at_root=False, refused_at_root=frozenset(("enum", "not")))

DIALECTS = {
    Provider.MCP: SchemaDialect(refers_elsewhere=True),
    Provider.ANTHROPIC: SchemaDialect(combines_at_root=False, property_name=re.compile(r"[a-zA-Z0-9_.-]{1,64}")),
    Provider.OPENAI: _OPENAI,
    Provider.OPENAI_RESPONSES: _OPENAI,
    Provider.GEMINI: SchemaDialect(
        keywords=frozenset(
            {
                "$defs",
                "$ref",
                "additionalProperties",
                "anyOf",
                "description",
                "enum",
                "items",
                "maxItems",
                "maximum",
                "minItems",
                "minimum",
                "prefixItems",
                "properties",
                "required",
                "type",
            }
        ),
        combines_at_root=False,
        refused_at_root=frozenset(("const", "enum")),
    ),
}
