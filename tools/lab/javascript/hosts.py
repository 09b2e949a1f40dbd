"""The hosts of scripts without WebMCP: the simulated browser, the model's layer, and browsers with many scripts at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, Self

from modelcontext.ground.schedule.choose import FirstInFirstOut, Seeded
from modelcontext.hosts.scripting.engine import LastingEngine
from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products import make_target
from modelcontext.running.products.program_page import PlaywrightBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION
from tools.lab.javascript import words, words_of_events, words_of_promises  # noqa: F401 (they fill WORDS)
from tools.lab.javascript.grammar import FAMILIES, GeneratedScript, javascript
from tools.lab.javascript.layer import WORDS, Layer

_FOLDER: Final = Path(__file__).parent
_URL: Final = "https://page.test/"
#: The milliseconds without a line after which all scripts of a page are taken to have ended.
_QUIET: Final = 60


class ScriptHost(Protocol):
    """A host of scripts; a context manager that starts and ends it.

    ``version`` is that of the engine; ``silent`` are the labels of lines that the host never writes.
    """

    version: str
    silent: frozenset[str]

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def run(self, scripts: Sequence[GeneratedScript]) -> Sequence[list[str] | None]:
        """Return the lines that each script has written, or None for a script that the host cannot run."""


@cache
def _asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def page(script: GeneratedScript, put: str) -> str:
    """Return the HTML of a page with a script, which writes its lines with the function ``put``."""
    source = f'"use strict";\n{_asset("prelude.js")}\n{javascript(script.tree)}'
    return (
        f"<!DOCTYPE html><body><script>((put, family) => {{ {source}\n}})({put}, {json.dumps(script.family)})</script>"
    )


class SimulatedBrowserHost:
    """The simulated browser with V8.

    Args:
        seed: the seed of the schedules; None is first in, first out.
    """

    silent: frozenset[str] = frozenset()

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed
        self.version = ""
        self._engine = LastingEngine(lambda: start_process(REVISION))

    def __enter__(self) -> Self:
        self.version = self._engine.engine().version
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.close()

    def run(self, scripts: Sequence[GeneratedScript]) -> list[list[str]]:
        """Return the lines that each script has written."""
        return [self._run(script) for script in scripts]

    def _run(self, script: GeneratedScript) -> list[str]:
        body = page(script, "console.log").encode()

        def serve(request: Request) -> Answer:
            return Answer(200, (("content-type", "text/html"),), body) if request.url == _URL else Answer(404)

        chooser = FirstInFirstOut() if self._seed is None else Seeded(self._seed)
        observed = ScriptedBrowser(self._engine.engine(), REVISION, serve, chooser).run(_URL)
        ended = [f"ended: {observed.ended}"] if observed.ended is not None else []
        missing = [f"missing: {name}" for name in sorted(observed.missing)]
        return [*(text for _, text in observed.console), *observed.errors, *ended, *missing]


def is_sayable(script: GeneratedScript) -> bool:
    """Return whether the layer has words for every production of a script, and for its tasks."""
    used = {f"{one.sort}.{one.name}" for one in script.tree.productions()}
    return used <= WORDS.keys() and (script.family in FAMILIES[:2] or "statement.later" not in used)


class LayerHost:
    """The model's own layer of ECMAScript and DOM in Python."""

    version = "Python"
    #: Promises of the layer do not know whether they are handled.
    silent: frozenset[str] = frozenset({"unhandledrejection", "rejectionhandled"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, scripts: Sequence[GeneratedScript]) -> list[list[str] | None]:
        """Return the lines that each script has written, or None where the layer cannot say it."""
        return [Layer(script).run() if is_sayable(script) else None for script in scripts]


class BrowserHost:
    """A real browser; ``product`` is one of :data:`modelcontext.running.products.BROWSERS`."""

    silent: frozenset[str] = frozenset()

    def __init__(self, product: str, binary: str | None = None) -> None:
        self.version = ""
        self._target = make_target(product, binary=binary)
        self._loop = asyncio.new_event_loop()
        self._browser: PlaywrightBrowser | None = None
        self._page: Any = None

    def __enter__(self) -> Self:
        self._browser = self._loop.run_until_complete(PlaywrightBrowser.start(self._target, ()))
        self.version = self._browser.version
        self._page = self._loop.run_until_complete(self._open())
        return self

    async def _open(self) -> Any:
        assert self._browser is not None
        return await (await self._browser.new_context()).new_page()

    def __exit__(self, *_: object) -> None:
        assert self._browser is not None
        self._loop.run_until_complete(self._browser.close())
        self._loop.close()

    def run(self, scripts: Sequence[GeneratedScript]) -> list[list[str]]:
        """Return the lines that each script has written in a frame of its own."""
        sources = [page(script, f"parent.puts[{number}]") for number, script in enumerate(scripts)]
        run = self._page.evaluate(_asset("frames.js"), {"sources": sources, "quiet": _QUIET})
        lines: list[list[str]] = self._loop.run_until_complete(run)
        return lines
