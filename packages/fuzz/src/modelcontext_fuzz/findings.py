"""A finding: a smallest program whose outcome on a product is not allowed, and its folder.

A folder keeps the program and a record. The description for people and the test are made from these two.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from modelcontext.ground.files import ReadError, WriteError, read_json, read_toml, write_whole
from modelcontext.ground.problems import UserError
from modelcontext.judging.wpt.tree import DOCUMENT_OF_FINDINGS
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import Outcome, describe
from modelcontext.programs.program.outcome import from_data as outcome_from_data
from modelcontext.programs.program.reading import from_data
from modelcontext_fuzz.causes import Cause, Diagnosis
from modelcontext_fuzz.reproducer import TEST, reproducer, reproducer_document

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.running.products.base import Observation

#: The limit of runs of the model for listing the allowed outcomes.
BOUND = 5000
#: The grammar of programs about tools that scripts register.
SCRIPTS = "scripts"
RECORD = "finding.json"
PROGRAM = "program.toml"
WORDS = "finding.txt"


class FindingsError(UserError):
    """A finding cannot be read, or does not hold; the message says which, and what to do."""


@dataclass(frozen=True)
class Finding:
    """A finding.

    ``allowed`` has the entries that could be at ``place``, each with the step that it follows from; ``outcomes`` the allowed
    outcomes, all of them if ``complete``. The finding was first seen in program ``number`` of the campaign with ``seed`` and
    ``grammar``. ``build_options`` has the options of the command line that chose the build of the product, and scripts.
    ``quirks`` names the deviations that explain it, for a product without a profile. ``builds`` has what builds of the product
    show, by version, oldest first; not those that cannot run the program.
    """

    name: str
    product: str
    version: str
    seed: int
    number: int
    program: Program
    cause: Cause
    place: str
    ending: str
    observed: str
    outcome: Outcome | None
    allowed: tuple[tuple[str, str], ...]
    outcomes: tuple[Outcome, ...]
    complete: bool
    grammar: str = SCRIPTS
    build_options: tuple[str, ...] = ()
    quirks: tuple[str, ...] = ()
    builds: tuple[tuple[str, str], ...] = ()

    @classmethod
    def make(
        cls,
        program: Program,
        diagnosis: Diagnosis,
        observation: Observation,
        *,
        product: str,
        version: str,
        seed: int,
        number: int,
        grammar: str = SCRIPTS,
        build_options: tuple[str, ...] = (),
        taken: Collection[str],
    ) -> Self:
        """Make a finding from a diagnosis, with a name that is not ``taken``."""
        cause = diagnosis.cause
        assert cause is not None
        outcomes, complete = _allowed(program)
        made = cls(
            name=free_name(_name(cause, observation), taken),
            product=product,
            version=version,
            seed=seed,
            number=number,
            grammar=grammar,
            build_options=build_options,
            program=program,
            cause=cause,
            place=diagnosis.place,
            ending=str(observation.ending),
            observed=diagnosis.observed or diagnosis.detail,
            outcome=observation.outcome,
            allowed=diagnosis.allowed,
            outcomes=outcomes,
            complete=complete,
        )
        algorithms = tuple(dict.fromkeys(step.split()[0] for step in cause.step.split(" / ") if step))
        return replace(made, program=replace(program, title=made.title, algorithms=algorithms))

    @property
    def title(self) -> str:
        """The title of the program: the step and the kind of entry that the specification expects."""
        if not self.allowed:
            return "The program ends"
        # Of two entries of one kind, the cause says where they differ.
        differences = self.cause.observed.partition(" (")
        where = f"{differences[1]}{differences[2]}" if self.cause.observed.startswith("another ") else ""
        return f"{f'At {self.cause.step}' if self.cause.step else 'Expected'}: {self.cause.expected}{where}"

    @property
    def expectation(self) -> str:
        """The entry that the specification expects where the product leaves it, in one line."""
        expected = " or ".join(dict.fromkeys(text for text, _ in self.allowed))
        return f"Expected here: {expected}" if self.allowed else "Expected: the program ends"

    @property
    def operations(self) -> int:
        """The number of operations of the program, nested ones included."""
        return sum(1 for _ in self.program.walk())

    @property
    def replay(self) -> str:
        """The command that runs the program again, from the folder of the finding."""
        return shlex.join(["modelcontext", "run", PROGRAM, "--product", self.product, *self.build_options])

    def to_data(self) -> dict[str, Any]:
        """Return everything but the name, which the folder has, and the program, as plain data."""
        data = {
            **vars(self),
            "cause": asdict(self.cause),
            "outcome": self.outcome.to_data() if self.outcome is not None else None,
            "allowed": [{"entry": entry, "step": step} for entry, step in self.allowed],
            "outcomes": [outcome.to_data() for outcome in self.outcomes],
            "replay": self.replay,
        }
        del data["name"], data["program"]
        if self.grammar == SCRIPTS:
            del data["grammar"]
        data["builds"] = dict(self.builds)
        for key in ("build_options", "quirks", "builds"):
            if not data[key]:
                del data[key]
        return data


def _allowed(program: Program) -> tuple[tuple[Outcome, ...], bool]:
    try:
        exploration = allowed_outcomes(program, bound=BOUND)
    except (SpecAssertionError, Exception):
        # The finding is about a defect of the specification or the model.
        return (), False
    return tuple(exploration.outcomes.values()), exploration.complete


def _name(cause: Cause, observation: Observation) -> str:
    """Return a name for the folder, from the step and the observed entry."""
    step = cause.step.split(" / ")[0]
    observed = cause.observed.split(" (")[0] if observation.outcome is not None else str(observation.ending)
    words = [*re.findall(r"[a-z0-9]+", f"{step} {observed}".lower())]
    return "-".join(word for word in words if word not in ("dom", "a", "an"))[:80].rstrip("-")


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if another finding has it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def write_finding(finding: Finding, folder: Path) -> None:
    """Write the folder of a finding with everything that is made from it, completely or not at all.

    Raises:
        WriteError: if the file system does not allow it.
    """
    made = {
        WORDS: describe_finding(finding),
        TEST: reproducer(finding.program, finding.outcomes, finding.complete, finding.outcome),
    }
    _write_folder(folder, {**kept_files(finding), **made})
    write_whole(folder.parent.parent / DOCUMENT_OF_FINDINGS, reproducer_document())


def keep_finding(finding: Finding, folder: Path) -> None:
    """Write the folder of a finding with nothing that can be made from it; raises as :func:`write_finding`."""
    _write_folder(folder, kept_files(finding))


def _write_folder(folder: Path, files: Mapping[str, str]) -> None:
    draft = folder.with_name(f".{folder.name}")
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        for name, text in files.items():
            write_whole(draft / name, text)
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    except OSError as error:
        raise WriteError(f"{folder} cannot be written: {error.strerror}") from None


def kept_files(finding: Finding) -> Mapping[str, str]:
    """Return the texts of the files from which everything else about a finding is made, by name."""
    return {
        PROGRAM: finding.program.dumps_toml(),
        RECORD: json.dumps(finding.to_data(), indent=2, ensure_ascii=True) + "\n",
    }


def describe_finding(finding: Finding) -> str:
    """Return the description of a finding for people."""
    lines = [f"{finding.expectation}; {finding.product} shows: {finding.observed}", ""]
    lines += [f"product: {finding.product} {finding.version}", f"place: {finding.place}", ""]
    lines += ["allowed there:", *(f"  {entry}" + (f"   ({step})" if step else "") for entry, step in finding.allowed)]
    for number, outcome in enumerate(finding.outcomes, 1):
        lines += ["", f"allowed outcome {number} of {len(finding.outcomes)}:", *describe(outcome)]
    if not finding.complete:
        lines += ["", "(there may be further allowed outcomes: the search was cut off)"]
    observed = describe(finding.outcome) if finding.outcome is not None else [f"  {finding.observed}"]
    lines += ["", "observed:", *observed]
    which = f"{finding.number} of seed {finding.seed}"
    which += "" if finding.grammar == SCRIPTS else f" and grammar {finding.grammar}"
    lines += ["", f"first seen in program {which}; to see it again: {finding.replay}"]
    return "\n".join(lines) + "\n"


def load_findings(folder: Path) -> list[Finding]:
    """Return the findings in a folder, in the order of their names."""
    return [
        load_finding(record.parent) for record in sorted(folder.glob(f"*/{RECORD}")) if record.parent.name[0] != "."
    ]


def load_finding(folder: Path) -> Finding:
    """Return the finding in a folder.

    Raises:
        FindingsError: if a file of it cannot be read, or has another form.
    """
    try:
        data = read_json(folder / RECORD)
        program = from_data(read_toml(folder / PROGRAM), str(folder / PROGRAM))
        del data["replay"]
        data |= {
            "name": folder.name,
            "cause": Cause(**data["cause"]),
            "outcome": outcome_from_data(data["outcome"]) if data["outcome"] is not None else None,
            "allowed": tuple((item["entry"], item["step"]) for item in data["allowed"]),
            "outcomes": tuple(outcome_from_data(item) for item in data["outcomes"]),
            "build_options": tuple(data.get("build_options", ())),
            "quirks": tuple(data.get("quirks", ())),
            "builds": tuple(data.get("builds", {}).items()),
        }
        return Finding(**data, program=program)
    except ReadError as error:
        raise FindingsError(str(error)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise FindingsError(f"{folder} has no finding as `modelcontext fuzz` writes it: {error!r}") from None
