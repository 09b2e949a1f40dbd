"""``modelcontext test --audit``: tests on trial against the text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from modelcontext.ground.files import write_whole
from modelcontext.judging.wpt.audit import Auditor, gather
from modelcontext.judging.wpt.audit.evidence import PAGE
from modelcontext.judging.wpt.simulated_session import schedules
from modelcontext.people.cli.output import bar, print_json
from modelcontext.people.reports.audit import AuditReport, as_html, print_audit
from modelcontext.running.products import SIMULATED
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from modelcontext.judging.wpt.audit import Gathered, Judgment
    from modelcontext.judging.wpt.discovery import Test
    from modelcontext.judging.wpt.tree import Tree
    from modelcontext.people.cli.options import Chosen
    from modelcontext.people.cli.suites import SuitePlan
    from modelcontext.running.products import Target

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
    gathered, judgments = judged("audit", plan.tests, plan.tree, products, sampled, workers)
    report = AuditReport(gathered, judgments, wpt)
    if html is not None:
        write_whole(html, as_html(report))
    if as_json:
        print_json(report.to_data())
    else:
        print_audit(report, Console())
    return 1 if report.wrong else 0


def judged(
    what: str, tests: Sequence[Test], tree: Tree, products: Sequence[Target], sampled: int | None, workers: int | None
) -> tuple[Gathered, list[Judgment]]:
    """Run tests under schedules and on products, with a bar named ``what``, and judge them.

    Raises:
        UnavailableError: if the simulated browser cannot run here.
    """
    under = schedules(SAMPLED if sampled is None else sampled)
    with bar() as progress:
        task = progress.add_task(what, total=len(tests) * (len(under) + len(products)))

        def finished(words: str) -> None:
            progress.update(task, advance=1, description=escape(words))

        gathered = gather(tests, tree, products, under, workers=workers, finished=finished)
    auditor = Auditor(tree, REVISIONS[CURRENT.name])
    return gathered, [auditor.judgment_on(one) for one in gathered.evidence]
