"""The plain presentation of page tools: aliases by digest, descriptions with their origin, outputs as they are."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.tools import ToolDefinition

from modelcontext.agent.page_tools import MAIN_FRAME, PageTool

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SUFFIXED = re.compile(r".*_[0-9a-f]{10}")


class PlainPresentation:
    """A presentation that needs nothing but pydantic-ai."""

    def aliases(self, tools: Sequence[PageTool]) -> Mapping[str, PageTool]:
        """Return the tools by the names that the model sees.

        Raises:
            ValueError: if two tools would get one alias.
        """
        found: dict[str, PageTool] = {}
        for tool in tools:
            alias = tool.name
            if tool.frame != MAIN_FRAME or not _PLAIN.fullmatch(alias) or _SUFFIXED.fullmatch(alias):
                slug = re.sub(r"[^A-Za-z0-9_-]", "_", alias)[:53]
                place = f"{tool.frame}\0{tool.name}".encode("utf-8", "surrogatepass")
                alias = f"{slug}_{hashlib.sha256(place).hexdigest()[:10]}"
            if alias in found:
                raise ValueError(
                    f"the tools {found[alias].name!r} and {tool.name!r} would both be {alias!r} to the model"
                )
            found[alias] = tool
        return found

    def definition(self, alias: str, tool: PageTool) -> ToolDefinition:
        """Return the definition that the model sees."""
        schema = tool.input_schema if isinstance(tool.input_schema, dict) else {"type": "object"}
        return ToolDefinition(name=alias, description=tool.description, parameters_json_schema=schema)

    def output(self, tool: PageTool, output: Any, is_error: bool) -> Any:
        """Return the output as it is."""
        return output
