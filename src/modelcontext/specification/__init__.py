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

__all__ = ["Algorithm", "Parameter", "Section", "SpecificationError", "Step", "load_algorithms"]
