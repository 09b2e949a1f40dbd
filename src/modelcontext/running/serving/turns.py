"""Answers of Python for which a document of product ``page``, of another site, waits in the middle of a task.

Messages between windows are tasks of their own, so they cannot arrive during a task. A document can wait there only for a
synchronous request; so the window with Python leaves its answer with the server, for that request.
"""

from __future__ import annotations

import threading
from typing import Final

#: The path below which the files of product ``page`` are served.
FOLDER: Final = "/modelcontext-page/"
#: The path below which the answers are served, each by a name that the document has chosen.
TURNS: Final = f"{FOLDER}turn/"
_KEPT = 100


class Turns:
    """The answers that no request has taken yet. Requests come on threads of their own, and wait ``patience`` seconds."""

    def __init__(self, patience: float = 5) -> None:
        self._patience = patience
        self._answers: dict[str, bytes] = {}
        self._told = threading.Condition()

    def tell(self, name: str, answer: bytes) -> None:
        """Leave an answer. The oldest answers are dropped, because their requests have ended."""
        with self._told:
            self._answers[name] = answer
            while len(self._answers) > _KEPT:
                del self._answers[next(iter(self._answers))]
            self._told.notify_all()

    def wait(self, name: str) -> bytes | None:
        """Return the answer of that name, or ``None`` if it does not come in time."""
        with self._told:
            self._told.wait_for(lambda: name in self._answers, self._patience)
            return self._answers.pop(name, None)
