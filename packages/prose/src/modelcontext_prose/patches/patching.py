"""The change of a text by patches, all at once: none of them counts the lines or steps of another one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.emit.naming import id_of
from modelcontext_prose.patches.additions import new_lines
from modelcontext_prose.patches.edits import Edits
from modelcontext_prose.patches.members import change_members
from modelcontext_prose.patches.steps import Anchors, Node, numbered, seen, tree_of
from speclint.text.source import read_text

if TYPE_CHECKING:
    from modelcontext_prose.patches.language import Block, Number, Patch, PatchLine
    from speclint.text.source_model import SourceAlgorithm, SourceText

_INDENT: Final = 4


@dataclass(frozen=True, slots=True)
class Patched:
    """A changed text.

    ``lines`` has the number of the line of the text before the change that stands at the place of each line. ``numbers`` has
    for each step of the changed algorithms its number before, by the algorithm and the number now; None if the step is new.
    """

    content: str
    lines: tuple[int, ...]
    numbers: Mapping[tuple[str, str], str | None]


def with_patches(content: str, path: Path, patches: Sequence[Patch]) -> Patched:
    """Return a text as patches change it.

    Raises:
        SpecificationError: if a patch does not fit the text, or two exclude each other.
        TextError: if the text cannot be read.
    """
    text = read_text(content, path)
    patching = _Patching(text, content.splitlines())
    for patch in patches:
        behind = ""
        for block in patch.blocks:
            patching.change(block, patch.path, behind)
            behind = block.name or behind
    return patching.result()


class _Patching:
    def __init__(self, text: SourceText, lines: Sequence[str]) -> None:
        self._text = text
        self._lines = lines
        self._edits = Edits()
        self._algorithms = {id_of(one): one for one in text.algorithms}
        self._roots: dict[str, Node] = {}
        self._new: set[tuple[str, ...]] = set()

    def change(self, block: Block, path: Path, behind: str) -> None:
        """Make the changes of a block; what is new stands behind an algorithm, if there is one of that name."""
        if not block.name:
            self._add_new(block, self._algorithms.get(behind))
        elif (algorithm := self._algorithms.get(block.name)) is not None:
            self._change_introduction(algorithm, block, path)
            self._change_steps(block, path)
        else:
            change_members(self._text, self._lines, block, path, self._edits)

    def result(self) -> Patched:
        """Return the changed text."""
        for id_, root in self._roots.items():
            self._write(root, self._algorithms[id_])
        content: list[str] = []
        places: list[int] = []
        for index in range(len(self._lines) + 1):
            new = self._edits.added.get(index, [])
            content += new
            places += [max(1, min(self._edits.stands_at(index) + 1, len(self._lines)))] * len(new)
            if index < len(self._lines) and index not in self._edits.gone:
                content.append(self._lines[index])
                places.append(index + 1)
        return Patched("\n".join(content) + "\n", tuple(places), dict(self._numbers()))

    def _numbers(self) -> Iterator[tuple[tuple[str, str], str | None]]:
        for id_, root in self._roots.items():
            for number, node in numbered(root, lambda node: not node.is_gone):
                yield (id_, ".".join(number)), node.source.number if node.source is not None else None

    def _change_steps(self, block: Block, path: Path) -> None:
        root = self._roots.setdefault(block.name, tree_of(self._algorithms[block.name]))
        anchors = Anchors(root, block.name, block.lines, path)
        taken = {line.name: anchors.node(line) for line in block.lines if line.sign == "-" and line.number}
        put = {line.name: line for line in block.lines if line.sign == "+" and line.number}
        reworded = set()
        for line in block.lines:
            if line.sign == "-" and line.number:
                node = anchors.node(line)
                stays = any(child.put_in is None and child not in taken.values() for child in node.children)
                if stays and line.name in put and not node.is_case:
                    node.line = put[line.name]
                    reworded.add(line.name)
                    continue
                if stays:
                    raise SpecificationError(
                        f"{block.name} {line.name} has substeps: remove them, too, or give the step other words",
                        path,
                        line.place,
                    )
                if any(child.put_in not in (None, block) for child in node.children):
                    raise SpecificationError(
                        f"another patch adds substeps to {block.name} {line.name}", path, line.place
                    )
                node.taken_out = block
        for line in block.lines:
            if line.sign == "+" and line.number and line.name not in reworded:
                self._insert(root, anchors.place(line), line, block, path)

    def _insert(self, root: Node, number: Number, line: PatchLine, block: Block, path: Path) -> None:
        at = dict(numbered(root, lambda node: node.is_seen_by(block)))
        parent = at.get(number[:-1]) if len(number) > 1 else root
        if parent is None or not number[-1].isdigit():
            raise SpecificationError(
                f"{block.name} has no step {'.'.join(number[:-1])} for the new step {line.name}", path, line.place
            )
        if parent.is_gone:
            raise SpecificationError(
                f"another patch removes {block.name} {'.'.join(number[:-1])} with its substeps", path, line.place
            )
        present = [index for index, child in enumerate(parent.children) if child.is_seen_by(block)]
        place = int(number[-1]) - 1
        if place > len(present):
            raise SpecificationError(
                f"{block.name} has no step {'.'.join((*number[:-1], str(place)))} before the new step {line.name}",
                path,
                line.place,
            )
        # Before the step that has the place now; at the end, before what is gone there.
        index = present[place] if place < len(present) else (present[-1] + 1 if present else 0)
        parent.children.insert(index, Node(None, line, put_in=block))

    def _write(self, root: Node, algorithm: SourceAlgorithm) -> None:
        """Turn the changes of a tree into those of lines."""
        for node in root.walk():
            if node.source is None:
                continue
            if node.is_gone or node.line is not None:
                self._edits.take(node.source.line, node.source.last_line)
            if node.line is not None:
                self._edits.put(
                    node.source.line - 1, [f"{' ' * self._indent_of(node.source.line)}1. {node.line.words}"]
                )
        self._write_new(root, algorithm.last_line, 0)

    def _write_new(self, parent: Node, end: int, indent: int) -> None:
        """Write the new steps below a step; ``end`` is the index of the line before which one goes that has no neighbor."""
        for index, node in enumerate(parent.children):
            if node.source is not None:
                below = self._indent_of(node.source.line) + _INDENT
                self._write_new(node, node.source.last_line, below)
            elif not node.is_gone:
                before = next((one for one in reversed(parent.children[:index]) if one.source is not None), None)
                after = next((one for one in parent.children[index:] if one.source is not None), None)
                place, at = end, indent
                if before is not None and before.source is not None:
                    place = max(one.source.last_line for one in before.walk() if one.source is not None)
                    at = self._indent_of(before.source.line)
                elif after is not None and after.source is not None:
                    place, at = after.source.line - 1, self._indent_of(after.source.line)
                self._write_whole(node, place, at)

    def _write_whole(self, node: Node, place: int, indent: int) -> None:
        assert node.line is not None
        self._edits.put(place, [f"{' ' * indent}1. {node.line.words}"])
        for child in node.children:
            if not child.is_gone:
                self._write_whole(child, place, indent + _INDENT)

    def _indent_of(self, line: int) -> int:
        text = self._lines[line - 1].expandtabs(_INDENT)
        return len(text) - len(text.lstrip(" "))

    def _change_introduction(self, algorithm: SourceAlgorithm, block: Block, path: Path) -> None:
        old = [line for line in block.lines if line.sign == "-" and not line.number]
        new = [line for line in block.lines if line.sign == "+" and not line.number]
        if not old and not new:
            return
        if len(old) != 1 or len(new) != 1:
            raise SpecificationError(
                f"the introduction of {block.name} needs exactly one line with - and one line with +", path, block.place
            )
        found = seen(algorithm.introduction)
        if found != seen(old[0].words):
            raise SpecificationError(f"in the text, the introduction of {block.name} is {found!r}", path, old[0].place)
        last = algorithm.steps[0].line - 1 if algorithm.steps else algorithm.last_line
        first = next(number for number in range(algorithm.line, last + 1) if self._is_introduction(number))
        while last > first and not self._lines[last - 1].strip():
            last -= 1
        self._edits.take(first, last)
        self._edits.put(first - 1, [new[0].words])

    def _is_introduction(self, number: int) -> bool:
        text = self._lines[number - 1].strip()
        return bool(text) and re.fullmatch(r"<div\b[^>]*>", text) is None

    def _add_new(self, block: Block, behind: SourceAlgorithm | None) -> None:
        """Add an algorithm or a definition behind an algorithm, or at the end of the text's algorithms.

        What two patches add alike is there once.
        """
        lines = new_lines(block)
        if tuple(lines) in self._new:
            return
        self._new.add(tuple(lines))
        end = behind.last_line if behind is not None else max(one.last_line for one in self._text.algorithms)
        while "</div>" not in self._lines[end - 1]:
            end += 1
        self._edits.put(end, ["", *lines])
