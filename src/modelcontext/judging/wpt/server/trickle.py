"""The ``trickle`` pipe of web-platform-tests, for a response that arrives slowly or does not end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence

from starlette.responses import Response, StreamingResponse

_COMMAND = re.compile(r"(?P<kind>[dr]?)(?P<amount>\d+(?:\.\d+)?)")


def trickled(response: Response, commands: str) -> StreamingResponse:
    """Return the same response, sent by commands that are separated by colons; the rest follows at once.

    ``d2`` waits two seconds, ``100`` sends 100 bytes, and ``r2`` repeats the two commands before it until everything is
    sent. Raises ``ValueError`` for other commands.
    """
    steps = list(_read(commands))
    slow = StreamingResponse(_send(bytes(response.body), steps), response.status_code)
    slow.raw_headers = [(name, value) for name, value in response.raw_headers if name != b"content-length"]
    return slow


def _read(commands: str) -> Iterator[tuple[str, float]]:
    for number, command in enumerate(commands.split(":")):
        match = _COMMAND.fullmatch(command.strip())
        if match is None or (match["kind"] == "r" and not 1 <= float(match["amount"]) <= number):
            raise ValueError(
                f'"{command}" is not a command of trickle; write commands such as d2, 100 and r2, with colons between them'
            )
        yield match["kind"], float(match["amount"])


async def _send(body: bytes, steps: Sequence[tuple[str, float]]) -> AsyncIterator[bytes]:
    sent = position = 0
    while position < len(steps):
        kind, amount = steps[position]
        position += 1
        if kind == "d":
            await asyncio.sleep(amount)
        elif kind == "r":
            if sent < len(body):
                position -= int(amount) + 1
        else:
            yield body[sent : sent + int(amount)]
            sent += int(amount)
    yield body[sent:]
