"""``modelcontext agent check``: the tools of a page as a reviewer sees them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from rich.text import Text

from modelcontext.ground.words import counted
from modelcontext.people.cli.exit_codes import FOUND, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import results_console
from modelcontext_agent.exposure.providers import Provider

if TYPE_CHECKING:
    from modelcontext_agent.checking.page_check import CheckedPage
    from modelcontext_agent.checking.tool_finding import ToolFinding

_STYLES = {"error": "red", "warning": "yellow", "note": "dim"}


@verb(
    epilog="\b\nExamples:\n  modelcontext agent check https://shop.example/\n"
    "  modelcontext agent check docs/examples/check/shop.html --run\n"
    "  modelcontext agent check dist/index.html --sarif > tools.sarif"
)
@click.argument("sources", metavar="FILE|URL...", nargs=-1, required=True)
@click.option(
    "--format",
    "providers",
    type=click.Choice([provider.value for provider in Provider]),
    multiple=True,
    help="Report what this provider changes in schemas. May be repeated.  [default: every provider]",
)
@click.option(
    "--run",
    "runs",
    is_flag=True,
    help="Run the tools that have readOnlyHint, with made-up arguments, and report what these tools change.",
)
@click.option(
    "--call-limit",
    type=click.FloatRange(0.1),
    default=10,
    show_default=True,
    help="With --run: the time limit of a tool, in seconds.",
)
@click.option("--json", "form", flag_value="json", help="Print one JSON document.")
@click.option("--sarif", "form", flag_value="sarif", help="Print one SARIF document.")
@click.option("--headed", is_flag=True, help="Show the windows of the pages.")
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
def command(
    sources: tuple[str, ...],
    providers: tuple[str, ...],
    runs: bool,
    call_limit: float,
    form: str | None,
    headed: bool,
    binary: str | None,
) -> None:
    """Open pages in Chromium, and judge their tools as a reviewer does.

    The check looks at words (hidden characters, words that instruct a model, lengths), at names and hints that contradict
    each other, at what providers change in schemas, at secrets, at equal names and descriptions, at tools that the browser
    does not register, and at forms, as “forms check” does. A FILE is served from its folder. docs/agent-check.md has the
    rules.

    Exit code 0: no error and no warning; 1: errors or warnings, or the page or its browser has ended; 2: wrong usage, or a
    file, a page or the browser is not available.
    """
    from modelcontext_agent.checking.page_check import check_pages
    from modelcontext_agent.checking.sarif import as_sarif
    from modelcontext_agent.checking.tool_finding import Level
    from modelcontext_agent.pages.loss import BrokenPageError

    for source in sources:
        if "://" in source and not source.lower().startswith(("http:", "https:")):
            raise click.UsageError(f"{source} cannot be opened: give a URL with http or https, or the path of a file")
    chosen = [Provider(provider) for provider in providers] or list(Provider)
    with exit_on_problems(codes={BrokenPageError: FOUND}, as_json=form is not None):
        pages, common = asyncio.run(
            check_pages(sources, chosen, runs=runs, limit=call_limit, binary=binary, headed=headed)
        )
    findings = [*(finding for page in pages for finding in page.findings), *common]
    if form == "sarif":
        click.echo(json.dumps(as_sarif(findings), indent=2))
    elif form == "json":
        click.echo(json.dumps(_as_json(pages, findings), indent=2))
    else:
        _print(pages, findings)
    sys.exit(FOUND if any(finding.level is not Level.NOTE for finding in findings) else 0)


def _as_json(pages: Sequence[CheckedPage], findings: Sequence[ToolFinding]) -> dict[str, object]:
    return {
        "pages": [{"source": page.source, "tools": [tool.to_json() for tool in page.tools]} for page in pages],
        "findings": [finding.to_json() for finding in findings],
    }


def _print(pages: Sequence[CheckedPage], findings: Sequence[ToolFinding]) -> None:
    from modelcontext_agent.exposure.framing import visible

    console = results_console(highlight=False)
    places = dict.fromkeys((finding.source, finding.tool) for finding in findings)
    for source, tool in places:
        console.print(Text(visible(tool or "the page"), "bold") + Text(visible(f" ({source})")), soft_wrap=True)
        for finding in findings:
            if (finding.source, finding.tool) == (source, tool):
                line = "" if finding.line is None else f"line {finding.line}, "
                where = f"{line}{finding.place}".rstrip(", ")
                words = f"{where + ': ' if where else ''}{finding.message}; {finding.advice}"
                level = Text(f"  {finding.level.value:8}", _STYLES[finding.level.value])
                console.print(level + Text(visible(f"{finding.rule}: {words}"), ""), soft_wrap=True)
    levels = [finding.level.value for finding in findings]
    counts = ", ".join(counted(levels.count(level), level) for level in _STYLES)
    tools = sum(len(page.tools) for page in pages)
    console.print(f"{counted(len(pages), 'page')}, {counted(tools, 'tool')}: {counts}")
