"""``python -m tools.lab kills``: servers of chats that are killed at random moments and started again on the same database.

Theory of operation: a site of the lab has a page with two tools, of which one asks a person first. Each run of a tool tells
the site its number, so the site counts runs, whoever is killed. The command ``agent serve`` runs in a process that is forked
from one with its modules: most of the work of a start would be to import them. In each life of the server there are new chats,
whose models call the tools of the page. The page is one of three: a tab of Chromium that outlives the server, the server's own
tab, which dies with it, and the page of a client over HTTP. A person approves what is asked, sometimes late. Then the server
gets a signal. The database tells which chats were open. From the moment in which the next life prints its address, each of
these chats has five seconds for a new event. At the end every chat has to be over, every call has one result, no call has run
twice, and a result that says that nothing ran is true. On a machine that does other work the seconds say little, so the table
also has the processor time of the server in them.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route

from modelcontext.judging.clients.page_tools import Hints, PageTool
from modelcontext_agent.chat.chat_errors import ChatError, ConflictError
from modelcontext_agent.chat.database import create_tables, open_database, readers
from modelcontext_agent.chat.service import ChatService
from modelcontext_agent.chat.tables import chats
from modelcontext_agent.cli.agent import command
from modelcontext_agent.client import ChatClient, PageClient, connect
from modelcontext_agent.loopback import listen, serving
from modelcontext_agent.pages.contract import CallEnd, CallResult
from modelcontext_agent.pages.live_page import open_browser

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from starlette.requests import Request

    from modelcontext.judging.clients.page_tools import Binding

#: The seconds in which a chat goes on, or says why not.
MOST_SECONDS: Final = 5.0
#: The seconds after which a server that does not start or end, and a chat that does not go on, are given up.
_PATIENCE: Final = 120.0
_TOKEN: Final = "kills"
#: The widths of the columns of the table.
_WIDTHS: Final = (7, 6, 9, 30, 7, 4)
#: The modules that the process has from which servers are forked.
_PRELOADED: Final = [
    "tools.lab.kill_servers",
    "playwright.async_api",
    *(
        f"modelcontext_agent.{name}"
        for name in (
            *(
                "advisor.capability",
                "advisor.routes",
                "attending",
                "chat.runner",
                "chat.service",
                "models.canned_model",
            ),
            *("models.model_names", "pages.live_page", "pages.remote_pages", "server.app", "webhooks.deliverer"),
        )
    ),
]
#: The states of a chat whose turn is over.
_OVER: Final = ("waiting", "error")

_PAGE: Final = """<!DOCTYPE html>
<title>A page that works</title>
<script>
async function execute({ number, seconds }) {
  await fetch("/ran", { method: "POST", body: number });
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return `did ${number}`;
}
const inputSchema = SCHEMA;
const tool = { description: "Does some work.", inputSchema, execute };
document.modelContext.registerTool({ name: "work", ...tool });
document.modelContext.registerTool({ name: "pay", ...tool, annotations: { consequentialHint: true } });
</script>
SCRIPT
"""
_SCHEMA: Final = {"type": "object", "properties": {"number": {"type": "string"}, "seconds": {"type": "number"}}}


class Site:
    """The site of the page, which counts the runs of each call."""

    def __init__(self, server: str) -> None:
        self._server = server
        self.runs: Counter[str] = Counter()

    def app(self) -> Starlette:
        """Return the application."""
        return Starlette(
            routes=[
                Route("/", lambda _request: self._page("")),
                Route("/connected", lambda _request: self._page(self._script())),
                Route("/ran", self._count, methods=["POST"]),
            ]
        )

    async def _count(self, request: Request) -> PlainTextResponse:
        self.runs[(await request.body()).decode()] += 1
        return PlainTextResponse("")

    def _script(self) -> str:
        return f'<script src="{self._server}/pages/remote.js" data-token="{_TOKEN}"></script>'

    def _page(self, script: str) -> HTMLResponse:
        return HTMLResponse(_PAGE.replace("SCHEMA", json.dumps(_SCHEMA)).replace("SCRIPT", script))


class ClientPage:
    """The page of a client over HTTP, which outlives the server."""

    is_seen = False

    def __init__(self, site: Site) -> None:
        self._site = site
        place: dict[str, Any] = {"document": "client", "origin": "https://client.example", "input_schema": _SCHEMA}
        self._tools = [
            PageTool(name="work", description="Does some work.", hints=Hints(), **place),
            PageTool(name="pay", description="Does some work.", hints=Hints(consequential=True), **place),
        ]

    async def tools(self) -> Sequence[PageTool]:
        """Return the tools."""
        return self._tools

    async def call(self, name: str, binding: Binding, arguments: Any) -> CallResult:
        """Run a call."""
        self._site.runs[arguments["number"]] += 1
        await asyncio.sleep(arguments["seconds"])
        return CallResult(CallEnd.DONE, f"did {arguments['number']}")

    def on_change(self, listener: Callable[[], None]) -> None:
        """Nothing changes."""

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class Life:
    """A life of the server, as the table tells it.

    ``slowest`` has the seconds until the last of the chats from before went on, and the server's processor time in them. It is
    None for a life that was over by then.
    """

    signal: str
    page: str
    moment: str
    open: Counter[str]
    slowest: tuple[float, float] | None

    def cells(self) -> tuple[str, ...]:
        """Return the cells of a row."""
        opened = ", ".join(f"{count} {state}" for state, count in sorted(self.open.items()))
        slowest = ("", "") if self.slowest is None else (f"{self.slowest[0]:.1f}", f"{self.slowest[1]:.1f}")
        return (self.signal, self.page, self.moment, opened, *slowest)


@dataclass(slots=True)
class Outcome:
    """The outcome of all lives: rows, what the chats came to, and what is wrong."""

    lives: list[Life] = field(default_factory=list)
    chats: int = 0
    calls: int = 0
    ran: int = 0
    #: The last sentences of the results that say why there is none.
    reasons: Counter[str] = field(default_factory=Counter)
    #: The lives in which a chat did not go on in time, and everything else that is wrong.
    late: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Lab:
    """A lab with one database, one site and one server at a time.

    Args:
        url: the database.
        folder: a folder for the scripts of the models and the server's words.
        seed: chooses signals, moments and pages.
        on_life: is told each life when it is over.
    """

    def __init__(self, url: str, folder: Path, seed: int, on_life: Callable[[Life], None]) -> None:
        self._url = url
        self._folder = folder
        self._on_life = on_life
        self._chance = random.Random(seed)
        self.outcome = Outcome()
        self._chats: set[str] = set()
        #: The chats that were open at the last kill, each with the id of its last event then.
        self._owed: dict[str, int] = {}
        #: The tasks that attend the chats of the client over HTTP.
        self._attending: dict[str, asyncio.Task[None]] = {}
        self._processes = get_context("forkserver")
        self._processes.set_forkserver_preload(_PRELOADED)

    async def run(self, kills: int) -> Outcome:
        """Kill so many servers, start a last one, and return the outcome."""
        async with AsyncExitStack() as stack:
            with listen(0) as reserved:
                self._port = reserved.getsockname()[1]
            address = f"http://127.0.0.1:{self._port}"
            self._site = Site(address)
            self._origin = await stack.enter_async_context(serving(self._site.app(), listen(0)))
            self._engine = open_database(self._url)
            stack.push_async_callback(self._engine.dispose)
            await create_tables(self._engine)
            self._stored = ChatService(self._engine)
            self._http = await stack.enter_async_context(connect(address, _TOKEN))
            # A busy machine is slow, and that is no reason to end.
            self._http.timeout = _PATIENCE
            self._client = ChatClient(self._http)
            browser = await stack.enter_async_context(open_browser())
            self._tab = await browser.new_page()
            stack.push_async_callback(self._leave)
            # If the person fails, the lab does, too.
            group = await stack.enter_async_context(asyncio.TaskGroup())
            person = group.create_task(self._decide())
            for number in range(kills):
                await self._live_once(number)
            await self._live_to_the_end()
            person.cancel()
        return self.outcome

    async def _leave(self) -> None:
        for task in self._attending.values():
            task.cancel()
        await asyncio.gather(*self._attending.values(), return_exceptions=True)

    async def _live_once(self, number: int) -> None:
        """Start a server, let chats begin, kill it at a random moment, and note what was open."""
        # The tab loads its script from the first server.
        page = "own" if number and self._chance.random() < 0.2 else "remote"
        kind = self._chance.choice(["SIGTERM", "SIGKILL"])
        is_early = number > 0 and self._chance.random() < 0.3
        scripts = [] if is_early else [self._write_script(f"{number}.{index}") for index in range(2)]
        slowest: tuple[float, float] | None = None
        async with self._server(page, scripts) as process:
            began = time.monotonic()
            if is_early:
                pause = self._chance.uniform(0, 1.5)
                await asyncio.sleep(pause)
            else:
                if number == 0:
                    await self._tab.goto(f"{self._origin}/connected")
                slowest = await self._await_progress(process, began)
                await self._begin(scripts, page, number)
                pause = self._chance.uniform(0, 2.5)
                await asyncio.sleep(pause)
            await self._kill(process, kind)
        opened = await self._note_open()
        self._note(Life(kind, page, f"{pause:.1f}" + " early" * is_early, opened, slowest))

    @asynccontextmanager
    async def _server(self, page: str, scripts: Sequence[Path]) -> AsyncIterator[BaseProcess]:
        """Run the server, and give its process when it has printed its address."""
        models = [
            option for script in scripts or [self._write_script("none")] for option in ("--model", f"scripted:{script}")
        ]
        pages = ("--page", f"{self._origin}/") if page == "own" else ("--allow-origin", self._origin)
        options = (*models, *pages, "--port", str(self._port), "--token", _TOKEN, "--database", self._url)
        output = self._folder / "output"
        output.unlink(missing_ok=True)
        process = self._processes.Process(target=serve, args=(options, str(output), str(self._folder / "log")))
        process.start()
        try:

            async def has_printed() -> bool:
                return not process.is_alive() or (output.exists() and "\n" in output.read_text())

            await _until(has_printed)
            if not process.is_alive():
                raise click.ClickException(f"the server did not start; its last words: {self._log()[-500:]}")
            yield process
        finally:
            process.kill()
            await asyncio.to_thread(process.join)

    def _log(self) -> str:
        return (self._folder / "log").read_text(encoding="utf-8", errors="replace")

    async def _kill(self, process: BaseProcess, kind: str) -> None:
        assert process.pid is not None
        os.kill(process.pid, signal.Signals[kind])
        await asyncio.to_thread(process.join, _PATIENCE)
        code = process.exitcode
        if code is None:
            # Its threads then write where they are.
            os.kill(process.pid, signal.SIGUSR2)
            await asyncio.sleep(1)
            self.outcome.problems.append(f"a server did not end {_PATIENCE:g} s after {kind}: {self._log()[-4_000:]}")
        elif kind == "SIGTERM" and code != 130:
            self.outcome.problems.append(f"a server ended with exit code {code} after SIGTERM")

    def _write_script(self, name: str) -> Path:
        """Write the answers of a chat's model: calls alone, one that asks a person, and two together."""

        def call(tool: str, number: int) -> str:
            seconds = round(self._chance.uniform(0, 0.8), 2)
            return f'{{ tool = "{tool}", arguments = {{ number = "{name}.{number}", seconds = {seconds} }} }}'

        steps = [[call("work", 1)], [call("pay", 2)], [call("work", 3), call("pay", 4), call("work", 5)]]
        answers = [f'[[answers]]\ntext = "I go on."\ncalls = [{", ".join(calls)}]\n' for calls in steps]
        script = self._folder / f"{name}.toml"
        script.write_text("delay = 0.03\n" + "".join(answers) + '[[answers]]\ntext = "Done."\n', encoding="utf-8")
        return script

    async def _begin(self, scripts: Sequence[Path], page: str, number: int) -> None:
        """Make the chats of a life: the first one is a client's, the others have the tools of the server's page."""
        if page == "remote":
            # A tab tries to connect again each second.
            try:
                await _until(self._has_page)
            except TimeoutError:
                raise click.ClickException(f"the tab did not connect in life {number + 1}") from None
        client = PageClient(ClientPage(self._site), self._client)
        for index, script in enumerate(scripts):
            model = f"scripted:{script}"
            if index == 0:
                chat_id = await client.create_chat(model=model)
                self._attending[chat_id] = asyncio.create_task(self._attend(client, chat_id))
            else:
                chat_id = await self._client.create_chat(model=model)
            self._chats.add(chat_id)
            await self._client.add_message(chat_id, "Go.")

    async def _has_page(self) -> bool:
        chat_id = await self._client.create_chat()
        return bool((await self._client.chat(chat_id))["tools"])

    async def _all_over(self) -> bool:
        return all(state in _OVER for state, _ in (await self._rows()).values())

    async def _attend(self, client: PageClient, chat_id: str) -> None:
        """Attend a chat as a client does that begins again whenever the server has gone."""
        while True:
            with suppress(ChatError):
                await client.attend(chat_id)
            await asyncio.sleep(0.3)

    async def _rows(self) -> dict[str, tuple[str, int]]:
        """Return the states of the chats and the ids of their last events, as the database has them."""
        async with readers(self._engine).begin() as connection:
            found = await connection.execute(sa.select(chats.c.id, chats.c.state, chats.c.last_event))
            return {row.id: (row.state, row.last_event) for row in found if row.id in self._chats}

    async def _decide(self) -> None:
        """Approve what the chats ask, at once if a chat has waited since before a restart, and else sometimes late."""
        late: dict[tuple[str, str], float] = {}
        while True:
            for chat_id, (state, _) in (await self._rows()).items():
                if state == "requires_action":
                    with suppress(ChatError):
                        await self._decide_about(chat_id, late)
            await asyncio.sleep(0.2)

    async def _decide_about(self, chat_id: str, late: dict[tuple[str, str], float]) -> None:
        for waits in (await self._client.chat(chat_id))["waits_for"]:
            for call in waits["tool_calls"] if waits["type"] == "approval_required" else ():
                key = (chat_id, call["tool_call_id"])
                due = late.setdefault(key, time.monotonic() + self._chance.choice([0, 0.5, 3]))
                if chat_id in self._owed or time.monotonic() >= due:
                    with suppress(ConflictError):
                        await self._client.approve(chat_id, call["tool_call_id"], "approve")

    async def _note_open(self) -> Counter[str]:
        """Note the chats that are open, and return them by what they wait for."""
        opened: Counter[str] = Counter()
        self._owed = {}
        for chat_id, (state, last_event) in (await self._rows()).items():
            if state in _OVER:
                if chat_id in self._attending:
                    self._attending[chat_id].cancel()
                continue
            self._owed[chat_id] = last_event
            types = {waits["type"] for waits in (await self._stored.chat(chat_id))["waits_for"]}
            opened["person" if "approval_required" in types else "page" if types else "model"] += 1
        return opened

    async def _await_progress(self, process: BaseProcess, began: float) -> tuple[float, float]:
        """Wait until each chat that was open has a new event. Return the seconds, and the server's work in them."""
        worked, last = processor_time(process), (0.0, 0.0)
        while self._owed:
            seconds, work = time.monotonic() - began, processor_time(process) - worked
            for chat_id, (_, last_event) in (await self._rows()).items():
                if last_event > self._owed.get(chat_id, last_event):
                    del self._owed[chat_id]
                    last = (seconds, work)
            if seconds > _PATIENCE:
                self.outcome.problems += [await self._stuck(chat_id) for chat_id in self._owed]
                self._owed = {}
                return seconds, work
            await asyncio.sleep(0.1)
        if last[0] > MOST_SECONDS:
            self.outcome.late.append(
                f"life {len(self.outcome.lives) + 1}: the last chat went on after {last[0]:.1f} s"
                f" ({last[1]:.1f} s of processor time)"
            )
        return last

    async def _stuck(self, chat_id: str) -> str:
        chat = await self._stored.chat(chat_id)
        words = json.dumps(chat["waits_for"])[:200]
        return f"life {len(self.outcome.lives) + 1}: the chat {chat_id} is {chat['state']} without a new event: {words}"

    async def _live_to_the_end(self) -> None:
        async with self._server("remote", []) as process:
            slowest = await self._await_progress(process, time.monotonic())
            with suppress(TimeoutError):
                await _until(self._all_over)
            for chat_id, (state, _) in (await self._rows()).items():
                if state in _OVER:
                    self._judge(await self._client.chat(chat_id))
                else:
                    self.outcome.problems.append(await self._stuck(chat_id))
            self._note(Life("", "remote", "", Counter(), slowest))
            await self._kill(process, "SIGTERM")
        if "Traceback" in (words := self._log()):
            told = words[words.index("Traceback") :]
            # The end says which exception it was.
            self.outcome.problems.append(f"a server told of an exception: {told[:1_500]}\n...\n{told[1_500:][-2_500:]}")

    def _note(self, life: Life) -> None:
        self.outcome.lives.append(life)
        self._on_life(life)

    def _judge(self, chat: dict[str, Any]) -> None:
        """Compare what a chat says with what ran."""
        outcome = self.outcome
        outcome.chats += 1
        if chat["state"] == "error":
            outcome.problems.append(f"the chat {chat['id']} failed: {chat['error']}")
        elif chat["transcript"][-1]["text"] != "Done.":
            outcome.problems.append(f"the chat {chat['id']} ended with {chat['transcript'][-1]['text']!r}")
        calls = [call for item in chat["transcript"] for call in item.get("tool_calls", ())]
        for call in calls:
            number, result = json.loads(call["args"])["number"], call["result"]
            runs = self._site.runs[number]
            outcome.calls += 1
            outcome.ran += runs
            problem = "has no result" if result is None else _problem(result, runs, number)
            if problem:
                outcome.problems.append(f"the call {number} of the chat {chat['id']} {problem}")
            if result is not None and result["is_error"]:
                outcome.reasons[_reason(result)] += 1
        if len(calls) != len({call["tool_call_id"] for call in calls}) or len(calls) != 5:
            outcome.problems.append(f"the chat {chat['id']} has {len(calls)} calls")


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds. Raises TimeoutError."""
    async with asyncio.timeout(_PATIENCE):
        while not await holds():  # noqa: ASYNC110 - another process makes it hold
            await asyncio.sleep(0.2)


def serve(options: Sequence[str], output: str, log: str) -> None:
    """Run ``modelcontext agent serve`` in this process, with what it prints in two files."""
    for path, descriptor in ((output, 1), (log, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
    faulthandler.register(signal.SIGUSR2)
    command.main(["serve", *options], prog_name="modelcontext agent")


def processor_time(process: BaseProcess) -> float:
    """Return the seconds of processor time that a process has used, or 0 where the system does not say it."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _problem(result: dict[str, Any], runs: int, number: str) -> str:
    """Return what is wrong with a result of a call, or nothing."""
    if runs > 1:
        return f"ran {runs} times"
    words = str(result["output"])
    if not result["is_error"]:
        return "" if runs == 1 and f"did {number}" in words else f"ran {runs} times, and has the result {words[:200]!r}"
    if not words.strip():
        return "failed without a word"
    says_nothing_ran = "Nothing ran" in words or "did not run" in words
    return f"ran, and its result says {words[:200]!r}" if runs and says_nothing_ran else ""


def _reason(result: dict[str, Any]) -> str:
    """Return the last sentence of a failure."""
    sentences = str(result["output"]).rstrip().rstrip(".").split(". ")
    return sentences[-1]


async def kill_servers(
    url: str, folder: Path, *, kills: int, seed: int, on_life: Callable[[Life], None] = lambda life: None
) -> Outcome:
    """Kill so many servers, and return what came of their chats."""
    try:
        return await Lab(url, folder, seed, on_life).run(kills)
    except ExceptionGroup as group:
        raise group.exceptions[0] from None


def _print_row(cells: Sequence[str]) -> None:
    click.echo("  ".join(cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True)).rstrip())


@click.command()
@click.option("--count", type=click.IntRange(min=1), default=50, show_default=True, help="The number of kills.")
@click.option("--seed", type=int, default=47, show_default=True, help="Chooses signals, moments and pages.")
@click.option("--database", metavar="URL", help="sqlite:///FILE or postgresql://…  [default: a new file]")
def kills(count: int, seed: int, database: str | None) -> None:
    """Kill `agent serve` at random moments, with SIGTERM and SIGKILL, and start it again on the same database.

    The table has a row for each life: the signal, the page, the moment, the chats that were open by what they waited for, the
    seconds until the last of the chats from before went on, and the server's processor time in them. Exit code 0: each chat
    went on or said why not within 5 s, and no call ran twice; 1: not so.
    """
    _print_row(("signal", "page", "moment", "open", "seconds", "work"))
    with tempfile.TemporaryDirectory() as folder:
        url = database or f"sqlite:///{Path(folder) / 'chats.db'}"
        work = kill_servers(url, Path(folder), kills=count, seed=seed, on_life=lambda life: _print_row(life.cells()))
        outcome = asyncio.run(work)
    click.echo(f"{count} kills, {outcome.chats} chats, {outcome.calls} calls, of which {outcome.ran} ran")
    for reason, number in outcome.reasons.most_common():
        click.echo(f"{number} results say: {reason}")
    for problem in (*outcome.late, *outcome.problems):
        click.echo(problem)
    sys.exit(1 if outcome.late or outcome.problems else 0)
