"""The start of scripts in a page, which has an engine and an archive with the tests."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from modelcontext.people.playground.engine import PageEngine
from modelcontext.people.playground.javascript_pages import JavaScriptPages
from modelcontext.people.playground.session import use_scripts


def start_scripts(page: Any, suite: str) -> None:
    """Let texts in JavaScript run with the engine that ``startEngine()`` of engine.js has returned.

    ``suite`` is the archive of the tests, which is unpacked beside it.
    """
    folder = Path(suite).with_suffix("")
    with zipfile.ZipFile(suite) as archive:
        archive.extractall(folder)
    engine = PageEngine(page)
    use_scripts(JavaScriptPages(lambda: engine, folder))
