"""``modelcontext test --audit``: tests on trial against the text, and the trial of the audit itself."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from modelcontext.checkout import project_root
from modelcontext.cli.output import bar, print_json
from modelcontext.files import write_whole
from modelcontext.products import SIMULATED
from modelcontext.reports.audit import AuditReport, as_html, print_audit
from modelcontext.revisions.registry import CURRENT, REVISIONS
from modelcontext.wpt.audit import Auditor, gather
from modelcontext.wpt.audit.evidence import PAGE
from modelcontext.wpt.audit.trial import TrialResult, load_wrong_tests, plant, results
from modelcontext.wpt.simulated import schedules

if TYPE_CHECKING:
    from modelcontext.cli.options import Chosen
    from modelcontext.cli.suites import SuitePlan
    from modelcontext.products import Target
    from modelcontext.wpt.audit import Gathered, Judgment
    from modelcontext.wpt.discovery import Test
    from modelcontext.wpt.tree import Tree

#: The sampled schedules, and the products, if none are named.
SAMPLED = 20
DEFAULT = (PAGE, "chromium")


def targets(chosen: Chosen) -> list[Target]:
    """Return the products besides the simulated browser: those that are named, else page and Chromium.

    Raises:
        click.UsageError: if one implements another revision of the text.
    """
    found = [chosen.target(name) for name in chosen.named or DEFAULT if name != SIMULATED]
    for target in found:
        if target.revision != CURRENT.name:
            raise click.UsageError(
                f"--audit holds tests against the current text, and {target.name} implements the revision {target.revision}."
            )
    return found


def hold(
    plan: SuitePlan,
    products: Sequence[Target],
    *,
    sampled: int | None,
    workers: int | None,
    wpt: Path | None,
    html: Path | None,
    as_json: bool,
) -> int:
    """Audit the planned tests, show the result, and return the exit code.

    Raises:
        UnavailableError: if the simulated browser cannot run here.
        WriteError: if the page cannot be written.
    """
    gathered, judgments = _judged("audit", plan.tests, plan.tree, products, sampled, workers)
    report = AuditReport(gathered, judgments, wpt)
    if html is not None:
        write_whole(html, as_html(report))
    if as_json:
        print_json(report.to_data())
    else:
        print_audit(report, Console())
    return 1 if report.wrong else 0


def _judged(
    what: str, tests: Sequence[Test], tree: Tree, products: Sequence[Target], sampled: int | None, workers: int | None
) -> tuple[Gathered, list[Judgment]]:
    under = schedules(SAMPLED if sampled is None else sampled)
    with bar() as progress:
        task = progress.add_task(what, total=len(tests) * (len(under) + len(products)))

        def finished(words: str) -> None:
            progress.update(task, advance=1, description=escape(words))

        gathered = gather(tests, tree, products, under, workers=workers, finished=finished)
    judge = Auditor(tree, REVISIONS[CURRENT.name])
    return gathered, [judge.judge(one) for one in gathered.evidence]


def try_audit(
    tree: Tree, products: Sequence[Target], *, sampled: int | None, workers: int | None, as_json: bool
) -> int:
    """Plant the wrong tests of the checkout, audit them, show which were named, and return the exit code.

    Raises:
        UnavailableError: if the simulated browser cannot run here.
        WrongTestError: if an entry does not fit its file.
    """
    wrong = load_wrong_tests(project_root())
    with tempfile.TemporaryDirectory() as folder:
        planted, tests = plant(wrong, tree, Path(folder))
        gathered, judgments = _judged("trial", tests, planted, products, sampled, workers)
    found = results(wrong, tests, judgments)
    if as_json:
        print_json({"versions": dict(gathered.versions), "wrong": [one.to_data() for one in found]})
    else:
        _print_trial(found)
    return 0 if all(one.is_named and not one.accused for one in found) else 1


def _print_trial(found: Sequence[TrialResult]) -> None:
    for one in found:
        if not one.is_named:
            click.echo(f"NOT NAMED {one.wrong.name} (in {one.wrong.test})")
            for judgment in one.judgments:
                click.echo(f"  {judgment.verdict}: {judgment.reason}")
        for judgment in one.accused:
            click.echo(
                f'ACCUSED "{judgment.evidence.subtest}" beside {one.wrong.name}: {judgment.verdict}: {judgment.reason}'
            )
    for kind in dict.fromkeys(one.wrong.kind for one in found):
        of_kind = [one for one in found if one.wrong.kind == kind]
        click.echo(f"{kind}: {sum(one.is_named for one in of_kind)} of {len(of_kind)} are named rightly")
    accused = sum(len(one.accused) for one in found)
    click.echo(
        f"{sum(one.is_named for one in found)} of {len(found)} wrong tests are named rightly; {accused} right ones accused"
    )
