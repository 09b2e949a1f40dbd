"""Contexts that serve one test after another, because a new context costs more than most tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from modelcontext.running.products.target import origin_of

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import FileStatus

# The number of tests that one context serves at most, because their documents leave memory behind.
MOST_TESTS = 25


class Visiting(Protocol):
    """The part of a visit that its context uses."""

    def stop(self, status: FileStatus, message: str) -> None:
        """End the visit with this result, unless it has one."""

    def note_crash(self) -> None:
        """End the visit, because a page has crashed."""


class Prepared:
    """A context in which tests can be visited, one after the other.

    ``visit`` is there now, and ``tests`` counts all. Once ``is_sound`` is false, the context serves no other test.
    """

    def __init__(self, context: Any = None) -> None:
        self.context = context
        self.visit: Visiting | None = None
        self.tests = 0
        self.is_sound = True


P = TypeVar("P", bound=Prepared)


class Kept(ABC, Generic[P]):
    """The contexts that have served a test and can serve another one of the same origin."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Any, ...], list[P]] = {}

    async def take(self, browser: Any, url: str, scripts: Sequence[str]) -> P:
        """Return a context of a browser for a test at a URL. The scripts run in every document before its own."""
        kept = self._kept.setdefault((browser, origin_of(url), *scripts), [])
        return kept.pop() if kept else await self.make(browser, scripts)

    async def put_back(self, prepared: P, browser: Any, url: str, scripts: Sequence[str]) -> bool:
        """Clear a context for another test, and return whether that was possible."""
        if not prepared.is_sound or prepared.tests >= MOST_TESTS or not await self.clear(prepared):
            return False
        # Clearing takes time, in which the context may have failed.
        if prepared.is_sound:
            self._kept[(browser, origin_of(url), *scripts)].append(prepared)
        return prepared.is_sound

    @abstractmethod
    async def make(self, browser: Any, scripts: Sequence[str]) -> P:
        """Return a new context."""

    @abstractmethod
    async def clear(self, prepared: P) -> bool:
        """Clear a context of all that its test has left, and return whether nothing is left."""
