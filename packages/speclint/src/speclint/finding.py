"""Findings of the lint, and what every rule is given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from speclint.flow.graph import FlowNode, path_to

if TYPE_CHECKING:
    from speclint.flow.knowledge import Knowledge
    from speclint.flow.states import States
    from speclint.text.source_model import SourceAlgorithm, SourceText

_NUMBERS = re.compile(r"\b(step|line) [\d.a-z]*\d[\d.a-z]*")


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A place of a text that breaks a rule.

    ``algorithm`` is the id of the algorithm and ``step`` the number of the step, or both are "". ``path`` has the decisions
    that lead to the step, and ``remedy`` says what to do.
    """

    rule: str
    line: int
    message: str
    remedy: str
    algorithm: str = ""
    step: str = ""
    path: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """The identity of the finding, without its line and the number of its step, which change with other steps."""
        return self.rule, self.algorithm, _NUMBERS.sub(r"\1 …", self.message)

    def to_json(self, file: str) -> dict[str, object]:
        """Return the finding as a JSON object."""
        return {
            "file": file,
            "line": self.line,
            "algorithm": self.algorithm or None,
            "step": self.step or None,
            "rule": self.rule,
            "message": self.message,
            "path": list(self.path),
            "remedy": self.remedy,
        }

    def lines(self, file: str) -> list[str]:
        """Return the finding as lines of text."""
        where = " step ".join(part for part in (self.algorithm, self.step) if part)
        found = [f"{file}:{self.line}: {where + ': ' if where else ''}{self.message} [{self.rule}]"]
        if self.path:
            found.append(f"    the way there: {'; '.join(self.path)}")
        return [*found, f"    what to do: {self.remedy}"]


@dataclass(frozen=True, slots=True)
class Context:
    """The material of every rule: the text, the knowledge about it, and the state at each node."""

    text: SourceText
    knowledge: Knowledge
    states: States


def an(name: str) -> str:
    """Return a name behind its article."""
    return f"{'an' if name[:1].lower() in 'aeiou' and not name.startswith('uni') else 'a'} {name}"


def at(node: FlowNode, rule: str, message: str, remedy: str) -> LintFinding:
    """Return a finding at a node."""
    algorithm = node.routine.algorithm
    line = node.step.line if node.step else algorithm.line
    return LintFinding(rule, line, message, remedy, algorithm.id, node.number, tuple(path_to(node)))


def of(algorithm: SourceAlgorithm, rule: str, message: str, remedy: str) -> LintFinding:
    """Return a finding about a whole algorithm."""
    return LintFinding(rule, algorithm.line, message, remedy, algorithm.id)
