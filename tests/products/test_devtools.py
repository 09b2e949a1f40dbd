"""The DevTools protocol without Playwright: what starts, what is refused, and what becomes of a browser that is gone."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modelcontext.harness.wpt.hosts import NAMES
from modelcontext.products import UnavailableError, chromium
from modelcontext.products.devtools import DevtoolsBrowser, ProtocolError, Session, launch

ENGINE = chromium.ChromiumEngine()


async def start() -> DevtoolsBrowser:
    binary = ENGINE.find_binary()
    assert binary is not None, "these tests need Chromium"
    return await launch(binary, ENGINE.devtools_flags(NAMES), ENGINE.remedy)


def test_a_program_that_is_no_browser() -> None:
    with pytest.raises(UnavailableError, match="/bin/false does not start: it ends at once"):
        asyncio.run(launch(Path("/bin/false"), [], ENGINE.remedy))


def test_what_the_program_says_is_passed_on(tmp_path: Path) -> None:
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\necho no display >&2\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(UnavailableError, match="browser does not start: no display"):
        asyncio.run(launch(program, [], ENGINE.remedy))


def test_targets_wait_until_they_are_told_to_run() -> None:
    async def run() -> None:
        browser = await start()
        try:
            assert browser.version.count(".") == 3
            prepared: list[str] = []

            def prepare(session: Session, information: Mapping[str, Any]) -> None:
                prepared.append(information["type"])
                session.send("Runtime.runIfWaitingForDebugger")

            context = await browser.new_context(prepare)
            await context.open_page()
            assert prepared == ["page"]
            with pytest.raises(ProtocolError, match="wasn't found"):
                await browser.root.send("Nothing.atAll")
            await context.close()
        finally:
            await browser.close()

    asyncio.run(run())


def test_a_browser_that_is_killed() -> None:
    async def run() -> None:
        browser = await start()
        try:
            heard: list[str] = []
            pages: list[Session] = []

            def prepare(session: Session, information: Mapping[str, Any]) -> None:
                session.listen(lambda event, parameters: heard.append(event))
                session.send("Runtime.runIfWaitingForDebugger")
                pages.append(session)

            await (await browser.new_context(prepare)).open_page()
            answer = pages[0].send("Runtime.evaluate", expression="new Promise(() => {})", awaitPromise=True)
            os.killpg(browser.process.pid, signal.SIGKILL)
            with pytest.raises(ProtocolError, match="the browser is gone"):
                await answer
            assert not browser.is_connected()
            assert heard[-1] == "Target.detachedFromTarget"
            with pytest.raises(ProtocolError, match="the browser is gone"):
                await pages[0].send("Runtime.enable")
        finally:
            await browser.close()

    asyncio.run(run())


def test_nothing_is_left_behind() -> None:
    async def run() -> Path:
        browser = await start()
        folder = Path(browser.folder.name)
        assert folder.is_dir()
        await browser.close()
        return folder

    assert not asyncio.run(run()).exists()


def test_a_shell_is_only_taken_in_the_same_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, version in (("chromium", "1.2.3.4"), (chromium.SHELL, "1.2.3.4"), ("older", "1.2.3.3")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho Chromium {version} built by nobody\n", encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert ENGINE.find_shell(None, tmp_path / "chromium") == tmp_path / chromium.SHELL
    assert ENGINE.find_shell(None, tmp_path / "older") is None
    assert ENGINE.find_shell(str(tmp_path / "chromium"), tmp_path / "chromium") is None
    monkeypatch.setenv("MODELCONTEXT_CHROMIUM", "chromium")
    assert ENGINE.find_shell(None, tmp_path / "chromium") is None
