"""The cost of a chat: pauses for the page, chats that wait, and events for many listeners.

    python -m benchmarks.agent

The first table has a turn in which the model calls one tool and then answers, in milliseconds: the two requests to the model
alone; the same in a run of pydantic-ai in memory, whose tool runs at once; and a chat that pauses for its page, is a row in a
file of SQLite meanwhile, and is resumed. The model is scripted: once it answers at once, and once it streams as slowly as a
quick provider. All run in turn, so that a change of the machine's speed affects each.

The second table has a worker while no chat waits, and while a thousand wait for their pages: threads, tasks,
statements to the database and processor time. The aim is at most one poll a second, and no more threads or tasks.

The third table has the time until an event is with one listener, and with a hundred of them.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import in_turn
from modelcontext.judging.clients.page_tools import PageTool
from modelcontext_agent.chat.database import create_tables, open_database
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.chat.service import ChatService
from modelcontext_agent.models.canned_answers import CannedAnswers, canned_answers_of
from modelcontext_agent.models.canned_model import canned_model

TURNS = 20
#: The seconds between two pieces of an answer: the answers of a turn take about a third of a second then.
DELAY = 0.02
WAITING = 1_000
SECONDS = 5.0
LISTENERS = 100
EVENTS = 50

TOOL = PageTool("search", "Searches.", document="d", origin="https://shop.example", input_schema={"type": "object"})
ANSWERS = [
    {"text": "I look at the page.", "calls": [{"tool": "search", "arguments": {"text": "tea"}}]},
    {"text": "The page has green tea and black tea."},
]
OUTPUT = ["green tea", "black tea"]


def script(delay: float) -> CannedAnswers:
    return canned_answers_of({"answers": ANSWERS, "delay": delay})


@asynccontextmanager
async def chats(folder: Path) -> AsyncIterator[ChatService]:
    """Give the chats of a new database in the folder."""
    engine = open_database(f"sqlite:///{folder / os.urandom(8).hex()}.db")
    try:
        await create_tables(engine)
        yield ChatService(engine)
    finally:
        await engine.dispose()


async def model_alone(delay: float) -> None:
    """Send the two requests of a turn, each streamed to its end."""
    model = canned_model(script(delay))
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("Which tea is there?")])]
    for _ in ANSWERS:
        # Streamed, as in a chat: the delay is before each piece.
        async with Agent(model).iter(message_history=messages) as run:
            node = await run.next(run.next_node)  # type: ignore[arg-type]
            async with node.stream(run.ctx) as stream:  # type: ignore[union-attr]
                async for _event in stream:
                    pass
                messages.append(stream.response)
        returned = [ToolReturnPart(part.tool_name, OUTPUT, part.tool_call_id) for part in stream.response.tool_calls]
        messages.append(ModelRequest(parts=returned))


async def in_memory(delay: float) -> None:
    """Run a turn of pydantic-ai whose tool runs at once."""
    agent = Agent(canned_model(script(delay)))

    @agent.tool_plain
    def search(text: str) -> list[str]:
        return OUTPUT

    async with agent.run_stream_events("Which tea is there?") as events:
        async for _event in events:
            pass


async def paused_chat(service: ChatService, runner: Runner) -> None:
    """Run a turn of a chat that pauses for a page, which answers at once."""
    chat_id = await service.create_chat(model="m", dynamic_tools=[TOOL.to_json()], message="Which tea is there?")
    await runner.run_until_idle()
    [waits] = (await service.chat(chat_id))["waits_for"]
    ids = [call["tool_call_id"] for call in waits["tool_calls"]]
    await service.begin_calls(chat_id, ids)
    await service.submit_tool_results(chat_id, [{"tool_call_id": id_, "output": OUTPUT} for id_ in ids])
    await runner.run_until_idle()
    state = (await service.chat(chat_id))["state"]
    if state != "waiting":
        raise RuntimeError(f"the chat is {state}")


def repeated(loop: asyncio.Runner, turns: int, turn: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], int]:
    """Return a function that runs a turn several times."""

    async def run() -> None:
        for _ in range(turns):
            await turn()

    def measured() -> int:
        loop.run(run())
        return turns

    return measured


def seconds_for_turns(loop: asyncio.Runner, folder: Path, delay: float, turns: int) -> list[float]:
    """Return the medians of the model alone, of the run in memory, and of the chat."""
    opening = chats(folder)
    service = loop.run(opening.__aenter__())
    model = canned_model(script(delay))
    runner = Runner(service, lambda _name: model)
    ways = (
        repeated(loop, turns, lambda: model_alone(delay)),
        repeated(loop, turns, lambda: in_memory(delay)),
        repeated(loop, turns, lambda: paused_chat(service, runner)),
    )
    medians = [measured.median for measured in in_turn(ways, 5)]
    loop.run(opening.__aexit__(None, None, None))
    return medians


def measure_pauses(loop: asyncio.Runner, folder: Path, console: Console) -> None:
    """Print the cost of a pause beside the model's own time."""
    table = Table("a turn, ms", "model", "in memory", "chat", "chat/model", "chat less memory")
    for title, delay, turns in (("at once", 0.0, TURNS), ("streamed", DELAY, 2)):
        alone, memory, chat = (seconds * 1000 for seconds in seconds_for_turns(loop, folder, delay, turns))
        figures = [f"{alone:.1f}", f"{memory:.1f}", f"{chat:.1f}", f"{chat / alone:.2f}", f"{chat - memory:.1f}"]
        table.add_row(title, *figures)
    console.print(table)


@dataclass(frozen=True, slots=True)
class Idle:
    """What a worker uses while nothing happens, a second."""

    threads: int
    tasks: int
    statements: float
    polls: float
    processor: float


async def idle(service: ChatService) -> Idle:
    """Let a worker wait for some seconds, and return what it used."""
    statements: list[str] = []
    engine = service.engine.sync_engine

    def count(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        if not statement.startswith("BEGIN"):
            statements.append(statement)

    working = asyncio.create_task(Runner(service, lambda name: canned_model(script(0))).run_forever())
    # The worker has looked for the first time.
    await asyncio.sleep(0.5)
    sa.event.listen(engine, "before_cursor_execute", count)
    before, begun = time.process_time(), time.perf_counter()
    await asyncio.sleep(SECONDS)
    seconds = time.perf_counter() - begun
    used = Idle(
        threads=threading.active_count(),
        tasks=len(asyncio.all_tasks()),
        statements=len(statements) / seconds,
        # Each poll begins with the same statement.
        polls=statements.count(statements[0]) / seconds if statements else 0.0,
        processor=(time.process_time() - before) / seconds,
    )
    sa.event.remove(engine, "before_cursor_execute", count)
    working.cancel()
    with suppress(asyncio.CancelledError):
        await working
    return used


async def measure_waiting(folder: Path, console: Console) -> None:
    """Print what chats cost that wait for their pages."""
    async with chats(folder) as service:
        model = canned_model(script(0))
        runner = Runner(service, lambda _name: model)
        # Then the database has all connections that it needs.
        await paused_chat(service, runner)
        none = await idle(service)
        for _ in range(WAITING):
            await service.create_chat(model="m", dynamic_tools=[TOOL.to_json()], message="Which tea is there?")
        await runner.run_until_idle()
        many = await idle(service)
    table = Table("a worker at rest", "no chat waits", f"{WAITING:,} wait", "aim")
    table.add_row("threads, with those of the database", f"{none.threads}", f"{many.threads}", "at most 5")
    table.add_row("tasks", f"{none.tasks}", f"{many.tasks}", "the same")
    table.add_row("polls a second", f"{none.polls:.2f}", f"{many.polls:.2f}", "at most 1")
    table.add_row("statements a second", f"{none.statements:.1f}", f"{many.statements:.1f}", "the same")
    table.add_row("processor", f"{none.processor:.2%}", f"{many.processor:.2%}", "")
    console.print(table)


async def deliver(service: ChatService, chat_id: str, listeners: int) -> float:
    """Return the seconds until one event is with all listeners: the mean of many."""
    received = asyncio.Semaphore(0)

    async def listen() -> None:
        async for _event in service.events(chat_id, (await service.chat(chat_id))["last_event"]):
            received.release()

    async def tell() -> None:
        async with service.lock(chat_id) as chat:
            chat.emit("text_delta", {"text": "tea "})
        for _ in range(listeners):
            await received.acquire()

    tasks = [asyncio.create_task(listen()) for _ in range(listeners)]
    # Each listener looks once before it waits.
    await asyncio.sleep(0.2)
    await tell()
    begun = time.perf_counter()
    for _ in range(EVENTS):
        await tell()
    seconds = (time.perf_counter() - begun) / EVENTS
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return seconds


async def measure_listeners(folder: Path, console: Console) -> None:
    """Print how long events take to their listeners."""
    async with chats(folder) as service:
        chat_id = await service.create_chat(model="m")
        one, many = [], []
        for _ in range(3):
            one.append(await deliver(service, chat_id, 1))
            many.append(await deliver(service, chat_id, LISTENERS))
    few, all_of_them = sorted(one)[1] * 1000, sorted(many)[1] * 1000
    table = Table("an event, ms", "1 listener", f"{LISTENERS} listeners", "ratio", "for each")
    table.add_row(
        "stored and read",
        f"{few:.1f}",
        f"{all_of_them:.1f}",
        f"{all_of_them / few:.1f}",
        f"{all_of_them / LISTENERS:.2f}",
    )
    console.print(table)


def main() -> None:
    """Measure, and print the tables."""
    console = Console()
    with tempfile.TemporaryDirectory() as name, asyncio.Runner() as loop:
        measure_pauses(loop, Path(name), console)
        loop.run(measure_waiting(Path(name), console))
        loop.run(measure_listeners(Path(name), console))


if __name__ == "__main__":
    main()
