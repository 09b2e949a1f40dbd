"""The ``trickle`` pipe of web-platform-tests: a response that comes slowly, or never to its end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence

from starlette.responses import Response, StreamingResponse

_COMMAND = re.compile(r"(?P<kind>[dr]?)(?P<amount>\d+(?:\.\d+)?)")


def trickled(response: Response, commands: str) -> StreamingResponse:
    """The same response, sent as the commands say, which stand between colons; what they leave over follows at once.

    ``d2`` waits two seconds, ``100`` sends 100 bytes, and ``r2`` repeats the two commands before it until everything is
    sent. Raises ``ValueError`` for others.
    """
    steps = list(_read(commands))
    slow = StreamingResponse(_send(bytes(response.body), steps), response.status_code)
    slow.raw_headers = [(name, value) for name, value in response.raw_headers if name != b"content-length"]
    return slow


def _read(commands: str) -> Iterator[tuple[str, float]]:
    for number, command in enumerate(commands.split(":")):
        match = _COMMAND.fullmatch(command.strip())
        if match is None or (match["kind"] == "r" and not 1 <= float(match["amount"]) <= number):
            raise ValueError(f'"{command}" is no command of trickle; those are d2, 100 and r2, between colons')
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
