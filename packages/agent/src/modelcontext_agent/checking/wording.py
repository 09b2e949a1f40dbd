"""The words of a tool, judged as a reviewer judges them: names, texts and hints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from modelcontext.people.forms.secrets import secret_by_name
from modelcontext.people.forms.texts import invisible_characters, quoted
from modelcontext_agent.checking.tool_finding import Level, ToolFinding

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool

#: The characters that a description of a tool, or of a parameter, should not exceed.
LONGEST_DESCRIPTION: Final = 1_000
LONGEST_PARAMETER: Final = 500
#: The deepest part of a schema whose words are looked at.
_DEEPEST: Final = 20

#: Words that speak to a model about other things than the use of the tool.
_INSTRUCTING: Final = re.compile(
    r"(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all|system|user)\b.{0,40}"
    r"\b(?:instructions?|rules?|prompts?|messages?|tools?|requests?)"
    r"|\b(?:system prompt|developer message|you are now|act as (?:an?|the)|you must (?:always|never|first|not))\b"
    r"|\b(?:always|never|first) (?:call|use|invoke|run|prefer) (?:this|only this|it)\b"
    r"|\bbefore (?:any|all|every) other tools?\b"
    r"|\b(?:do not|don't|never) (?:tell|inform|ask|show|mention|warn)\b.{0,30}\b(?:the )?(?:user|person|human|anyone)"
    r"|\bwithout (?:asking|telling|informing|the (?:user|consent|knowledge|approval))"
    r"|</?(?:system|instructions?|assistant|user|important|tool)\b[^>]{0,200}>|<\|[a-z_]+\|>|\[/?INST\]",
    re.IGNORECASE | re.DOTALL,
)

_WORDS_OF_A_NAME: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_DESTROYS: Final = frozenset(
    {
        "buy",
        "cancel",
        "charge",
        "checkout",
        "delete",
        "destroy",
        "erase",
        "order",
        "pay",
        "purchase",
        "refund",
        "remove",
    }
    | {"revoke", "terminate", "transfer", "unsubscribe", "wipe", "withdraw"}
)
_CHANGES: Final = _DESTROYS | frozenset(
    {"add", "apply", "approve", "archive", "assign", "book", "change", "clear", "close", "confirm", "create", "disable"}
    | {"discard", "drop", "edit", "enable", "enter", "insert", "invite", "like", "move", "post", "publish", "put"}
    | {"register", "rename", "replace", "reply", "reserve", "reset", "save", "schedule", "send", "set", "share", "sign"}
    | {"start", "stop", "store", "submit", "subscribe", "toggle", "update", "upload", "vote", "write"}
)
#: What makes the word before it a noun, as in "order status".
_THINGS: Final = frozenset(
    {"by", "count", "date", "detail", "details", "history", "id", "info", "item", "items", "level", "list", "number"}
    | {"options", "policy", "price", "prices", "results", "state", "status", "summary", "total"}
)
_READS: Final = frozenset(
    {"check", "count", "describe", "fetch", "find", "get", "list", "lookup", "read", "search", "show", "view"}
)


def destroys(name: str) -> bool:
    """Return whether the name of a tool says that it destroys or pays."""
    return _verb(name) in _DESTROYS


def findings_of_words(tool: PageTool, source: str) -> Iterator[ToolFinding]:
    """Yield what the name, the texts and the hints of a tool break."""
    for place, text in _texts(tool):
        yield from _of_text(tool, source, place, text)
    if not tool.description.strip():
        message = "it has no description, so a model guesses its purpose from its name"
        yield _warning("no-tool-description", tool, source, "", message, "say what it does, and what it returns")
    yield from _of_hints(tool, source)
    for path, name, schema in _parameters(tool.input_schema, ""):
        if not schema.get("description") and not schema.get("title"):
            message = f"the parameter {quoted(name)} has no description"
            yield _warning("undescribed-parameter", tool, source, path, message, "say what it is, and its format")
        if secret := secret_by_name(name, str(schema.get("title", ""))):
            message = f"the parameter {quoted(name)} asks a model for {secret}"
            yield _warning("secret-input", tool, source, path, message, "let the person type it into the page")


def _warning(rule: str, tool: PageTool, source: str, place: str, message: str, advice: str) -> ToolFinding:
    return ToolFinding(rule, Level.WARNING, source, tool.name, place, message, advice)


def _of_text(tool: PageTool, source: str, place: str, text: str) -> Iterator[ToolFinding]:
    if hidden := invisible_characters(text):
        more = f" and {len(hidden) - 3} more" if len(hidden) > 3 else ""
        message = f"it has characters that nobody sees: {', '.join(hidden[:3])}{more}"
        yield ToolFinding("hidden-characters", Level.ERROR, source, tool.name, place, message, "remove them")
    if found := _INSTRUCTING.search(text[:100_000]):
        message = f"it instructs a model: {quoted(found[0])}"
        advice = "say what the tool does, and let the agent decide when to use it"
        yield ToolFinding("instructing-words", Level.ERROR, source, tool.name, place, message, advice)
    longest = LONGEST_DESCRIPTION if place in ("description", "title") else LONGEST_PARAMETER
    if place.endswith("description") and len(text) > longest:
        message = f"it has {len(text):,} characters, but the limit is {longest:,}: each request contains them"
        yield _warning("long-text", tool, source, place, message, "shorten it")


def _of_hints(tool: PageTool, source: str) -> Iterator[ToolFinding]:
    hints, verb = tool.hints, _verb(tool.name)
    if hints.read_only and hints.consequential:
        message = "it has readOnlyHint and consequentialHint, but a tool that only reads has no consequences"
        yield _warning("contradicting-hints", tool, source, "annotations", message, "remove one of the two")
    elif hints.read_only and verb in _CHANGES:
        message = f'it has readOnlyHint, but its name says "{verb}"'
        yield _warning(
            "contradicting-hints", tool, source, "annotations", message, "remove the hint, or rename the tool"
        )
    elif verb in _DESTROYS and not hints.consequential:
        message = f'its name says "{verb}", but it has no consequentialHint, so agents do not ask a person'
        yield _warning(
            "missing-hint", tool, source, "annotations", message, "add consequentialHint, or rename the tool"
        )


def _verb(name: str) -> str:
    """Return the verb of a change with which a name begins or ends, or the empty string."""
    words = [word.lower() for word in _WORDS_OF_A_NAME.findall(name)]
    if not words or words[0] in _READS or (len(words) > 1 and words[-1] in _THINGS):
        return ""
    return next((word for word in (words[0], words[-1]) if word in _CHANGES), "")


def _texts(tool: PageTool) -> Iterator[tuple[str, str]]:
    yield from (("name", tool.name), ("title", tool.title), ("description", tool.description))
    yield from _words_of_schema(tool.input_schema, "", 0)


def _words_of_schema(value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield each word of a schema with its JSON Pointer: names and values."""
    if isinstance(value, str):
        yield path, value
    elif depth < _DEEPEST and isinstance(value, dict):
        for key, item in value.items():
            yield f"{path}/(name)", key
            yield from _words_of_schema(item, f"{path}/{key}", depth + 1)
    elif depth < _DEEPEST and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _words_of_schema(item, f"{path}/{index}", depth + 1)


def _parameters(schema: Any, path: str, depth: int = 0) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the properties of a schema, those of objects in it too: the JSON Pointer, the name and the schema."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    properties = schema.get("properties")
    for name, one in properties.items() if isinstance(properties, dict) else ():
        if isinstance(one, dict):
            yield f"{path}/properties/{name}", name, one
            yield from _parameters(one, f"{path}/properties/{name}", depth + 1)
    yield from _parameters(schema.get("items"), f"{path}/items", depth + 1)
