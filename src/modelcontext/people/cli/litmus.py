"""``modelcontext litmus``: programs with a race, and all the outcomes that they may have.

Each verb makes one dictionary for each test. ``--json`` prints it, and :mod:`litmus_lines` turns it into lines.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from modelcontext.ground.checkout import project_root, require_checkout
from modelcontext.ground.files import read_text, write_whole
from modelcontext.ground.words import counted
from modelcontext.judging.conformance.pools import cluster_pool, local_pool
from modelcontext.judging.litmus.check import Steps, problems_of_kinds, problems_of_promoted, problems_of_steps
from modelcontext.judging.litmus.conditions import InOrder, parse
from modelcontext.judging.litmus.language import Litmus, in_order, outcomes_text
from modelcontext.people.cli import litmus_injected, litmus_races, litmus_runs, options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verbs
from modelcontext.people.cli.litmus_lines import enumerated_lines, explained_lines
from modelcontext.people.cli.litmus_tests import (
    bound_option,
    chosen_outcome,
    complete_tests,
    explored,
    kinds_of,
    names_argument,
    one_test,
    read_tests,
    show_lost,
)
from modelcontext.people.cli.litmus_why_not import why_not_all, why_not_along, why_not_lines
from modelcontext.people.cli.output import print_json
from modelcontext.programs.program.language import ProgramError
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome, OutcomeError, describe, describe_entry, loads
from modelcontext.programs.tracing import trace
from modelcontext.programs.tracing.story import story_of_trace
from modelcontext.spec.specification import load_algorithms

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.programs.program.exploration import Exploration


@verbs(
    epilog="\b\nExamples, in the order in which people use them:\n"
    "  modelcontext litmus enumerate abort-resolve/in-flight\n"
    "  modelcontext litmus explain abort-resolve/in-flight 1\n"
    "  modelcontext litmus explain abort-resolve/in-flight --why-not 0,1\n"
    "  modelcontext litmus run abort-resolve/in-flight --product chromium\n"
    "  modelcontext litmus steer abort-resolve/in-flight --outcome 1"
)
def command() -> None:
    """List the outcomes that a race can have, explain them, and count them in browsers.

    A litmus test is a small program with a race. The tests are in wpt_tests/litmus. NAME is a test (family/name), a whole
    family, or the path of a program. Without a NAME, a command takes all tests.
    """


@command.command("enumerate", epilog="\b\nExample:\n  modelcontext litmus enumerate abort-resolve")
@names_argument
@bound_option
@options.workers
@options.cluster
@options.as_json
@options.text
def enumerate_outcomes(
    names: tuple[str, ...], bound: int, workers: int, cluster: str | None, as_json: bool, by_text: bool
) -> None:
    """List all outcomes that the specification allows, and compare them with the descriptions in the tests.

    NAME is the name of a litmus test or a family, or the path or name of a program.

    With --text the outcomes are those of another text; `modelcontext spec try` says which of them appear or disappear.

    Exit code 0: the tests are right; 1: the kinds of outcomes, the promoted outcomes or the steps of a test are wrong;
    2: a search reached its limit, or a test reaches a step that the compiler does not understand.
    """
    lost: dict[str, str] = {}
    interruption = Interruption()
    with exit_on_problems(), ExitStack() as stack:
        pool: Executor | None = None
        if cluster is not None:
            pool = stack.enter_context(cluster_pool(cluster))
        elif workers > 1:
            pool = stack.enter_context(local_pool(workers))
        # The steps that a test names are those of the project's own text.
        own = [] if by_text else load_algorithms()
        steps = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in own}
        tests = []
        chosen = read_tests(names, others=True)
        for litmus, found in explored(chosen, bound, pool, interruption, lost):
            tests.append(_enumerated(litmus, found, steps))
            if not as_json:
                click.echo("\n".join(enumerated_lines(tests[-1])))
    if as_json:
        print_json({"bound": bound, "tests": tests, "not_explored": lost, "interrupted": interruption.happened})
    show_lost(lost)
    interruption.end(f"{len(chosen) - len(tests)} of {counted(len(chosen), 'test')} are not explored")
    if lost or not all(test["complete"] for test in tests):
        sys.exit(USAGE)
    sys.exit(FOUND if any(test["problems"] for test in tests) else 0)


@command.command(
    epilog="\b\nThe answer to --why-not is one of these:\n"
    "  * The schedule does not exist: a choice has no such option.\n"
    "  * The search reached its --bound first.\n"
    "  * The schedule leads to a known state.\n"
    "  * An explored schedule has the same actions in another order, and these\n    actions commute.\n"
    "  * With an OUTCOME: the schedule has another outcome, or the search found\n"
    "    another schedule with this outcome first.\n"
    "\n\b\nExamples:\n  modelcontext litmus explain abort-resolve/in-flight 'call: fulfilled'"
    "\n  modelcontext litmus explain abort-resolve/in-flight --why-not 0,1"
)
@click.argument("name", shell_complete=complete_tests)
@click.argument("outcome", required=False)
@click.option(
    "--why-not",
    "missing",
    metavar="SCHEDULE",
    help="Say why the search skipped this schedule, and name the explored schedule with the same effect.",
)
@bound_option
@options.as_json
@options.text
def explain(name: str, outcome: str | None, missing: str | None, bound: int, as_json: bool, by_text: bool) -> None:
    """Show a schedule that leads to an outcome; with --why-not, say why the search skipped a schedule.

    NAME is a litmus test, or the path or name of a program.

    OUTCOME is a number that `litmus enumerate` prints, a condition such as 'call: fulfilled' (docs/litmus.md), or a .json
    file with an outcome.

    SCHEDULE is a list of answers, one for each free choice of a run: 0,1 takes the first option of the first choice, and the
    second option of the second choice. `modelcontext trace NAME --schedule 0,1` shows that run.

    Exit code 0: a schedule leads to the outcome, or the search explored a schedule with the same effect as SCHEDULE; 1: no
    schedule leads there; 2: the search reached its limit.
    """
    if missing is not None:
        _explain_why_not(name, outcome, options.schedule(missing, "--why-not"), bound, as_json=as_json)
    if outcome is None:
        raise click.UsageError("give an OUTCOME, or --why-not with a schedule")
    with exit_on_problems():
        litmus = one_test(name)
        chosen: Outcome | None
        if outcome.endswith(".json"):
            chosen = _read_outcome(Path(outcome))
            membership = judge(litmus.program, chosen, bound=bound)
            kind, schedule = membership.kind, membership.schedule
            effort = f"{counted(membership.runs, 'run')} along this outcome"
        else:
            [(_, found)] = explored([litmus], bound)
            chosen = chosen_outcome(outcome, found)
            schedule = found.schedule_to(chosen.canonical) if chosen is not None else None
            kind = "allowed" if chosen is not None else "forbidden" if found.complete else "undecided"
            effort = _effort(found)
    data: dict[str, Any] = {
        "test": litmus.name,
        "verdict": kind,
        "effort": effort,
        "schedule": schedule,
        "replay": None,
    }
    if chosen is None:
        data["unseen"] = _unseen(outcome, found)
        condition = parse(outcome)
        data["in_different_logs"] = isinstance(condition, InOrder) and condition.is_apart(found.outcomes.values())
    if schedule is not None and chosen is not None:
        choices = f" --schedule {','.join(map(str, schedule))}" if schedule else ""
        given = click.get_current_context().params
        choices += options.words_of_text(given["text"], given["glosses"]) if by_text else ""
        data |= {"outcome": chosen.to_data(), "replay": f"modelcontext trace {litmus.path}{choices}"}
        if not outcome.endswith(".json"):
            data["decisive"] = found.decisive_choice(chosen.canonical)
        traced = trace(litmus.program, schedule)
        data["story"] = [asdict(moment) for moment in story_of_trace(traced, data.get("decisive"))]
        data["instead"] = traced.others_at(data.get("decisive"))
    if as_json:
        print_json(data)
    else:
        click.echo("\n".join(explained_lines(data, bound)))
    sys.exit({"allowed": 0, "forbidden": FOUND}.get(kind, USAGE))


@command.command(epilog="\b\nExample:\n  modelcontext litmus promote abort-resolve")
@names_argument
@bound_option
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file is out of date.")
@options.text
def promote(names: tuple[str, ...], bound: int, check: bool, by_text: bool) -> None:
    """Write the allowed outcomes to files next to the tests, and show what has changed.

    With --text and --check the command shows what another text would change.

    Exit code 0: done; 1: --check has found a change; 2: a search reached its limit, or a test reaches a step that the
    compiler does not understand.
    """
    if by_text and not check:
        raise click.UsageError("the files have the outcomes of the project's own text: give --check with --text.")
    lost: dict[str, str] = {}
    with exit_on_problems("the files whose changes were shown are written"):
        if not check:
            require_checkout(project_root(), "`litmus promote` without --check")
        changed = False
        for litmus, found in explored(read_tests(names), bound, lost=lost if by_text else None):
            if not found.complete:
                problem = (
                    f"the search reached its limit of {bound} runs, so nothing is promoted; make the program smaller"
                )
                raise ProgramError(str(litmus.path), "", problem)
            outcomes = list(found.outcomes.values())
            text = outcomes_text(outcomes)
            before = litmus.promoted() or []
            if litmus.outcomes_path.is_file() and litmus.outcomes_path.read_text(encoding="utf-8") == text:
                click.echo(f"{litmus.name}: {counted(len(outcomes), 'outcome')}, as before")
                continue
            changed = True
            click.echo(f"{litmus.name}: {counted(len(before), 'outcome')} before, {len(outcomes)} now")
            problems = list(problems_of_kinds(litmus, in_order(outcomes)))
            for sign, some, others in (("-", before, outcomes), ("+", outcomes, before)):
                for outcome in in_order([outcome for outcome in some if outcome not in others]):
                    click.echo("\n".join(f"  {sign} {line}" for line in describe(outcome)))
            for problem in problems:
                click.echo(f"  WRONG {problem}")
            if not check:
                write_whole(litmus.outcomes_path, text)
    show_lost(lost)
    sys.exit(USAGE if lost else FOUND if check and changed else 0)


def _unseen(text: str, found: Exploration) -> dict[str, Sequence[str]]:
    """Return the facts of a condition that no outcome has an entry for, with the first two words of each entry."""
    outcomes = list(found.outcomes.values())
    lines = [describe_entry(entry) for outcome in outcomes for log in outcome.logs.values() for entry in log]
    beginnings = sorted({" ".join(line.split()[:2]) for line in lines})
    unseen = [fact for fact in parse(text).facts if not any(any(fact.places(outcome)) for outcome in outcomes)]
    return {fact.words: beginnings for fact in unseen}


def _read_outcome(path: Path) -> Outcome:
    try:
        return loads(read_text(path))
    except OutcomeError as error:
        raise OutcomeError(f"{path}: {error}") from None


def _effort(found: Exploration) -> str:
    extent = "complete" if found.complete else f"undecided, cut off at {counted(found.bound, 'run')}"
    return (
        f"{counted(len(found.outcomes), 'outcome')}, {extent}: {counted(found.covered, 'schedule')} in "
        f"{counted(found.states, 'state')} and {counted(found.transitions, 'transition')}; "
        f"{counted(found.runs, 'run')}, {found.blocked:,} of them without a new transition; {found.seconds:.1f} s"
    )


def _enumerated(litmus: Litmus, found: Exploration, steps: Steps) -> dict[str, Any]:
    outcomes = in_order(list(found.outcomes.values()))
    problems = list(problems_of_steps(litmus, steps)) if steps else []
    if found.complete and litmus.says_something:
        problems += [*problems_of_kinds(litmus, outcomes), *problems_of_promoted(litmus, outcomes)]
    return {
        "test": litmus.name,
        "title": litmus.program.title,
        "race": litmus.race,
        "complete": found.complete,
        "bound": found.bound,
        "runs": found.runs,
        "blocked": found.blocked,
        "states": found.states,
        "transitions": found.transitions,
        "schedules": found.covered,
        "seconds": round(found.seconds, 3),
        "effort": _effort(found),
        "outcomes": [outcome.to_data() for outcome in outcomes],
        "kinds": [kinds_of(litmus, outcome) for outcome in outcomes],
        "problems": problems,
    }


def _explain_why_not(name: str, outcome: str | None, schedule: Sequence[int], bound: int, *, as_json: bool) -> NoReturn:
    """Print why a search has left a schedule out, and exit."""
    with exit_on_problems():
        litmus = one_test(name)
        if outcome is None:
            data = why_not_all(litmus, schedule, bound)
        elif outcome.endswith(".json"):
            data = why_not_along(litmus, schedule, _read_outcome(Path(outcome)), bound)
        else:
            [(_, found)] = explored([litmus], bound)
            aim = chosen_outcome(outcome, found)
            if aim is None:
                raise click.UsageError(
                    f"no outcome of {litmus.name} matches {outcome!r}; `litmus enumerate` lists them"
                )
            data = why_not_along(litmus, schedule, aim, bound)
    if as_json:
        print_json(data)
    else:
        click.echo("\n".join(why_not_lines(data)))
    last = data["reasons"][-1]["reason"]
    sys.exit(FOUND if last in ("impossible", "departs") else USAGE if last == "bound" else 0)


for other in (litmus_runs.run, litmus_runs.steer, litmus_injected.inject, litmus_races.races):
    command.add_command(other)
