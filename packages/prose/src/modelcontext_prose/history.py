"""The history of a text by outcomes: for each commit, what has a meaning, and the programs whose outcomes it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.conformance.explored import KeptExploration, explore
from modelcontext.judging.conformance.pools import ONE_AT_A_TIME
from modelcontext.judging.impact import Commit, HistoryError, read_history
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.difference import difference_of_texts
from modelcontext_prose.other_text import OtherText
from speclint.text.content import read_content
from speclint.text.text_error import TextError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.programs.program.language import Program

#: Programs of one task; a process has a number of tasks, and compiles each text.
_TOGETHER: Final = 20
#: The name of a file that is the text of a day, and perhaps of a commit.
_DATED: Final = re.compile(r"(\d{4}-\d\d-\d\d)(?:-(\w+))?\.bs")


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A commit: the steps and algorithms that have a meaning in its text, and the programs that it changes.

    ``changed`` has the programs with other outcomes than by the text before, ``lost`` those without a result by this text, and
    ``found`` those that had none by the text before. ``changed`` and ``found`` are None if there is no text to compare with.
    ``problem`` says why the text cannot be read.
    """

    commit: Commit
    steps: tuple[int, int] = (0, 0)
    algorithms: tuple[int, int] = (0, 0)
    changed: tuple[str, ...] | None = None
    found: tuple[str, ...] | None = None
    lost: tuple[str, ...] = ()
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the row as a JSON object."""
        return {
            "commit": self.commit.id,
            "date": self.commit.date,
            "title": self.commit.title,
            "steps": {"understood": self.steps[0], "all": self.steps[1]},
            "algorithms": {"understood": self.algorithms[0], "all": self.algorithms[1]},
            "changed": self.changed,
            "found": self.found,
            "lost": self.lost,
            "problem": self.problem,
        }


def texts_of(place: Path, path: Path, last: int, between: str | None, own: Path) -> list[Commit]:
    """Return the last texts of a history, the newest first.

    Args:
        place: a git repository, or a folder with files that are named by days and commits, for example 2026-05-20-a816d2e.bs.
        path: the path of the text in the repository.
        last: the number of texts.
        between: the commits to look at, as git names a range; all up to now by default.
        own: the project's own text, which is the newest one after those of a folder.

    Raises:
        HistoryError: if there is no history, or a folder has no commits for a range.
        SpecificationError: if a file cannot be read.
    """
    dated = sorted(one for one in place.glob("*.bs") if _DATED.fullmatch(one.name))
    if not dated:
        return read_history(place, path, last, between or "HEAD")
    if between is not None:
        raise HistoryError(f"{place} has texts and no commits: leave --range out")
    found: list[Commit] = []
    before = None
    try:
        for one in (*dated, own):
            after = read_content(one)
            match = _DATED.fullmatch(one.name)
            date, id_ = (match[1], match[2] or "") if match is not None else ("", "own")
            found.append(Commit(id_, date, one.name, before, after))
            before = after
    except TextError as error:
        raise SpecificationError(error.message, error.path, error.line, environment=error.environment) from None
    return found[: -last - 1 : -1]


@dataclass(frozen=True, slots=True)
class _TextOutcomes:
    """A text with what it allows each program, which is None for a program without a result."""

    text: OtherText
    outcomes: Mapping[str, KeptExploration | None] = field(default_factory=dict)


def rows(
    commits: Sequence[Commit], path: Path, programs: Mapping[str, Program], pool: Executor | None
) -> Iterator[HistoryRow]:
    """Yield the row of each commit, the oldest first.

    Args:
        commits: the commits, the newest first.
        path: the path that names the text.
        programs: the programs, by name.
        pool: the processes that work; this process does without one.
    """
    before: _TextOutcomes | None = None
    for commit in reversed(commits):
        try:
            if commit.before is not None and (before is None or before.text.content != commit.before):
                before = _explored(OtherText(commit.before, path), programs, pool)
        except SpecificationError:
            before = None
        try:
            after = _explored(OtherText(commit.after, path), programs, pool, before if commit.before else None)
        except SpecificationError as error:
            before = None
            yield HistoryRow(commit, problem=error.message)
            continue
        yield _row(commit, before if commit.before is not None else None, after)
        before = after


def _row(commit: Commit, before: _TextOutcomes | None, after: _TextOutcomes) -> HistoryRow:
    program = after.text.linked.compiled.program
    algorithms = program.text.algorithms
    steps = sum(1 for one in algorithms for _ in one.walk())
    refused = {(one.algorithm, one.step.number) for one in program.refusals}
    meaningful = len(algorithms) - len({algorithm for algorithm, _ in refused})
    changed = found = None
    if before is not None:
        pairs = [(name, before.outcomes[name], one) for name, one in after.outcomes.items()]
        changed = tuple(name for name, old, new in pairs if old and new and old.outcomes != new.outcomes)
        found = tuple(name for name, old, new in pairs if new and not old)
    return HistoryRow(
        commit,
        (steps - len(refused), steps),
        (meaningful, len(algorithms)),
        changed,
        found,
        tuple(name for name, one in after.outcomes.items() if one is None),
    )


def _explored(
    text: OtherText, programs: Mapping[str, Program], pool: Executor | None, before: _TextOutcomes | None = None
) -> _TextOutcomes:
    """Explore programs by a text; those that cannot tell it from the text before have the same outcomes.

    Raises:
        SpecificationError: if the text cannot be read.
    """
    found: dict[str, KeptExploration | None] = {}
    if before is not None:
        difference = difference_of_texts(before.text, text)
        # Without a result a program has not reached all that it can reach.
        is_same = not (difference.is_everywhere or difference.keys or difference.algorithms)
        found |= {
            name: known
            for name, known in before.outcomes.items()
            if is_same or (known is not None and not difference.concerns(known.reached))
        }
    else:
        text.linked  # noqa: B018 - it raises here what would be raised in another process
    waiting = [name for name in programs if name not in found]
    parts = [waiting[begin : begin + _TOGETHER] for begin in range(0, len(waiting), _TOGETHER)]
    given = [(text, [programs[name] for name in part]) for part in parts]
    futures = [pool.submit(_explore_some, *one) for one in given] if pool is not None else []
    for index, part in enumerate(parts):
        found |= zip(part, futures[index].result() if futures else _explore_some(*given[index]), strict=True)
    return _TextOutcomes(text, {name: found[name] for name in programs})


def _explore_some(text: OtherText, programs: Sequence[Program]) -> list[KeptExploration | None]:
    return [_explore(text, program) for program in programs]


def _explore(text: OtherText, program: Program) -> KeptExploration | None:
    with ONE_AT_A_TIME:
        try:
            found = explore(program, text.revision())
        except (SpecAssertionError, Exception):
            # What the text lacks, or a defect of the compiler, loses one program and not the table.
            return None
        return found if found.is_complete else None
