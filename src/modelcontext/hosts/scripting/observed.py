"""The observations of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.engine import EndOfRunError

#: The level of a line about an exception that no script has handled.
UNHANDLED: Final = "unhandled"
#: The name, among what is missing, of the scripts of a page that did not run at all.
MODULE_SCRIPTS: Final = "module scripts"


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """A line that a run shows: its event loop, a level of the console or ``unhandled``, and the text."""

    event_loop: str
    level: str
    text: str


@dataclass
class ToolCall:
    """A call of ``executeTool()``: the name of the tool, the input as JSON, and the end in words, which comes later."""

    name: str
    input: str
    end: str = "pending"

    def __str__(self) -> str:
        return f"{self.name} {self.input}: {self.end}"


@dataclass
class Observed:
    """The observations of a run: its lines, what was missing, the calls of tools, and the tools that were there at its end.

    ``report`` is what the page has reported, ``ended`` how the run ended otherwise, ``None`` if nothing was left to do.
    ``scripts`` counts the scripts of documents that ran.
    """

    lines: list[ConsoleLine] = field(default_factory=list)
    missing: Counter[str] = field(default_factory=Counter)
    report: Any = None
    ended: EndOfRunError | None = None
    actions: int = 0
    calls: int = 0
    scripts: int = 0
    tools: list[str] = field(default_factory=list)
    tool_calls: list[ToolCall] = field(default_factory=list)

    @property
    def console(self) -> list[tuple[str, str]]:
        """The lines of the console: the level and the text of each."""
        return [(line.level, line.text) for line in self.lines if line.level != UNHANDLED]

    @property
    def errors(self) -> list[str]:
        """The exceptions that no script has handled."""
        return [line.text for line in self.lines if line.level == UNHANDLED]
