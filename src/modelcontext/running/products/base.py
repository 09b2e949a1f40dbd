"""The interface of a product, which runs programs and returns observations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from modelcontext.ground.problems import UnavailableError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.programs.program.timetable import Timetable


class Ending(StrEnum):
    """The end of a run."""

    #: The run came to rest, and has an outcome.
    OUTCOME = "outcome"
    #: The run did not come to rest in time, or a document stopped answering.
    TIMEOUT = "timeout"
    #: A process of the browser crashed.
    CRASH = "crash"
    #: The run itself failed, which says nothing about the product.
    ERROR = "error"


@dataclass(frozen=True)
class Observation:
    """One run of one program on one product.

    If ``ending`` is ``OUTCOME`` there is an ``outcome``; otherwise ``detail`` says what happened. The run took
    ``seconds``. In a steered run ``stuck`` is the point at which a document has waited in vain, if one has;
    the documents ``cut`` went in the middle of a task, so that entries of that task may be missing.
    """

    ending: Ending
    outcome: Outcome | None = None
    detail: str = ""
    seconds: float = 0.0
    stuck: str | None = None
    cut: tuple[str, ...] = ()


class Product(ABC):
    """A place where programs run, and a context manager; leaving it leaves no process behind.

    Programs are generated for its ``revision``.
    """

    #: Whether programs run outside of this process, so that the model can judge one while another runs. (The model has
    #: a current realm, as a browser's main thread has, and so runs on one thread only.)
    concurrent = True
    #: The best number of programs for one call of :meth:`run_many`.
    batch = 1
    #: Whether the documents of a program can wait for each other, as a timetable says.
    is_steerable = False
    name: str
    revision: str

    @property
    @abstractmethod
    def version(self) -> str:
        """The version of the browser or model, once launched."""

    @abstractmethod
    def implements(self, revision: str) -> bool:
        """Return whether programs of this revision of the specification can run here."""

    @abstractmethod
    def launch(self) -> None:
        """Start the product. Raises :class:`UnavailableError` if this machine lacks something."""

    @abstractmethod
    def run(self, program: Program) -> Observation:
        """Run the program once. A hang or a crash is an observation; the next run starts afresh."""

    def reads(self, program: Program) -> Program | None:
        """Return a program in the words of the text that this product is held against; ``None`` if it does not run here."""
        return program if self.implements(program.revision) else None

    def text(self) -> AbstractContextManager[None]:
        """Let that text be the one of its revision, for as long as the product's outcomes are judged."""
        return nullcontext()

    def run_steered(self, program: Program, timetable: Timetable) -> Observation:
        """Run the program once; its documents keep the timetable. Raises :class:`UnavailableError` if they cannot wait."""
        raise UnavailableError(
            f"product {self.name} has no processes that could wait for each other", "steer a browser"
        )

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        """Run each program once."""
        return [self.run(program) for program in programs]

    @abstractmethod
    def close(self) -> None:
        """Stop the product, if it is running."""

    def __enter__(self) -> Self:
        self.launch()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
