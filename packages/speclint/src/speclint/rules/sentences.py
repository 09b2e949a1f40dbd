"""Rules about sentences: a step that the reader of prose does not understand, or understands in several ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from speclint.finding import Context, LintFinding
from speclint.prose.reading import read_prose

if TYPE_CHECKING:
    from speclint.prose.prose_text import Problem


def check_sentences(context: Context) -> Iterator[LintFinding]:
    """Find steps without a reading, and steps with more than one."""
    for algorithm in read_prose(context.text).algorithms:
        for step in algorithm.walk():
            if step.problem is not None:
                yield _finding(step.problem, algorithm.id, step.number)


def _finding(problem: Problem, algorithm: str, step: str) -> LintFinding:
    where = f"column {problem.place.column}: {problem.message}"
    if problem.kind == "two readings":
        remedy = "split the step into two, or put the parts that belong together into substeps"
        return LintFinding("two-readings", problem.place.line, where, remedy, algorithm, step)
    nearest = "; or ".join(problem.nearest)
    remedy = f"write {nearest}" if nearest else "use the phrases of the vocabulary, or define the term in the text"
    return LintFinding("not-understood", problem.place.line, where, remedy, algorithm, step)
