"""The interface of engines for scripts, wherever they run, and the ways in which a run with one ends early."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Self

from modelcontext.ground.joining import function_of_modules
from modelcontext.hosts.scripting.interfaces import description, unimplemented

#: The folder of the engine's core (engine.cjs) and of what is made in its realms.
FOLDER = Path(__file__).parent
_API = FOLDER.parent / "page" / "realm"


class EndOfRunError(Exception):
    """The engine can go on no longer; the run ends with this result."""


class EngineCrashError(EndOfRunError):
    """The engine has ended."""


class HangError(EndOfRunError):
    """A script has not come to its end in time."""

    def __init__(self) -> None:
        super().__init__("a script ran for too long: look for an endless loop")


class ScriptThrewError(Exception):
    """A script has thrown; ``value`` is the exception, as data."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


@cache
def realm_script(bindings: str) -> str:
    """Return the script that makes the platform in a realm, and then the API, from the bindings of its IDL."""
    platform = function_of_modules(FOLDER / "realm" / "main.js", "engine")
    replaced = {
        _API / "hub.js": FOLDER / "realm" / "api_hub.js",
        _API / "service.js": FOLDER / "realm" / "api_service.js",
    }
    api = function_of_modules(FOLDER / "realm" / "api.js", "api", bindings, tuple(replaced.items()))
    return (
        f"((engine) => {{\n{platform}(engine);\n"
        f"if (engine.facts.isSecureContext) ((window) => {api})(globalThis)(engine.realm.api);\n}})"
    )


def setup_of(bindings: str) -> tuple[str, dict[str, Any]]:
    """Return the arguments of the engine's ``setup``: the script of a realm, and the description of its interfaces."""
    return realm_script(bindings), description() | {"unimplemented": unimplemented()}


class ScriptEngine(ABC):
    """An engine that has realms, values, promises and the queue of microtasks; a context manager.

    ``handlers`` are the functions that it may call, ``calls`` counts their calls, ``version`` is its version.
    """

    version: str
    #: Whether it has module scripts.
    has_modules = True

    def __init__(self) -> None:
        self.handlers: Mapping[str, Callable[..., Any]] = {}
        #: Called before each call; returns what has changed of the active documents, or None.
        self.news: Callable[[], Any] = lambda: None
        self.calls = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    @abstractmethod
    def is_idle(self) -> bool:
        """True if the engine waits for calls: not after an exception in the middle of one."""

    @abstractmethod
    def give_time(self, seconds: float) -> None:
        """Let what follows take so many seconds, until the next call of this."""

    @abstractmethod
    def call(self, name: str, *values: object) -> Any:
        """Call a function of the engine; answer its calls meanwhile.

        Raises:
            ScriptThrewError: if it throws.
            EndOfRunError: if the engine ends, or takes too long.
        """

    @abstractmethod
    def close(self) -> None:
        """End the engine."""

    def answer(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Return the answer to a call of the engine, as data."""
        self.calls += 1
        try:
            return ["r", self.handlers[name](*values)]
        except ScriptThrewError as error:
            return ["t", error.value]


class LastingEngine:
    """An engine that can always go on: one that was left in the middle of a call is replaced.

    Args:
        start: starts an engine.
    """

    def __init__(self, start: Callable[[], ScriptEngine]) -> None:
        self._start = start
        self._engine: ScriptEngine | None = None

    def close(self) -> None:
        """End the engine, if one runs."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def engine(self) -> ScriptEngine:
        """Return an engine that waits for calls."""
        if self._engine is not None and not self._engine.is_idle:
            self.close()
        if self._engine is None:
            self._engine = self._start()
        return self._engine
