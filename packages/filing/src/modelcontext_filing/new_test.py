"""``modelcontext test new``: a program as a test in the format of web-platform-tests."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import write_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.discovery import find_tests
from modelcontext.judging.wpt.results import FileStatus
from modelcontext.judging.wpt.simulated_session import SimulatedSession, schedules
from modelcontext.judging.wpt.tree import Tree, checkout_tree
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import warn
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.reading import load, loads_json, loads_toml
from modelcontext.running.products import SIMULATED, make_target
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_filing.places import PUBLISHED
from modelcontext_filing.plain.subtest import subtest
from modelcontext_filing.plain.view import PlainError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

#: The name of standard input.
STANDARD_INPUT: Final = "-"
#: The end of the name of a test: the API needs a secure context.
ENDING: Final = ".https.html"
#: The sampled schedules under which a test must pass.
SAMPLED: Final = 5
#: The methods, the one that a test is about before those that prepare it.
_METHODS: Final = ("executeTool", "getTools", "registerTool")


def _find(ctx: click.Context, param: click.Parameter, value: str) -> Path:
    return Path(value) if value == STANDARD_INPUT else options.find_program(ctx, param, value)


@verb(
    epilog="\b\nExamples:\n  modelcontext test new results/undefined --out undefined.https.html\n"
    "  modelcontext record demo.html --out demo.toml && modelcontext test new demo.toml --out demo.https.html\n"
    "  modelcontext test new - < my-program.toml"
)
@click.argument("program", callback=_find, shell_complete=options.complete_programs)
@click.option(
    "--out",
    type=options.NEW_FILE,
    metavar="FILE",
    help=f"Write the test here; the name ends with {ENDING}.  [default: standard output]",
)
@click.option("--title", metavar="SENTENCE", help="The title of the subtest.  [default: the title of the program]")
def command(program: Path, out: Path | None, title: str | None) -> None:
    """Write a test in the format of web-platform-tests from a program.

    PROGRAM is a .toml or .json file, such as one that `modelcontext record` has written, the name of a program or litmus test
    of this project, or - for standard input.

    The test has one subtest: code without a library, and an assertion about the outcome. `modelcontext test FILE` runs it.
    The subtest passes for each outcome that the text allows, and for no other outcome. If the text allows several outcomes,
    the command says so: such a test does not notice a browser in which one of these outcomes never occurs.

    Before the command writes the test, it runs the test on product simulated, under a few schedules. The test must pass.

    Exit code 0: the test is written; 2: the program cannot be read, or cannot be a test of one file.
    """
    if out is not None and not out.name.endswith(ENDING):
        raise click.UsageError(
            f"the API needs a secure context, so the name of a test ends with {ENDING}, and not {out}"
        )
    with exit_on_problems():
        read = _read(program)
        found = allowed_outcomes(read)
        if read.revision != CURRENT.name:
            raise PlainError("the program is for another text: tests can be written only for the current text")
        if not found.complete:
            raise PlainError(f"the search for the allowed outcomes reached its limit of {found.bound} runs")
        outcomes = list(found.outcomes.values())
        text = subtest(read, title or read.title, _place(read), outcomes, None)
        _try_out(text)
        if len(outcomes) > 1:
            warn(f"the text allows {len(outcomes)} outcomes, and the test passes for each of these outcomes")
        if out is None:
            click.echo(text, nl=False)
        else:
            write_whole(out, text)
            click.echo(f"wrote {out}; run it: modelcontext test {out}")


def _read(path: Path) -> Program:
    if str(path) != STANDARD_INPUT:
        return load(path)
    source = "standard input"
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise ProgramError(source, "", "the text is not UTF-8") from None
    return loads_json(text, source) if text.lstrip().startswith("{") else loads_toml(text, source)


def _try_out(text: str) -> None:
    """Run a test in the simulated browser, under a few schedules.

    Raises:
        PlainError: if it does not pass.
    """
    with tempfile.TemporaryDirectory() as folder:
        name = f"new{ENDING}"
        (Path(folder) / name).write_text(text, encoding="utf-8")
        try:
            own = checkout_tree(project_root())
            tree = Tree(Path(folder), own.files, own.folders)
            [test] = find_tests(tree.root, [name])
            with SimulatedSession(tree, make_target(SIMULATED)) as session:
                results = [session.run(test, schedule) for schedule in schedules(SAMPLED)]
        except UnavailableError as error:
            warn(f"the test has not run: {error.reason}; {error.remedy}")
            return
    for result in results:
        if result.status is not FileStatus.OK or not result.subtests or result.passed() < len(result.subtests):
            messages = [result.message, *(one.message for one in result.subtests)]
            said = next((message for message in messages if message), result.status)
            raise PlainError(f"the code of the test does not have the same outcomes as the program: {said}")


def _place(program: Program) -> str:
    """Return the URL of the method that a program is about."""
    done = {step.do for _, step in program.walk()}
    method = next((name for name in _METHODS if name in done), None)
    return f"{PUBLISHED}#dom-modelcontext-{method.lower()}" if method is not None else PUBLISHED
