"""The outcomes of a page under several schedules."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import quote, unquote

from modelcontext.ground.files import read_whole
from modelcontext.ground.problems import UserError
from modelcontext.ground.schedule.choose import Chooser, Seeded
from modelcontext.hosts.scripting.engine import EndOfRunError, EngineCrashError, HangError, LastingEngine
from modelcontext.hosts.scripting.observed import MODULE_SCRIPTS, UNHANDLED, ConsoleLine, Observed
from modelcontext.hosts.scripting.resources import Answer, Request, Server
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.engine import ScriptEngine
    from modelcontext.spec.revisions.revision import Revision

ORIGIN = "https://page.test"
#: The level of lines about a test, and the place of an event loop's name there.
_TEST: Final = "test"
_TYPES = {
    ".css": "text/css",
    ".htm": "text/html",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
}


class PageError(UserError, ValueError):
    """A page cannot be had; the message says why, and what to give instead."""


@dataclass
class PageOutcome:
    """One outcome: what was observed, and the schedules that led to it. A seed of None is first in, first out.

    ``tools`` are those at the end, ``calls`` the calls of tools with their ends. A page ``is_empty`` if it ran no script and
    has no tools. Outcomes differ if the lines of one event loop do. No rule says how those of two event loops lie to each
    other.
    """

    lines: Sequence[ConsoleLine]
    missing: Sequence[str]
    ended: str | None
    tools: Sequence[str] = ()
    calls: Sequence[str] = ()
    is_empty: bool = False
    seeds: list[int | None] = field(default_factory=list)
    schedule: Sequence[int] | None = None

    @property
    def is_clean(self) -> bool:
        """True if the run came to its end, no exception was left unhandled, and all scripts of the page ran."""
        is_quiet = all(line.level != UNHANDLED for line in self.lines)
        return self.ended is None and is_quiet and MODULE_SCRIPTS not in self.missing and not self.is_empty

    @property
    def key(self) -> Hashable:
        """The parts that make two outcomes one."""
        by_loop: dict[str, list[tuple[str, str]]] = {}
        for line in self.lines:
            by_loop.setdefault(line.event_loop, []).append((line.level, line.text))
        logs = tuple(sorted((name, tuple(lines)) for name, lines in by_loop.items()))
        return logs, tuple(self.missing), self.ended, tuple(self.tools), tuple(sorted(self.calls))

    def to_data(self) -> dict[str, Any]:
        """Return the outcome as data for JSON."""
        return {
            "console": [{"level": line.level, "text": line.text} for line in self.lines if line.level != UNHANDLED],
            "errors": [line.text for line in self.lines if line.level == UNHANDLED],
            "missing": list(self.missing),
            "tools": list(self.tools),
            "calls": list(self.calls),
            "ended": self.ended,
            "schedules": self.seeds,
            "schedule": None if self.schedule is None else list(self.schedule),
        }


def open_page(path: Path, root: Path | None = None) -> tuple[str, Server]:
    """Return the URL of a page, and a server of the folder around it.

    Args:
        path: a page, a script, or a folder with an index.html.
        root: the folder to serve, if it is another one around the page.

    Raises:
        PageError: if there is no such page.
    """
    if ":/" in str(path):
        raise PageError(f"{path} is a URL, and `js` does not use the network: save the page, and name its file")
    if not path.exists():
        raise PageError(f"{path}: there is no such file or folder")
    folder = path if path.is_dir() else path.parent
    if path.is_dir() and not (path / "index.html").is_file():
        raise PageError(f"{path} has no index.html: name the page, or a folder that has one")
    if path.is_file() and path.suffix not in (".html", ".htm", ".js"):
        raise PageError(f"{path} is neither a page (.html) nor a script (.js)")
    if root is not None and not folder.resolve().is_relative_to(root.resolve()):
        raise PageError(f"{path} is not in --root {root}: name a folder around the page")
    name = (
        (folder / "index.html" if path.is_dir() else path).resolve().relative_to((root or folder).resolve()).as_posix()
    )
    if path.suffix == ".js" and path.is_file():
        return f"{ORIGIN}/", partial(_serve, root or folder, page_around(name))
    return f"{ORIGIN}/{quote(name)}", partial(_serve, root or folder, "")


def page_around(script: str) -> str:
    """Return a page with one script, which is served beside it."""
    return f'<!DOCTYPE html>\n<meta charset="utf-8">\n<body>\n<script src={json.dumps("/" + script)}></script>\n'


def _serve(folder: Path, page: str, request: Request) -> Answer:
    place = unquote(request.url.removeprefix(ORIGIN).partition("?")[0]).lstrip("/")
    if not place and page:
        return Answer(200, (("content-type", "text/html"),), page.encode())
    file = (folder / place).resolve()
    file = file / "index.html" if file.is_dir() else file
    if not request.url.startswith(f"{ORIGIN}/") or not file.is_relative_to(folder.resolve()) or not file.is_file():
        return Answer(404, (("content-type", "text/plain"),), b"there is no such file")
    headers = [("content-type", _TYPES.get(file.suffix, "text/plain"))]
    beside = file.with_name(f"{file.name}.headers")
    if beside.is_file():
        lines = [line.partition(":") for line in beside.read_text(encoding="utf-8").splitlines() if ":" in line]
        own = {name.strip().lower(): value.strip() for name, _, value in lines}
        headers = [*((name, value) for name, value in headers if name not in own), *own.items()]
    return Answer(200, tuple(headers), read_whole(file))


class Pages:
    """Runs of one page, each with an engine that can go on; a context manager.

    Args:
        start: starts an engine; after a crash or an endless loop, another one.
        revision: the revision of the specification.
        name: the name of the page, for reports.
        url: its URL.
        server: answers its requests.
        seconds: the time that a script may run.
        words_of: returns the lines of what the page reports of a test, which ends a run; by default it reports nothing.
    """

    def __init__(
        self,
        start: Callable[[], ScriptEngine],
        revision: Revision,
        name: str,
        url: str,
        server: Server,
        *,
        seconds: float,
        words_of: Callable[[Any], Sequence[str]] | None = None,
    ) -> None:
        self.name, self.url = name, url
        self._server = server
        self._engine = LastingEngine(start)
        self.revision = revision
        self.seconds = seconds
        self._words_of = words_of
        self._sources: dict[str, list[str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def browser(self, chooser: Chooser | None, revision: Revision | None = None) -> ScriptedBrowser:
        """Return a new browser; its revision may be a copy with probes."""
        return ScriptedBrowser(
            self._engine.engine(),
            revision or self.revision,
            self._server,
            chooser,
            reports=self._words_of is not None,
            seconds=self.seconds,
        )

    def run(self, chooser: Chooser | None) -> PageOutcome:
        """Run the page once."""
        return self.outcome(self.browser(chooser).run(self.url))

    def source_line(self, url: str, line: int) -> str:
        """Return the text of a line of a file, without spaces around it; "" if there is none."""
        if url not in self._sources:
            answer = self._server(Request(url)) if url.startswith(("http://", "https://")) else Answer(404)
            self._sources[url] = answer.text().splitlines() if answer.status == 200 else []
        lines = self._sources[url]
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def outcome(self, observed: Observed) -> PageOutcome:
        """Return the outcome of a run."""
        reported = self._words_of(observed.report) if self._words_of is not None and observed.report is not None else ()
        lines = [*observed.lines, *(ConsoleLine(_TEST, _TEST, words) for words in reported)]
        calls = [str(call) for call in observed.tool_calls]
        is_empty = observed.scripts == 0 and not observed.tools
        ended = self.ending(observed.ended)
        return PageOutcome(lines, sorted(observed.missing), ended, observed.tools, calls, is_empty)

    def ending(self, error: EndOfRunError | None) -> str | None:
        """Return the words about the end of a run that did not come to it by itself."""
        if isinstance(error, EngineCrashError):
            return f"crash: {error}"
        if isinstance(error, HangError):
            return f"endless loop: a script ran for more than {self.seconds:g} seconds"
        return str(error) if error is not None else None


def pages_of(
    path: Path, start: Callable[[], ScriptEngine], revision: Revision, seconds: float, root: Path | None = None
) -> Pages:
    """Return the runs of a page on the disk.

    The path and the root are those of :func:`open_page`, the others are those of :class:`Pages`.

    Raises:
        PageError: if there is no such page.
    """
    url, server = open_page(path, root)
    return Pages(start, revision, str(path), url, server, seconds=seconds)


def outcomes(pages: Pages, seeds: Sequence[int | None], ran: Callable[[], None] = lambda: None) -> list[PageOutcome]:
    """Return the outcomes under some schedules, in the order in which they were found; ``ran`` is called after each run."""
    found: dict[Hashable, PageOutcome] = {}
    for seed in seeds:
        outcome = pages.run(None if seed is None else Seeded(seed))
        found.setdefault(outcome.key, outcome).seeds.append(seed)
        ran()
    return list(found.values())
