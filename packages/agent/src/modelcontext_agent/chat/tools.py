"""The dynamic tools of a chat: the rules that a set must keep, and the check that a result belongs to its call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from modelcontext.judging.clients.page_tools import MAIN_FRAME, Binding, PageTool
from modelcontext_agent.chat.chat_errors import BadRequestError, TooLargeError
from modelcontext_agent.exposure.aliases import AliasCollisionError, by_alias
from modelcontext_agent.exposure.framing import clean

if TYPE_CHECKING:
    from modelcontext_agent.chat.config import ChatConfig

#: The values of members that a tool may lack: a tool that is no page's has no document.
DEFAULTS = {"description": "", "document": "", "origin": "", "frame": MAIN_FRAME}

#: The most levels of lists and objects in a JSON value; far below what exhausts a stack somewhere.
MAX_LEVELS = 100


def read_tools(data: Any, config: ChatConfig) -> tuple[PageTool, ...]:
    """Return the dynamic tools that a client sent; None means none.

    Raises:
        BadRequestError: if the set breaks a rule: the form of each tool, 250 at most, names that are given and unique
            in a frame, no name of a built-in tool, aliases without collision.
        TooLargeError: if the definitions are too large together.
    """
    if data is None:
        return ()
    if not isinstance(data, Sequence) or isinstance(data, str | bytes):
        raise BadRequestError("the tools are not a list; send a list of objects, or null")
    if len(data) > config.max_tools:
        raise BadRequestError(f"{len(data)} tools are too many; a chat takes {config.max_tools} at most")
    tools: list[PageTool] = []
    seen: set[tuple[str, str]] = set()
    for index, item in enumerate(data):
        if not isinstance(item, Mapping):
            raise BadRequestError(f"tool {index} is not an object")
        given = {member: value for member, value in item.items() if value is not None}
        try:
            tool = PageTool.from_json(well_formed({**DEFAULTS, **given}))
            json.dumps(tool.input_schema, allow_nan=False)
        except (ValueError, TypeError, RecursionError) as error:
            raise BadRequestError(f"tool {index} is not well formed: {error}") from error
        if not tool.name:
            raise BadRequestError(f"tool {index} has an empty name; give it one")
        if tool.name in config.builtin_names:
            raise BadRequestError(f"the name “{tool.name}” of tool {index} belongs to a built-in tool; choose another")
        if (tool.frame, tool.name) in seen:
            raise BadRequestError(f"two tools of the frame “{tool.frame}” are named “{tool.name}”; send one of them")
        seen.add((tool.frame, tool.name))
        tools.append(tool)
    size = len(json.dumps([tool.to_json() for tool in tools]))
    if size > config.max_tools_bytes:
        raise TooLargeError(f"the tools have {size} bytes; a chat takes {config.max_tools_bytes} at most")
    try:
        aliases = by_alias(tools)
    except AliasCollisionError as error:
        raise BadRequestError(f"some tools cannot be distinguished: {error}") from error
    for alias in sorted(aliases.keys() & config.builtin_names):
        raise BadRequestError(
            f"the tool “{aliases[alias].name}” would get the name “{alias}” of a built-in tool; rename it"
        )
    return tuple(tools)


def binding_of(data: Any, place: str) -> Binding | None:
    """Return the binding that a client sent with a result; None means none.

    Raises:
        BadRequestError: if it is of another form; the message begins with ``place``.
    """
    if data is None:
        return None
    members = ("document", "origin", "frame", "digest")
    if not isinstance(data, Mapping) or any(not isinstance(data.get(member), str) for member in members):
        raise BadRequestError(f"{place}: a binding needs {', '.join(members)} as strings")
    return Binding(**{member: data[member] for member in members})


def refusal(called: PageTool, ran: Binding | None, now: Sequence[PageTool]) -> str | None:
    """Return the reason to refuse a result, in words for the model, or None if the result belongs to its call.

    Args:
        called: the tool that the model called, as the model was shown it.
        ran: the binding of the tool that gave the result, where the client says it. It decides then: a tool may
            navigate its own page, or unregister itself, before its result is sent.
        now: the tools that the page offers now.
    """
    if ran is not None:
        if ran == called.binding:
            return None
        if (ran.document, ran.frame, ran.origin) != (called.document, called.frame, called.origin):
            return _GONE.format(called.name, called.origin or "the page")
        return _CHANGED.format(called.name)
    here = [tool for tool in now if tool.frame == called.frame]
    for tool in here:
        if tool.name == called.name and tool.binding == called.binding:
            return None
    if called.document and all(tool.document != called.document for tool in here):
        return _GONE.format(called.name, called.origin or "the page")
    if any(tool.name == called.name for tool in here):
        return _CHANGED.format(called.name)
    return _UNREGISTERED.format(called.name)


_GONE = (
    "The result of the tool “{}” was refused: the document of {} that offered it has gone, because the page navigated or"
    " was reloaded. The call may have run in part. Look at the tools that are offered now."
)
_CHANGED = (
    "The result of the tool “{}” was refused: the page has changed the definition of the tool since it was shown to you."
    " Read the new definition, and call the tool again if it still does what you want."
)
_UNREGISTERED = "The result of the tool “{}” was refused: the page no longer offers the tool. The call may have run."


def well_formed(value: Any, levels: int = MAX_LEVELS) -> Any:
    """Return a JSON value without lone surrogates, which neither UTF-8 nor a provider takes: each becomes U+FFFD.

    Raises:
        ValueError: if lists and objects stand in each other in more than ``levels`` levels.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping | list | tuple):
        if levels == 0:
            raise ValueError(f"it is nested in more than {MAX_LEVELS} levels")
        if isinstance(value, Mapping):
            return {clean(key): well_formed(item, levels - 1) for key, item in value.items()}
        return [well_formed(item, levels - 1) for item in value]
    return value
