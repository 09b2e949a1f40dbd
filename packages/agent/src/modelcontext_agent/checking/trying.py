"""Running the tools that say they only read, and watching what they change."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from modelcontext.people.forms.texts import quoted, shortened
from modelcontext.running.products.limits import within
from modelcontext_agent.checking.tool_finding import Level, ToolFinding
from modelcontext_agent.pages.contract import CallEnd
from modelcontext_agent.pages.endings import in_a_line

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.pages.contract import AgentPage

#: The methods of requests that only read.
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_OF_TYPE: Final = {"string": "text", "number": 1, "integer": 1, "boolean": True, "array": [], "null": None}
_DEEPEST: Final = 10
#: The seconds that a request may need to begin after its tool has ended.
_AFTER: Final = 0.3
#: The seconds that a document has to say what it has.
_PATIENCE: Final = 5

_STATE: Final = """() => {
  const values = [...document.querySelectorAll("input, textarea, select")].map((control) =>
    [control.name || control.id || control.localName, String(control.checked ?? ""), control.value]);
  const stored = (read) => { try { return JSON.stringify(read()); } catch { return ""; } };
  return {
    address: location.href, values: JSON.stringify(values), cookies: stored(() => document.cookie),
    local: stored(() => Object.entries(localStorage)), session: stored(() => Object.entries(sessionStorage)),
  };
}"""
_CHANGES: Final = {
    "address": "it navigated",
    "values": "it changed the value of a form control",
    "cookies": "it changed cookies",
    "local": "it changed localStorage",
    "session": "it changed sessionStorage",
}


@dataclass
class Watch:
    """A watch over a page of Playwright's while a tool runs: the requests that do not only read, and the state."""

    page: Any
    requests: list[str] = field(default_factory=list)

    def note(self, request: Any) -> None:
        """Note a request that does not only read."""
        if request.method not in _SAFE:
            self.requests.append(f"{request.method} {request.url}")

    async def state(self) -> dict[str, str]:
        """Return what the documents of the page have that a tool can change, by kind. A busy document has nothing."""
        from playwright.async_api import Error

        found: dict[str, list[str]] = {}
        for frame in self.page.frames:
            with contextlib.suppress(Error, TimeoutError):
                for kind, value in (await within(_PATIENCE, frame.evaluate(_STATE))).items():
                    found.setdefault(kind, []).append(value)
        return {kind: "\n".join(values) for kind, values in found.items()}


async def tried(
    page: AgentPage, browser_page: Any, tools: Sequence[PageTool], source: str, limit: float
) -> list[ToolFinding]:
    """Run each tool that says it only reads, with made-up arguments, and return what it broke.

    Args:
        page: the page.
        browser_page: the same page, of Playwright's.
        tools: the tools of the page.
        source: the file or URL of the page.
        limit: the seconds that a tool has.
    """
    findings: list[ToolFinding] = []
    for tool in tools:
        if tool.hints.read_only and not tool.hints.consequential:
            # A tool that ran may have changed the page.
            now = next((one for one in await page.tools() if (one.frame, one.name) == (tool.frame, tool.name)), None)
            if now is None:
                findings.append(_note(tool, source, "it was no longer registered after other tools had run"))
            else:
                findings += await _try(page, browser_page, now, source, limit)
    return findings


async def _try(page: AgentPage, browser_page: Any, tool: PageTool, source: str, limit: float) -> list[ToolFinding]:
    watch = Watch(browser_page)
    before = await watch.state()
    browser_page.on("request", watch.note)
    made = made_up(tool.input_schema)
    arguments = made if isinstance(made, dict) else {}
    findings: list[ToolFinding] = []
    try:
        async with asyncio.timeout(limit):
            result = await page.call(tool.name, tool.binding, arguments)
        if result.end is not CallEnd.DONE:
            words = f"it did not return with {quoted(str(arguments))}: {in_a_line(result.output)}"
            findings.append(_note(tool, source, words))
        await asyncio.sleep(_AFTER)
    except TimeoutError:
        findings.append(_note(tool, source, f"it did not return within {limit:g} s with {quoted(str(arguments))}"))
    finally:
        browser_page.remove_listener("request", watch.note)
    after = await watch.state()
    return [*(_changes(tool, source, watch.requests, before, after)), *findings]


def _note(tool: PageTool, source: str, message: str) -> ToolFinding:
    advice = "check whether the schema says everything that the tool needs"
    return ToolFinding("failed-run", Level.NOTE, source, tool.name, "", message, advice)


def _changes(
    tool: PageTool, source: str, requests: Sequence[str], before: dict[str, str], after: dict[str, str]
) -> Iterator[ToolFinding]:
    said = [f"the page sent {shortened(request, 200)} while it ran" for request in dict.fromkeys(requests)]
    said += [words for kind, words in _CHANGES.items() if before.get(kind) != after.get(kind)]
    for message in said:
        advice = "remove readOnlyHint, or let the tool only read"
        yield ToolFinding("read-only-changes", Level.ERROR, source, tool.name, "annotations", message, advice)


def made_up(schema: Any, depth: int = 0) -> Any:
    """Return a value for a schema, with what is required only: its default, an example, a choice, or one of its type."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return {} if depth == 0 else "text"
    for keyword in ("default", "const"):
        if keyword in schema:
            return schema[keyword]
    for keyword in ("examples", "enum"):
        if isinstance(schema.get(keyword), list) and schema[keyword]:
            return schema[keyword][0]
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list) and schema[keyword] and "properties" not in schema:
            return made_up(schema[keyword][0], depth + 1)
    named = schema.get("type", "object" if depth == 0 or "properties" in schema else "string")
    kind = named[0] if isinstance(named, list) and named else named
    if kind == "object":
        properties, required = schema.get("properties"), schema.get("required")
        own = properties if isinstance(properties, dict) else {}
        names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        return {name: made_up(own.get(name), depth + 1) for name in names}
    if kind == "array":
        least = schema.get("minItems", 0)
        return [made_up(schema.get("items"), depth + 1)] * min(least if isinstance(least, int) else 0, 10)
    if kind in ("number", "integer"):
        least, above = schema.get("minimum", 1), schema.get("exclusiveMinimum")
        return above + 1 if isinstance(above, int | float) and not isinstance(above, bool) else least
    if kind == "string":
        known = {"date": "2030-01-31", "email": "a@example.com", "uri": "https://example.com/", "time": "12:00:00Z"}
        return known.get(str(schema.get("format")), "text".ljust(_least(schema.get("minLength")), "t"))
    return _OF_TYPE.get(kind, "text") if isinstance(kind, str) else "text"


def _least(value: Any) -> int:
    return min(value, 1_000) if isinstance(value, int) else 0
