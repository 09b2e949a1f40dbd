"""The specification's text: reading it, and checking that the Python code follows it."""

from __future__ import annotations

from modelcontext.spec.specification.code.steps import StepIndex, StepReference
from modelcontext.spec.specification.text.algorithms import (
    Algorithm,
    Parameter,
    Section,
    SpecificationError,
    Step,
    load_algorithms,
)

__all__ = [
    "Algorithm",
    "Parameter",
    "Section",
    "SpecificationError",
    "Step",
    "StepIndex",
    "StepReference",
    "load_algorithms",
]
