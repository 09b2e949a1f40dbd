"""Formats: the tools of a page in the exact words of a provider's requests, and in those of the Model Context Protocol."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic_ai.framing import wrap
from pydantic_ai.tools import ToolDefinition

from modelcontext_agent.exposure.aliases import by_alias
from modelcontext_agent.exposure.framing import LONGEST_TEXT, PAGE_TEXT, cut, describe, marked
from modelcontext_agent.exposure.providers import Provider
from modelcontext_agent.exposure.schema_words import restored, with_framed_words
from modelcontext_agent.exposure.schemas import convert

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.exposure.changes import Change
    from modelcontext_agent.exposure.drafts import Schema

#: The characters of the longest description, for providers that have a limit.
LONGEST_DESCRIPTION = {Provider.OPENAI: 1_024, Provider.OPENAI_RESPONSES: 1_024}
#: The characters of the longest title, which stands in no frame.
_LONGEST_TITLE = 60
#: The member of ``_meta`` that carries a tool's binding to clients of the Model Context Protocol.
BINDING = "modelcontext/binding"


@dataclass(frozen=True, slots=True)
class ExposedTool:
    """A tool as a model sees it: the page's tool, the name and description it goes by, and the schema with its changes."""

    tool: PageTool
    alias: str
    description: str
    schema: Schema
    changes: tuple[Change, ...]
    #: The page's own words, by those that are sent instead: names of properties, and values that could hide something.
    own_words: Mapping[str, str]

    def arguments(self, sent: Any) -> Any:
        """Return the arguments of a call in the page's own words."""
        return restored(sent, self.own_words)

    @property
    def without_schema(self) -> ExposedTool:
        """The tool with a schema that every provider takes; the description has the page's."""
        words = cut(marked(json.dumps(self.tool.input_schema, ensure_ascii=False)), LONGEST_TEXT // 4)
        described = f"{self.description} The provider refused its schema: {wrap(PAGE_TEXT, words)}"
        return replace(self, description=described, schema={"type": "object", "properties": {}}, own_words={})

    @property
    def definition(self) -> ToolDefinition:
        """The definition for pydantic-ai, whose adapters write it in the provider's words."""
        return ToolDefinition(
            name=self.alias,
            description=self.description,
            parameters_json_schema=self.schema,
            # A strict schema is another one than the page's: every property would be required.
            strict=False,
        )


def expose(tools: Iterable[PageTool], provider: Provider) -> list[ExposedTool]:
    """Return the tools as the models of a provider see them, in order.

    Raises:
        AliasCollisionError: if two tools have one alias.
    """
    longest = LONGEST_DESCRIPTION.get(provider, LONGEST_TEXT)
    exposed = []
    for alias, tool in by_alias(tools).items():
        converted = convert(tool.input_schema, provider)
        schema, values = with_framed_words(converted.schema)
        own_words = {**converted.names, **values}
        exposed.append(ExposedTool(tool, alias, describe(tool, longest), schema, converted.changes, own_words))
    return exposed


def written(exposed: Iterable[ExposedTool], provider: Provider) -> list[dict[str, Any]]:
    """Return the member ``tools`` of a request to the provider, or of a ``tools/list`` result."""
    each = [_WRITERS[provider](tool) for tool in exposed]
    return [{"functionDeclarations": each}] if provider is Provider.GEMINI and each else each


def _anthropic(exposed: ExposedTool) -> dict[str, Any]:
    return {"name": exposed.alias, "description": exposed.description, "input_schema": exposed.schema}


def _openai_function(exposed: ExposedTool) -> dict[str, Any]:
    return {
        "name": exposed.alias,
        "description": exposed.description,
        "parameters": exposed.schema,
        "strict": False,
    }


def _openai(exposed: ExposedTool) -> dict[str, Any]:
    return {"type": "function", "function": _openai_function(exposed)}


def _openai_responses(exposed: ExposedTool) -> dict[str, Any]:
    return {"type": "function", **_openai_function(exposed)}


def _gemini(exposed: ExposedTool) -> dict[str, Any]:
    return {"name": exposed.alias, "description": exposed.description, "parametersJsonSchema": exposed.schema}


def _title(tool: PageTool) -> str:
    """Return the title that clients show to people: the page's, unless it is more than a title."""
    title = tool.title
    is_title = title.isprintable() and title == marked(title) and not set("<>&") & set(title)
    return title if title and is_title and len(title) <= _LONGEST_TITLE else marked(tool.name)


def _mcp(exposed: ExposedTool) -> dict[str, Any]:
    tool = exposed.tool
    hints = {
        "readOnlyHint": tool.hints.read_only,
        # The hint of that protocol says that data may be lost; the page's says that a person should be asked.
        "destructiveHint": tool.hints.consequential or not tool.hints.read_only,
        "openWorldHint": True,
    }
    return {
        "name": exposed.alias,
        "title": _title(tool),
        "description": exposed.description,
        "inputSchema": exposed.schema,
        "annotations": hints,
        "_meta": {BINDING: {"name": marked(tool.name), **tool.binding.to_json(), "url": marked(tool.url)}},
    }


_WRITERS = {
    Provider.ANTHROPIC: _anthropic,
    Provider.OPENAI: _openai,
    Provider.OPENAI_RESPONSES: _openai_responses,
    Provider.GEMINI: _gemini,
    Provider.MCP: _mcp,
}
