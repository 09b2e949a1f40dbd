"""``modelcontext spec try``: the outcomes that another text changes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

import click

from modelcontext.ground.checkout import path_in, project_root
from modelcontext.ground.tables import nearest
from modelcontext.ground.words import counted
from modelcontext.judging.conformance.corpus import read_case, read_corpus
from modelcontext.judging.conformance.pools import local_pool
from modelcontext.judging.impact import HistoryError, changes_between, committed
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, UNREADABLE, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json, warn
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.other_text import read_other_text
from speclint.text.source import read_source
from speclint.text.source import read_text as read_text_source

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext_prose.consequences import Effect
    from modelcontext_prose.other_text import OtherText
    from modelcontext_prose.trial import ChangedOutcome, Trial

#: The names of a change of a property in JSON.
_CELL: Final = ("client", "property", "before", "after")
#: Changed steps that are printed; a text of other people has hundreds.
_MOST_STEPS: Final = 30
#: Letters of a changed step that are printed.
_WIDTH: Final = 160


def _find(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the paths of programs, each given by its path, its name, or the name of its family."""
    own = [project_root() / folder for folder in (CURRENT.programs, CATALOGUE)]
    names = {name: path for name, path in options.programs_by_name().items() if any(map(path.is_relative_to, own))}
    families = sorted({name.partition("/")[0] for name in names})
    found: list[Path] = []
    for value in values:
        family = [path for name, path in sorted(names.items()) if name.startswith(f"{value.rstrip('/')}/")]
        if Path(value).exists() or Path(value).suffix or value in names:
            found.append(options.find_program(ctx, param, value))
        elif family:
            found += family
        else:
            near = nearest(value, [*families, *names]) or f"; the families are {', '.join(families)}"
            raise click.BadParameter(f'there is no program and no family "{value}"{near}', ctx, param)
    return tuple(dict.fromkeys(found))


@verb(
    name="try",
    epilog="\b\nExamples:\n  modelcontext spec try change.patch\n  modelcontext spec try HEAD~1:index.bs\n"
    "  modelcontext spec try ~/webmcp results/undefined cancellation\n"
    "  modelcontext spec try --commits ~/webmcp --last 5",
)
@click.argument("other", required=False)
@click.argument("programs", nargs=-1, callback=_find, shell_complete=options.complete_programs)
@click.option(
    "--gloss",
    "glosses",
    type=options.FILE,
    multiple=True,
    metavar="FILE",
    help="A patch of OTHER: a diff or a patch by steps; may be given several times.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    metavar="N",
    help="The number of processes that run the model.  [default: the number of processors]",
)
@click.option(
    "--known",
    type=options.FILE,
    metavar="FILE",
    help="A table of Issues that explain differences. The command reports each difference without a row, and each row"
    " without a difference.",
)
@click.option(
    "--commits",
    metavar="REPO|FOLDER",
    type=click.Path(path_type=Path),
    help="Print a table that compares each commit of this git repository with the previous commit. OTHER is then the path of"
    " the text there.  [default: index.bs]  With a FOLDER, the table compares its texts (named by date, as 2026-05-20.bs).",
)
@click.option("--last", type=click.IntRange(min=1), help="With --commits: the number of commits.  [default: 20]")
@click.option(
    "--range", "between", metavar="A..B", help="With --commits: the commits after A, up to B.  [default: up to HEAD]"
)
@click.option(
    "--properties",
    is_flag=True,
    help="Also compare the properties of clients (see `properties check`). This takes some minutes.",
)
@options.as_json
@options.root
def try_(
    other: str | None,
    programs: tuple[Path, ...],
    glosses: tuple[Path, ...],
    workers: int | None,
    known: Path | None,
    commits: Path | None,
    last: int | None,
    between: str | None,
    properties: bool,
    as_json: bool,
    root: Path,
) -> None:
    """Try another text: show which outcomes of programs and litmus tests appear or disappear with it.

    OTHER is a patch of the project's text, a Bikeshed source, a folder with an index.bs, or REV:path in the git repository of
    the working directory. PROGRAMS are names or paths of programs and litmus tests, or names of their families, such as
    cancellation. Without PROGRAMS all are tried.

    The output begins with the steps that the compiler does not understand or can read in two ways, the steps that the other
    text changes, the totals, and the new value that most programs have. Below each program are its differences: "~" replaces
    an outcome, "+" is a new outcome, "-" is an outcome that disappears. Each outcome belongs to one of the two texts. Below
    the outcome are the steps of its run that the other text does not have, and a command that shows the whole run. At the
    end are the promises that can stay pending only with one of the texts, and the products whose known outcomes get a
    different verdict.

    The command explores the programs with the project's own text once, and stores the outcomes in build/explored. It skips
    each program that reaches no changed step.

    With --commits each row is a commit that changes the text. The row counts the steps and algorithms that the compiler
    understands, the programs whose outcomes differ from the previous commit, the programs that have a result for the first
    time, and the programs without a result.

    Exit code 0: no outcome changes, or each change is known; 1: other changes; 2: a program reaches a step that the
    compiler does not understand, or a search reached its limit; 3: OTHER cannot be read; 130: interrupted.
    """
    from modelcontext.judging.conformance.explored import Explorations
    from modelcontext_prose.consequences import read_products
    from modelcontext_prose.difference import difference
    from modelcontext_prose.explained import issue_of, outdated, read_explanations
    from modelcontext_prose.told import Teller, summary
    from modelcontext_prose.trial import try_all

    if commits is None and (last is not None or between is not None):
        raise click.UsageError("--last and --range go with --commits")
    if commits is not None:
        if glosses or known is not None or properties:
            raise click.UsageError("--gloss, --known and --properties need one text: leave out --commits")
        from modelcontext_prose.history_table import show_history

        with exit_on_problems(codes={HistoryError: USAGE}, as_json=as_json):
            tried = _named(programs) if programs else _everything(root)
            show_history(
                commits,
                Path(other or "index.bs"),
                last,
                between,
                path_in(root, CURRENT.text),
                tried,
                workers or os.cpu_count() or 1,
                as_json=as_json,
            )
    if other is None:
        raise click.UsageError("name the other text, or a repository with --commits")
    interruption = Interruption()
    changed: dict[str, Trial] = {}
    told: list[str] = []
    issues: dict[str, int] = {}
    effects: dict[str, Sequence[tuple[str, Effect]]] = {}
    count = workers or os.cpu_count() or 1
    with exit_on_problems(codes={SpecificationError: UNREADABLE}, as_json=as_json), ExitStack() as stack:
        text, words = read_other_text(other, glosses, root), options.words_of_text(other, glosses)
        explanations = read_explanations(known) if known is not None else []
        products, teller = read_products(root), Teller(words)
        for problem in text.warnings():
            warn(problem)
        tried = _named(programs) if programs else _everything(root)
        changed_steps = list(_changed_steps(text, root))
        where = difference(CURRENT, text)
        explorations = Explorations(root)
        if not as_json:
            click.echo(text.words)
            click.echo("".join(f"unclear: {line}\n" for line in text.unclear()), nl=False)
            click.echo("".join(f"changed: {line}\n" for line in changed_steps[:_MOST_STEPS]), nl=False)
            if len(changed_steps) > _MOST_STEPS:
                click.echo(
                    f"changed: and {counted(len(changed_steps) - _MOST_STEPS, 'more step')}; --json has all of them"
                )
        stack.enter_context(REVISIONS.standing_in(CURRENT.name, text))
        pool = stack.enter_context(local_pool(count)) if count > 1 and len(tried) > 1 else None
        stack.callback(explorations.keep)
        stack.enter_context(interruption.kept())
        advance = stack.enter_context(one_bar("trying", len(tried)))
        ended = 0
        trials = try_all([*tried.values()], explorations, where, pool, count)
        for (name, program), trial in zip(tried.items(), trials, strict=True):
            ended += 1
            advance(1)
            if trial.is_changed:
                changed[name] = trial
                effects[name] = list(products.effects(name, trial))
                issue = issue_of(name, trial, explanations)
                if issue is not None:
                    issues[name] = issue
                    told.append(f"{name}: known, Issue {issue}")
                else:
                    told += teller.lines(name, program, trial, effects[name])
    is_whole = not programs and ended == len(tried)
    old = list(outdated(changed, explanations)) if is_whole else []
    cells = list(_changed_properties(text, count)) if properties and not interruption.happened else []
    if as_json:
        data = {name: {**_to_data(trial, effects[name]), "issue": issues.get(name)} for name, trial in changed.items()}
        about = {
            "text": text.words,
            "unclear": list(text.unclear()),
            "changed": changed_steps,
            "tried": ended,
            "programs": data,
            "properties": [dict(zip(_CELL, cell, strict=True)) for cell in cells] if properties else None,
            "outdated": old,
        }
        print_json({**about, "interrupted": interruption.happened})
    else:
        lost = sum(1 for trial in changed.values() if trial.lost is not None)
        click.echo(
            f"{counted(ended, 'program')}: {len(changed) - lost} with other outcomes, {ended - len(changed)} with the same,"
            f" {lost} without a result"
            + (f"; {len(issues)} of these are explained by Issues" if known is not None else "")
        )
        lines = [
            *teller.most_frequent(),
            *summary([one for some in effects.values() for one in some]),
            *(f"property: {client}: {name}: {was}; now: {now}" for client, name, was, now in cells),
            *(f"outdated: {line}" for line in old),
            *told,
        ]
        click.echo("".join(f"{line}\n" for line in lines), nl=False)
    interruption.end(f"{len(tried) - ended} of {counted(len(tried), 'program')} are not tried")
    new = [trial for name, trial in changed.items() if name not in issues]
    if any(trial.lost is not None for trial in new):
        sys.exit(USAGE)
    sys.exit(FOUND if new or old or cells else 0)


def _changed_properties(text: OtherText, workers: int) -> Iterator[tuple[str, str, str, str]]:
    """Yield each client and property that differ between the texts, with what holds by the project's own and by the other."""
    from modelcontext.judging.clients.adversaries import adversaries
    from modelcontext.judging.clients.catalogue import CLIENTS
    from modelcontext.judging.clients.cells import cells_of, changed_cells
    from modelcontext.judging.clients.checking import check_all

    found = []
    for stand_ins in ({}, {CURRENT.name: text}):
        with ExitStack() as stack:
            for name, stand_in in stand_ins.items():
                stack.enter_context(REVISIONS.standing_in(name, stand_in))
            pool = stack.enter_context(local_pool(workers)) if workers > 1 else None
            advance = stack.enter_context(one_bar("exploring clients", len(CLIENTS) * len(adversaries())))
            spaces = []
            for space in check_all(CLIENTS.values(), adversaries().values(), pool=pool):
                spaces.append(space)
                advance(1)
            found.append(cells_of(spaces))
    yield from changed_cells(*found)


def _changed_steps(text: OtherText, root: Path) -> Iterator[str]:
    """Yield the steps that a text changes: the algorithm, the number (and the new one), and what kind of change it is."""
    path = path_in(root, CURRENT.text)
    is_own = text.path.resolve() == path.resolve()
    # The project's own text, as an editor has just changed it, is compared with that of the last commit: outcomes are, too.
    try:
        own = read_text_source(committed(path), path) if is_own else read_source(path)
    except HistoryError:
        if not text.glosses:
            return  # Without a history nobody knows what has changed.
        own = read_source(path)
    for change in changes_between(own, text.linked.compiled.program.text.source):
        step, new_step = change.step or change.new_step or "", change.new_step or change.step or ""
        to = "" if step == new_step else f" to {new_step}" if change.kind == "moved" else f" as {new_step}"
        words = f": {shorten(change.after or change.before or '', _WIDTH)}" if step else ""
        yield f"{change.algorithm} {step}".strip() + f" {change.kind}{to}{words}"


def _named(paths: Sequence[Path]) -> Mapping[str, Program]:
    names = {path: name for name, path in options.programs_by_name().items()}
    return {names.get(path, str(path)): read_case(path).program for path in paths}


def _everything(root: Path) -> Mapping[str, Program]:
    """Return the programs of the current revision and the litmus tests, by the names that ``trace`` takes."""
    programs = {one.name: one.program for one in read_corpus(root / CURRENT.programs)}
    return {**programs, **{one.name: one.program for one in read_catalogue(root / CATALOGUE)}}


def _to_data(trial: Trial, effects: Sequence[tuple[str, Effect]]) -> dict[str, Any]:
    return {
        "come": list(map(_one, trial.come)),
        "gone": list(map(_one, trial.gone)),
        "staying": trial.staying,
        "pending": trial.pending,
        "settling": trial.settling,
        "products": dict(effects),
        "lost": trial.lost,
    }


def _one(changed: ChangedOutcome) -> dict[str, Any]:
    return {"outcome": changed.outcome.to_data(), "schedule": changed.schedule, "steps": changed.steps}
