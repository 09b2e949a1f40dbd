"""A product without a browser: the model with the quirks of a browser's profile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.profiles import load_profile
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import run_once
from modelcontext.running.products.base import Ending, Observation, Product

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program


class Quirky(Product):
    """A product that behaves as its profile predicts. ``before`` is called with every batch before it runs."""

    version = "1"

    def __init__(self, profile: str, before: Callable[[Sequence[Program]], None] = lambda programs: None) -> None:
        self._profile = load_profile(profile)
        self._before = before
        self.name = self._profile.product
        self.revision = self._profile.revision.name

    def run_many(self, programs: Sequence[Program]) -> list[Observation]:
        self._before(programs)
        return super().run_many(programs)

    def implements(self, revision: str) -> bool:
        return revision == self.revision

    def launch(self) -> None:
        pass

    def run(self, program: Program) -> Observation:
        try:
            return Observation(Ending.OUTCOME, run_once(program, revision=self._profile.linked()).outcome)
        except NoMeaningError as crash:
            return Observation(Ending.CRASH, detail=str(crash))
        except Exception as error:
            return Observation(Ending.ERROR, detail=str(error))

    def close(self) -> None:
        pass


@pytest.fixture
def firefox() -> Quirky:
    return Quirky("firefox_153")
