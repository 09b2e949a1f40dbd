"""References to steps in the files of a checkout, moved from the numbers of one text to those of another.

A reference is the id of an algorithm and the number of a step: ``unregister-a-tool 5``, with quotation marks or "step" between
the two, as the anchor of a step, or as the values of ``algorithm`` and ``step`` in a table. Steps are matched by their words
and their order, as for a comparison of two texts. A reference is moved if its step is there. A person has to look where the
step is gone, or says something else, or where more numbers follow whose algorithm is not said again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification.comparison.steps import step_pairs

if TYPE_CHECKING:
    from modelcontext.spec.specification.text.algorithms import Algorithm

_NUMBER: Final = r"\d+(?:\.(?:\d+|[a-z]))*"
#: What stands between an algorithm and the number of its step.
_BETWEEN: Final = r"""[`"']?(?:, ["']| step | )|-step-|"\nstep = \""""
#: Characters behind a reference in which more numbers are looked for.
_BEHIND: Final = 80
#: The name of an earlier revision in that of a file or folder.
_EARLIER: Final = re.compile(r"[-_]\d{4}[-_]\d\d(?:[/.]|$)")
#: What says that a file is about the text of an earlier revision.
_ANOTHER_TEXT: Final = re.compile(r"^revision = |revisions\.r\d{4}_|spec/\d{4}-\d\d/index\.bs", re.MULTILINE)
_MORE: Final = re.compile(rf"[`\"']?(?:,| and| or| to)? [`\"']?({_NUMBER})\b")


@dataclass(frozen=True, slots=True)
class Moved:
    """A step after a change: its algorithm and number now, or None if it is gone; and its words if they changed."""

    algorithm: str
    number: str | None
    before: str
    after: str | None

    @property
    def doubt(self) -> str:
        """The reason to look at a reference to the step; empty if there is none."""
        if self.number is None:
            return f"the step is gone: {self.before}"
        return f"the step says something else now: {self.after}" if self.after != self.before else ""


@dataclass(frozen=True, slots=True)
class Renumbered:
    """A changed content, how many references were moved in it, and the lines at which a person should look, with reasons."""

    content: str
    moved: int
    doubts: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Renumbering:
    """The steps of a text after a change, by algorithm and number before it."""

    steps: Mapping[tuple[str, str], Moved]
    _pattern: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ids = sorted({id_ for id_, _ in self.steps}, key=len, reverse=True)
        words = "|".join(map(re.escape, ids))
        pattern = re.compile(rf"(?<![\w-])({words})({_BETWEEN})({_NUMBER})(?![\w-]|\.\d)")
        object.__setattr__(self, "_pattern", pattern)

    def apply(self, content: str) -> Renumbered:
        """Return a content with the references moved."""
        doubts: list[tuple[int, str]] = []
        moved = 0

        def change(match: re.Match[str]) -> str:
            nonlocal moved
            known = self.steps.get((match[1], match[3]))
            if known is None:
                return match[0]
            line = content.count("\n", 0, match.start()) + 1
            name = f"{match[1]} {match[3]}"
            if known.doubt:
                doubts.append((line, f"{name}: {known.doubt}"))
            more = self._more(match[1], content[match.end() : match.end() + _BEHIND])
            doubts.extend(
                (line, f"{name}: the {number} after it may be a step of the same algorithm") for number in more
            )
            if known.number is None or (known.algorithm, known.number) == (match[1], match[3]):
                return match[0]
            moved += 1
            return f"{known.algorithm}{match[2]}{known.number}"

        changed = self._pattern.sub(change, content)
        return Renumbered(changed, moved, tuple(doubts))

    def _more(self, algorithm: str, rest: str) -> Iterator[str]:
        """Yield the numbers that follow a reference and would move, too."""
        while match := _MORE.match(rest):
            known = self.steps.get((algorithm, match[1]))
            if known is not None and known.number != match[1]:
                yield match[1]
            rest = rest[match.end() :]


def renumbering_between(before: Sequence[Algorithm], after: Sequence[Algorithm]) -> Renumbering:
    """Return the steps of a text as they are in another one."""
    return Renumbering(
        {
            (algorithm.id, step.number): Moved(
                other.id if other is not None else algorithm.id,
                there.number if there is not None else None,
                step.text,
                there.text if there is not None else None,
            )
            for algorithm, step, other, there in step_pairs(before, after)
        }
    )


def files_with_references(root: Path) -> Iterator[Path]:
    """Yield the files of a checkout that may have references to steps of the current text.

    Those of earlier revisions have references to other texts, and generated code is made anew.
    """
    for folder, endings in _FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if path.suffix in endings and path.is_file() and not _is_of_another_text(relative, path):
                yield path
    yield from (path for path in sorted(root.glob("*.md")) if path.is_file())


_FOLDERS: Final[Mapping[str, frozenset[str]]] = {
    "docs": frozenset({".md"}),
    "packages/prose/tests": frozenset({".py"}),
    "spec/current": frozenset({".toml"}),
    "spec/profiles": frozenset({".toml"}),
    "src/modelcontext": frozenset({".py", ".md", ".js"}),
    "tests": frozenset({".py"}),
    "wpt_tests": frozenset({".toml", ".json", ".py"}),
}


def _is_of_another_text(relative: Path, path: Path) -> bool:
    if relative.parts[:4] == ("src", "modelcontext", "spec", "revisions"):
        return True
    if _EARLIER.search(relative.as_posix()):
        return True
    # The record of a finding is about the text of its program.
    program = path.with_name("program.toml")
    said = (path, program) if path.name == "finding.json" else (path,)
    return any(_ANOTHER_TEXT.search(one.read_text(encoding="utf-8")) for one in said if one.is_file())
