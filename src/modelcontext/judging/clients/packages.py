"""The real packages of clients, driven against pages that change when a counterexample says so.

The package is started as its documentation says: a server of the Model Context Protocol with a browser of its own. The program
is the counterexample's, served by this process. Its documents register their first tools, and wait until the client has
listed them. When all scripts are at their ends, the client makes the call that the model makes in the counterexample.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.judging.clients.client_run import GO
from modelcontext.judging.clients.npm_servers import PACKAGES, text_of
from modelcontext.programs.program.render import Steering, pages
from modelcontext.programs.program.timetable import Point, Timetable
from modelcontext.running.serving.http import Server
from modelcontext.running.serving.meetings import MEETINGS

if TYPE_CHECKING:
    from mcp import StdioServerParameters

    from modelcontext.judging.clients.counterexamples import Counterexample
    from modelcontext.judging.clients.npm_servers import NpmServer
    from modelcontext.programs.program.language import Program

#: The properties, besides those that are about runs, that a run of a package can break before our eyes.
SEEN_FROM_OUTSIDE: Final = ("asks-before-a-consequential-tool-runs", "every-call-is-answered")
#: Seconds for each of: starting the package, the documents to do what they do, an answer to a call.
STARTING: Final = 60.0
CHANGING: Final = 20.0
ANSWERING: Final = 10.0
#: The word at which the documents go on.
_LISTED: Final = "the client has listed"
_MEETING: Final = f"{MEETINGS}client"


@dataclass(frozen=True, slots=True)
class PackageRun:
    """A run of a counterexample with the real package of its client.

    ``package`` is the one that is installed, with its version. ``listed`` says whether the client told the model of the tool
    that it is to mean; ``ran`` is the callback that answered, or None; ``answer`` is the answer to the call, or None if it did
    not come in time.
    """

    client: str
    property: str
    adversary: str
    package: str
    listed: bool
    ran: str | None
    answer: str | None
    is_shown: bool

    def in_words(self) -> str:
        """Return the result in words."""
        ending = "no answer came" if self.answer is None else f"{self.ran or 'nothing that is known'} answered"
        listed = "" if self.listed else "; the tool was not listed"
        return f"{'seen' if self.is_shown else 'not seen'}: {ending}{listed}"


def play_package(found: Counterexample, folder: Path) -> PackageRun:
    """Play a counterexample with the real package of its client, from the ``node_modules`` in a folder.

    Raises:
        UnavailableError: if Node.js, the package or a browser is missing.
    """
    package = PACKAGES[found.client]
    with tempfile.TemporaryDirectory() as scratch, Server() as server, _served(found.program, server) as url:
        parameters = package.parameters(folder, Path(scratch))
        listed, answer = asyncio.run(_played(found, package, parameters, Path(scratch), server, url))
    labels = sorted((run.label for run in found.trace.registrations.by_label.values()), key=len, reverse=True)
    ran = next((label for label in labels if answer is not None and label in answer), None)
    wanted = [run.label for run in found.trace.runs]
    answered = any(True for _ in found.trace.events("answered"))
    is_shown = listed and ([ran] == wanted if answered else answer is None)
    return PackageRun(
        found.client,
        found.property,
        found.adversary,
        _installed(package, folder),
        listed,
        ran,
        answer,
        is_shown=is_shown,
    )


def _installed(package: NpmServer, folder: Path) -> str:
    """Return the name of a package with its installed version. The code that we read can be of another version."""
    about = (folder / "node_modules" / package.name / "package.json").read_text(encoding="utf-8")
    return f"{package.name}@{json.loads(about)['version']}"


@contextmanager
def _served(program: Program, server: Server) -> Iterator[str]:
    """Serve the documents of a program, which go on when they are told; give the URL of the top one."""

    def url(document: str) -> str:
        return f"{server.origins[program.documents[document].origin]}/client/{document}"

    steering = Steering(_holding_timetable(program), _MEETING)
    server.meetings.open(_MEETING)
    patience = STARTING + CHANGING + ANSWERING
    rendered = pages(program, server.origins, url, patience, quiet=int(patience * 1000), steering=steering)
    for document, page in rendered.items():
        server.serve(f"/client/{document}", page)
    try:
        yield url("top")
    finally:
        server.meetings.close(_MEETING)


def _holding_timetable(program: Program) -> Timetable:
    """Return the timetable by which scripts go on when the client has listed, and tell when they are done."""
    points: dict[str, list[Point]] = {}
    for document in program.documents:
        steps = program.steps(document)
        after_go = next(
            (n + 1 for n, step in enumerate(steps) if step.arguments.get("message") == GO and step.do == "waitFor"), -1
        )
        points[document] = [
            Point(
                step.place,
                after=(_LISTED,) if number == after_go else (),
                begins=f"message {GO}" if number == after_go else None,
                tells=True,
            )
            for number, step in enumerate(steps)
        ]
    return Timetable(points)


def _last_before_go(timetable: Timetable, program: Program, document: str) -> str | None:
    """Return the last point that a document passes before it waits."""
    points = timetable.points[document]
    last = next((n - 1 for n, point in enumerate(points) if point.begins is not None), len(points) - 1)
    return f"{document} {last}" if last >= 0 and not program.documents[document].later else None


async def _played(
    found: Counterexample,
    package: NpmServer,
    parameters: StdioServerParameters,
    scratch: Path,
    server: Server,
    url: str,
) -> tuple[bool, str | None]:
    """List the tools, let the page go on, and call; return whether the tool that is meant was listed, and the answer."""
    from mcp import Client
    from mcp.client.stdio import stdio_client

    program, trace = found.program, found.trace
    timetable = _holding_timetable(program)
    before = [name for one in program.documents if (name := _last_before_go(timetable, program, one)) is not None]
    after = [f"{document} {len(points) - 1}" for document, points in timetable.points.items() if points]
    meant = trace.tool(trace.label_of("meant", 1))
    assert meant is not None
    with (scratch / "errors.txt").open("w") as errors:
        async with (
            asyncio.timeout(STARTING + CHANGING),
            Client(stdio_client(parameters, errors), mode="legacy") as client,
        ):
            session = package.session(client)
            await session.open(url)
            await asyncio.to_thread(server.meetings.wait_for, _MEETING, before, CHANGING)
            await session.look()
            listed = meant.definition.description in await session.listing()
            server.meetings.tell(_MEETING, _LISTED)
            await asyncio.to_thread(server.meetings.wait_for, _MEETING, after, CHANGING)
            call = session.call(session.name_of(meant.definition.name), {"call": 1})
            try:
                answer = await asyncio.wait_for(call, ANSWERING)
            except TimeoutError:
                return listed, None
            return listed, text_of(answer)
