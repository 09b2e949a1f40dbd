"""Meetings: documents of different processes that wait for each other in the middle of a task, by synchronous requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import unquote

#: The path below which documents meet, each run at a path of its own.
MEETINGS: Final = "/modelcontext-meeting/"
#: The first word of a document that keeps to nothing any more, so that nobody waits; then, if it has waited in vain, where.
OFF: Final = "off"


class Meetings:
    """The points that the documents of each run have passed. A request waits on a thread of its own."""

    def __init__(self) -> None:
        self._passed: dict[str, set[str]] = {}
        self._off: dict[str, str] = {}
        self._letters: dict[str, list[Any]] = {}
        self._news = threading.Condition()

    def open(self, path: str) -> None:
        """Let documents meet at a path."""
        with self._news:
            self._passed[path] = set()

    def close(self, path: str) -> None:
        """End a meeting; whoever still waits goes on."""
        with self._news:
            self._passed.pop(path, None)
            self._off.pop(path, None)
            self._letters.pop(path, None)
            self._news.notify_all()

    def stuck(self, path: str) -> str | None:
        """Return the point at which the first document that is off has waited in vain, if it has."""
        with self._news:
            return self._off.get(path, OFF).removeprefix(OFF).removeprefix(" at ") or None

    def tell(self, path: str, words: str) -> None:
        """Note that a point is passed, or that a document is off; keep the messages that come in a second line, as JSON."""
        word, _, letters = words.partition("\n")
        with self._news:
            if path in self._passed:
                self._letters.setdefault(path, []).extend(json.loads(letters or "[]"))
                self._passed[path].add(word)
                if word.startswith(OFF):
                    self._off.setdefault(path, word)
                self._news.notify_all()

    def answer(self, path: str) -> str:
        """Return the messages that are kept, if the query asks for them, which ends their keeping.

        Otherwise wait for the points that the query names, for so many milliseconds; return "met" or "late".
        """
        path, _, query = path.partition("?")
        asked = json.loads(unquote(query))
        if "letters" in asked:
            with self._news:
                return json.dumps(self._letters.pop(path, []))
        return "met" if self.wait_for(path, asked["names"], asked["patience"] / 1000) else "late"

    def wait_for(self, path: str, names: Iterable[str], patience: float) -> bool:
        """Wait for points of the meeting at a path, for so many seconds; return whether all of them are passed."""
        wanted = set(names)

        def is_over() -> bool:
            passed = self._passed.get(path)
            return passed is None or path in self._off or wanted <= passed

        with self._news:
            self._news.wait_for(is_over, patience)
            return wanted <= self._passed.get(path, set())
