"""Pages of JavaScript in the playground: the simulated browser, whose engine for scripts is in the page as well."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from modelcontext.ground.schedule.choose import Replay, ScheduleError
from modelcontext.hosts.scripting.outcomes import ORIGIN, Pages, page_around
from modelcontext.hosts.scripting.page_schedules import Explorer
from modelcontext.hosts.scripting.resources import Answer, Request, Server
from modelcontext.judging.wpt.results import FileStatus, from_report
from modelcontext.judging.wpt.server.hosts import HOST
from modelcontext.judging.wpt.server.in_process import PORTS, server_of
from modelcontext.judging.wpt.tree import Tree
from modelcontext.judging.wpt.wrappers import wrapped_script
from modelcontext.people.playground.frames import run_of, words_of_line
from modelcontext.programs.tracing.page_traces import trace_page
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.engine import ScriptEngine
    from modelcontext.hosts.scripting.outcomes import PageOutcome

#: The languages of texts that run here: a page, a script, and a test in the format of web-platform-tests.
LANGUAGES: Final = ("page", "script", "test")
#: The place of a test that is nobody's but the user's.
_OWN_TEST: Final = "/test.https.html"
#: Seconds that a script may run, the most frames of a run, and the most runs of a search.
_SECONDS: Final = 5.0
_MOST_FRAMES: Final = 20_000
_BOUND: Final = 500
#: Files whose lines are not shown: the harness of tests.
_NOT_SHOWN: Final = "/resources/testharness"


class JavaScriptPages:
    """The runs of pages, each with the engine that it gets.

    Args:
        start: starts an engine, or gives the one that there is.
        suite: the folder of the tests, laid out as their server's URLs are.
    """

    def __init__(self, start: Callable[[], ScriptEngine], suite: Path) -> None:
        self._start = start
        self._suite = suite
        self._tests = server_of(Tree(suite, {}, {}))

    def run(self, language: str, place: str, text: str, schedule: Sequence[int]) -> dict[str, Any]:
        """Run a page under one schedule; return plain data.

        Args:
            language: one of :data:`LANGUAGES`.
            place: the path of a test of the suite in whose place the text is; "" for none.
            text: the page or the script.
            schedule: the answers to the first free choices.
        """
        with self._pages(language, place, text) as pages:
            try:
                shows = _is_shown if language == "test" else lambda url: True
                traced, outcome = trace_page(pages, Replay(schedule), most_frames=_MOST_FRAMES, is_shown=shows)
            except ScheduleError as error:
                return {"error": str(error)}
            line_of = partial(_line_of, _url_of_text(pages.url, language))
            title = re.search(r"<title>(.*?)</title>", text, re.DOTALL)
            run = run_of(
                traced, line_of, title[1] if title else pages.name, CURRENT.name, _outcome(outcome), repr(outcome.key)
            )
        if not outcome.lines and not any(map(_is_of_the_text, run["frames"])):
            # Most likely it is a script, and the language is that of a page.
            run["outcome"]["notes"].append(f"Nothing in this text calls the browser. Is its language “{language}”?")
        return run

    def outcomes(self, language: str, place: str, text: str) -> dict[str, Any]:
        """Return the outcomes of a page, each with a schedule that shows it; the arguments are those of :meth:`run`."""
        with self._pages(language, place, text) as pages:
            found = Explorer(pages, bound=_BOUND).explore()
        listed = [
            {"outcome": _outcome(one), "schedule": list(one.schedule or ()), "key": repr(one.key)}
            for one in found.outcomes
        ]
        return {"outcomes": listed, "complete": found.complete}

    @contextmanager
    def _pages(self, language: str, place: str, text: str) -> Iterator[Pages]:
        if language == "test":
            path = place or _OWN_TEST
            scheme = "https" if ".https." in path else "http"
            url = f"{scheme}://{HOST}:{PORTS[scheme][0]}{path}"
            with self._written(path, text), self._opened(url, self._tests, _words_of_report) as pages:
                yield pages
        else:
            name = "page.html" if language == "page" else "script.js"
            url = f"{ORIGIN}/{name if language == 'page' else ''}"
            with self._opened(url, partial(_serve, name, text)) as pages:
                yield pages

    def _opened(self, url: str, server: Server, words_of: Callable[[Any], Sequence[str]] | None = None) -> Pages:
        name = urlsplit(url).path
        return Pages(self._start, REVISIONS[CURRENT.name], name, url, server, seconds=_SECONDS, words_of=words_of)

    @contextmanager
    def _written(self, path: str, text: str) -> Iterator[None]:
        """Put a text in the place of a test's file, and the file back afterwards."""
        file = self._suite / _file_of(path).lstrip("/")
        before = file.read_bytes() if file.is_file() else None
        file.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            if before is None:
                file.unlink()
            else:
                file.write_bytes(before)


def _file_of(path: str) -> str:
    plain = path.partition("?")[0]
    return wrapped_script(plain) or plain


def _url_of_text(url: str, language: str) -> str:
    """Return the URL of the text: that of the page, or of the script in it."""
    if language == "script":
        return f"{ORIGIN}/script.js"
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{_file_of(parts.path)}" if language == "test" else url


def _line_of(text_url: str, place: str) -> int | None:
    url, _, line = place.rpartition(":")
    return int(line) if url.partition("?")[0] == text_url else None


def _is_of_the_text(frame: dict[str, Any]) -> bool:
    """Return whether a script or the markup has brought a frame about: every parser looks for forms in its tree."""
    kind, algorithm = frame["kind"], frame.get("algorithm")
    return kind == "script" or (kind == "step" and algorithm != "tree-change-steps")


def _is_shown(url: str) -> bool:
    return _NOT_SHOWN not in url


def _serve(name: str, text: str, request: Request) -> Answer:
    if request.url == f"{ORIGIN}/{name}":
        kind = "text/html" if name.endswith(".html") else "text/javascript"
        return Answer(200, (("content-type", f"{kind};charset=utf-8"),), text.encode())
    if request.url == f"{ORIGIN}/":
        return Answer(200, (("content-type", "text/html"),), page_around(name).encode())
    return Answer(404, (("content-type", "text/plain"),), b"there is no such file")


def _words_of_report(report: Any) -> list[str]:
    result = from_report("", report)
    lines = [
        f"{one.status} {one.name}" + (f": {one.message}" if one.message is not None else "") for one in result.subtests
    ]
    return lines if result.status == FileStatus.OK else [*lines, f"{result.status} {result.message or ''}".rstrip()]


def _outcome(outcome: PageOutcome) -> dict[str, Any]:
    logs: dict[str, list[dict[str, str]]] = {}
    for line in outcome.lines:
        logs.setdefault(line.event_loop, []).append({"document": "", "words": words_of_line(line)})
    notes = [f"Missing: {name} is not in the simulated browser" for name in outcome.missing]
    return {"logs": logs, "pending": [], "notes": [*notes, *([outcome.ended] if outcome.ended is not None else [])]}
