"""The tools of a page as providers get them: names, texts and schemas that differ from the page's, and budgets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from modelcontext.judging.clients.page_tools import MAIN_FRAME
from modelcontext.people.forms.texts import quoted
from modelcontext_agent.checking.tool_finding import Level, ToolFinding
from modelcontext_agent.exposure.aliases import alias_of
from modelcontext_agent.exposure.changes import ChangeKind
from modelcontext_agent.exposure.formats import expose, written
from modelcontext_agent.exposure.providers import Provider
from modelcontext_agent.exposure.schemas import convert

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool

#: The most tools, and the most characters of all their definitions in a request. OpenAI takes 128 tools.
MOST_TOOLS: Final = 128
MOST_CHARACTERS: Final = 50_000

_LEVELS: Final[Mapping[ChangeKind, Level]] = {
    ChangeKind.REPLACED: Level.ERROR,
    # The description tells the model what is lost.
    ChangeKind.WIDENED: Level.NOTE,
    ChangeKind.REWORDED: Level.NOTE,
    ChangeKind.ANNOTATION: Level.NOTE,
}


_ADVICE: Final[Mapping[ChangeKind, str]] = {
    ChangeKind.REPLACED: "give the JSON Schema of an object",
    ChangeKind.WIDENED: "if the page relies on this keyword, replace it by keywords that every provider accepts",
    ChangeKind.REWORDED: "no change is needed: the meaning stays the same",
    ChangeKind.ANNOTATION: "repeat these words in a description, if a model needs them",
}


def findings_of_exposure(tool: PageTool, source: str, providers: Sequence[Provider]) -> Iterator[ToolFinding]:
    """Yield what the providers change in a tool."""
    if (alias := alias_of(tool)) != tool.name and tool.frame == MAIN_FRAME:
        message = f"not every provider accepts its name: a model sees {alias}"
        advice = "choose a name of at most 64 letters, digits, _ and -"
        yield ToolFinding("renamed-tool", Level.NOTE, source, tool.name, "name", message, advice)
    changes: dict[tuple[str, ChangeKind, str], list[Provider]] = {}
    for provider in providers:
        for change in convert(tool.input_schema, provider).changes:
            changes.setdefault((change.path, change.kind, change.message), []).append(provider)
    for (path, kind, words), by in changes.items():
        names = "every provider" if len(by) == len(Provider) else ", ".join(by)
        message = f"{kind.value} for {names}: {words}"
        yield ToolFinding("changed-schema", _LEVELS[kind], source, tool.name, path, message, _ADVICE[kind])
    cut = [provider for provider in providers if "[cut:" in _description(tool, provider)]
    if cut and "[cut:" not in tool.description:
        message = f"a model gets only the beginning of this text from {', '.join(cut)}"
        yield ToolFinding("long-text", Level.WARNING, source, tool.name, "description", message, "shorten it")


def _description(tool: PageTool, provider: Provider) -> str:
    [exposed] = expose([tool], provider)
    return exposed.description


def findings_of_all(tools: Sequence[tuple[str, PageTool]]) -> Iterator[ToolFinding]:
    """Yield what the tools of all pages break together. Each tool comes with its page."""
    names: dict[str, list[tuple[str, PageTool]]] = {}
    for page, tool in tools:
        names.setdefault(tool.name, []).append((page, tool))
    for name, found in names.items():
        if len(found) > 1:
            others = ", ".join(f"{page} ({tool.frame})" for page, tool in found[1:4])
            message = f"{len(found)} tools have this name; the others are in {others}"
            advice = "give each tool its own name"
            yield ToolFinding("shared-tool-name", Level.WARNING, found[0][0], name, "name", message, advice)
    described: dict[tuple[str, str], PageTool] = {}
    for page, tool in tools:
        words = " ".join(tool.description.lower().split())
        first = described.setdefault((page, words), tool)
        if words and first.name != tool.name:
            message = f"{quoted(first.name)} has the same description, so a model cannot choose between the two tools"
            advice = "say how the two differ"
            yield ToolFinding("equal-tools", Level.WARNING, page, tool.name, "description", message, advice)
    for page in dict.fromkeys(page for page, _ in tools):
        yield from _of_page(page, [tool for other, tool in tools if other == page])


def _of_page(page: str, tools: Sequence[PageTool]) -> Iterator[ToolFinding]:
    if len(tools) > MOST_TOOLS:
        message = f"the page has {len(tools):,} tools, but the limit is {MOST_TOOLS}"
        yield ToolFinding(
            "many-tools", Level.WARNING, page, "", "", message, "register only the tools that the current task needs"
        )
    size = sum(len(json.dumps(written(expose([tool], Provider.ANTHROPIC), Provider.ANTHROPIC))) for tool in tools)
    if size > MOST_CHARACTERS:
        message = f"the definitions have {size:,} characters in each request, but the limit is {MOST_CHARACTERS:,}"
        yield ToolFinding("many-tools", Level.WARNING, page, "", "", message, "shorten descriptions and schemas")
