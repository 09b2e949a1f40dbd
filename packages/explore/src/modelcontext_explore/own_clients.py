"""Clients and adversaries of one's own, for ``modelcontext properties check``, each in a file of Python.

A client's file has ``STANDPOINT`` (a key of :data:`STANDPOINTS`) and an ``async def turn(client)``, which makes one call of
the model. ``client`` has the verbs of its standpoint (:mod:`modelcontext.judging.clients.standpoints`); those that take time
are awaited. An adversary's file has ``SCRIPTS``, the steps of each document, and ``DOCUMENTS``, if there are others than
``top``: both as in a program. They are made with the helpers of :mod:`modelcontext.judging.clients.adversaries`, such as
``register``, ``abort`` and ``WAIT``. The first line of the docstring says what it is.

Each run executes the client's file anew. The names of the file are part of the state that fingerprints tell apart.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.files import ReadError, read_text
from modelcontext.ground.problems import UserError
from modelcontext.judging.clients.adversaries import Adversary, program_of
from modelcontext.judging.clients.catalogue import ClientProfile
from modelcontext.judging.clients.standpoints import (
    BrowsersAgent,
    DevTools,
    FrameScripts,
    PageScript,
    Standpoint,
    rounds,
)
from modelcontext.platform.infra.errors import SpecAssertionError

if TYPE_CHECKING:
    from types import CodeType

    from modelcontext.judging.clients.session import Request, Session, Steps, Waiting
    from modelcontext.platform.html.document import Document

#: The places where a client can stand.
STANDPOINTS: Final[Mapping[str, type[Standpoint]]] = {
    "page": PageScript,
    "frames": FrameScripts,
    "devtools": DevTools,
    "browser": BrowsersAgent,
}


@dataclass(frozen=True, slots=True)
class OwnClient(ClientProfile):
    """A client in a file; ``source`` is the text of the file."""

    source: str = ""

    def begin(self, calls: int, session: Session, top: Document) -> Steps[None]:
        """Return the steps of a session in which the model makes so many calls."""
        names = _executed(self.name, self.source)
        client = self.standpoint(session, top)
        return rounds(calls, client, partial(_steps, self.name, names, client))


class _AwaitableClient:
    """A client whose verbs that take time are awaited; it holds the names of its file."""

    def __init__(self, client: Standpoint, names: Mapping[str, Any]) -> None:
        self._client = client
        self._names = {name: value for name, value in names.items() if not name.startswith("__")}

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the client continues, for fingerprints."""
        return self._client, self._names

    def __getattr__(self, name: str) -> Any:
        verb = getattr(self._client, name)
        return partial(_called, verb) if callable(verb) else verb


def _called(verb: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    returned = verb(*arguments, **options)
    return _Steps(returned) if isinstance(returned, Generator) else returned


class _Steps(Awaitable[Any]):
    """The steps of a verb, which can be awaited."""

    def __init__(self, steps: Generator[Any, Any, Any]) -> None:
        self._steps = steps

    def relevant(self) -> tuple[object, ...]:
        """Return the state that decides how the steps continue, for fingerprints."""
        return (self._steps,)

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._steps


@types.coroutine
def _awaited(coroutine: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
    yield from coroutine


def _one_turn(name: str, source: str, client: Standpoint) -> Steps[None]:
    """Perform one turn of the client in a file."""
    yield from _steps(name, _executed(name, source), client)


def _steps(name: str, names: Mapping[str, Any], client: Standpoint) -> Steps[None]:
    """Perform a turn, given the names of a file. An exception in the file is a mistake of its author."""
    steps = _awaited(names["turn"](_AwaitableClient(client, names)))
    value = None
    while True:
        with _mistakes_of(name):
            try:
                request, document, has_a_limit = steps.send(value)
            except StopIteration:
                return
        value = yield partial(_begin, name, request), document, has_a_limit


def _begin(name: str, request: Request, waiting: Waiting) -> None:
    """Begin something for a client."""
    with _mistakes_of(name):
        request(waiting)


@contextmanager
def _mistakes_of(name: str) -> Iterator[None]:
    """Tell of an exception as a mistake in a file."""
    try:
        yield
    except (SpecAssertionError, UserError):
        raise
    except Exception as error:
        raise ReadError(Path(name), f"{_place(error, name)}{type(error).__name__}: {error}") from error


def _place(error: Exception, name: str) -> str:
    """Return the last line of a file at which an exception passed, in words."""
    line = None
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == name:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f"line {line} raised " if line is not None else "it raised "


def read_client(path: Path) -> OwnClient:
    """Return the client in a file.

    Raises:
        ReadError: if the file cannot be read, or is none of a client.
    """
    source = read_text(path)
    names = _executed(str(path), source)
    turn, standpoint = names.get("turn"), names.get("STANDPOINT")
    if not inspect.iscoroutinefunction(turn):
        raise ReadError(path, "a client needs a function: async def turn(client)")
    if not isinstance(standpoint, str) or standpoint not in STANDPOINTS:
        raise ReadError(path, f"STANDPOINT is {standpoint!r}, and must be one of {', '.join(STANDPOINTS)}")
    return OwnClient(
        str(path), _title(names, path), STANDPOINTS[standpoint], partial(_one_turn, str(path), source), source
    )


def read_adversary(path: Path) -> Adversary:
    """Return the adversary in a file.

    Raises:
        ReadError: if the file cannot be read, or is none of an adversary.
        ProgramError: if its program is not one.
    """
    names = _executed(str(path), read_text(path))
    documents, scripts = names.get("DOCUMENTS", {}), names.get("SCRIPTS")
    if not isinstance(scripts, Mapping) or not all(isinstance(steps, list) for steps in scripts.values()):
        raise ReadError(path, 'an adversary needs the steps of its documents: SCRIPTS = {"top": [...]}')
    if not isinstance(documents, Mapping):
        raise ReadError(path, 'DOCUMENTS must be a table of documents: DOCUMENTS = {"child": {...}}')
    title = _title(names, path)
    return Adversary(str(path), "own", title, program_of(title, documents, scripts, str(path)))


def _title(names: Mapping[str, Any], path: Path) -> str:
    return next(iter((names.get("__doc__") or "").strip().splitlines()), path.stem)


def _executed(name: str, source: str) -> dict[str, Any]:
    """Execute a file, and return its names."""
    names: dict[str, Any] = {"__name__": Path(name).stem}
    with _mistakes_of(name):
        exec(_compiled(name, source), names)
    return names


@cache
def _compiled(name: str, source: str) -> CodeType:
    return compile(source, name, "exec")
