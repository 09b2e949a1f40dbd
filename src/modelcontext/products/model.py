"""Product ``model``: the executable model itself."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from importlib import metadata
from typing import TYPE_CHECKING

from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products.base import Ending, Observation, Product
from modelcontext.program.interpreter import Run
from modelcontext.revisions.registry import CURRENT, FILES
from modelcontext.schedule.choose import Chooser, FirstInFirstOut, Seeded

if TYPE_CHECKING:
    from modelcontext.program.language import Program


class Model(Product):
    """The model. One schedule of a program is run; which others there are is what the verdict is about.

    Args:
        revision: the revision that programs are generated for; those of every revision can run.
        make_chooser: makes what decides the schedule of a run.
    """

    name = "model"
    concurrent = False

    def __init__(self, revision: str = CURRENT.name, make_chooser: Callable[[], Chooser] = FirstInFirstOut) -> None:
        self.revision = revision
        self._make_chooser = make_chooser

    @classmethod
    def by_chance(cls, revision: str) -> Model:
        """Return the model under another schedule each time: that finds only defects of the model, or of the specification."""
        seeds = random.Random(0)
        return cls(revision, lambda: Seeded(seeds.getrandbits(32)))

    @property
    def version(self) -> str:
        """The version of this package."""
        return metadata.version("modelcontext")

    def implements(self, revision: str) -> bool:
        """Return whether there is a model of that revision."""
        return revision in FILES

    def launch(self) -> None:
        """Nothing to start."""

    def run(self, program: Program) -> Observation:
        """Run the program once. A bug of specification or model is an error, never an outcome."""
        begun = time.perf_counter()
        ending, outcome, detail = Ending.OUTCOME, None, ""
        try:
            run = Run(program, self._make_chooser())
            run.start()
            outcome = run.finish()
        except RunawayError as error:
            ending, detail = Ending.TIMEOUT, str(error)
        except (SpecAssertionError, Exception) as error:
            ending, detail = Ending.ERROR, f"{type(error).__name__}: {error}"
        return Observation(ending, outcome, detail, time.perf_counter() - begun)

    def close(self) -> None:
        """Nothing to stop."""
