"""What a product is: something that runs a program and says what was to be seen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

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


class Product(Protocol):
    """A place where programs run. Enter it as a context manager; leaving it leaves no process behind."""

    #: Whether it runs outside of this process, so that the model can judge one program while this runs another. (The
    #: model has a current realm, as a browser's main thread has, and so runs on one thread only.)
    concurrent: bool

    @property
    def name(self) -> str:
        """The name of the product."""

    @property
    def version(self) -> str:
        """The version of what runs, once launched."""

    def implements(self, revision: str) -> bool:
        """Whether programs of this revision of the specification can run there."""

    def launch(self) -> None:
        """Start it. Raises :class:`UnavailableError` if this machine lacks something."""

    def run(self, program: Program) -> Observation:
        """Run the program once. A hang or a crash is an observation; the next run starts afresh."""

    def close(self) -> None:
        """Stop it; does nothing if it is not running."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
