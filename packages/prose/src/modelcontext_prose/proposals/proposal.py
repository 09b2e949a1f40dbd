"""A proposal: its texts, its programs and its questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import path_in
from modelcontext.ground.files import read_text, read_toml
from modelcontext.ground.tables import TableError, TableReader, did_you_mean
from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_prose.other_text import OtherText, read_other_text
from modelcontext_prose.patches.language import Patch, parse_patch
from modelcontext_prose.patches.patching import with_patches

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

#: The folder of the proposals in a checkout.
PROPOSALS: Final = Path("spec", "proposals")
_MOST_ISSUES: Final = 10_000


# An answer of people; the other one is that of a server.
@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question, and the patch of the changed text that says it; None if the changed text says it already."""

    says: str
    patch: Patch | None
    words_of_patch: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the text of a proposal has to answer, the names of the programs that show it, and the answers."""

    asks: str
    programs: tuple[str, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class RemovedIssue:
    """An Issue of the text that a proposal removes, and the program that shows it."""

    number: int
    program: Path
    says: str


@dataclass(frozen=True)
class Proposal:
    """A proposal in a checkout."""

    root: Path
    name: str
    questions: tuple[Question, ...]
    removes: tuple[RemovedIssue, ...]

    @property
    def folder(self) -> Path:
        """The folder of the proposal, below the root of the checkout."""
        return PROPOSALS / self.name

    @property
    def change(self) -> Path:
        """The path of the patch."""
        return self.folder / "change.patch"

    @property
    def about(self) -> str:
        """The words of people about the proposal."""
        return read_text(self.root / self.folder / "about.md")

    @cached_property
    def programs(self) -> dict[str, Program]:
        """The programs of the proposal, by name."""
        folder = self.root / self.folder / "programs"
        return {path.stem: load(path) for path in sorted(folder.glob("*.toml"))}

    @cached_property
    def text(self) -> OtherText:
        """The project's text as the proposal changes it."""
        return read_other_text(str(path_in(self.root, CURRENT.text)), [self.root / self.change])

    def answer(self, name: str) -> Answer:
        """Return an answer by the number of its question and its letter, such as 2b.

        Raises:
            TableError: if there is no such answer.
        """
        every = {
            f"{number}{letter}": answer
            for number, question in enumerate(self.questions, 1)
            for letter, answer in zip(ascii_lowercase, question.answers, strict=False)
        }
        if name not in every:
            raise TableError(self.name, "", f'there is no answer "{name}"{did_you_mean(name, every)}')
        return every[name]

    def text_of(self, answer: Answer) -> OtherText:
        """Return the changed text, changed again by an answer.

        Raises:
            SpecificationError: if the patch of the answer does not fit.
        """
        if answer.patch is None:
            return self.text
        text = self.text
        patched = with_patches(text.content, text.path, [answer.patch])
        places = tuple(text.lines[line - 1] for line in patched.lines)
        return OtherText(patched.content, text.path, (*text.glosses, answer.patch), places, before=text)


def read_proposals(root: Path, names: tuple[str, ...] = ()) -> list[Proposal]:
    """Read the proposals of a checkout, or only those with the names.

    Raises:
        TableError: if a table of questions is wrong.
        SpecificationError: if a patch of an answer is none.
    """
    folders = [path for path in sorted((root / PROPOSALS).glob("*")) if path.is_dir()]
    return [_read(root, path) for path in folders if not names or path.name in names]


def every_program(root: Path) -> dict[str, Program]:
    """Return the programs of the current revision, by name; litmus tests take too long."""
    return {one.name: one.program for one in read_corpus(root / CURRENT.programs)}


def _read(root: Path, folder: Path) -> Proposal:
    path = folder / "questions.toml"
    reader = _QuestionReader(str(path.relative_to(root)))
    programs = {one.stem for one in (folder / "programs").glob("*.toml")}
    return reader.proposal(root, folder.name, read_toml(path), programs)


class _QuestionReader(TableReader):
    def proposal(self, root: Path, name: str, data: Any, programs: set[str]) -> Proposal:
        table = self.table(data, "", "the file")
        self.keys(table, ["question", "removes"], "")
        questions = tuple(self._questions(table.get("question", []), programs))
        return Proposal(root, name, questions, tuple(self._removes(table.get("removes", []))))

    def _questions(self, given: Any, programs: set[str]) -> Iterator[Question]:
        for index, one in enumerate(self.array(given, "question")):
            place = f"question[{index}]"
            row = self.table(one, place, "a question")
            self.keys(row, ["asks", "programs", "answer"], place)
            names = self.array(row.get("programs"), f"{place}.programs")
            chosen = tuple(self.choice(name, sorted(programs), f"{place}.programs", "program") for name in names)
            if not chosen:
                self.fail(f"{place}.programs", "a question needs a program")
            answers = tuple(self._answers(row.get("answer"), f"{place}.answer"))
            yield Question(self.text(row.get("asks"), f"{place}.asks"), chosen, answers)

    def _answers(self, given: Any, place: str) -> Iterator[Answer]:
        rows = self.array(given, place)
        if len(rows) < 2:
            self.fail(place, "a question needs two answers or more")
        for index, one in enumerate(rows):
            row = self.table(one, f"{place}[{index}]", "an answer")
            self.keys(row, ["says", "patch"], f"{place}[{index}]")
            says = self.text(row.get("says"), f"{place}[{index}].says")
            words = row.get("patch")
            source = Path(f"{self.source}: {place}[{index}]")
            patch = None if words is None else parse_patch(self.text(words, f"{place}[{index}].patch"), source)
            yield Answer(says, patch, "" if words is None else words.strip("\n"))

    def _removes(self, given: Any) -> Iterator[RemovedIssue]:
        for index, one in enumerate(self.array(given, "removes")):
            place = f"removes[{index}]"
            row = self.table(one, place, "an Issue")
            self.keys(row, ["issue", "program", "says"], place)
            number = self.whole_number(row.get("issue"), f"{place}.issue", 1, _MOST_ISSUES)
            program = Path(self.text(row.get("program"), f"{place}.program"))
            yield RemovedIssue(number, program, self.text(row.get("says"), f"{place}.says"))
