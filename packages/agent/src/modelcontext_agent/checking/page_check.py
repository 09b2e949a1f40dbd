"""Checking a page: the tools of all frames as the browser lists them, and its forms."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.files import is_url
from modelcontext.judging.clients.page_tools import MAIN_FRAME
from modelcontext.people.forms.check import check_page
from modelcontext.people.forms.live import read_page
from modelcontext.people.forms.page_report import Code
from modelcontext.people.forms.reading import read_file
from modelcontext.people.forms.texts import shortened, uncaught
from modelcontext_agent.checking.exposing import findings_of_all, findings_of_exposure
from modelcontext_agent.checking.tool_finding import Level, ToolFinding
from modelcontext_agent.checking.trying import tried
from modelcontext_agent.checking.wording import destroys, findings_of_words
from modelcontext_agent.pages.addresses import address_of
from modelcontext_agent.pages.live_page import LivePage, open_browser
from modelcontext_agent.pages.loss import BrokenPageError
from modelcontext_agent.pages.settling import settled_tools

if TYPE_CHECKING:
    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext.people.forms.page_report import DocumentReport, FormProblem, FormReport, PageReport
    from modelcontext_agent.exposure.providers import Provider

_PROBE: Final = Path(__file__).parents[1] / "pages" / "script" / "probe.js"
#: The names that tools may have.
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_NAME_ADVICE: Final = "give it a name of 1 to 128 ASCII letters, digits, _, - and ."
#: Codes of forms with which a call fails, or does what nobody wants.
_ERRORS: Final = frozenset({Code.NEVER_SUBMITTABLE, Code.DECOY, Code.REQUIRED_OUT_OF_REACH, Code.INVISIBLE_CHARACTERS})
#: What the check of forms tells of the controls, and the hint that no attribute of a form gives.
_TOLD_OF_FORMS: Final = frozenset({"undescribed-parameter", "hidden-characters", "missing-hint"})


@dataclass(frozen=True, slots=True)
class CheckedPage:
    """A page that was checked: its file or URL, its tools, and its findings."""

    source: str
    tools: Sequence[PageTool]
    findings: Sequence[ToolFinding]


async def check_pages(
    sources: Sequence[str],
    providers: Sequence[Provider],
    *,
    runs: bool = False,
    limit: float = 10,
    binary: str | None = None,
    headed: bool = False,
) -> tuple[list[CheckedPage], list[ToolFinding]]:
    """Check pages in one browser, and return them with the findings that are of all of them together.

    Args:
        sources: files and URLs.
        providers: the providers whose changes of schemas are told.
        runs: whether the tools with readOnlyHint run.
        limit: the seconds that such a tool has.
        binary: the browser's program, instead of this machine's.
        headed: whether to show the windows.

    Raises:
        UnavailableError: if there is no browser, or a page cannot be opened.
        UserError: if a file cannot be read.
        BrokenPageError: if a page does not answer.
    """
    files = {source: check_page([read_file(Path(source))]) for source in sources if not is_url(source)}
    async with open_browser(binary=binary, headed=headed) as browser:
        checked = [await _check(browser, source, files.get(source), providers, runs, limit) for source in sources]
    return checked, list(findings_of_all([(page.source, tool) for page in checked for tool in page.tools]))


async def _check(
    browser: Any, source: str, own: PageReport | None, providers: Sequence[Provider], runs: bool, limit: float
) -> CheckedPage:
    context = await browser.new_context()
    failures: list[ToolFinding] = []
    try:
        with address_of(source) as url:
            page = await context.new_page()
            await _watch(page, source, failures)
            report = check_page(await read_page(page, url))
            async with _attached(page) as live:
                tools = await settled_tools(live)
                if MAIN_FRAME in live.silent:
                    raise BrokenPageError(f"{source} cannot be checked")
                failures += [_left_out(source, definition, why) for definition, why in live.left_out]
                changed = await tried(live, page, tools, source, limit) if runs else []
    finally:
        await context.close()
    findings = [*failures, *_of_forms(source, report, own), *_of_tools(source, tools, report, own, providers), *changed]
    return CheckedPage(source, tools, findings)


@contextlib.asynccontextmanager
async def _attached(page: Any) -> AsyncIterator[LivePage]:
    live = LivePage(page)
    try:
        yield live
    finally:
        await live.close()


async def _watch(page: Any, source: str, failures: list[ToolFinding]) -> None:
    """Note the tools that are not registered and the errors that nobody catches."""

    def refused(_: Any, name: str, message: str) -> None:
        advice = "mend its definition" if _NAME.fullmatch(name) else _NAME_ADVICE
        said = shortened(message, 300)
        failures.append(ToolFinding("failed-registration", Level.ERROR, source, name, "", said, advice))

    def thrown(error: Any) -> None:
        failures.append(ToolFinding("uncaught-error", Level.NOTE, source, "", "", uncaught(error), "mend the script"))

    await page.expose_binding("modelcontextNote", refused)
    await page.add_init_script(path=_PROBE)
    page.on("pageerror", thrown)


def _left_out(source: str, definition: str, why: str) -> ToolFinding:
    message = f"no model sees the tool: its definition {why}"
    return ToolFinding("left-out-tool", Level.ERROR, source, "", shortened(definition), message, "shorten it")


def _of_forms(source: str, live: PageReport, own: PageReport | None) -> Iterator[ToolFinding]:
    """Yield the problems of forms. Those of the live page have no lines; where the file has the same one, its line is told."""
    lines: dict[tuple[Code, str], list[int]] = {}
    for problem in own.problems if own is not None else ():
        if problem.place.line is not None:
            lines.setdefault((problem.code, problem.place.element), []).append(problem.place.line)
    elements = _lines_of_elements(own)
    for document in live.documents:
        name = source if document is live.documents[0] else document.url or source
        for tool, problem in _problems(document):
            known = lines.get((problem.code, problem.place.element), [])
            line = known.pop(0) if known else elements.get(problem.place.element)
            level = Level.ERROR if problem.code in _ERRORS else Level.WARNING
            place, message = problem.place.element, problem.message
            yield ToolFinding(problem.code.value, level, name, tool, place, message, problem.advice, line)


def _lines_of_elements(own: PageReport | None) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for document in own.documents if own is not None else ():
        for form in document.forms:
            for place in (form.place, *(place for one in form.parameters for place in one.controls)):
                if place.line is not None:
                    found.setdefault(place.element, place.line)
    return found


def _problems(document: DocumentReport) -> Iterator[tuple[str, FormProblem]]:
    for problem in document.problems:
        yield "", problem
    for form in document.forms:
        for problem in form.problems:
            yield form.tool.name if form.tool is not None else "", problem


def _of_tools(
    source: str,
    tools: Sequence[PageTool],
    report: PageReport,
    own: PageReport | None,
    providers: Sequence[Provider],
) -> Iterator[ToolFinding]:
    lines = _lines_of_elements(own)
    forms = {form.tool.name: form for document in report.documents for form in document.forms if form.tool is not None}
    for tool in tools:
        place = source if tool.frame == MAIN_FRAME else tool.url
        found = [*findings_of_words(tool, place), *findings_of_exposure(tool, place, providers)]
        if (form := forms.get(tool.name)) is None:
            yield from found
            continue
        for finding in [*found, *_of_autosubmit(form, tool, place)]:
            if finding.rule not in _TOLD_OF_FORMS:
                yield replace(finding, line=lines.get(form.place.element))


def _of_autosubmit(form: FormReport, tool: PageTool, source: str) -> Iterator[ToolFinding]:
    if form.tool is not None and form.tool.autosubmit and destroys(tool.name):
        message = "its name says that it destroys or pays, but it submits itself: no person presses a button"
        place = form.place.element
        yield ToolFinding(
            "destructive-autosubmit", Level.ERROR, source, tool.name, place, message, "remove toolautosubmit"
        )
