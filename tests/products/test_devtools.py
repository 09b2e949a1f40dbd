"""The DevTools protocol without Playwright: starting browsers, refused commands and lost browsers."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from modelcontext.ground.problems import UnavailableError
from modelcontext.judging.wpt.server.hosts import NAMES
from modelcontext.running.products import chromium
from modelcontext.running.products.devtools.browser import AttachingBrowser, DevtoolsSession
from modelcontext.running.products.devtools.pipe import ProtocolError

ENGINE = chromium.ChromiumEngine()


def in_a_browser(work: Callable[[AttachingBrowser], Awaitable[None]]) -> Path:
    """Start a browser, do the work, close it, and return the folder that it had."""
    binary = ENGINE.find_binary()
    assert binary is not None, "these tests need Chromium"

    async def run() -> Path:
        browser = await AttachingBrowser.launch(binary, ENGINE.devtools_flags(NAMES, for_tests=True), ENGINE.remedy)
        try:
            await work(browser)
        finally:
            await browser.close()
        return Path(browser.pipe.folder.name)

    return asyncio.run(run())


@pytest.mark.usefixtures("takes_long")
def test_program_that_is_not_a_browser_is_unavailable() -> None:
    with pytest.raises(UnavailableError, match="/bin/false does not start: it ends at once"):
        asyncio.run(AttachingBrowser.launch(Path("/bin/false"), [], ENGINE.remedy))


@pytest.mark.usefixtures("takes_long")
def test_standard_error_of_the_program_is_reported(tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\necho no display >&2\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(UnavailableError, match="browser does not start: no display"):
        asyncio.run(AttachingBrowser.launch(program, [], ENGINE.remedy))


@pytest.mark.usefixtures("takes_long")
def test_target_is_prepared_and_unknown_command_is_refused() -> None:
    async def work(browser: AttachingBrowser) -> None:
        assert browser.version.count(".") == 3
        prepared: list[str] = []

        def prepare(session: DevtoolsSession, information: Mapping[str, Any]) -> None:
            prepared.append(information["type"])
            session.send("Runtime.runIfWaitingForDebugger")

        context = await browser.new_context(prepare)
        await context.open_page()
        assert prepared == ["page"]
        with pytest.raises(ProtocolError, match="wasn't found"):
            await browser.send("Nothing.atAll")
        await context.close()

    in_a_browser(work)


@pytest.mark.usefixtures("takes_long")
def test_killed_browser_fails_commands_and_detaches() -> None:
    async def work(browser: AttachingBrowser) -> None:
        heard: list[str] = []
        pages: list[DevtoolsSession] = []

        def hear_of(session: DevtoolsSession, _information: Mapping[str, Any]) -> None:
            pages.append(session)
            session.listen(lambda event, parameters: heard.append(event))
            session.send("Runtime.runIfWaitingForDebugger")

        await (await browser.new_context(hear_of)).open_page()
        answer = pages[0].send("Runtime.evaluate", expression="new Promise(() => {})", awaitPromise=True)
        os.killpg(browser.pipe.process.pid, signal.SIGKILL)
        with pytest.raises(ProtocolError, match="the browser is gone"):
            await answer
        assert not browser.is_connected()
        assert heard[-1] == "Target.detachedFromTarget"
        with pytest.raises(ProtocolError, match="the browser is gone"):
            await pages[0].send("Runtime.enable")

    in_a_browser(work)


@pytest.mark.usefixtures("takes_long")
def test_profile_folder_is_removed() -> None:
    def has_folder(browser: AttachingBrowser) -> bool:
        return Path(browser.pipe.folder.name).is_dir()

    async def work(browser: AttachingBrowser) -> None:
        assert has_folder(browser)

    assert not in_a_browser(work).exists()


@pytest.mark.usefixtures("starts_a_browser")
def test_headless_shell_needs_the_same_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("chromium", "1.2.3.4"), (ENGINE.shell, "1.2.3.4"), ("older", "1.2.3.3")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho Chromium {version} built by nobody\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert ENGINE.find_shell(None, tmp_path / "chromium") == tmp_path / ENGINE.shell
    assert ENGINE.find_shell(None, tmp_path / "older") is None
    assert ENGINE.find_shell(str(tmp_path / "chromium"), tmp_path / "chromium") is None
    monkeypatch.setenv("MODELCONTEXT_CHROMIUM", "chromium")
    assert ENGINE.find_shell(None, tmp_path / "chromium") is None
