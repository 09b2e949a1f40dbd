"""``modelcontext properties``: what clients of page tools may rely on, under every schedule and with every adversary."""

from __future__ import annotations

import dataclasses
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from modelcontext.ground.checkout import path_in, project_root, require_checkout
from modelcontext.ground.files import read_text, write_whole
from modelcontext.ground.problems import UnavailableError
from modelcontext.ground.words import counted
from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.cells import PropertyCell, cells_of
from modelcontext.judging.clients.checking import BOUND, Space, check_all
from modelcontext.judging.clients.counterexamples import find_counterexample
from modelcontext.judging.clients.live import Live, play_live
from modelcontext.judging.clients.liveness import BOUND as LIVENESS_BOUND
from modelcontext.judging.clients.liveness import MOST_ACTIONS, LivenessVerdict, cases, liveness_verdicts
from modelcontext.judging.clients.npm_servers import PACKAGES
from modelcontext.judging.clients.packages import SEEN_FROM_OUTSIDE, PackageRun, play_package
from modelcontext.judging.clients.playing import playable
from modelcontext.judging.clients.properties import PROPERTIES
from modelcontext.judging.clients.report import PROGRAMS, PROPOSALS, REPORT, files, story
from modelcontext.judging.clients.seen import SeenLive, read_seen, save_seen
from modelcontext.judging.conformance.pools import local_pool
from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.people.cli import command_of, options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verbs
from modelcontext.people.cli.litmus_tests import show_lost
from modelcontext.people.cli.output import one_bar, print_json
from modelcontext.running.products.registry import make_product
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from modelcontext.judging.clients.adversaries import Adversary
    from modelcontext.judging.clients.catalogue import ClientProfile
    from modelcontext.judging.clients.counterexamples import Counterexample

_bound = click.option(
    "--bound",
    default=BOUND,
    show_default=True,
    type=click.IntRange(min=1),
    help="The limit of runs for one client with one adversary.",
)
#: The browser in which counterexamples are played.
LIVE = "chromium"


class _OrFile(click.Choice[str]):
    """A name out of several, or a file of Python."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or the path of the file."""
        return value if str(value).endswith(".py") else super().convert(value, param, ctx)


_client = _OrFile(list(CLIENTS))
_property = click.Choice(list(PROPERTIES))


@verbs()
def command() -> None:
    """Check which properties each client of page tools keeps, with every adversary and under every schedule."""


@command.command(
    epilog="\b\nExamples:\n  modelcontext properties check --client agent-host\n  modelcontext properties check --workers 2"
)
@click.option(
    "--client",
    "clients",
    type=_client,
    multiple=True,
    help="Only this client (a name, or a .py file with a client); may be repeated.",
)
@click.option("--property", "properties", type=_property, multiple=True, help="Only this property; may be repeated.")
@click.option(
    "--adversary",
    "names",
    multiple=True,
    help="Only this adversary (a name, or a .py file with an adversary); may be repeated.",
)
@click.option(
    "--issue",
    "issues",
    type=int,
    multiple=True,
    metavar="N",
    help="Check the text with the proposed change of this Issue; may be repeated.",
)
@click.option("--live", is_flag=True, help="Play the counterexamples in Chromium, steered by their schedules.")
@click.option(
    "--repeat",
    default=10,
    show_default=True,
    type=click.IntRange(min=1),
    help="With --live, the number of runs of each counterexample.",
)
@click.option(
    "--packages",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help=f"With --live, run the real packages of {', '.join(PACKAGES)} from this folder, where npm has installed them.",
)
@click.option("--save", is_flag=True, help="With --live, keep the results for `properties report` in a checkout.")
@_bound
@options.workers
@options.as_json
@options.text
def check(
    clients: tuple[str, ...],
    properties: tuple[str, ...],
    names: tuple[str, ...],
    issues: tuple[int, ...],
    live: bool,
    repeat: int,
    packages: Path | None,
    save: bool,
    bound: int,
    workers: int,
    as_json: bool,
    by_text: bool,
) -> None:
    """Explore all runs of each client with each adversary, and say which properties always hold.

    With --issue, the command uses the text with the proposed change of the Issue. `modelcontext spec issues --markdown N`
    shows this change.

    docs/python.md explains how to write a client or an adversary in Python, which needs the extra explore.

    With --live the command plays the smallest counterexample of each client and property in a browser, and counts the runs
    that show the breach. It leaves out clients that a script cannot replace. With --packages, the real clients run, and the
    page changes after a client has listed the tools.

    After an interrupt the command shows its results so far.

    Exit code 0: no client breaks a property; 1: a client does; 2: wrong usage, or a search reached its limit without a breach;
    130: interrupted.
    """
    unknown = [name for name in names if name not in adversaries() and not name.endswith(".py")]
    if unknown:
        raise click.UsageError(f'there is no adversary "{unknown[0]}"; there are {", ".join(adversaries())}')
    if by_text and (issues or live):
        raise click.UsageError("--issue and --live need the project's own text: leave out --text.")
    if issues and live:
        raise click.UsageError("--live uses the text without changes: leave out --issue.")
    if save and not live:
        raise click.UsageError("--save stores the results of a browser: give --live.")
    interruption = Interruption()
    with exit_on_problems():
        if save:
            require_checkout(project_root(), "`--save`")
        chosen = clients or tuple(CLIENTS)
        against = names or tuple(adversaries())
        spaces = _spaces(chosen, against, properties, bound, workers, _proposed(issues), interruption)
    if live and not interruption.happened:
        if packages is not None:
            _check_packages(spaces, packages, bound, save=save, as_json=as_json)
        _check_live(spaces, repeat, bound, save=save, as_json=as_json)
    missing = f"it had explored {len(spaces)} of {counted(len(chosen) * len(against), 'space')}"
    cells = cells_of(spaces)
    is_cut = any(cell.undecided for cell in cells.values())
    code = FOUND if any(cell.broken for cell in cells.values()) else USAGE if is_cut else 0
    if as_json:
        print_json(
            {"bound": bound, "spaces": [_to_json(space) for space in spaces], "interrupted": interruption.happened}
        )
        interruption.end(missing)
        sys.exit(code)
    show_lost({f"{space.client}, {space.adversary}": space.lost for space in spaces if space.lost is not None})
    complete = sum(1 for space in spaces if space.complete)
    click.echo(f"spaces: {len(spaces)}, complete: {complete}; runs: {sum(space.runs for space in spaces):,}")
    for (client, name), cell in cells.items():
        click.echo(f"{client}: {name}: {cell.words}")
        if cell.broken:
            adversary, words = cell.smallest
            click.echo(f"    {adversary}: {words}")
        click.echo("".join(_gaps_in_words(cell)), nl=False)
    interruption.end(missing)
    sys.exit(code)


def _gaps_in_words(cell: PropertyCell) -> Iterator[str]:
    for gap, count in cell.gaps.items():
        traces = counted(count, "trace breaks", "traces break")
        yield f"    {gap}: {traces} it in a way that no client can exclude (docs/agents.md, the two gaps)\n"


def _check_live(spaces: Sequence[Space], repeat: int, bound: int, *, save: bool, as_json: bool) -> NoReturn:
    """Play the counterexamples in a browser, with scripts for the clients."""
    played: list[Live] = []
    interruption = Interruption()
    with exit_on_problems(), ExitStack() as stack:
        product = options.launched(stack, make_product(LIVE))
        version = product.version
        stack.enter_context(interruption.kept())
        for found in _counterexamples(spaces, bound, lambda client, name: PROPERTIES[name].is_about_runs):
            with one_bar(f"{found.client}: {found.property}", repeat) as advance:
                played.append(play_live(_profile(found.client), found, product, repeat, advance))
            if not as_json:
                click.echo(_told(found, played[-1].in_words()))
            if save and played[-1].runs:
                _save(found, f"script in {LIVE} {version}", played[-1])
    shown = sum(1 for one in played if one.hits)
    _end(played, shown, f"{LIVE} {version}", interruption, as_json=as_json)


def _check_packages(spaces: Sequence[Space], folder: Path, bound: int, *, save: bool, as_json: bool) -> NoReturn:
    """Play the counterexamples with the real packages of the clients."""
    played: list[PackageRun] = []
    interruption = Interruption()

    def is_played(client: str, name: str) -> bool:
        return client in PACKAGES and (PROPERTIES[name].is_about_runs or name in SEEN_FROM_OUTSIDE)

    with exit_on_problems(), interruption.kept():
        for found in _counterexamples(spaces, bound, is_played):
            try:
                played.append(play_package(found, folder))
            except UnavailableError as error:
                raise UnavailableError(f"{found.client} is NOTRUN: {error.reason}", error.remedy) from None
            if save:
                _save(found, played[-1].package, played[-1])
            if not as_json:
                click.echo(_told(found, f"{played[-1].package}: {played[-1].in_words()}"))
    _end(played, sum(1 for one in played if one.is_shown), "the real packages", interruption, as_json=as_json)


def _counterexamples(
    spaces: Sequence[Space], bound: int, is_played: Callable[[str, str], bool]
) -> Iterator[Counterexample]:
    """Yield the smallest counterexample of each client and property that is broken, as far as it can be played."""
    for (client, name), cell in cells_of(spaces).items():
        if cell.broken and is_played(client, name):
            found = find_counterexample(_profile(client), [_adversary(cell.smallest[0])], name, bound=bound)
            assert found is not None
            yield found


def _save(found: Counterexample, by: str, played: Live | PackageRun) -> None:
    save_seen(project_root(), [SeenLive(found.client, found.property, found.adversary, by, played.in_words())])


def _told(found: Counterexample, result: str) -> str:
    return f"{found.client}: {found.property} ({found.adversary}): {result}\n    {found.breach}"


def _end(
    played: Sequence[Live | PackageRun], shown: int, where: str, interruption: Interruption, *, as_json: bool
) -> NoReturn:
    if as_json:
        examples = [dataclasses.asdict(one) for one in played]
        print_json({"with": where, "counterexamples": examples, "interrupted": interruption.happened})
    else:
        click.echo(f"seen with {where}: {shown} of {counted(len(played), 'counterexample')}")
    interruption.end("it did not play the other counterexamples")
    sys.exit(FOUND if shown else 0)


@command.command(epilog="\b\nExample:\n  modelcontext properties explain persona approval-covers-the-call")
@click.argument("client", type=_client)
@click.argument("property_", metavar="PROPERTY", type=_property)
@_bound
@options.text
def explain(client: str, property_: str, bound: int, by_text: bool) -> None:
    """Show the smallest run in which CLIENT breaks PROPERTY, and mark the action after which every run breaks it.

    Exit code 0: the client keeps the property; 1: the client breaks it; 2: wrong usage, or a search reached its limit
    without a breach.
    """
    with exit_on_problems():
        found = find_counterexample(_profile(client), adversaries().values(), property_, bound=bound)
        spaces = [] if found is not None else _spaces((client,), tuple(adversaries()), (property_,), bound, 1)
    cut = sum(1 for space in spaces if not space.complete)
    if cut:
        click.echo(
            f"undecided: {cut} of {counted(len(spaces), 'space')} reached the limit of {counted(bound, 'run')};"
            " give a larger --bound"
        )
        sys.exit(USAGE)
    if found is None:
        cell = cells_of(spaces)[client, property_]
        but = " except for breaches that no client can exclude" if cell.gaps else ""
        click.echo(
            f"{client} does not break {property_} in any space{but};"
            f" the property depends on {PROPERTIES[property_].rests_on}"
        )
        click.echo("".join(_gaps_in_words(cell)), nl=False)
        return
    click.echo(f"{PROPERTIES[property_].says}\n{found.adversary}: {found.breach}")
    click.echo("\n".join(line.replace("**", "") for line in story(found)))
    click.echo(
        f"decisive: {found.decisive}; {counted(found.before, 'trace was', 'traces were')} possible before this point"
    )
    play = playable(_profile(client), found)
    if play is not None:
        click.echo(f"\n# schedule: {play.text or '(first in, first out)'}\n{play.program.dumps_toml()}", nl=False)
    sys.exit(FOUND)


@command.command()
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit code 1 if a file is out of date.")
@options.workers
@options.root
def report(only_check: bool, workers: int, root: Path) -> None:
    """Write docs/agents.md, and the programs that it links to.

    Exit code 0: done; 1: with --check, a file is not up to date; 2: wrong usage.
    """
    with exit_on_problems():
        if not only_check:
            require_checkout(root, "`properties report`")
        # What cannot be read is told before minutes of exploration.
        if not path_in(root, REPORT).parent.is_dir():
            raise click.UsageError(
                f"{root} has no folder {REPORT.parent}: name a checkout of this project with --root."
            )
        seen = read_seen(root)
        places = (path_in(root, REPORT), *path_in(root, PROGRAMS).glob("*.toml"))
        before = {place.relative_to(root): read_text(place) for place in places if place.exists()}
        everything = (tuple(CLIENTS), tuple(adversaries()), (), BOUND, workers)
        mended = {issue: _spaces(*everything, _proposed((issue,))) for issue in PROPOSALS}
        written = files(_spaces(*everything), mended, seen)
        old = before.keys() - written.keys()
        stale = [path for path, text in written.items() if before.get(path) != text]
        if not only_check:
            for path in stale:
                write_whole(path_in(root, path), written[path])
                click.echo(f"wrote {path}")
            for path in old:
                path_in(root, path).unlink()
                click.echo(f"removed {path}")
    if only_check and (stale or old):
        click.echo("run `modelcontext properties report`: " + ", ".join(map(str, [*stale, *sorted(old)])), err=True)
        sys.exit(FOUND)


@command.command(epilog="\b\nExample:\n  modelcontext properties liveness --actions 3 --workers 2")
@click.option(
    "--actions",
    default=MOST_ACTIONS,
    show_default=True,
    type=click.IntRange(1, MOST_ACTIONS),
    help="The largest number of racing actions in a program.",
)
@click.option(
    "--bound",
    default=LIVENESS_BOUND,
    show_default=True,
    type=click.IntRange(min=1),
    help="The limit of runs for one program.",
)
@options.workers
@options.as_json
@options.text
def liveness(actions: int, bound: int, workers: int, as_json: bool, by_text: bool) -> None:
    """List the small programs that can leave a promise pending forever, by cause.

    The command also counts the programs that can still leave a promise pending after these causes are fixed. With --text
    the command does not name causes.

    After an interrupt the command shows its results so far.

    Exit code 0: no program can leave a promise pending forever; 1: a program can; 2: wrong usage, or the search of a
    program reached its limit; 130: interrupted.
    """
    every = list(cases(actions))
    interruption = Interruption()
    verdicts = []
    with exit_on_problems(), interruption.kept(), ExitStack() as stack:
        pool = stack.enter_context(local_pool(workers)) if workers > 1 else None
        advance = stack.enter_context(one_bar("exploring", len(every)))
        for verdict in liveness_verdicts(every, bound=bound, pool=pool):
            verdicts.append(verdict)
            advance(1)
    lasting = [verdict for verdict in verdicts if verdict.pending]
    lost = {verdict.case.words: verdict.lost for verdict in verdicts if verdict.lost is not None}
    cut = [verdict.case.words for verdict in verdicts if not verdict.complete and verdict.lost is None]
    code = USAGE if cut or lost else FOUND if lasting else 0
    missing = f"it had explored {len(verdicts):,} of {counted(len(every), 'program')}"
    if as_json:
        pending = [dataclasses.asdict(one) for one in lasting]
        about = {"programs": len(verdicts), "cut off": cut, "not_explored": lost, "pending": pending}
        print_json({**about, "interrupted": interruption.happened})
        interruption.end(missing)
        sys.exit(code)
    click.echo(
        f"{counted(len(verdicts), 'program')}, {len(cut)} of them cut off; {len(lasting):,} can leave a promise pending"
        " forever"
    )
    cause_of = _cause if not by_text else lambda _: "by this text"
    for cause in sorted({cause_of(verdict) for verdict in lasting}):
        found = [verdict for verdict in lasting if cause_of(verdict) == cause]
        click.echo(f"{cause}: {len(found):,}")
        for verdict in found:
            click.echo(f"  {verdict.case.words} ({', '.join(verdict.pending)})")
    if not by_text:
        after = sum(1 for verdict in verdicts if verdict.after_mending)
        click.echo(f"programs that can do so after these Issues are fixed: {after}")
    for words in cut:
        click.echo(f"undecided, because the search reached {counted(bound, 'run')}: {words}")
    show_lost(lost)
    interruption.end(missing)
    sys.exit(code)


def _cause(verdict: LivenessVerdict) -> str:
    return "no known Issue" if verdict.causes is None else " and ".join(f"Issue {issue}" for issue in verdict.causes)


def _spaces(
    clients: Sequence[str],
    names: Sequence[str],
    properties: Sequence[str],
    bound: int,
    workers: int,
    readings: tuple[str, ...] = (),
    interruption: Interruption | None = None,
) -> list[Space]:
    """Return the spaces of clients and adversaries, or those that were explored before an interrupt."""
    chosen = [_adversary(name) for name in names]
    spaces = []
    with interruption.kept() if interruption is not None else nullcontext(), ExitStack() as stack:
        pool = stack.enter_context(local_pool(workers)) if workers > 1 else None
        advance = stack.enter_context(one_bar("exploring", len(clients) * len(chosen)))
        profiles = [_profile(name) for name in clients]
        for space in check_all(profiles, chosen, properties, bound=bound, readings=readings, pool=pool):
            spaces.append(space)
            advance(1)
    return spaces


def _profile(client: str) -> ClientProfile:
    """Return the client of a name, or the one in a file."""
    if client in CLIENTS:
        return CLIENTS[client]
    profile: ClientProfile = command_of("modelcontext-explore", "properties.client")(Path(client))
    return profile


def _adversary(name: str) -> Adversary:
    """Return the adversary of a name, or the one in a file."""
    if name in adversaries():
        return adversaries()[name]
    adversary: Adversary = command_of("modelcontext-explore", "properties.adversary")(Path(name))
    return adversary


def _proposed(issues: Sequence[int]) -> tuple[str, ...]:
    """Return the readings that some Issues of the text propose."""
    dossiers = read_dossiers(project_root(), CURRENT)
    known = {number: dossier.proposed for number, dossier in dossiers.items() if dossier.proposed}
    for issue in issues:
        if issue not in known:
            numbers = ", ".join(map(str, sorted(known)))
            raise click.UsageError(f"Issue {issue} has no proposed change that runs; these Issues have one: {numbers}.")
    return tuple(known[issue] for issue in issues)


def _to_json(space: Space) -> dict[str, Any]:
    return dataclasses.asdict(space)
