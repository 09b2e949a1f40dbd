"""Product ``model``: the executable model itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import metadata
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.choose import Chooser, FirstInFirstOut
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import NoMeaningError, SpecAssertionError
from modelcontext.programs.program.interpreter import Run
from modelcontext.running.products.base import Ending, Observation, Product
from modelcontext.spec.revisions.registry import CURRENT, FILES

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program


class Model(Product):
    """The model, which runs one schedule of a program; a verdict considers the others.

    Args:
        revision: the revision that programs are generated for; those of every revision can run.
        make_chooser: makes the chooser that decides the schedule of a run.
    """

    name = "model"
    concurrent = False

    def __init__(self, revision: str = CURRENT.name, make_chooser: Callable[[], Chooser] = FirstInFirstOut) -> None:
        self.revision = revision
        self._make_chooser = make_chooser

    @property
    def version(self) -> str:
        """The version of this package."""
        return metadata.version("modelcontext")

    def implements(self, revision: str) -> bool:
        """Return whether there is a model of this revision."""
        return revision in FILES

    def launch(self) -> None:
        """Do nothing."""

    def run(self, program: Program) -> Observation:
        """Run the program once. A bug of the specification or the model is an error, never an outcome."""
        begun = time.perf_counter()
        ending, outcome, detail = Ending.OUTCOME, None, ""
        try:
            outcome = Run(program, self._make_chooser()).run()
        except RunawayError as error:
            ending, detail = Ending.TIMEOUT, str(error)
        except NoMeaningError as error:
            ending, detail = Ending.ERROR, str(error)
        except (SpecAssertionError, Exception) as error:
            ending, detail = Ending.ERROR, f"{type(error).__name__}: {error}"
        return Observation(ending, outcome, detail, time.perf_counter() - begun)

    def close(self) -> None:
        """Do nothing."""
