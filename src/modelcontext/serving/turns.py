"""What a document of product ``page`` waits for while it runs a task: the answer of Python, in a window of another site.

A task is one whole, and messages between windows are tasks of their own. The one thing that a document can wait for in the
middle of a task is a synchronous request; so the window with Python leaves its answer with the server, for that request.
"""

from __future__ import annotations

import threading
from typing import Final

#: Where what product ``page`` needs is served, below the root of the tests.
FOLDER: Final = "/modelcontext-page/"
#: The path below which the answers are, each by a name that the document has thought of.
TURNS: Final = f"{FOLDER}turn/"
_KEPT = 100


class Turns:
    """The answers that nobody has taken yet. Requests come on threads of their own, and wait ``patience`` seconds."""

    def __init__(self, patience: float = 5) -> None:
        self._patience = patience
        self._answers: dict[str, bytes] = {}
        self._told = threading.Condition()

    def tell(self, name: str, answer: bytes) -> None:
        """Leave an answer. The oldest ones are given up: nobody waits for them any more."""
        with self._told:
            self._answers[name] = answer
            while len(self._answers) > _KEPT:
                del self._answers[next(iter(self._answers))]
            self._told.notify_all()

    def wait(self, name: str) -> bytes | None:
        """The answer of that name, or ``None`` if it does not come in time."""
        with self._told:
            self._told.wait_for(lambda: name in self._answers, self._patience)
            return self._answers.pop(name, None)
