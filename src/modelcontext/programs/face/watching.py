"""Watchers of a simulated browser: they hear what its scripts do, and which exceptions nobody caught."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.programs.face.promises import Promise

_LOGGER: Final = logging.getLogger("modelcontext")


# A watcher of runs of clients has the same name, and hears of other things.
class Watcher:
    """A watcher; this one writes exceptions that no code of the page has caught to the log of Python, and ignores the rest."""

    def calls(self, document: Document, what: str, promise: Promise) -> None:
        """Hear that a script has called a method, or another script, and of the promise of its end."""

    def logs(self, document: Document, text: str) -> None:
        """Hear that a script has logged something."""

    def raises(self, document: Document, name: str, exception: Exception) -> None:
        """Hear of an exception that has ended a script, a listener or a timer's function, with its name."""
        _LOGGER.error("%s: %s raised an exception", document.url, name, exc_info=exception)

    def tool_raises(self, document: Document, name: str, exception: Exception) -> None:
        """Hear of an exception that has ended a tool's function; the call is rejected, with the exception as the cause."""
