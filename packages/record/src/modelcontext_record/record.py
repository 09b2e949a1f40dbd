"""``modelcontext record``: what a live page does with the API, as a program with a verdict."""

from __future__ import annotations

import asyncio
import base64
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import click

from modelcontext.ground.files import write_whole
from modelcontext.judging.conformance.verdict import Standing, Verdicts
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import print_json, warn
from modelcontext.people.reports.terminal import disagreement
from modelcontext.programs.program.outcome import describe
from modelcontext.running.products import named_products
from modelcontext.running.serving.http import Server
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification.text.published import published_steps
from modelcontext_record.judging import BOUND, Judged, judged
from modelcontext_record.live import PageRecorder, Recorded, RecordingError
from modelcontext_record.saying import UnsaidError
from modelcontext_record.shrinking import shrunk
from modelcontext_record.tree import trees

#: The product that records unless another one is named.
PRODUCT: Final = "chromium"


def _browsers() -> Iterator[str]:
    return (name for name in named_products(tested=True) if name not in ("firefox", "simulated"))


@verb(
    epilog="\b\nExamples:\n  modelcontext record https://shop.example/\n  modelcontext record demo.html --out demo.toml"
    "\n  modelcontext record http://localhost:8000/ --product chromium:153 --out seen.toml"
)
@click.argument("page", metavar="URL|FILE")
@options.products(PRODUCT, among=_browsers, several=False)
@click.option("--out", type=options.NEW_FILE, metavar="FILE", help="Write the program here (.toml).")
@click.option(
    "--shrink",
    is_flag=True,
    help="After a deviation, write the smallest program with which the product shows the deviation again.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1),
    default=20.0,
    show_default=True,
    help="The time after which the command stops waiting for a page that is still active.",
)
@options.as_json
def command(page: str, chosen: options.Chosen, out: Path | None, shrink: bool, seconds: float, as_json: bool) -> None:
    """Record how a page uses the API, and say whether the specification allows what the browser did.

    The page is a URL, or a FILE, whose folder is then served on this machine. A browser opens it and runs its scripts.
    The recorder notes the calls, settlements, events and callbacks of all documents, unnoticed by the page. The command
    makes a program from the scripts, and an outcome of this program from what the browser did.

    With --out the command writes the program to a file that every other command can run. With --shrink it writes the
    smallest program with which the product shows the same deviation. If no program can do what the page did, then the
    command says why, and judges nothing.

    Exit code 0: the outcome is allowed; 1: it is not; 2: the page could not be recorded or judged.
    """
    if out is not None and out.suffix != ".toml":
        raise click.UsageError(f"--out writes a program as TOML: give {out.with_suffix('.toml')}")
    if shrink and out is None:
        raise click.UsageError("--shrink makes a smaller program: give --out FILE for it")
    with exit_on_problems():
        [product] = chosen.products
        target = chosen.target(product)
        with _served(page, target.folders()) as url:
            recorded = asyncio.run(_record(chosen, product, url, seconds))
        if recorded.ended:
            warn(recorded.ended)
        title = f"What {urlsplit(url).path.rpartition('/')[2] or page} did"
        note = f"Recorded from {page} in {product} {recorded.version} on {date.today()}."
        verdicts = Verdicts(BOUND, are_pinned=True)
        results: list[Judged | str] = []
        for tree in trees(recorded.notes):
            if tree.judged < tree.left:
                warn(f"the recording has {tree.left:,} notes, and the command judges only the first {tree.judged:,}")
            try:
                results.append(judged(tree, title, note, product, verdicts))
            except UnsaidError as error:
                results.append(str(error))
        if shrink:
            results = [_shrunk(result, chosen, product, verdicts) for result in results]
        written = _write(results, out)
        if as_json:
            print_json(
                {"page": page, "product": product, "version": recorded.version, "pages": _data(results, written)}
            )
        else:
            _print(results, written, f"{product} {recorded.version}", recorded)
    _exit(results)


async def _record(chosen: options.Chosen, product: str, url: str, seconds: float) -> Recorded:
    async with PageRecorder(chosen.target(product)) as recorder:
        return await recorder.record(url, seconds)


@contextmanager
def _served(page: str, folders: Mapping[str, Path]) -> Iterator[str]:
    """Give the URL of a page; while it is open, the folder of a file is served."""
    if urlsplit(page).scheme in ("http", "https"):
        if folders:
            raise click.UsageError(
                "this product records only a page that is a FILE, because it serves the API together with the page"
            )
        yield page
        return
    path = Path(page)
    if not path.is_file():
        raise RecordingError(f"{page} is neither a URL with http or https nor a file", "name a page")
    with Server(0, {**folders, "/": path.resolve().parent}) as server:
        yield f"{server.origins['A']}/{path.name}"


def _shrunk(result: Judged | str, chosen: options.Chosen, product: str, verdicts: Verdicts) -> Judged | str:
    """Return a deviation with a smaller program, if the product shows it again."""
    if isinstance(result, str) or result.verdict.standing is not Standing.FAIL:
        return result
    with ExitStack() as stack:
        running = options.launched(stack, chosen.product(product, 0, in_frames=True))
        program = shrunk(result.translation.program, result.verdict, running, verdicts, result.revision)
    if program is None:
        warn("the product runs the program without the deviation, so the program was not shrunk")
        return result
    return replace(result, translation=replace(result.translation, program=program))


def _write(results: list[Judged | str], out: Path | None) -> dict[int, Path]:
    """Write the programs; a second page of the tab gets a number after the file's name."""
    written: dict[int, Path] = {}
    if out is None:
        return written
    for index, result in enumerate(results):
        if isinstance(result, Judged):
            written[index] = out if not written else out.with_stem(f"{out.stem}-{len(written) + 1}")
            write_whole(written[index], result.translation.program.dumps_toml())
    return written


def _print(results: list[Judged | str], written: Mapping[int, Path], who: str, recorded: Recorded) -> None:
    if not results:
        click.echo(f"{who}: the page did not use the API")
    for index, result in enumerate(results):
        if isinstance(result, str):
            click.echo(f"{who}: not judged: {result}")
            continue
        verdict = result.verdict
        words = {Standing.PASS: "allowed", Standing.FAIL: "NOT allowed"}
        click.echo(f"{who}: {words.get(verdict.standing, f'{verdict.standing.upper()}: {verdict.observed}')}")
        if verdict.standing is Standing.FAIL:
            lines = [disagreement(verdict), *(str(step) for _, step in verdict.allowed if step is not None)]
            if published := published_steps(CURRENT.name, verdict.steps):
                lines.append(f"in the published text: {', '.join(published)}")
            if result.beyond is not None:
                lines.append(f"this is none of the known deviations of the profile {result.beyond}")
            click.echo("".join(f"  {line}\n" for line in lines), nl=False)
        if result.known is not None:
            click.echo(f"  known: the deviations of the profile {result.known} explain the whole difference")
        click.echo("".join(f"    {line}\n" for line in describe(result.translation.observed)), nl=False)
        if index in written:
            click.echo(f"  wrote {written[index]}")
            if verdict.schedule is not None:
                answers = ",".join(map(str, verdict.schedule))
                schedule = f" --schedule {answers}" if answers else ""
                click.echo(f"  step by step: modelcontext trace {written[index]}{schedule}")


def _data(results: list[Judged | str], written: Mapping[int, Path]) -> list[dict[str, Any]]:
    data = []
    for index, result in enumerate(results):
        if isinstance(result, str):
            data.append({"standing": None, "reason": result})
            continue
        verdict = result.verdict
        one: dict[str, Any] = {
            "standing": verdict.standing,
            "outcome": result.translation.observed.to_data(),
            "program": result.translation.program.to_data(),
            "file": str(written[index]) if index in written else None,
        }
        if verdict.standing is Standing.FAIL:
            one |= {"place": verdict.place, "observed": verdict.observed, "allowed": verdict.allowed_text}
            one |= {"steps": verdict.steps, "known": result.known, "beyond": result.beyond}
        elif verdict.standing is Standing.PASS:
            schedule = list(verdict.schedule or ())
            one |= {"schedule": schedule, "playground": fragment(result.translation.program.dumps_toml(), schedule)}
        else:
            one["reason"] = verdict.observed
        data.append(one)
    return data


def fragment(program: str, schedule: Sequence[int]) -> str:
    """Return the end of the playground's address that opens a program under a schedule."""
    deflating = zlib.compressobj(level=9, wbits=-zlib.MAX_WBITS)
    packed = base64.urlsafe_b64encode(deflating.compress(program.encode()) + deflating.flush()).decode().rstrip("=")
    return f"#program={packed}" + (f"&schedule={','.join(map(str, schedule))}" if schedule else "")


def _exit(results: list[Judged | str]) -> None:
    standings = {None if isinstance(result, str) else result.verdict.standing for result in results}
    if Standing.FAIL in standings:
        sys.exit(FOUND)
    sys.exit(0 if standings == {Standing.PASS} else USAGE)
