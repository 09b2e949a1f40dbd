"""The providers of models, by the form in which their requests carry tools."""

from __future__ import annotations

from enum import StrEnum


class Provider(StrEnum):
    """A form in which requests carry tools."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OPENAI_RESPONSES = "openai-responses"
    GEMINI = "gemini"
    MCP = "mcp"
