"""Options that several verbs share."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click
from click.shell_completion import CompletionItem

from modelcontext.ground.checkout import project_root
from modelcontext.ground.files import WriteError, check_writable, check_writable_folder
from modelcontext.ground.problems import UnavailableError
from modelcontext.ground.tables import nearest
from modelcontext.judging.conformance.corpus import CORPORA
from modelcontext.judging.litmus.language import CATALOGUE
from modelcontext.people.cli.configuration import VARIABLES
from modelcontext.people.cli.exit_codes import UNREADABLE, exit_on_problems
from modelcontext.people.cli.output import warn
from modelcontext.running.products import (
    BROWSERS,
    POLYFILL,
    Product,
    ProductOptions,
    Target,
    make_product,
    make_target,
    named_products,
)
from modelcontext.spec.revisions.registry import CURRENT, FILES, REVISIONS, StandIn, from_the_compiler
from modelcontext.spec.specification import SpecificationError

if TYPE_CHECKING:
    from contextlib import ExitStack

F = TypeVar("F", bound=Callable[..., Any])


class UsersText(StandIn, Protocol):
    """A text that a user names."""

    def warnings(self) -> Iterable[str]:
        """Return what a user should know of it before its outcomes."""

    def unclear(self) -> Iterable[str]:
        """Return the steps that are not understood, or have two readings, with their places."""


class _Writable(click.Path):
    """A path that can be written: what takes minutes does not fail at its end."""

    def __init__(self, check: Callable[[Path], None], **given: Any) -> None:
        super().__init__(**given)
        self._check = check

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        try:
            self._check(path)
        except WriteError as error:
            self.fail(str(error), param, ctx)
        return path


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FILE = _Writable(check_writable, dir_okay=False, path_type=Path)
NEW_FOLDER = _Writable(check_writable_folder, file_okay=False, path_type=Path)
REVISION = click.Choice(list(FILES))


def schedule(text: str, option: str) -> list[int]:
    """Return the answers of a schedule that an option gives."""
    try:
        return [int(answer) for answer in text.split(",") if answer.strip()]
    except ValueError:
        raise click.UsageError(
            f"{option} takes numbers with commas between them, such as 0,1,0; not {text!r}"
        ) from None


def programs_by_name() -> dict[str, Path]:
    """Return the programs of the project and its litmus tests, by name."""
    folders = [project_root() / folder for folder in (*CORPORA, CATALOGUE)]
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for folder in reversed(folders)
        for path in folder.rglob("*.toml")
    }


def find_program(ctx: click.Context, param: click.Parameter, value: str) -> Path:
    """Return the path of a program, given this path or the program's name in a corpus or among the litmus tests."""
    if Path(value).suffix or Path(value).exists():
        return Path(value)
    names = programs_by_name()
    if any(name.startswith(f"{value.rstrip('/')}/") for name in names):
        problem = f'"{value}" has many programs: name one, or run all of a folder with `conformance --programs DIR`'
        raise click.BadParameter(problem, ctx, param)
    if value not in names:
        near = get_close_matches(value, names, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"the programs are in {project_root() / CORPORA[0]}"
        raise click.BadParameter(f'there is no file and no program "{value}"; {hint}', ctx, param)
    return names[value]


def complete_programs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the names of programs and litmus tests, and paths."""
    names = [name for name in sorted(programs_by_name()) if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]


def find_programs(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the paths of several programs, each given as for :func:`find_program`."""
    return tuple(find_program(ctx, param, value) for value in values)


@dataclass(frozen=True)
class Chosen:
    """The products to run on: those that are ``named`` or the ``default``, a browser's binary, and scripts to inject."""

    named: tuple[str, ...]
    default: tuple[str, ...]
    binary: str | None
    inject: tuple[Path, ...]

    @property
    def products(self) -> tuple[str, ...]:
        """The names of the products, as :meth:`or_else` gives them for the default."""
        return self.or_else(self.default)

    def or_else(self, default: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the products: those that were named, else the default, with scripts the polyfill for browsers.

        Raises:
            click.UsageError: if no browser is among them for --binary or --inject, or several are for --binary.
        """
        names = self.named or tuple(default)
        if self.inject and not self.named:
            names = (*(name for name in names if name not in named_products(tested=True)), POLYFILL)
        browsers = [name for name in names if name in BROWSERS]
        engines = {make_target(name).engine.title for name in browsers}
        if self.binary is not None and len(engines) > 1:
            raise click.UsageError(
                f"--binary is for one browser, but {' and '.join(browsers)} are several browsers: name one with "
                f"--product"
            )
        scripted = [name for name in names if self.inject and name in named_products(tested=True)]
        for option, value, able in (("--binary", self.binary, browsers), ("--inject", self.inject, scripted)):
            if value and names and not able:
                raise click.UsageError(f"{option} is for a browser, and {' and '.join(names)} is not a browser")
        return names

    def or_kept(self, product: str, binary: str | None, inject: Sequence[str]) -> Chosen:
        """Return the same choice, with these values where there is none."""
        return replace(
            self,
            named=self.named or (product,),
            binary=self.binary or binary,
            inject=self.inject or tuple(map(Path, inject)),
        )

    @property
    def build_options(self) -> tuple[str, ...]:
        """The options that choose a build and scripts, for a command line in any folder."""
        binary = () if self.binary is None else ("--binary", self.binary)
        scripts = [word for path in self.inject for word in ("--inject", str(path.resolve()))]
        return (*binary, *scripts)

    def target(self, name: str) -> Target:
        """Return the target of a chosen browser."""
        return make_target(name, binary=self.binary, inject=self.inject)

    def product(
        self, name: str, port: int, *, in_frames: bool = False, scripts: Sequence[str] = (), seed: int | None = None
    ) -> Product:
        """Return a chosen product; the arguments are those of :class:`ProductOptions`."""
        options = ProductOptions(
            binary=self.binary, inject=self.inject, port=port, in_frames=in_frames, scripts=scripts, seed=seed
        )
        return make_product(name, options)


def launched(stack: ExitStack, product: Product) -> Product:
    """Launch a product until the end of the stack; an :class:`UnavailableError` names the product."""
    try:
        return stack.enter_context(product)
    except UnavailableError as error:
        raise UnavailableError(f"{product.name} is NOTRUN: {error.reason}", error.remedy) from None


def launched_if_possible(stack: ExitStack, products: Sequence[Product]) -> tuple[list[Product], list[UnavailableError]]:
    """Launch products until the end of the stack; return those that run, and why others do not.

    Raises:
        UnavailableError: if none runs.
    """
    running, absent = [], []
    for product in products:
        try:
            running.append(launched(stack, product))
        except UnavailableError as error:
            absent.append(error)
    if absent and not running:
        raise absent[0]
    return running, absent


def show_absent(absent: Iterable[UnavailableError]) -> None:
    """Print why products did not run, on standard error."""
    for error in absent:
        click.echo(f"modelcontext: {error.reason}\n  what to do: {error.remedy}", err=True)


def configured_products(among: Callable[[], Iterable[str]]) -> tuple[str, ...]:
    """Return the products that the environment or the configuration file names, as far as a verb can run them.

    Raises:
        click.UsageError: if there is no such product.
    """
    names = os.environ.get(VARIABLES["products"], "").split()
    for name in names:
        if name not in named_products():
            near = nearest(name, tuple(named_products()))
            raise click.UsageError(f'{VARIABLES["products"]}: there is no product "{name}"{near}')
    return tuple(name for name in names if name in among())


def products(
    *default: str,
    among: Callable[[], Iterable[str]] = named_products,
    several: bool = True,
    configured: bool = False,
) -> Callable[[F], F]:
    """Add the options ``--product``, ``--binary`` and ``--inject``; the command gets a :class:`Chosen` as ``chosen``.

    Args:
        default: the names of the products to use if none is named.
        among: returns the names that can be given; it is called only once a product is named.
        several: the option can be given several times.
        configured: products of the configuration file come before the default.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in among() if name.startswith(incomplete)]

    def check(ctx: click.Context, param: click.Parameter, value: str | tuple[str, ...] | None) -> tuple[str, ...]:
        names = (value,) if isinstance(value, str) else value or ()
        for name in names:
            if name not in among():
                possible = tuple(among())
                browser, _, build = name.partition(":")
                setup = f"; `modelcontext setup {browser} --version {build}` installs a build" if build else ""
                problem = f'"{name}" is none of {", ".join(possible)}{setup or nearest(name, possible)}'
                raise click.BadParameter(problem, ctx, param)
        return tuple(dict.fromkeys(names))

    def decorate(command: F) -> F:
        @wraps(command)
        def run(*args: Any, named: tuple[str, ...], binary: str | None, inject: tuple[Path, ...], **others: Any) -> Any:
            usual = (configured_products(among) if configured else ()) or default
            return command(*args, chosen=Chosen(named, usual, binary, inject), **others)

        words = "The product to run on" + ("; may be given several times." if several else ".")
        options = (
            click.option(
                "--product",
                "named",
                callback=check,
                shell_complete=complete,
                multiple=several,
                metavar="PRODUCT",
                help=f"{words}  [default: {', '.join(default)}]" if default else words,
            ),
            binary,
            click.option(
                "--inject",
                type=FILE,
                multiple=True,
                metavar="FILE",
                help=f"A script to run in each document before the document's own scripts. On product {POLYFILL}, which is "
                "the default with --inject, the script replaces the npm package.",
            ),
        )
        for option in reversed(options):
            run = option(run)
        return run  # type: ignore[return-value]

    return decorate


def _read_shard(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    number, _, count = value.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise click.BadParameter(
            f'"{value}" is not a part of the tests; write, for example, 2/3 for the second of three parts', ctx, param
        )
    return int(number), int(count)


def _read_root(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path:
    if value is not None and not (value / FILES[CURRENT.name].text).is_file():
        text = FILES[CURRENT.name].text
        raise click.BadParameter(f"{value} has no {text}: name a checkout of this project", ctx, param)
    return (value or project_root()).resolve()


binary = click.option(
    "--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]"
)
wpt = click.option(
    "--wpt",
    type=FOLDER,
    metavar="DIR",
    envvar=VARIABLES["wpt"],
    help="Run the tests of this checkout of web-platform-tests, with its own resources.",
)
workers_of_tests = click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="The number of tests that run at a time.  [default: one more than there are processors]",
)
shard = click.option("--shard", callback=_read_shard, default="1/1", metavar="I/N", help="Run only part I of N.")
root = click.option(
    "--root",
    type=FOLDER,
    callback=_read_root,
    help="The checkout to read.  [default: the checkout of the working directory, else of this package]",
)
port = click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port that serves the pages.  [default: any free one]"
)
frames = click.option(
    "--frames",
    is_flag=True,
    help="Run several programs at a time, each in a frame of an open page. This is faster. A program that needs its own page"
    " still gets one.",
)
pyodide = click.option(
    "--pyodide",
    type=FOLDER,
    metavar="DIR",
    help="The folder of the npm package pyodide.  [default: MODELCONTEXT_PYODIDE, else node_modules/pyodide]",
)
workers = click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="The number of processes that run the model.",
)
cluster = click.option("--cluster", metavar="ADDRESS", help="Run the model on the Dask cluster with this scheduler.")
compare = click.option(
    "--compare", type=FILE, metavar="OLD.json", help="Also say what is new, changed or fixed since these results."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
one_revision = click.option(
    "--revision", type=REVISION, default=CURRENT.name, show_default=True, help="The revision of the specification."
)


def words_of_text(text: str, glosses: Sequence[Path]) -> str:
    """Return the options ``--text`` and ``--gloss`` for a command line in the same folder, after a space."""
    return f" {shlex.join(['--text', text, *(word for path in glosses for word in ('--gloss', str(path)))])}"


def text(command: F) -> F:
    """Add the options ``--text`` and ``--gloss``: another text stands in for the current revision while the command runs.

    The command gets ``by_text``, which is true then.
    """

    @wraps(command)
    def run(*args: Any, text: str | None, glosses: tuple[Path, ...], **others: Any) -> Any:
        if text is None:
            if glosses:
                raise click.UsageError("--gloss is a patch of the text of --text: give both.")
            return command(*args, by_text=False, **others)
        if others.get("revision", CURRENT.name) not in (None, CURRENT.name):
            raise click.UsageError("--text replaces the current revision: leave out --revision.")
        if others.get("cluster") is not None:
            raise click.UsageError("the workers of a cluster do not have the text of --text: use --workers.")
        with exit_on_problems(codes={SpecificationError: UNREADABLE}):
            other: UsersText = from_the_compiler("read")(text, glosses)
            words = other.words
        for problem in other.warnings():
            warn(problem)
        if not others.get("as_json"):
            click.echo(words)
        with REVISIONS.standing_in(CURRENT.name, other):
            return command(*args, by_text=True, **others)

    for option in (
        click.option(
            "--gloss",
            "glosses",
            type=FILE,
            multiple=True,
            metavar="FILE",
            help="A patch of the text of --text: a diff or a patch by steps; may be given several times.",
        ),
        click.option(
            "--text",
            metavar="FILE",
            help="Use this text instead of the current revision: a Bikeshed source, a folder with an index.bs, REV:path in "
            "the git repository of the working directory, or a patch of the project's own text.",
        ),
    ):
        run = option(run)
    return run  # type: ignore[return-value]
