"""The probes: each asks one question of a session, and answers it in a few words."""

from __future__ import annotations

import asyncio
import re
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.judging.clients.npm_servers import text_of

if TYPE_CHECKING:
    from mcp import types

    from surveys.mcp_clients.servers import Session

# Seconds after which a notice, an abort or an answer to a list counts as missing, and after which that of a call does.
PATIENCE = 5.0
LONG_PATIENCE = 30.0
# Seconds in which a server can hear from the browser what the page did.
SETTLING = 1.0
CALLS = 20

Probe = Callable[["Session"], Awaitable[str]]


def named(tools: dict[str, str], name: str) -> list[str]:
    """Return the names with which the page's tools of a name are called."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    pattern = re.compile(rf"(?:webmcp_)?(?:{re.escape(name)}|{plain})(?:_\d+|_[0-9a-f]{{10}})?")
    return [alias for alias in tools if pattern.fullmatch(alias)]


async def called(session: Session, name: str) -> str:
    """Call a tool, and return a few words of what came."""
    from mcp import MCPError

    try:
        async with asyncio.timeout(LONG_PATIENCE):
            return brief(await session.call(name))
    except TimeoutError:
        return f"no answer in {LONG_PATIENCE:.0f} s"
    except MCPError as error:
        return f"protocol error: {error.message}"


def brief(result: types.CallToolResult) -> str:
    """Return a few words of a result."""
    text = text_of(result)
    if (ran := re.search(r"\b(?:MAIN|NEAR|FAR|NEXT|pay|another)[\w ]* ran\b", text)) is not None:
        return f"runs it: {ran[0]}"
    # Each session has a port of its own.
    line = re.sub(r":\d{4,5}\b", ":PORT", " ".join(text.split()))
    shown = line if len(line) <= 160 else f"{line[:159]}…"
    return f"{'error' if result.is_error else 'no error'}: {shown}"


async def frames(session: Session) -> str:
    """Return which frames' tools are listed."""
    tools = await session.tools()
    places = {"main.only": "main", "near.only": "same-site frame", "far.only": "cross-site frame"}
    return ", ".join(place for name, place in places.items() if named(tools, name))


async def origins(session: Session) -> str:
    """Return the places whose tools are listed with their origin."""
    tools = await session.tools()
    places = {
        "main": (session.page.origin, "main.only"),
        "same-site frame": (session.page.origin, "near.only"),
        "cross-site frame": (session.page.other_origin, "far.only"),
    }
    told = [
        place for place, (origin, name) in places.items() if any(origin in tools[one] for one in named(tools, name))
    ]
    return ", ".join(told) or "none"


async def debugging(session: Session) -> str:
    """Return if a tool for debugging is listed."""
    tools = await session.tools()
    names = named(tools, "dbg")
    if not names:
        return "not listed"
    return "listed, marked" if re.search("debugging", tools[names[0]]) else "listed, not marked"


async def one_name(session: Session) -> str:
    """Return which of three tools of one name in three frames can be called."""
    names = named(await session.tools(), "greet")
    answers = [await called(session, name) for name in names]
    return ", ".join(sorted({answer.removeprefix("runs it: ").removesuffix(" greet ran") for answer in answers}))


async def consequences(session: Session) -> str:
    """Return if a person is asked before a tool with consequences runs."""
    tools = await session.tools()
    [name] = named(tools, "pay")
    answer = await called(session, name)
    return f"{'asks, then' if session.questions else 'does not ask,'} {answer}"


async def failing(session: Session) -> str:
    """Return what comes of a tool that throws."""
    [name] = named(await session.tools(), "fail")
    return await called(session, name)


async def words(session: Session) -> str:
    """Return if the page's own words of an error reach the client."""
    [name] = named(await session.tools(), "fail")
    return "told" if "out of stock" in text_of(await session.call(name)) else "not told"


async def undefined(session: Session) -> str:
    """Return what comes of a tool that returns undefined."""
    [name] = named(await session.tools(), "undef")
    return await called(session, name)


async def cancelled(session: Session) -> str:
    """Return if cancelling a call aborts the signal of the page's tool."""
    [name] = named(await session.tools(), "slow")
    call = asyncio.ensure_future(session.call(name))
    if not await session.page.tells("slow runs"):
        return "the tool did not run"
    call.cancel()
    return "aborts the signal" if await session.page.tells("slow aborted", PATIENCE) else "does not reach the page"


async def blocked(session: Session) -> str:
    """Return if other requests are answered while a tool runs."""
    [name] = named(await session.tools(), "never")
    call = asyncio.ensure_future(session.call(name))
    if not await session.page.tells("never runs"):
        return "the tool did not run"
    try:
        async with asyncio.timeout(PATIENCE):
            await session.tools()
    except TimeoutError:
        return f"no answer in {PATIENCE:.0f} s"
    finally:
        call.cancel()
    return "answered"


async def progress(session: Session) -> str:
    """Return if progress is told while a tool runs."""
    [name] = named(await session.tools(), "never")
    call = asyncio.ensure_future(session.call(name))
    await session.page.tells("never runs")
    await asyncio.sleep(PATIENCE)
    call.cancel()
    return f"{session.progress} messages in {PATIENCE:.0f} s"


async def added(session: Session) -> str:
    """Return if the client is told that a tool was added."""
    await session.tools()
    session.changes.clear()
    await session.page.order("add", "add done")
    try:
        async with asyncio.timeout(PATIENCE):
            await session.changes.wait()
    except TimeoutError:
        return f"not told in {PATIENCE:.0f} s"
    return "told"


async def redefined(session: Session) -> str:
    """Return what a call does whose tool was defined anew, with another description, after it was listed."""
    [name] = named(await session.tools(), "pay")
    await session.page.order("redefine", "redefine done")
    await asyncio.sleep(SETTLING)
    return await called(session, name)


async def withdrawn(session: Session) -> str:
    """Return what a call does whose tool the main frame withdrew, while frames have others of that name."""
    main = named(await session.tools(), "greet")[0]
    await session.page.order("withdraw", "withdraw done")
    await asyncio.sleep(SETTLING)
    return await called(session, main)


async def elsewhere(session: Session) -> str:
    """Return what a call does after the page went to another site that has a tool of that name."""
    main = named(await session.tools(), "greet")[0]
    await session.page.order("leave", "NEXT loaded")
    await asyncio.sleep(SETTLING)
    return await called(session, main)


async def duration(session: Session) -> str:
    """Return how long a call takes."""
    name = named(await session.tools(), "main.only")[0]
    seconds = []
    for _ in range(CALLS):
        start = time.perf_counter()
        await session.call(name)
        seconds.append(time.perf_counter() - start)
    return f"{statistics.median(seconds) * 1_000:.0f} ms"


@dataclass(frozen=True)
class Question:
    """A row of the table; ``careful`` matches the answers of a server that misses nothing here.

    A question whose answer is a matter of timing is asked several ``times``.
    """

    section: str
    title: str
    probe: Probe
    careful: str
    times: int = 1


_ALL_FRAMES = "main, same-site frame, cross-site frame"
# What is refused is an error, and did not run.
_REFUSES = "error: .*"
# The times that a race is run.
RACES = 5

QUESTIONS = [
    Question("Lists", "frames whose tools are listed", frames, _ALL_FRAMES),
    Question("Lists", "frames whose origin is listed", origins, _ALL_FRAMES),
    Question("Lists", "a tool that is only for debugging", debugging, "not listed|listed, marked"),
    Question("Lists", "a message after a tool was added", added, "told"),
    Question("Calls", "which of three tools with the same name can be called", one_name, "FAR, MAIN, NEAR"),
    Question("Calls", "a tool with consequences", consequences, "asks, then runs it: pay ran"),
    Question("Calls", "a tool that throws", failing, "error: .*"),
    Question("Calls", "the page's own error message", words, "told"),
    Question("Calls", "a tool that returns undefined", undefined, "no error: .*"),
    Question("Calls", "progress while a tool runs", progress, r"[1-9]\d* messages.*"),
    Question("Calls", "canceling a call", cancelled, "aborts the signal"),
    Question("Calls", "another request while a tool runs", blocked, "answered"),
    Question("Calls", f"the median duration of {CALLS} calls", duration, ".*"),
    Question("Calls by an old list", "a tool that the page has redefined", redefined, _REFUSES, RACES),
    Question(
        "Calls by an old list",
        "a tool that the page has removed, while frames have tools of that name",
        withdrawn,
        _REFUSES,
        RACES,
    ),
    Question("Calls by an old list", "a tool of a page that has navigated to another site", elsewhere, _REFUSES, RACES),
]
