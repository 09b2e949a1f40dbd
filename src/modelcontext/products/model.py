"""Product ``model``: the executable model itself, running a program first in, first out."""

from __future__ import annotations

import time
from importlib import metadata
from types import TracebackType
from typing import Self

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products.base import Ending, Observation
from modelcontext.program.explore import run_once
from modelcontext.program.language import Program
from modelcontext.program.notation import DIALECTS


class Model:
    """The model. One schedule of a program is run; which others there are is what the verdict is about."""

    name = "model"
    concurrent = False

    @property
    def version(self) -> str:
        """The version of this package."""
        return metadata.version("modelcontext")

    def implements(self, revision: str) -> bool:
        """Whether there is a model of that revision."""
        return revision in DIALECTS

    def launch(self) -> None:
        """Nothing to start."""

    def run(self, program: Program) -> Observation:
        """Run the program once. A bug of specification or model is an error, never an outcome."""
        begun = time.perf_counter()
        try:
            outcome = run_once(program).outcome
        except RunawayError as error:
            return Observation(Ending.TIMEOUT, detail=str(error), seconds=time.perf_counter() - begun)
        except (SpecAssertionError, Exception) as error:
            # A bug of the specification or of the model: an error of this run, never an outcome.
            detail = f"{type(error).__name__}: {error}"
            return Observation(Ending.ERROR, detail=detail, seconds=time.perf_counter() - begun)
        return Observation(Ending.OUTCOME, outcome, seconds=time.perf_counter() - begun)

    def close(self) -> None:
        """Nothing to stop."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        pass
