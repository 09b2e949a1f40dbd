"""The command line: ``modelcontext VERB``.

Each verb is a module of this package with a click command named ``command``, or an entry point of another distribution. A
verb may have two words, of which the first is a verb too: ``modelcontext test new``. A verb is imported only when it is
called, so that ``modelcontext spec check`` needs no browser library, and ``modelcontext --help`` needs click only.
"""

from __future__ import annotations

import gc
import importlib
import io
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.ground.checkout import PACKAGE, checkout_of_other_code
from modelcontext.ground.problems import UserError, missing_extra, shortened

if TYPE_CHECKING:
    import click

#: The verbs by who asks.
READERS = {
    "For everybody": {
        "run": "run programs on products, and say whether the specification allows the outcomes",
        "trace": "run one program in the model, and print each step of the specification",
        "playground": "step through programs in a page, with the specification beside them",
        "site": "write the specification as a site: each step with its tests, programs, deviations and Issues",
        "setup": "install the browsers that this machine lacks",
    },
    "For editors of the specification": {
        "spec": "build, check, compare and lint the specification",
    },
    "For makers of browsers": {
        "conformance": "run all programs and tests on every product, and print the conformance matrix",
        "test": "run tests in the format of web-platform-tests",
        "test new": "write a test in the format of web-platform-tests from a program",
        "bisect": "find the builds of a browser that show each outcome of a program or test",
        "compare": "compare two results of tests, with one line for each cause",
        "audit": "find the tests that are wrong: compare each subtest with the specification",
        "fuzz": "run generated programs on a product, and shrink programs that show a deviation",
        "findings": "turn the findings of fuzzing into reports of defects, each with a page that shows the defect",
        "record": "record how a live page uses the API, and say whether the specification allows what the browser did",
    },
    "For authors of pages and agents": {
        "js": "run a page of JavaScript in the simulated browser, under one schedule or many",
        "forms": "check the forms that a page offers as tools",
        "page": "write the files with which a real page can use the model as its WebMCP API",
        "mcp": "serve a page's tools to clients of the Model Context Protocol",
        "agent": "offer the tools of a page to a language model, and run the model's calls in the page",
    },
    "For researchers": {
        "litmus": "list the outcomes that a race can have, explain them, and count them in browsers",
        "properties": "check which properties hold for clients of page tools, under every schedule",
    },
}
VERBS = {name: words for verbs in READERS.values() for name, words in verbs.items()}

#: The distributions that bring verbs: each names their commands in the group of entry points ``modelcontext.verbs``.
DISTRIBUTIONS = {
    **dict.fromkeys(("agent", "mcp"), "modelcontext-agent"),
    **dict.fromkeys(("bisect", "compare"), "modelcontext-builds"),
    "fuzz": "modelcontext-fuzz",
    **dict.fromkeys(("findings", "test new"), "modelcontext-filing"),
    "site": "modelcontext-site",
    "record": "modelcontext-record",
}


def main() -> None:
    """Run the command line; the module ``exit_codes`` has the table of the codes."""
    try:
        sys.exit(_exit_code())
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


def load_verb(verb: str) -> click.Command:
    """Import a verb. An absent distribution is a ModuleNotFoundError."""
    command: click.Command
    if verb not in DISTRIBUTIONS:
        command = importlib.import_module(f"modelcontext.people.cli.{verb}").command
    else:
        command = command_of(DISTRIBUTIONS[verb], verb.replace(" ", "."))
    return command


def command_of(distribution: str, name: str) -> Any:
    """Import the command that a distribution calls ``name``. An absent distribution is a ModuleNotFoundError."""
    from importlib import metadata  # It takes long to import, and most verbs need none.

    [entry_point] = metadata.distribution(distribution).entry_points.select(group="modelcontext.verbs", name=name)
    return entry_point.load()


def is_installed(distribution: str) -> bool:
    """Return whether a distribution is installed."""
    from importlib import metadata

    return any(metadata.Distribution.discover(name=distribution))


def _exit_code() -> str | int | None:
    import click

    from modelcontext.people.cli.streams import OutputError, end_without_output, guard_streams

    guard_streams()
    code: str | int | None
    try:
        try:
            result = _group().main(standalone_mode=False)
            code = result if isinstance(result, int) else 0
        except click.ClickException as error:
            shown = io.StringIO()
            error.show(shown)
            click.echo("\n".join(map(shortened, shown.getvalue().splitlines())), err=True)
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            click.echo("modelcontext: interrupted", err=True)
            code = 130
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
    except OutputError as error:
        end_without_output(error)
    except UserError as error:
        click.echo(f"modelcontext: {shortened(str(error))}", err=True)
        code = 2
    return code


def _group() -> click.Group:
    import click
    from click.shell_completion import CompletionItem

    from modelcontext.people.cli.configuration import configure

    class LazyGroup(click.Group):
        def list_commands(self, ctx: click.Context) -> list[str]:
            return list(VERBS)

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in VERBS:
                return None
            # Modules stay: the garbage collector need not look at them, neither while they are made nor later.
            gc.disable()
            try:
                command = load_verb(cmd_name)
            finally:
                gc.freeze()
                gc.enable()
            return command

        def invoke(self, ctx: click.Context) -> object:
            asks_for_help = not {"-h", "--help"}.isdisjoint(ctx.args)
            if not asks_for_help and (other := checkout_of_other_code()) is not None:
                click.echo(
                    f"modelcontext: warning: the texts and tests come from {other}, but the code that runs comes from"
                    f" {PACKAGE}; install the package of that folder, or set PYTHONPATH={other / 'src'}",
                    err=True,
                )
            configure(Path.cwd())
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                # Here and not in click, which breaks the line first.
                click.echo("modelcontext: interrupted", err=True)
                sys.exit(130)

        def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
            # Without importing each verb for its help.
            if incomplete[:1] == "-":
                return super().shell_complete(ctx, incomplete)
            words = ((name, help) for name, help in VERBS.items() if " " not in name)
            return [CompletionItem(name, help=help) for name, help in words if name.startswith(incomplete)]

        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            if " ".join(args[:2]) in VERBS:
                args = [" ".join(args[:2]), *args[2:]]
            if args[0] not in VERBS and args[0][:1] != "-" and not ctx.resilient_parsing:
                near = get_close_matches(args[0], VERBS)
                hint = f"did you mean {' or '.join(near)}?" if near else "`modelcontext --help` lists the verbs"
                ctx.fail(f'there is no verb "{args[0]}"; {hint}')
            return super().resolve_command(ctx, args)

        def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
            for reader, verbs in READERS.items():
                with formatter.section(reader):
                    formatter.write_dl(list(verbs.items()))

    group = LazyGroup(
        "modelcontext",
        help="The reference implementation of Web Model Context. Each verb has its own help.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    return click.version_option(package_name="modelcontext", message="%(prog)s %(version)s")(group)
