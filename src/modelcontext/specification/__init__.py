"""Reading ``index.bs``: its algorithms and interfaces, and whether the Python code still follows them."""

from __future__ import annotations

from modelcontext.specification.algorithms import (
    Algorithm,
    Parameter,
    Section,
    SpecificationError,
    Step,
    load_algorithms,
)
from modelcontext.specification.steps import StepIndex, StepReference

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
