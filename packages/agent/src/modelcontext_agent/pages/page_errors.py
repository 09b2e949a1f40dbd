"""The errors of a live page: what its console shows as an error, and the exceptions that no script caught.

Chromium tells who calls a tool nothing but an UnknownError, and writes the exception of the tool to the page's console.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from typing import Any, Final

from modelcontext.people.forms.texts import shortened, uncaught

#: The errors that are kept of a page, the errors that are told, and the characters of one.
_KEPT: Final = 20
_TOLD: Final = 20
_LONGEST: Final = 300

_logger = logging.getLogger(__name__)


class PageErrors:
    """The errors of a page of Playwright's, each in one line with its place. The first ones are logged as they come.

    Args:
        page: the page.
    """

    def __init__(self, page: Any) -> None:
        #: The number of errors so far.
        self.count = 0
        self._lines: deque[str] = deque(maxlen=_KEPT)
        self._page = page
        page.on("console", self._note_message)
        page.on("pageerror", self._note_exception)

    def close(self) -> None:
        """Listen no longer."""
        self._page.remove_listener("console", self._note_message)
        self._page.remove_listener("pageerror", self._note_exception)

    def since(self, count: int) -> Sequence[str]:
        """Return the errors since there were ``count``, at most the latest twenty."""
        return list(self._lines)[max(0, len(self._lines) - (self.count - count)) :] if self.count > count else []

    def _note_message(self, message: Any) -> None:
        place = message.location
        # Chromium asks each server for an icon, and a page without one is not wrong. Who opened the page tells its own status.
        is_told_elsewhere = place["url"] == self._page.url and message.text.startswith("Failed to load resource")
        if message.type == "error" and not is_told_elsewhere and not place["url"].endswith("/favicon.ico"):
            where = f" ({shortened(place['url'], _LONGEST)}:{place['line'] + 1})" if place["url"] else ""
            self._note(f"{shortened(message.text, _LONGEST)}{where}")

    def _note_exception(self, error: Any) -> None:
        self._note(f"Uncaught {uncaught(error)}")

    def _note(self, line: str) -> None:
        self.count += 1
        self._lines.append(line)
        if self.count <= _TOLD:
            _logger.warning("the page's console: %s", line)
        elif self.count == _TOLD + 1:
            _logger.warning("the page's console has more errors, which are not shown")
