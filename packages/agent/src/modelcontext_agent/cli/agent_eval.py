"""``modelcontext agent eval``: evaluations that say which tools a model should call."""

from __future__ import annotations

import asyncio
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from modelcontext.ground.words import counted
from modelcontext.people.cli import options
from modelcontext.people.cli.exit_codes import FOUND, USAGE, Interruption, exit_on_problems
from modelcontext.people.cli.groups import verb
from modelcontext.people.cli.output import one_bar, print_json, results_console, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager

    from modelcontext_agent.evals.eval_files import Eval
    from modelcontext_agent.evals.eval_run import EvalResult, Models
    from modelcontext_agent.evals.sources import Sources
    from modelcontext_agent.models.retries import Retry

_SCRIPTED = "scripted:"
_SIMULATED = "simulated"
_STYLES = {"pass": "green", "fail": "red", "error": "yellow"}


@verb(
    epilog="\b\nExamples:\n"
    "  modelcontext agent eval docs/examples/evals/tea.json --page simulated \\\n"
    "      --model scripted:docs/examples/evals/tea-answers.toml\n"
    "  modelcontext agent eval evals.json --tools tools.json --model anthropic:claude-sonnet-4-5"
)
@click.argument("file", type=options.FILE)
@click.option(
    "--tools", type=options.FILE, help="Offer the tools of this JSON file; the evaluations mock the tools' answers."
)
@click.option(
    "--page", metavar="FILE|URL", help="Offer the tools of this page in Chromium; “simulated” is the demo's shop."
)
@click.option(
    "--model",
    "name",
    required=True,
    metavar="NAME",
    help="The model, such as anthropic:MODEL, openai:MODEL, openai-responses:MODEL, google:MODEL or scripted:FILE."
    " “expected” makes the expected calls without a model.",
)
@click.option("--binary", metavar="PATH", help="The executable of the browser.  [default: the installed browser]")
@click.option("--approve", is_flag=True, help="Let tools with consequences run on a live page.")
@options.as_json
def command(
    file: Path, tools: Path | None, page: str | None, name: str, binary: str | None, approve: bool, as_json: bool
) -> None:
    """Ask a model the questions of the evaluations in FILE, and compare its calls with the expected calls.

    FILE is JSON in the format of the public WebMCP evals. Each evaluation gets a fresh page. Tools may appear and
    disappear during an evaluation, so the command reads them before each request. If the model calls a tool that no
    longer exists, the evaluation fails, unless the expected call has "gone": true.

    The model “expected” makes the expected calls, so you can try the tools and the evaluations without a key. The
    file of a scripted model has the answers of each evaluation, or one list of answers for all evaluations.

    After an interrupt the command prints the results so far.

    Exit code 0: all evaluations passed; 1: some failed, or could not be judged; 2: wrong usage, or something is missing; 130:
    interrupted.
    """
    from modelcontext_agent.evals.eval_files import EvalError, read_evals
    from modelcontext_agent.evals.eval_run import EvalOutcome, exit_data
    from modelcontext_agent.models.canned_answers import CannedAnswersError
    from modelcontext_agent.models.model_names import MissingKeyError, ModelNameError

    if (tools is None) == (page is None):
        raise click.UsageError("give either --tools FILE or --page PAGE")
    if binary is not None and page in (None, _SIMULATED):
        raise click.UsageError("--binary is for pages in Chromium, so give --page PAGE as well")
    codes = dict.fromkeys((EvalError, CannedAnswersError, ModelNameError, MissingKeyError), USAGE)
    interruption = Interruption()
    results: list[EvalResult] = []
    with exit_on_problems(codes=codes, as_json=as_json):
        evals = read_evals(file)
        models = _models(name, evals)
        sources = _sources(tools, page, may=approve, binary=binary)
        with interruption.kept(), one_bar("evaluations", len(evals)) as advance:

            def take(result: EvalResult) -> None:
                results.append(result)
                advance(1)

            asyncio.run(_run(evals, models, sources, take))
    if as_json:
        print_json(exit_data(results))
    else:
        _print(results)
    interruption.end(f"{len(results)} of {counted(len(evals), 'evaluation')} have ended")
    sys.exit(0 if all(result.outcome is EvalOutcome.PASS for result in results) else FOUND)


def _sources(
    tools: Path | None, page: str | None, *, may: bool, binary: str | None
) -> AbstractAsyncContextManager[Sources]:
    from modelcontext_agent.evals.eval_files import read_tools
    from modelcontext_agent.evals.sources import listed, live_pages, simulated_shops

    if tools is not None:
        return nullcontext(listed(read_tools(tools)))
    return simulated_shops() if page == _SIMULATED else live_pages(str(page), may=may, binary=binary)


def _models(name: str, evals: Sequence[Eval]) -> Models:
    """Return what makes the models; a name that means none, or a key that is missing, is an error now."""
    from modelcontext_agent.evals.answers import model_for, read_answers
    from modelcontext_agent.evals.expected_model import NAME, expected_answers
    from modelcontext_agent.models.model_names import build_model

    if name.startswith(_SCRIPTED) and name != _SCRIPTED:
        all_answers = read_answers(Path(name.removeprefix(_SCRIPTED)), evals)
        return lambda index, skipped: model_for(all_answers[index], skipped)
    if name == NAME:
        return lambda index, skipped: model_for(expected_answers(evals[index]), skipped)
    build_model(name)
    return lambda index, skipped: build_model(name)


async def _run(
    evals: Sequence[Eval],
    models: Models,
    opening: AbstractAsyncContextManager[Sources],
    on_result: Callable[[EvalResult], None],
) -> None:
    from modelcontext_agent.evals.eval_run import run_evals

    async with opening as sources:
        await run_evals(evals, models, sources, on_result=on_result, on_retry=_tell_retry)


def _tell_retry(retry: Retry) -> None:
    warn(
        f"{retry.failure.message} {retry.failure.detail} Try {retry.attempt + 1} begins in {retry.delay:.0f} s.".strip()
    )


def _print(results: Sequence[EvalResult]) -> None:
    from modelcontext_agent.evals.eval_run import EvalOutcome, exit_data
    from modelcontext_agent.exposure.framing import visible
    from modelcontext_agent.pages.endings import in_a_line

    table = Table("evaluation", "outcome", "calls", "reason")
    for result in results:
        calls = ", ".join(made.call.name + " (error)" * made.is_error for made in result.calls) or "none"
        outcome = Text(result.outcome, style=_STYLES[result.outcome.value])
        errors = (f"{made.call.name}: {in_a_line(made.output)}" for made in result.calls if made.is_error)
        reason = visible(result.reason or "; ".join(errors))
        table.add_row(Text(visible(result.test.name)), outcome, Text(visible(calls)), Text(reason))
    results_console().print(table)
    data = exit_data(results)
    click.echo(
        f"{counted(data['testCount'], 'evaluation')}: "
        + ", ".join(f"{data[f'{each}Count']} {each}" for each in EvalOutcome)
    )
