"""The outcomes of a page under several schedules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.schedule.choose import Seeded
from modelcontext.scripting.browser import ScriptedBrowser
from modelcontext.scripting.process import EngineCrashError, HangError
from modelcontext.scripting.resources import Answer, Request, Server

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision
    from modelcontext.scripting.browser import Observed
    from modelcontext.scripting.process import EngineProcess

ORIGIN = "https://page.test"
_TYPES = {
    ".css": "text/css",
    ".htm": "text/html",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
}


class PageError(ValueError):
    """A page cannot be had; the message says why, and what to give instead."""


@dataclass
class PageOutcome:
    """One outcome: what was observed, and the schedules that led to it. A seed of None is first in, first out."""

    console: Sequence[tuple[str, str]]
    errors: Sequence[str]
    missing: Sequence[str]
    ended: str | None
    seeds: list[int | None] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        """True if the run came to its end, and no exception was left unhandled."""
        return not self.errors and self.ended is None

    def to_data(self) -> dict[str, Any]:
        """Return the outcome as data for JSON."""
        return {
            "console": [{"level": level, "text": text} for level, text in self.console],
            "errors": list(self.errors),
            "missing": list(self.missing),
            "ended": self.ended,
            "schedules": self.seeds,
        }


def open_page(path: Path) -> tuple[str, Server]:
    """Return the URL of a page, and a server of the folder around it.

    Args:
        path: a page, a script, or a folder with an index.html.

    Raises:
        PageError: if there is no such page.
    """
    if not path.exists():
        raise PageError(f"{path}: there is no such file or folder")
    folder = path if path.is_dir() else path.parent
    if path.is_dir() and not (path / "index.html").is_file():
        raise PageError(f"{path} has no index.html: name the page, or a folder that has one")
    if path.is_file() and path.suffix not in (".html", ".htm", ".js"):
        raise PageError(f"{path} is no page (.html) and no script (.js)")
    name = "index.html" if path.is_dir() else path.name
    if path.suffix == ".js" and path.is_file():
        page = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<body>\n<script src={json.dumps("/" + name)}></script>\n'
        return f"{ORIGIN}/", partial(_serve, folder, page)
    return f"{ORIGIN}/{name}", partial(_serve, folder, "")


def _serve(folder: Path, page: str, request: Request) -> Answer:
    place = request.url.removeprefix(ORIGIN).partition("?")[0].lstrip("/")
    if not place and page:
        return Answer(200, (("content-type", "text/html"),), page.encode())
    file = (folder / place).resolve()
    if not request.url.startswith(f"{ORIGIN}/") or not file.is_relative_to(folder.resolve()) or not file.is_file():
        return Answer(404, (("content-type", "text/plain"),), b"there is no such file")
    headers = [("content-type", _TYPES.get(file.suffix, "text/plain"))]
    beside = file.with_name(f"{file.name}.headers")
    if beside.is_file():
        lines = [line.partition(":") for line in beside.read_text(encoding="utf-8").splitlines() if ":" in line]
        own = {name.strip().lower(): value.strip() for name, _, value in lines}
        headers = [*((name, value) for name, value in headers if name not in own), *own.items()]
    return Answer(200, tuple(headers), file.read_bytes())


def outcomes(
    start: Callable[[], EngineProcess], revision: Revision, path: Path, seeds: Sequence[int | None], *, seconds: float
) -> list[PageOutcome]:
    """Return the outcomes of a page under some schedules, in the order in which they were found.

    Args:
        start: starts an engine; after a crash or an endless loop, another one.
        revision: the revision of the specification.
        path: as for :func:`open_page`.
        seeds: the schedules.
        seconds: the time that a script may run.

    Raises:
        PageError: if there is no such page.
    """
    url, server = open_page(path)
    found: dict[str, PageOutcome] = {}
    for seed, observed in _runs(start, revision, url, server, seeds, seconds):
        ended = _ending(observed, seconds)
        outcome = PageOutcome(observed.console, observed.errors, sorted(observed.missing), ended)
        found.setdefault(json.dumps(outcome.to_data()), outcome).seeds.append(seed)
    return list(found.values())


def _runs(
    start: Callable[[], EngineProcess],
    revision: Revision,
    url: str,
    server: Server,
    seeds: Sequence[int | None],
    seconds: float,
) -> Iterator[tuple[int | None, Observed]]:
    process = start()
    try:
        for seed in seeds:
            chooser = None if seed is None else Seeded(seed)
            observed = ScriptedBrowser(process, revision, server, chooser, seconds=seconds).run(url)
            if observed.ended is not None:
                process.close()
                process = start()
            yield seed, observed
    finally:
        process.close()


def _ending(observed: Observed, seconds: float) -> str | None:
    if isinstance(observed.ended, EngineCrashError):
        return f"crash: {observed.ended}"
    if isinstance(observed.ended, HangError):
        return f"endless loop: a script ran for more than {seconds:g} seconds"
    return str(observed.ended) if observed.ended is not None else None
