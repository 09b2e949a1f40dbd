"""Traces of pages of JavaScript: steps of the specification and lines of scripts in one sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.tracing.items import ScriptLine, Shown, Trace
from modelcontext.programs.tracing.recorder import MOST_FRAMES, Recorder
from modelcontext.programs.tracing.snapshot import Snapshots

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.hosts.scripting.observed import ConsoleLine
    from modelcontext.hosts.scripting.outcomes import PageOutcome, Pages
    from modelcontext.platform.html.document import Document


class _Names(Mapping["Document", str]):
    """The URLs of documents, with a number where others have the same."""

    def __init__(self, documents: Mapping[int, Document]) -> None:
        self._documents = documents

    def _all(self) -> dict[Document, str]:
        seen: Counter[str] = Counter()
        names = {}
        for document in self._documents.values():
            seen[document.url] += 1
            number = seen[document.url]
            names[document] = document.url if number == 1 else f"{document.url} ({number})"
        return names

    def __getitem__(self, document: Document) -> str:
        return self._all()[document]

    def __iter__(self) -> Iterator[Document]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._documents)


def trace_page(
    pages: Pages,
    chooser: Chooser,
    *,
    most_frames: int = MOST_FRAMES,
    is_shown: Callable[[str], bool] = lambda url: True,
) -> tuple[Trace, PageOutcome]:
    """Run a page once, and return its trace and its outcome; a run that does not come to its end has a ``problem``.

    Args:
        pages: runs the page.
        chooser: makes the free choices.
        most_frames: a run with more frames counts as one that does not end.
        is_shown: tells for the URL of a script whether its lines are in the trace.

    Raises:
        ScheduleError: if the chooser follows a schedule that does not fit.
    """
    recorder = Recorder(pages.revision, chooser, most_frames)
    browser = pages.browser(recorder.chooser, recorder.revision)
    names = _Names(browser.realms.documents)
    recorder.begin(Snapshots(browser.user_agent, names, {}, _event_loop_of(names)))
    source = pages.source_line

    def at(url: str, line: int) -> None:
        if is_shown(url):
            recorder.add(ScriptLine(f"{url}:{line}", source(url, line)))

    def show(line: ConsoleLine) -> None:
        recorder.add(Shown(line.event_loop, line.level, line.text))

    browser.realms.watch(at, show)
    problem = None
    try:
        browser.run(pages.url)
    except (RunawayError, SpecAssertionError) as error:
        problem = str(error)
    outcome = pages.outcome(browser.observed)
    for line in outcome.lines[len(browser.observed.lines) :]:
        show(line)
    return recorder.trace(Outcome({}), problem or outcome.ended), outcome


def _event_loop_of(names: Mapping[Document, str]) -> Callable[[str], str]:
    def name(id_: str) -> str:
        return next(document.event_loop.name for document, known in names.items() if known == id_)

    return name
