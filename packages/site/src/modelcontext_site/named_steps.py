"""The steps of the current text, each with the page that is about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext_site.addresses import names_of_steps, page_of_step

if TYPE_CHECKING:
    from modelcontext.spec.specification import Algorithm, Step


@dataclass(frozen=True)
class NamedStep:
    """A step with its algorithm, and the path of its page."""

    algorithm: Algorithm
    step: Step
    page: str

    @property
    def key(self) -> str:
        """The step as ``algorithm number``."""
        return f"{self.algorithm.id} {self.step.number}"

    @property
    def place(self) -> str:
        """The id of the step's mark in the text: words, so that the link stays when numbers change."""
        return self.page.removeprefix("steps/").removesuffix(".html")


def named_steps(algorithms: Sequence[Algorithm]) -> Mapping[str, NamedStep]:
    """Return the steps of a text, each by ``algorithm number``, in order."""
    found: dict[str, NamedStep] = {}
    for algorithm in algorithms:
        names = names_of_steps(algorithm)
        for step in algorithm.steps:
            one = NamedStep(algorithm, step, page_of_step(algorithm.id, names[step.number]))
            found[one.key] = one
    return found
