"""``modelcontext audit``: tests on trial against the text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from modelcontext.ground.checkout import project_root
from modelcontext.ground.words import counted
from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.judging.issues.readings import revision_with
from modelcontext.judging.issues.text import read_issues
from modelcontext.judging.wpt.audit import Auditor, IssueReading, gather
from modelcontext.judging.wpt.audit.evidence import PAGE
from modelcontext.judging.wpt.simulated_session import schedules as schedules_of
from modelcontext.people.cli import is_installed, options
from modelcontext.people.cli.exit_codes import FOUND, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import bar, print_json, write_reports
from modelcontext.people.cli.suites import plan_at
from modelcontext.people.reports.audit import AuditReport, as_html, print_audit
from modelcontext.running.products import SIMULATED, TESTED, make_target
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.wpt.audit import Gathered, Judgment
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.running.products import Target

#: The sampled schedules, and the products, if none are named.
SAMPLED = 20
DEFAULT = (PAGE, "chromium")


@verb(
    epilog="\b\nExample:\n  modelcontext audit\n  modelcontext audit --wpt ~/wpt webmcp --html audit.html\n"
    "  modelcontext audit --product page --schedules 100 webmcp/imperative"
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@options.products(*DEFAULT, among=lambda: TESTED)
@options.wpt
@click.option(
    "--schedules",
    type=click.IntRange(0),
    default=SAMPLED,
    show_default=True,
    metavar="N",
    help="The number of sampled schedules of each subtest in the simulated browser. Each subtest also runs under the "
    "schedule first in, first out.",
)
@click.option("--html", type=options.NEW_FILE, metavar="FILE", help="Write the result as one self-contained web page.")
@options.as_json
@options.workers_of_tests
@options.shard
def command(
    paths: tuple[str, ...],
    chosen: options.Chosen,
    wpt: Path | None,
    schedules: int,
    html: Path | None,
    as_json: bool,
    workers: int | None,
    shard: tuple[int, int],
) -> None:
    """Find the tests that are wrong: compare each subtest with the specification.

    Each subtest runs under many schedules of the simulated browser, and on the products (page and Chromium, if you name
    no others). PATH means the same as in `modelcontext test`. docs/audit.md explains the verdicts.

    After an interrupt the audit judges each test by the runs that have ended.

    Exit code 0: no test is wrong; 1: a test contradicts the text, relies on an order that the text does not promise,
    needs a part that the text does not have, or changes the state so that another subtest fails; 2: wrong usage,
    or the simulated browser cannot run here; 130: interrupted.
    """
    if chosen.inject:
        raise click.UsageError(
            "an audit compares tests with the text, but --inject replaces the API of the text: leave out --inject"
        )
    interruption = Interruption()
    with exit_on_problems():
        products = targets(chosen)
        plan = plan_at(make_target(SIMULATED), paths, wpt, None, shard)
        gathered, judgments = judged("audit", plan.tests, plan.tree, products, schedules, workers)
        interruption.happened = gathered.left > 0
        report = AuditReport(gathered, judgments, wpt)
        problems = write_reports({html: lambda: as_html(report)})
        if as_json:
            print_json(report.to_data())
        else:
            print_audit(report, Console())
        for problem in problems:
            raise problem
    interruption.end(f"{counted(gathered.left, 'run of a file', 'runs of files')} did not take place")
    sys.exit(FOUND if report.wrong else 0)


def targets(chosen: options.Chosen) -> list[Target]:
    """Return the products besides the simulated browser: those that are named, else page and Chromium.

    Raises:
        click.UsageError: if one implements another revision of the text.
    """
    found = [chosen.target(name) for name in chosen.products if name != SIMULATED]
    for target in found:
        if target.revision != CURRENT.name:
            raise click.UsageError(
                f"an audit compares tests with the current text, but {target.name} implements the revision {target.revision}"
            )
    return found


def known_issues(root: Path) -> list[IssueReading]:
    """Return the known Issues of the current text, one for each reading; without the compiler no reading can run."""
    found = []
    dossiers = read_dossiers(root, CURRENT)
    # The defects first: they are no decisions of ours.
    for issue in sorted(read_issues(root, CURRENT), key=lambda one: dossiers[one.number].stands != "kept"):
        dossier = dossiers[issue.number]
        steps = frozenset({*issue.steps, *dossier.steps})
        readings = [one for one in dossier.readings if one.patch] if is_installed("modelcontext-prose") else []
        found += [
            IssueReading(issue.number, dossier.title, steps, one.name, partial(revision_with, one.patch))
            for one in readings
        ] or [IssueReading(issue.number, dossier.title, steps)]
    return found


def judged(
    what: str, tests: Sequence[Test], tree: Tree, products: Sequence[Target], sampled: int, workers: int | None
) -> tuple[Gathered, list[Judgment]]:
    """Run tests under schedules and on products, with a bar named ``what``, and judge them.

    Raises:
        UnavailableError: if the simulated browser cannot run here.
    """
    under = schedules_of(sampled)
    with bar() as progress:
        task = progress.add_task(what, total=len(tests) * (len(under) + len(products)))

        def finished(words: str) -> None:
            progress.update(task, advance=1, description=escape(words))

        gathered = gather(
            *(tests, tree, products, under), issues=known_issues(project_root()), workers=workers, finished=finished
        )
    auditor = Auditor(tree, REVISIONS[CURRENT.name])
    return gathered, [auditor.judgment_on(one) for one in gathered.evidence]
