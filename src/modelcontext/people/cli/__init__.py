"""The command line: ``modelcontext VERB``.

Each verb is a module of this package with a click command named ``command``, or an entry point of another distribution. It
is imported only when it is called, so that ``modelcontext spec check`` needs no browser library, and ``modelcontext --help``
needs click only.
"""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING

from modelcontext.ground.checkout import PACKAGE, checkout_of_other_code
from modelcontext.ground.problems import missing_extra

if TYPE_CHECKING:
    import click

VERBS = {
    "run": "run programs on products, and say whether the specification allows the outcomes",
    "conformance": "run all programs and tests on every product, and print the conformance matrix",
    "test": "run tests in the format of web-platform-tests",
    "fuzz": "run generated programs on a product, and shrink those that find a deviation",
    "findings": "write FINDINGS.md from the findings of fuzzing",
    "litmus": "enumerate, explain, promote and sample the outcomes of programs with a race",
    "properties": "check what clients of page tools may rely on, under every schedule",
    "trace": "run one program in the model, and print each step of the specification",
    "js": "run a page of JavaScript in the simulated browser, under one schedule or many",
    "forms": "check the forms of a page that are tools",
    "mcp": "serve a page's tools to clients of the Model Context Protocol",
    "page": "build a folder that makes the model the API of a real page",
    "playground": "step through programs in a page, with the specification beside them",
    "agent": "bring the tools of a page to a language model, and its calls back",
    "setup": "install the browsers that this machine lacks",
    "spec": "build, check and compare the specification",
}

#: The distributions that bring verbs: each names their commands in the group of entry points ``modelcontext.verbs``.
DISTRIBUTIONS = {"agent": "modelcontext-agent", "mcp": "modelcontext-agent"}


def main() -> None:
    """Run the command line; the exit code is 0 for pass, 1 for findings, 2 for usage or environment."""
    try:
        _group()()
    except ModuleNotFoundError as error:
        problem = missing_extra(error)
        if problem is None:
            raise
        print(f"modelcontext: this {problem}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as end:
        if end.code == 130:
            # Libraries that an interrupt has stopped half-way complain while the process ends, of what ends with it.
            sys.unraisablehook = lambda _: None
        raise


def _load(verb: str) -> object:
    """Import a verb. An absent distribution is a ModuleNotFoundError."""
    if verb not in DISTRIBUTIONS:
        return importlib.import_module(f"modelcontext.people.cli.{verb}").command
    from importlib.metadata import distribution  # It takes long to import, and most verbs need none.

    [entry_point] = distribution(DISTRIBUTIONS[verb]).entry_points.select(group="modelcontext.verbs", name=verb)
    return entry_point.load()


def _group() -> click.Group:
    import click

    class LazyGroup(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:
            return list(VERBS)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in VERBS:
                return None
            # Modules stay: the garbage collector need not look at them, neither while they are made nor later.
            gc.disable()
            try:
                command = _load(cmd_name)
            finally:
                gc.freeze()
                gc.enable()
            assert isinstance(command, click.Command)
            return command

        def invoke(self, ctx: click.Context) -> object:
            if (other := checkout_of_other_code()) is not None:
                click.echo(
                    f"modelcontext: warning: the texts and tests are those of {other}, but the code that runs is that of"
                    f" {PACKAGE}; install the package of that folder, or set PYTHONPATH={other / 'src'}",
                    err=True,
                )
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                click.echo("modelcontext: interrupted", err=True)
                sys.exit(130)

        def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
            with formatter.section("Verbs"):
                formatter.write_dl(list(VERBS.items()))

    group = LazyGroup("modelcontext", help="The reference implementation of Web Model Context.")
    return click.version_option(package_name="modelcontext", message="%(prog)s %(version)s")(group)
