"""``modelcontext fuzz``: generated programs on a product, judged by the allowed outcomes."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from modelcontext.ground.files import write_whole
from modelcontext.ground.problems import shortened
from modelcontext.ground.words import counted
from modelcontext.judging.conformance.pools import cluster_pool, local_pool
from modelcontext.judging.profiles import PROFILES, ProfileError, load_profile
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, INTERRUPTED, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import bar, print_json
from modelcontext.programs.program.notation import dialect
from modelcontext.running.products import ProductOptions, make_runner, runners
from modelcontext.spec.revisions.registry import CURRENT, from_the_compiler
from modelcontext_fuzz.campaign import SETTINGS, UNJUDGED, Campaign, CampaignReport, Plan, read_settings
from modelcontext_fuzz.findings import SCRIPTS, Finding, load_findings

#: The settings in which two runs of one campaign agree.
IDENTITY = ("product", "seed", "profile", "grammar", "inject")
#: The number of programs without a diagnosis that are named, of each kind.
MOST_UNJUDGED = 5


@verb(
    epilog="\b\nExamples:\n  modelcontext fuzz --product chromium --examples 500 --seed 1"
    "\n  modelcontext fuzz --product chromium --grammar forms --examples 500"
    "\n  modelcontext fuzz --product chromium --seed 1 --program 17 > 17.toml",
)
@options.products(among=runners, several=False)
@click.option(
    "--examples", type=click.IntRange(1), default=1000, show_default=True, help="The number of programs to run."
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="The seed of the programs: the same seed gives the same programs.",
)
@click.option(
    "--grammar",
    type=click.Choice((SCRIPTS, "forms")),
    default=SCRIPTS,
    show_default=True,
    help="The programs: tools that scripts register, or forms that are tools.",
)
@click.option(
    "--profile",
    "profile_name",
    type=click.Choice(["none", *PROFILES]),
    default="none",
    show_default=True,
    help="Do not report outcomes that this profile of a browser predicts.",
)
@click.option(
    "--output", type=options.NEW_FOLDER, help="The folder for the findings.  [default: build/fuzz/PRODUCT-SEED]"
)
@click.option("--resume", type=options.FOLDER, help="Continue the campaign in this folder, with its options.")
@click.option(
    "--known", type=options.FOLDER, help="Do not report a finding if a finding in this folder has the same cause."
)
@click.option(
    "--program",
    "wanted",
    metavar="NUMBER",
    type=click.IntRange(0),
    help="Only print the program with this number as TOML, which `modelcontext run` reads. With --product the"
    " program is for the revision that the product implements.",
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
    grammar: str,
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
    """Run generated programs on a product, and shrink each program whose outcome the specification does not allow.

    Each finding is a folder with the shrunk program, a test in the format of web-platform-tests, and the allowed and the
    observed outcomes. The command writes each finding immediately.

    Exit code 0: there are no findings; 1: there are some; 2: the product is missing.
    """
    if resume is not None:
        with exit_on_problems():
            kept = read_settings(resume)

        def or_kept(name: str, key: str, given: Any) -> Any:
            is_given = ctx.get_parameter_source(name) is not ParameterSource.DEFAULT
            return given if is_given else kept.get(key, given)

        chosen = chosen.or_kept(kept["product"], kept.get("binary"), kept.get("inject", ()))
        examples, seed = or_kept("examples", "examples", examples), or_kept("seed", "seed", seed)
        grammar, profile_name = or_kept("grammar", "grammar", grammar), or_kept("profile_name", "profile", profile_name)
        known = Path(kept["known"]) if known is None and "known" in kept else known
    if not chosen.products and wanted is None:
        raise click.UsageError(f"Missing option '--product': one of {', '.join(runners())}")
    product = next(iter(chosen.products), "")
    revision = make_runner(product).revision if product else CURRENT.name
    if grammar != SCRIPTS and not dialect(revision).has_forms:
        raise click.UsageError(f"{product} implements the revision {revision}, which has no forms")
    if wanted is not None:
        from modelcontext_fuzz.generators import numbered_program

        program = numbered_program(seed, wanted, revision, grammar)
        if as_json:
            return print_json(program.to_data())
        return click.echo(program.dumps_toml(), nl=False)
    scripts = "".join(f"-{path.stem}" for path in chosen.inject)
    kind = "" if grammar == SCRIPTS else f"-{grammar}"
    folder = resume or output or Path("build/fuzz") / f"{product.replace(':', '-')}{scripts}{kind}-{seed}"
    campaign: Campaign | None = None
    if (of := PROFILES.get(profile_name, product)) != product:
        raise click.UsageError(
            f"--profile {profile_name} is for {of}, but the product is {product}: leave out --profile."
        )
    with exit_on_problems(f"continue with --resume {folder}", codes={ProfileError: USAGE}, as_json=as_json):
        profile = load_profile(profile_name) if profile_name != "none" else None
        if profile is not None:
            # Other processes compile the profile; without the compiler nothing begins.
            from_the_compiler("patch")
        known_findings = _known_findings(known)
        settings: dict[str, Any] = {"product": product, "seed": seed, "profile": profile_name}
        if grammar != SCRIPTS:
            settings["grammar"] = grammar
        if chosen.inject:
            settings["inject"] = [str(path.resolve()) for path in chosen.inject]
        _check_folder(folder, resume, settings)
        settings["examples"] = examples
        for key, value in (("binary", chosen.binary), ("known", known.resolve() if known is not None else None)):
            if value is not None:
                settings[key] = str(value)
        runner = make_runner(product, ProductOptions(binary=chosen.binary, inject=chosen.inject, port=port))
        try:
            with runner, bar() as progress:
                task = progress.add_task("programs", total=examples)

                def advance(report: CampaignReport) -> None:
                    words = counted(len(report.findings), "finding") + (
                        f"; {report.activity}" if report.activity else ""
                    )
                    progress.update(task, completed=report.programs, description=words)

                write_whole(folder / SETTINGS, json.dumps(settings, indent=2) + "\n")
                campaign = Campaign(
                    runner,
                    Plan(seed, examples, grammar, chosen.build_options),
                    folder,
                    profile,
                    known=known_findings,
                    pool=partial(cluster_pool, cluster) if cluster is not None else partial(local_pool, workers),
                    progress=advance,
                )
                campaign.run()
        except KeyboardInterrupt:
            if campaign is None:
                raise
            _tell(campaign.report, folder, as_json=as_json)
            click.echo(f"modelcontext: interrupted; continue with --resume {folder}", err=True)
            sys.exit(INTERRUPTED)
    _tell(campaign.report, folder, as_json=as_json)
    sys.exit(FOUND if campaign.report.findings else 0)


def _tell(report: CampaignReport, folder: Path, *, as_json: bool) -> None:
    if as_json:
        print_json(_data(report, folder))
    else:
        _print(report, folder)


def _check_folder(folder: Path, resume: Path | None, settings: dict[str, Any]) -> None:
    """Raise :class:`click.UsageError` unless the folder has the campaign to resume, or is free for a new one."""
    if not (folder / SETTINGS).exists():
        return
    known = {key: value for key, value in read_settings(folder).items() if key in IDENTITY}
    if known != settings:
        words = ", ".join(f"{key} {value}" for key, value in known.items())
        raise click.UsageError(f"{folder} belongs to another campaign ({words}); choose another --output")
    if resume is None:
        raise click.UsageError(f"{folder} already has this campaign; continue with --resume {folder}, or remove it")


def _known_findings(folder: Path | None) -> list[Finding]:
    """Return the findings of a folder that the option --known names."""
    found = load_findings(folder) if folder is not None else []
    if folder is not None and not found:
        raise click.UsageError(f"{folder} has no finding: name a folder of findings, such as CAMPAIGN/findings")
    return found


def _data(report: CampaignReport, folder: Path) -> dict[str, Any]:
    return {
        "product": report.product,
        "version": report.version,
        "folder": str(folder),
        "programs": report.programs,
        "diagnoses": dict(report.kinds),
        "explained": dict(report.explained),
        "findings": [
            {
                "name": finding.name,
                **finding.to_data(),
                "programs": report.seen[finding.name],
                "operations": finding.operations,
            }
            for finding in report.findings.values()
        ],
        "unsteady": report.unsteady,
        "unjudged": report.unjudged,
    }


def _print(report: CampaignReport, folder: Path) -> None:
    counts = ", ".join(f"{count} {kind}" for kind, count in report.kinds.most_common())
    click.echo(
        f"{report.product} {report.version}: {counted(report.programs, 'program')}" + (f" ({counts})" if counts else "")
    )
    for quirks, count in report.explained.most_common():
        click.echo(f"  explained, {counted(count, 'time')}: {quirks}")
    for kind in UNJUDGED:
        lines = [line for line in report.unjudged if line["kind"] == kind]
        for line in lines[:MOST_UNJUDGED]:
            click.echo(f"  {kind}: program {line['number']}: {line['why'].partition(chr(10))[0]}")
        if len(lines) > MOST_UNJUDGED:
            click.echo(f"  {kind}: {len(lines) - MOST_UNJUDGED} more; {folder}/journal.jsonl lists them")
    for finding in sorted(report.findings.values(), key=lambda finding: -report.seen[finding.name]):
        count = report.seen[finding.name]
        programs = (
            counted(count, "program") if count else "programs not counted yet, because the campaign was interrupted"
        )
        click.echo(f"\n{finding.name} ({programs}; the smallest has {counted(finding.operations, 'operation')})")
        expected = " or ".join(dict.fromkeys(entry for entry, _ in finding.allowed)) or "an outcome"
        click.echo(shortened(f"  at {finding.place}: allowed {expected}; observed {finding.observed}"))
        click.echo(f"  {folder}/findings/{finding.name}")
    for line in report.unsteady:
        click.echo(f"\nseen only once: program {line['number']}: {line['cause']}")
    click.echo(f"\n{counted(len(report.findings), 'finding')}, {len(report.unsteady):,} unsteady")
