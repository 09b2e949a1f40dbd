"""The Issues that explain what another text changes, as a table: each difference has one, and each row a difference.

.. code-block:: toml

    [[issue]]
    number = 60
    steps = ["unloading-document-cleanup-steps 2.3.1"]    # of the other text, without a meaning
    [[issue]]
    number = 50
    programs = ["listing/sorted", "forms/*"]              # with other outcomes
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import filter, fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.ground.files import ReadError, read_toml
from modelcontext.ground.tables import TableError, TableReader

if TYPE_CHECKING:
    from modelcontext_prose.trial import Trial

_MOST_ISSUES = 10_000


@dataclass(frozen=True, slots=True)
class ExplainingIssue:
    """An Issue that explains some steps without a meaning, and some programs with other outcomes."""

    number: int
    steps: tuple[str, ...]
    programs: tuple[str, ...]

    def explains(self, program: str, trial: Trial) -> bool:
        """Return whether the Issue explains what changes for a program."""
        if trial.lost is None:
            return any(fnmatchcase(program, pattern) for pattern in self.programs)
        return any(_is_at(trial, step) for step in self.steps)


def _is_at(trial: Trial, step: str) -> bool:
    """Return whether what a program lacks is a step, given as ``algorithm number``, or an algorithm."""
    return trial.lost is not None and re.search(rf"(?<!\S){re.escape(step)}(?=[\s,]|$)", trial.lost) is not None


class _IssueReader(TableReader):
    def explanations(self, data: Any) -> Iterator[ExplainingIssue]:
        table = self.table(data, "", "the file")
        self.keys(table, ["issue"], "")
        for index, given in enumerate(self.array(table.get("issue", []), "issue")):
            place = f"issue[{index}]"
            row = self.table(given, place, "an Issue")
            self.keys(row, ["number", "steps", "programs"], place)
            number = self.whole_number(row.get("number"), f"{place}.number", 1, _MOST_ISSUES)
            steps = self.texts(row.get("steps", []), f"{place}.steps")
            programs = self.texts(row.get("programs", []), f"{place}.programs")
            yield ExplainingIssue(number, tuple(steps), tuple(programs))


def read_explanations(path: Path) -> list[ExplainingIssue]:
    """Read a table of Issues.

    Raises:
        TableError: if the file cannot be read, or is no such table.
    """
    try:
        data = read_toml(path)
    except ReadError as error:
        raise TableError(str(path), "", error.reason) from None
    return list(_IssueReader(str(path)).explanations(data))


def issue_of(program: str, trial: Trial, explanations: list[ExplainingIssue]) -> int | None:
    """Return the number of the first Issue that explains what changes for a program, or None."""
    return next((one.number for one in explanations if one.explains(program, trial)), None)


def outdated(changed: Mapping[str, Trial], explanations: list[ExplainingIssue]) -> Iterator[str]:
    """Yield a line for each row of the table that explains nothing any more; all programs must have been tried."""
    for one in explanations:
        for step in one.steps:
            if not any(_is_at(trial, step) for trial in changed.values()):
                yield f"Issue {one.number}: no program ends at {step} any more"
        others = [name for name, trial in changed.items() if trial.lost is None]
        for pattern in one.programs:
            if not filter(others, pattern):
                yield f"Issue {one.number}: {pattern} has no other outcomes any more"
