"""The interface of a product: it runs a program and says what was to be seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from modelcontext.program.language import Program
    from modelcontext.program.outcome import Outcome


class Ending(StrEnum):
    """How a run ended."""

    #: It came to rest; there is an outcome.
    OUTCOME = "outcome"
    #: It did not come to rest in time, or a document stopped answering.
    TIMEOUT = "timeout"
    #: A process of the browser crashed.
    CRASH = "crash"
    #: The run itself failed, which says nothing about the product.
    ERROR = "error"


@dataclass(frozen=True)
class Observation:
    """One run of one program on one product.

    ``outcome`` is there if ``ending`` is ``OUTCOME``; otherwise ``detail`` says what happened. ``seconds`` is how long
    the run took.
    """

    ending: Ending
    outcome: Outcome | None = None
    detail: str = ""
    seconds: float = 0.0


class Product(ABC):
    """A place where programs run. Enter it as a context manager; leaving it leaves no process behind.

    ``revision`` is the one that programs are generated for.
    """

    #: Whether it runs outside of this process, so that the model can judge one program while this runs another. (The
    #: model has a current realm, as a browser's main thread has, and so runs on one thread only.)
    concurrent = True
    #: How many programs are best given to it at once.
    batch = 1
    name: str
    revision: str

    @property
    @abstractmethod
    def version(self) -> str:
        """The version of what runs, once launched."""

    @abstractmethod
    def implements(self, revision: str) -> bool:
        """Return whether programs of this revision of the specification can run there."""

    @abstractmethod
    def launch(self) -> None:
        """Start it. Raises :class:`UnavailableError` if this machine lacks something."""

    @abstractmethod
    def run(self, program: Program) -> Observation:
        """Run the program once. A hang or a crash is an observation; the next run starts afresh."""

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        """Run each program once."""
        return [self.run(program) for program in programs]

    @abstractmethod
    def close(self) -> None:
        """Stop it; does nothing if it is not running."""

    def __enter__(self) -> Self:
        self.launch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
