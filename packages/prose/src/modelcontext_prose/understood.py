"""``modelcontext spec read``: how much of a text has a meaning, and the steps of an algorithm with their numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from modelcontext.ground.checkout import path_in
from modelcontext.ground.tables import did_you_mean
from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import UNREADABLE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.emit.naming import id_of
from modelcontext_prose.other_text import read_other_text

if TYPE_CHECKING:
    from modelcontext_prose.other_text import OtherText
    from speclint.prose.prose_text import Step

#: The beginning of a step that is not written yet.
_UNWRITTEN: Final = "todo"


@dataclass(frozen=True, slots=True)
class Understood:
    """The counts of a text: its steps, those that are not written yet, and those with a meaning; the same of algorithms.

    ``problem`` says why a text cannot be read at all.
    """

    text: str
    steps: int = 0
    unwritten: int = 0
    with_meaning: int = 0
    algorithms: int = 0
    whole_algorithms: int = 0
    problem: str | None = None

    @property
    def share(self) -> float:
        """The share of the written steps that have a meaning."""
        return self.with_meaning / written if (written := self.steps - self.unwritten) else 0.0


@verb(
    epilog="\b\nExample:\n  modelcontext spec read ~/webmcp/index.bs\n  modelcontext spec read --steps registerTool\n"
    "  modelcontext spec read change.patch --steps valid-tool-name"
)
@click.argument("texts", nargs=-1)
@click.option(
    "--steps",
    "algorithm",
    metavar="ALGORITHM",
    help="Instead print the steps of this algorithm (its id or name), with their numbers.",
)
@options.as_json
@options.root
def read(texts: tuple[str, ...], algorithm: str | None, as_json: bool, root: Path) -> None:
    """Read texts, and count the steps that the compiler understands.

    TEXTS are Bikeshed sources, folders of them, REV:path in the git repository of the working directory, or patches of the
    project's own text. Without TEXTS the command reads the project's own text. A step that only says TODO is not
    written yet, so the share leaves it out. `modelcontext spec lint` names the steps that the compiler does not understand.

    Exit code 0: done; 2: no text has the algorithm; 3: no text can be read.
    """
    texts = texts or (str(path_in(root, CURRENT.text)),)
    if algorithm is not None:
        with exit_on_problems(codes={SpecificationError: UNREADABLE}, as_json=as_json):
            for name in _sources(texts):
                _show_steps(read_other_text(name, root=root), algorithm, as_json=as_json)
        return
    found = []
    with exit_on_problems():
        for name in _sources(texts):
            found.append(understood(name))
            if not as_json:
                click.echo(_row(found[-1]))
    if as_json:
        print_json({"texts": [{**asdict(one), "share": round(one.share, 3)} for one in found]})
    if any(one.problem is None for one in found):
        return
    click.echo("modelcontext: none of the texts can be read", err=True)
    sys.exit(UNREADABLE)


def _show_steps(text: OtherText, given: str, *, as_json: bool) -> None:
    """Print the steps of an algorithm, each with what the compiler does not understand in it."""
    algorithms = {one.id: one for one in text.algorithms()}
    name = given.strip().lower()
    wanted = [one for one in algorithms.values() if one.id == name or one.name.lower() == name]
    wanted = wanted or [one for one in algorithms.values() if one.id.endswith(f"-{name}")]
    if not wanted:
        raise click.UsageError(f'{text.path} has no algorithm "{given}"{did_you_mean(name, algorithms)}')
    refusals = {(one.algorithm, one.step.number): one.words for one in text.linked.compiled.program.refusals}
    data: list[dict[str, Any]] = [
        {
            "algorithm": one.id,
            "steps": [
                {"number": step.number, "text": step.text, "problem": refusals.get((one.id, step.number))}
                for step in one.steps
            ],
        }
        for one in wanted
    ]
    if as_json:
        print_json({"text": text.words, "algorithms": data})
        return
    for shown in data:
        click.echo(f"{shown['algorithm']} ({text.path})")
        for step in shown["steps"]:
            indent = "  " * (step["number"].count(".") + 1)
            click.echo(f"{indent}{step['number']}. {step['text']}")
            click.echo(f"{indent}  {step['problem']}\n" if step["problem"] is not None else "", nl=False)


def understood(name: str) -> Understood:
    """Return how much of a text has a meaning."""
    try:
        program = read_other_text(name).linked.compiled.program
    except SpecificationError as error:
        return Understood(name, problem=error.message)
    steps = list(program.text.walk())
    unwritten = sum(1 for step in steps if _is_unwritten(step))
    refused = {(one.algorithm, one.step.number) for one in program.refusals}
    broken = {algorithm for algorithm, _ in refused}
    whole = len(program.text.algorithms)
    # What stands behind a step without a meaning is not compiled, but its words are read.
    with_meaning = sum(
        1
        for algorithm in program.text.algorithms
        for step in algorithm.walk()
        if step.readings and (id_of(algorithm), step.number) not in refused
    )
    return Understood(name, len(steps), unwritten, with_meaning, whole, whole - len(broken))


def _is_unwritten(step: Step) -> bool:
    return not step.readings and step.text.lower().startswith(_UNWRITTEN)


def _sources(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        path = Path(text)
        inside = sorted(path.glob("*.bs")) if path.is_dir() else []
        yield from map(str, inside) if inside else [text]


def _row(one: Understood) -> str:
    if one.problem is not None:
        return f"{one.text}: not read: {one.problem}"
    unwritten = f" ({one.unwritten} not written yet)" if one.unwritten else ""
    return (
        f"{one.text}: {one.with_meaning} of {counted(one.steps, 'step')}{unwritten} have a meaning, {one.share:.1%};"
        f" {one.whole_algorithms} of {counted(one.algorithms, 'algorithm')}"
    )
