"""``modelcontext fuzz``: generated programs on a product, held against the allowed outcomes."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from modelcontext.checkout import find_checkout
from modelcontext.cli import options
from modelcontext.cli.exit_codes import exit_on_problems
from modelcontext.cli.progress import bar
from modelcontext.conformance.pools import cluster_pool, local_pool
from modelcontext.files import write_whole
from modelcontext.fuzz.campaign import SETTINGS, UNJUDGED, Campaign, CampaignReport, Plan
from modelcontext.fuzz.findings import Finding, load_findings
from modelcontext.products import RUNNERS, make_runner
from modelcontext.profiles import PROFILES, ProfileError, load_profile

#: How many of the programs that were not judged are named, of each kind.
MOST_UNJUDGED = 5


@click.group(
    invoke_without_command=True,
    epilog="\b\nExamples:\n  modelcontext fuzz --product chromium --examples 500 --seed 1"
    "\n  modelcontext fuzz --product chromium --seed 1 --program 17 > 17.toml",
)
@options.products(among=RUNNERS, several=False)
@click.option("--examples", type=click.IntRange(1), default=1000, show_default=True, help="How many programs to run.")
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Which programs: the same seed gives the same ones.",
)
@click.option(
    "--profile",
    "profile_name",
    type=click.Choice(["none", *PROFILES]),
    default="none",
    show_default=True,
    help="Do not report what this profile of a browser predicts.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for what is found.  [default: build/fuzz/PRODUCT-SEED]",
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Go on with the campaign in this folder, where it has ended.",
)
@click.option(
    "--known",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    help="Do not report what has the cause of a finding in this folder.",
)
@click.option(
    "--program",
    "wanted",
    metavar="NUMBER",
    type=click.IntRange(0),
    help="Run nothing: print the program of this number as TOML, which `modelcontext run` takes.",
)
@options.cluster
@options.workers
@options.port
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    chosen: options.Chosen,
    examples: int,
    seed: int,
    profile_name: str,
    output: Path | None,
    resume: Path | None,
    known: Path | None,
    wanted: int | None,
    cluster: str | None,
    workers: int,
    port: int,
    as_json: bool,
) -> None:
    """Run generated programs on a product, and make small whatever leads to an outcome that is not allowed.

    Every finding is a folder with a smallest program, a test in the format of web-platform-tests, what is allowed and what
    was observed. It is written as soon as it is found. Exit code 0 if there is no finding, 1 if there are some, 2 if the
    product is not there.
    """
    if ctx.invoked_subcommand is not None:
        return None
    if not chosen.products:
        raise click.UsageError("Missing option '--product'")
    [product] = chosen.products
    if wanted is not None:
        return _print_program(product, seed, wanted)
    plan = Plan(seed, examples)
    scripts = "".join(f"-{path.stem}" for path in chosen.inject)
    folder = resume or output or Path("build/fuzz") / f"{product.replace(':', '-')}{scripts}-{seed}"
    with exit_on_problems(f"go on with --resume {folder}"):
        try:
            profile = load_profile(profile_name) if profile_name != "none" else None
        except ProfileError as error:
            raise click.UsageError(str(error)) from None
        settings = {"product": product, "seed": seed, "profile": profile_name}
        if chosen.inject:
            settings["inject"] = ", ".join(map(str, chosen.inject))
        _check_folder(folder, resume, settings)
        runner = make_runner(product, binary=chosen.binary, inject=chosen.inject, port=port)
        with runner, bar() as progress:
            task = progress.add_task("programs", total=examples)

            def advance(report: CampaignReport) -> None:
                progress.update(task, completed=report.programs, description=f"{len(report.findings)} findings")

            folder.mkdir(parents=True, exist_ok=True)
            (folder / SETTINGS).write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
            campaign = Campaign(
                runner,
                plan,
                folder,
                profile,
                known=load_findings(known) if known is not None else (),
                pool=partial(cluster_pool, cluster) if cluster is not None else partial(local_pool, workers),
                progress=advance,
            )
            report = campaign.run()
    if as_json:
        click.echo(json.dumps(_data(report, folder), indent=2))
    else:
        _print(report, folder)
    sys.exit(1 if report.findings else 0)


@command.command(epilog="\b\nExample:\n  modelcontext fuzz weigh --check")
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if something would be written.")
def weigh(check: bool) -> None:
    """Weigh the fragments of generated programs by what the programs of a checkout do not cover.

    Every seed gives other programs then.
    """
    from modelcontext.fuzz.weights import weights_texts

    root = find_checkout()
    if root is None:
        raise click.UsageError("there is no checkout of this project here; change to one")
    stale = {path: text for path, text in weights_texts(root) if path.read_text(encoding="utf-8") != text}
    for path, text in stale.items():
        if check:
            click.echo(f"{path} is not what the programs give now; run `modelcontext fuzz weigh`", err=True)
        else:
            write_whole(path, text)
    sys.exit(1 if check and stale else 0)


def _print_program(product: str, seed: int, number: int) -> None:
    from modelcontext.program.generators import numbered_program

    revision = make_runner(product).revision
    click.echo(numbered_program(seed, number, revision).dumps_toml(), nl=False)


def _check_folder(folder: Path, resume: Path | None, settings: dict[str, Any]) -> None:
    """A folder belongs to one campaign. Raises :class:`click.UsageError` for one of another campaign."""
    path = folder / SETTINGS
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
        if known != settings:
            words = ", ".join(f"{key} {value}" for key, value in known.items())
            raise click.UsageError(f"{folder} belongs to another campaign ({words}); choose another --output")
        if resume is None:
            raise click.UsageError(f"{folder} has this campaign already; go on with --resume {folder}, or remove it")
        return
    if resume is not None:
        raise click.UsageError(f"there is no campaign in {folder}")


def _data(report: CampaignReport, folder: Path) -> dict[str, Any]:
    return {
        "product": report.product,
        "version": report.version,
        "folder": str(folder),
        "programs": report.programs,
        "judgements": dict(report.kinds),
        "explained": dict(report.explained),
        "findings": [
            {**finding.to_data(), "programs": report.seen[finding.name], "operations": finding.operations}
            for finding in report.findings.values()
        ],
        "unsteady": report.unsteady,
        "unjudged": report.unjudged,
    }


def _print(report: CampaignReport, folder: Path) -> None:
    counts = ", ".join(f"{count} {kind}" for kind, count in report.kinds.most_common())
    click.echo(f"{report.product} {report.version}: {report.programs} programs ({counts})")
    for quirks, count in report.explained.most_common():
        click.echo(f"  explained, {count} times: {quirks}")
    for kind in UNJUDGED:
        lines = [line for line in report.unjudged if line["kind"] == kind]
        for line in lines[:MOST_UNJUDGED]:
            click.echo(f"  {kind}: program {line['number']}: {line['why'].partition(chr(10))[0]}")
        if len(lines) > MOST_UNJUDGED:
            click.echo(f"  {kind}: {len(lines) - MOST_UNJUDGED} more, which {folder}/journal.jsonl names")
    for finding in sorted(report.findings.values(), key=lambda finding: -report.seen[finding.name]):
        click.echo(
            f"\n{finding.name} ({report.seen[finding.name]} programs, smallest has {finding.operations} operations)"
        )
        click.echo(f"  {_short(finding)}")
        click.echo(f"  {folder}/findings/{finding.name}")
    for line in report.unsteady:
        click.echo(f"\nseen once, and not again: program {line['number']}: {line['cause']}")
    click.echo(f"\n{len(report.findings)} findings, {len(report.unsteady)} unsteady")


def _short(finding: Finding) -> str:
    expected = " or ".join(dict.fromkeys(entry for entry, _ in finding.allowed)) or "an outcome"
    return f"at {finding.place}: allowed {expected}; observed {finding.observed}"
