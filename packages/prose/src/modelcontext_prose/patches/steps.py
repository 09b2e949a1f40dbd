"""The steps of an algorithm that patches change: a tree whose nodes keep the numbers that they had before."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.spec.specification import SpecificationError
from speclint.text.markup import normalize, readable

if TYPE_CHECKING:
    from modelcontext_prose.patches.language import Block, Number, PatchLine
    from speclint.text.source_model import SourceAlgorithm, SourceStep


# A step of a text under change; the syntax tree has others.
@dataclass(eq=False, slots=True)
class Node:
    """A step: that of the text, or a new one with the ``line`` of a patch; and the blocks that put it in or take it out.

    A step of the text that gets other words has a ``line``, too: the steps below it stay.
    """

    source: SourceStep | None
    line: PatchLine | None = None
    children: list[Node] = field(default_factory=list)
    put_in: Block | None = None
    taken_out: Block | None = None

    @property
    def is_gone(self) -> bool:
        """True once a patch takes the step out."""
        return self.taken_out is not None

    def is_seen_by(self, block: Block) -> bool:
        """Return whether the step is there for a block, which knows nothing of the others."""
        return self.put_in is block or (self.put_in is None and self.taken_out is not block)

    @property
    def words(self) -> str:
        """The words that a reader sees."""
        return seen(self.source.raw if self.source is not None else self.line.words if self.line is not None else "")

    @property
    def is_case(self) -> bool:
        """True for a case, which has a letter and no number."""
        return self.source is not None and self.source.is_case

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def seen(markup: str) -> str:
    """Return the words of markup that a reader sees."""
    return readable(normalize(markup)).strip()


def tree_of(algorithm: SourceAlgorithm) -> Node:
    """Return the steps of an algorithm, below a node that stands for the algorithm."""
    return Node(None, children=[_node(step) for step in algorithm.steps])


def _node(step: SourceStep) -> Node:
    return Node(step, children=[_node(child) for child in step.children])


def numbered(node: Node, is_there: Callable[[Node], bool], prefix: Number = ()) -> Iterator[tuple[Number, Node]]:
    """Yield the nodes below one that are there, with the numbers that they then have."""
    for index, child in enumerate(filter(is_there, node.children)):
        number = (*prefix, string.ascii_lowercase[index] if child.is_case else str(index + 1))
        yield number, child
        yield from numbered(child, is_there, number)


class Anchors:
    """The steps of one algorithm to which the lines of one block refer, whatever their numbers are now.

    A step is found by its number if it has the words there, and otherwise by its words alone.
    Lines that are put in move by as much as the others of their list.
    """

    def __init__(self, root: Node, algorithm: str, lines: Sequence[PatchLine], path: Path) -> None:
        self._root, self._algorithm, self._path = root, algorithm, path
        # The numbers of the text as it is, which other patches do not change.
        self._base = {_number(node): node for node in root.walk() if node.source is not None}
        self._found = {line: self._find(line) for line in lines if line.sign != "+" and line.number}
        self._moves = self._moved()

    def node(self, line: PatchLine) -> Node:
        """Return the step that a line names."""
        return self._found[line]

    def place(self, line: PatchLine) -> Number:
        """Return the number that a new step has in the text as it is."""
        moved = list(line.number)
        for depth, part in enumerate(line.number):
            by = self._moves.get(line.number[:depth], 0)
            if by and part.isdigit():
                moved[depth] = str(int(part) + by)
        return tuple(moved)

    def _find(self, line: PatchLine) -> Node:
        wanted = seen(line.words)
        node = self._base.get(line.number)
        if node is None or not _has(node, wanted):
            others = [other for other in self._root.walk() if other is not self._root and _has(other, wanted)]
            if len(others) != 1 or len(_number(others[0])) != len(line.number):
                raise self._misfit(line, node, others)
            node = others[0]
        is_reworded = line.sign == "-" and node.source is not None and node.line is not None
        if node.is_gone or is_reworded:
            change = "is removed" if node.is_gone else "is reworded"
            raise SpecificationError(
                f"{self._algorithm} {line.name} {change} twice, in this patch or also in another patch",
                self._path,
                line.place,
            )
        return node

    def _misfit(self, line: PatchLine, node: Node | None, others: Sequence[Node]) -> SpecificationError:
        step = f"{self._algorithm} {line.name}"
        what = f"is {node.words!r}" if node is not None else "does not exist"
        places = ", ".join(".".join(_number(other)) or "a new step" for other in others)
        has = f"steps with the words {line.words!r}: {places}" if others else f"no step has the words {line.words!r}"
        return SpecificationError(f"{step} {what}; {has}", self._path, line.place)

    def _moved(self) -> dict[Number, int]:
        """Return by how much the steps of each list have moved, by the number that the list's step has in the patch."""
        moves: dict[Number, int] = {}
        for line, node in self._found.items():
            if node.source is None:
                continue
            for depth, (before, now) in enumerate(zip(line.number, _number(node), strict=True)):
                by = int(now) - int(before) if before.isdigit() and now.isdigit() else 0
                known = moves.setdefault(line.number[:depth], by)
                if known != by:
                    raise SpecificationError(
                        f"the steps around {self._algorithm} {line.name} have moved by different numbers of steps: "
                        f"correct the numbers of these lines",
                        self._path,
                        line.place,
                    )
        return moves


def _number(node: Node) -> Number:
    """Return the number of a step in the text as it is; a new step has none."""
    return tuple(node.source.number.split(".")) if node.source is not None else ()


def _has(node: Node, wanted: str) -> bool:
    if wanted.endswith("…"):
        return node.words.startswith(wanted.removesuffix("…").rstrip())
    return node.words == wanted
