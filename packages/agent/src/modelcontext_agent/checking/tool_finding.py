"""Findings about the tools of a page, and the rules that they break."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class Level(StrEnum):
    """The weight of a finding, in the words of SARIF. A note does not fail a check."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


#: The rules about tools, with what breaks them. Problems of forms have the codes of ``modelcontext forms check``.
RULES: Final[Mapping[str, str]] = {
    "instructing-words": "a text speaks to the model, and does not say what the tool is for",
    "hidden-characters": "a text has characters that a person cannot see and a model reads",
    "no-tool-description": "a tool has no description",
    "long-text": "a text is longer than its budget, or a provider gets only its beginning",
    "many-tools": "the page has more tools, or more words, than its budget",
    "undescribed-parameter": "a parameter has no description",
    "equal-tools": "two tools have the same description",
    "shared-tool-name": "tools of several frames or pages have one name, which clients confuse",
    "renamed-tool": "providers do not accept the name, so a model sees another one",
    "changed-schema": "a provider gets another schema than the page's",
    "contradicting-hints": "hints contradict each other, or the name of the tool",
    "missing-hint": "the name of a tool says that it destroys or pays, and it has no consequentialHint",
    "destructive-autosubmit": "a form that destroys or pays submits itself",
    "secret-input": "a model is asked for a password, the data of a card or a code",
    "failed-registration": "the page tried to register a tool, and the browser refused it",
    "left-out-tool": "the definition of a tool is too long or too deep, so that no model sees the tool",
    "uncaught-error": "a script of the page threw, so that tools may be missing",
    "read-only-changes": "a tool with readOnlyHint sent, stored, filled in or navigated when it ran",
    "failed-run": "a tool with readOnlyHint did not return a result",
}


@dataclass(frozen=True, slots=True)
class ToolFinding:
    """A finding: the broken rule, where, what is wrong and what to do.

    Attributes:
        rule: a key of :data:`RULES`, or the code of a problem of forms.
        level: its weight.
        source: the file or the URL of the document.
        tool: the name of the tool, or the empty string.
        place: where in the tool or the document, in words, or the empty string.
        message: what is wrong.
        advice: what to do.
        line: the line in a file, or None.
    """

    rule: str
    level: Level
    source: str
    tool: str
    place: str
    message: str
    advice: str
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {
            "rule": self.rule,
            "level": self.level.value,
            "source": self.source,
            "line": self.line,
            "tool": self.tool or None,
            "place": self.place or None,
            "message": self.message,
            "advice": self.advice,
        }
