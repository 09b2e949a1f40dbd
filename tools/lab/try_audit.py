"""``python -m tools.lab audit``: the audit of tests on trial."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modelcontext.ground.checkout import project_root
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.people.cli import options
from modelcontext.people.cli.audit import SAMPLED, judged, targets
from modelcontext.people.cli.exit_codes import exit_on_problems
from modelcontext.people.cli.output import print_json
from modelcontext.running.products import TESTED
from tools.lab.wrong_tests import load_wrong_tests, plant, results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.lab.wrong_tests import TrialResult


@click.command()
@options.products("page", "chromium", among=lambda: TESTED)
@click.option("--schedules", type=click.IntRange(0), default=SAMPLED, show_default=True, help="The sampled schedules.")
@click.option("--workers", type=click.IntRange(1), metavar="N", help="The number of tests that run at a time.")
@options.as_json
def audit(chosen: options.Chosen, schedules: int, workers: int | None, as_json: bool) -> None:
    """Plant wrong tests in our suite, and show which of them `modelcontext audit` names.

    Exit code 0: every wrong test is named rightly, and no right one is accused; 1: some are not; 2: a product is missing.
    """
    root = project_root()
    wrong = load_wrong_tests(root)
    with exit_on_problems(), tempfile.TemporaryDirectory() as folder:
        planted, tests = plant(wrong, checkout_tree(root), Path(folder))
        gathered, judgments = judged("trial", tests, planted, targets(chosen), schedules, workers)
    found = results(wrong, tests, judgments)
    if as_json:
        print_json({"versions": dict(gathered.versions), "wrong": [one.to_data() for one in found]})
    else:
        _print(found)
    sys.exit(0 if all(one.is_named and not one.accused for one in found) else 1)


def _print(found: Sequence[TrialResult]) -> None:
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
