"""The policy of calls to pages: those that a person is asked about, and the words of one origin that reach another.

Pure functions, for the chat and for a page's client alike. A hint is the page's claim and may be false or change: it can
make the policy ask, and never makes it trust.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from modelcontext.judging.clients.page_tools import PageTool, digest_of

#: The serialization of an opaque origin. Two of them are never known to be the same origin.
OPAQUE = "null"


class AskReason(StrEnum):
    """The reasons to ask a person before a call."""

    #: The definition that the model was shown says that the tool is consequential.
    CONSEQUENTIAL = "consequential"
    #: Another definition of the same tool said so, before or after the one that the model was shown.
    OTHERWISE_CONSEQUENTIAL = "otherwise_consequential"
    #: The page has changed the tool's hints since the model was shown them.
    HINTS_CHANGED = "hints_changed"


def reasons_to_ask(shown: PageTool, now: PageTool | None, *, ever_consequential: bool = False) -> tuple[AskReason, ...]:
    """Return the reasons to ask a person before a call; without one, the call runs unasked.

    Args:
        shown: the tool as the model was shown it.
        now: the tool of the same place and name as the page offers it now, or None if there is none.
        ever_consequential: True if any definition of the tool was consequential at some time.
    """
    reasons = []
    if shown.hints.consequential:
        reasons.append(AskReason.CONSEQUENTIAL)
    elif ever_consequential or (now is not None and now.hints.consequential):
        reasons.append(AskReason.OTHERWISE_CONSEQUENTIAL)
    if now is not None and now.hints != shown.hints:
        reasons.append(AskReason.HINTS_CHANGED)
    return tuple(reasons)


def same_place(shown: PageTool, offered: Iterable[PageTool]) -> PageTool | None:
    """Return the offered tool of the same name, origin and frame, however it is defined, or None."""
    place = (shown.origin, shown.frame, shown.name)
    return next((tool for tool in offered if (tool.origin, tool.frame, tool.name) == place), None)


@dataclass(frozen=True, slots=True)
class Approval:
    """A call as a person approves it: this tool of this origin, with this schema and these arguments, and no other call.

    ``arguments`` is a JSON value, or the text of the model where it is not JSON. Two approvals are for the same call exactly
    if their digests are equal.
    """

    name: str
    origin: str
    schema_digest: str
    arguments: Any

    @property
    def digest(self) -> str:
        """The digest of the four members."""
        return digest_of([self.name, self.origin, self.schema_digest, self.arguments])

    def to_json(self) -> dict[str, Any]:
        """Return the approval as a JSON object, with its digest."""
        members = {"name": self.name, "origin": self.origin, "schema_digest": self.schema_digest}
        return {**members, "arguments": self.arguments, "digest": self.digest}


def approval_of(tool: PageTool, arguments: str) -> Approval:
    """Return what a person approves when they approve a call.

    Args:
        tool: the tool as the model was shown it.
        arguments: the arguments of the call, as JSON text.
    """
    return Approval(tool.name, tool.origin, digest_of(tool.input_schema), _strict_json(arguments))


def _strict_json(text: str) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        value = json.loads(text, parse_constant=refuse)
        # A number such as 1e999 is read as infinity, which is no JSON.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return value


def flows_from(origin: str, read: Iterable[str]) -> list[str]:
    """Return the other origins whose words the model has read before it calls a tool of ``origin``, sorted.

    What the model passes to the tool may come from there. A tool that is not a page's has the empty string as its origin:
    nobody else's words come from it.
    """
    return sorted({other for other in read if other and (other != origin or other == OPAQUE)})
