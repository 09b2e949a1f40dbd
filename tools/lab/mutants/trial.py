"""The trials of mutants, and the record by which a later run tries only what has changed."""

from __future__ import annotations

import hashlib
import json
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.files import write_whole
from modelcontext.judging.coverage import programs_of
from modelcontext.spec.revisions.registry import CURRENT
from tools.lab.mutants.compiling import Refused, UnchangedText, linked
from tools.lab.mutants.making import Mutant, mutants
from tools.lab.mutants.subjects import Behavior, Subject, behavior_of

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: The record of a checkout.
RECORD: Final = Path("build", "mutants.json")
#: The record is written after this many trials: nobody loses many if the run is killed.
_RECORDED: Final = 25
#: All that decides what a text does, beside the text.
_CODE: Final = (
    *(Path("src", "modelcontext", wing) for wing in ("ground", "platform", "spec", "hosts", "programs")),
    Path("packages", "prose", "src"),
    Path("packages", "speclint", "src"),
    Path("tools", "lab", "mutants"),
)


# On a mutant; the other one is on a product.
class Verdict(StrEnum):
    """The end of a trial."""

    #: The compiler refuses the text.
    REFUSED = "refused"
    #: A program or a litmus test has other outcomes, or ends in an error.
    NOTICED = "noticed"
    #: What differs in the Python cannot be seen.
    EQUIVALENT = "equivalent"
    #: No program that reaches a changed step notices it.
    SURVIVED = "survived"


# Of a mutant of the text; the other ones are of a script and of another text.
@dataclass(frozen=True, slots=True)
class Trial:
    """The trial of the mutant of a name.

    ``by`` is the place where the compiler refuses the text, or the subject that notices the mutant, and ``how`` says why.
    ``tried`` has the digests of the subjects that ran, by their names.
    """

    name: str
    verdict: Verdict
    by: str = ""
    how: str = ""
    tried: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Trial:
        """Return the trial whose fields are in the data."""
        return cls(data["name"], Verdict(data["verdict"]), data["by"], data["how"], data["tried"])

    def to_data(self) -> dict[str, Any]:
        """Return the trial as data for JSON."""
        return {
            "name": self.name,
            "verdict": self.verdict.value,
            "by": self.by,
            "how": self.how,
            "tried": dict(self.tried),
        }


class Trials:
    """The trials of the mutants of a checkout's current text, on its programs and litmus tests."""

    def __init__(self, root: Path) -> None:
        self._root = root
        content = (root / CURRENT.text).read_text(encoding="utf-8")
        self._unchanged = UnchangedText(content, CURRENT.text)
        #: All mutants, in the order of the text's algorithms.
        self.mutants: Sequence[Mutant] = tuple(mutants(self._unchanged.compiled.program.text))
        self._code = digest_of_the_model(root)
        self._behaviors: dict[str, Behavior] = {}
        self._ended: dict[str, Trial] = {}
        self._read_record()

    @cached_property
    def _programs(self) -> Mapping[str, tuple[Program, str]]:
        """The programs and litmus tests with the digests of their files, by kind and name."""
        return {
            f"{kind} {name}": (program, _digest([Path(program.source)]))
            for kind, name, program in programs_of(self._root, CURRENT.name)
        }

    def subjects(self, advance: Callable[[int], None] = lambda count: None) -> Sequence[Subject]:
        """Return the programs and litmus tests, the smallest first; ``advance`` is called after each."""
        found = []
        for name, (program, digest) in self._programs.items():
            if digest not in self._behaviors:
                self._behaviors[digest] = behavior_of(program)
            found.append(Subject(name, program, digest, self._behaviors[digest]))
            advance(1)
        return sorted(found, key=lambda one: (one.behavior.transitions, one.name))

    @property
    def count_of_subjects(self) -> int:
        """The number of programs and litmus tests."""
        return len(self._programs)

    def run(self, chosen: Sequence[Mutant], subjects: Sequence[Subject]) -> Iterator[Trial]:
        """Yield the trial of each mutant, and write the record now and then."""
        for number, mutant in enumerate(chosen):
            if number % _RECORDED == 0:
                self.write_record()
            trial = self._ended[mutant.name] = self._trial(mutant, subjects)
            yield trial
            # The sources of a revision that nobody needs any more.
            linecache.clearcache()

    def write_record(self) -> None:
        """Write the trials so far, for the next run.

        Raises:
            WriteError: if the file cannot be written.
        """
        path = self._root / RECORD
        path.parent.mkdir(exist_ok=True)
        behaviors = {digest: one.to_data() for digest, one in self._behaviors.items()}
        trials = [one.to_data() for one in self._ended.values()]
        write_whole(path, json.dumps({"code": self._code, "behaviors": behaviors, "trials": trials}) + "\n")

    def _read_record(self) -> None:
        try:
            found = json.loads((self._root / RECORD).read_text(encoding="utf-8"))
            if found["code"] != self._code:
                return
            self._behaviors = {key: Behavior.from_data(one) for key, one in found["behaviors"].items()}
            self._ended = {one["name"]: Trial.from_data(one) for one in found["trials"]}
        except (OSError, ValueError, KeyError, TypeError):
            self._behaviors, self._ended = {}, {}  # There is no record, or another version wrote it.

    def _trial(self, mutant: Mutant, subjects: Sequence[Subject]) -> Trial:
        reaching = [one for one in subjects if not one.behavior.steps.isdisjoint(mutant.steps)]
        # What is about the algorithm is the likeliest to notice.
        reaching.sort(key=lambda one: mutant.algorithm not in one.program.algorithms)
        tried: dict[str, str] = {}
        if (ended := self._ended.get(mutant.name)) is not None:
            tried = {one.name: one.digest for one in reaching if ended.tried.get(one.name) == one.digest}
            if ended.verdict in (Verdict.REFUSED, Verdict.EQUIVALENT) or ended.by in tried:
                return ended
            if ended.verdict is Verdict.SURVIVED and len(tried) == len(reaching):
                return ended
        compiled = self._unchanged.changed_by(mutant)
        if isinstance(compiled, Refused):
            return Trial(mutant.name, Verdict.REFUSED, compiled.place, compiled.problem)
        if self._unchanged.is_equivalent(compiled):
            return Trial(mutant.name, Verdict.EQUIVALENT)
        with linked(compiled) as revision:
            return self._run(mutant, revision, reaching, tried)

    def _run(self, mutant: Mutant, revision: Revision, reaching: Sequence[Subject], tried: dict[str, str]) -> Trial:
        for subject in reaching:
            if subject.name in tried:
                continue
            how = subject.notices(revision)
            tried[subject.name] = subject.digest
            if how is not None:
                return Trial(mutant.name, Verdict.NOTICED, subject.name, how, tried)
        return Trial(mutant.name, Verdict.SURVIVED, tried=tried)


def digest_of_the_model(root: Path) -> str:
    """Return the digest of all that decides what the text of a checkout and its mutants do."""
    return _digest([root / CURRENT.text, *(path for folder in _CODE for path in _files(root / folder))])


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for path in sorted(folder.rglob("*")) if path.suffix in (".py", ".webidl"))


def _digest(paths: Sequence[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        found.update(f"{path.name}\0{len(content)}\0".encode() + content)
    return found.hexdigest()[:16]
