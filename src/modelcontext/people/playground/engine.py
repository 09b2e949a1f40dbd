"""The engine for scripts that is in the page: QuickJS (assets/engine.js), which Python calls, and which calls Python."""

from __future__ import annotations

import json
from typing import Any

from modelcontext.hosts.scripting.engine import EngineCrashError, HangError, ScriptEngine, ScriptThrewError


class PageEngine(ScriptEngine):
    """The engine of the page; each run begins with the memory that it had after its start.

    Args:
        page: what ``startEngine()`` of engine.js has returned.
    """

    has_modules = False

    def __init__(self, page: Any) -> None:
        super().__init__()
        self._page = page
        self._interruption: BaseException | None = None
        self.version = page.version
        page.listen(self._listen)

    @property
    def is_idle(self) -> bool:
        """True: what is left of a run is gone when the next one begins."""
        return True

    def give_time(self, seconds: float) -> None:
        """Let what follows take so many seconds, until the next call of this."""
        self._page.giveTime(seconds * 1000)

    def close(self) -> None:
        """Do nothing: the engine ends with the page."""

    def call(self, name: str, *values: object) -> Any:
        """Call a function of the engine; answer its calls meanwhile.

        Raises:
            ScriptThrewError: if it throws.
            EndOfRunError: if the engine fails, or takes too long.
        """
        if name == "reset":
            self._page.restore()
        if (news := self.news()) is not None:
            self._page.setActive(json.dumps(news))
        answer = self._page.perform(json.dumps([name, values]))
        if answer == "":
            interruption, self._interruption = self._interruption, None
            assert interruption is not None
            raise interruption
        kind, *rest = json.loads(answer)
        match kind:
            case "r":
                return rest[0]
            case "t":
                raise ScriptThrewError(rest[0])
            case "hang":
                raise HangError
            case _:
                raise EngineCrashError(f"the engine failed: {rest[0]}")

    def _listen(self, text: str) -> str:
        """Answer a call of the engine; "" ends the run, because an exception of Python's has to get out of it."""
        name, values = json.loads(text)
        try:
            answer = json.dumps(self.answer(name, values))
            if (news := self.news()) is not None:
                self._page.setActive(json.dumps(news))
            return answer
        except BaseException as error:  # Nothing is kept: call() raises it again outside of the engine.
            self._interruption = error
            return ""
