"""The files of a text's revision, and what is said of the text: they are kept, since compiling takes long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import modelcontext_prose
import speclint
from modelcontext.ground.checkout import PACKAGE
from modelcontext.ground.keeping import digest
from modelcontext.spec.specification import Algorithm, Step
from modelcontext.spec.specification.text.algorithms import Parameter, Section, python_identifier
from modelcontext_prose.emit.naming import id_of
from modelcontext_prose.hooks import never_run
from modelcontext_prose.linking import definitions_of

if TYPE_CHECKING:
    from modelcontext_prose.compiler import Compiled
    from speclint.prose import prose_text

#: The folder of a checkout in which it is kept.
KEPT: Final = Path("build", "texts")
#: The packages that make it.
_MAKERS: Final = (PACKAGE, *(Path(package.__path__[0]) for package in (modelcontext_prose, speclint)))


@dataclass(frozen=True, slots=True)
class MadeText:
    """The Python ``package`` of a text's revision with its ``files``, by module; its parsed IDL; and what is said of the text.

    ``understood`` is the number of algorithms that have a meaning. ``unclear`` has the steps that are not understood, or have
    two readings; ``never_run`` the lines and names of the algorithms that the model does not run.
    """

    package: str
    files: Mapping[str, str]
    definitions: Mapping[str, Any]
    algorithms: tuple[Algorithm, ...]
    understood: int
    unclear: tuple[str, ...]
    never_run: tuple[tuple[int, str], ...]

    @classmethod
    def from_compiled(cls, compiled: Compiled) -> Self:
        """Return what is made of a compiled text."""
        program = compiled.program
        algorithms = program.text.algorithms
        return cls(
            compiled.package,
            compiled.files,
            definitions_of(program.text.source.idl).to_data(),
            tuple(map(_algorithm, algorithms)),
            len(algorithms) - len({one.algorithm for one in program.refusals}),
            tuple(_unclear(compiled)),
            tuple((one.place.line, one.name) for one in never_run(program.text)),
        )

    def to_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Any) -> Self | None:
        """Return what :meth:`to_data` has made, or None if the data is something else."""
        try:
            algorithms = tuple(
                Algorithm(
                    **{
                        **one,
                        "parameters": tuple(Parameter(**each) for each in one["parameters"]),
                        "section": Section(**one["section"]),
                        "steps": tuple(Step(**step) for step in one["steps"]),
                    }
                )
                for one in data["algorithms"]
            )
            never_run = tuple((line, name) for line, name in data["never_run"])
            return cls(**{**data, "algorithms": algorithms, "unclear": tuple(data["unclear"]), "never_run": never_run})
        except (TypeError, KeyError, ValueError):
            return None


def kept_file(folder: Path, content: str, path: Path, lines: Sequence[int]) -> Path:
    """Return the file that keeps what is made of a text, which may not be there yet."""
    key = sha256(f"{path}\n{lines}\n{content}".encode()).hexdigest()[:32]
    return folder / f"{digest(*_MAKERS)}-{key}.json"


def _unclear(compiled: Compiled) -> Iterator[str]:
    program = compiled.program
    for one in program.refusals:
        yield f"{program.step_of(one.algorithm, one.step.number, one.place)} {one.words}"
    for algorithm, step in program.ambiguous:
        assert step.problem is not None
        yield f"{program.step_of(algorithm, step.number)} has two possible meanings: {step.problem.message}"


def _algorithm(one: prose_text.Algorithm) -> Algorithm:
    kind = one.kind if one.kind in ("method", "getter", "setter") else "abstract operation"
    return Algorithm(
        id=id_of(one),
        name=one.name,
        function=python_identifier(one.name),
        kind=kind,  # type: ignore[arg-type]
        parameters=tuple(Parameter(each.name, python_identifier(each.name)) for each in one.parameters),
        in_parallel=False,
        section=Section("", "", ""),
        steps=tuple(Step(step.number, step.text) for step in one.walk()),
    )
