"""Generated programs: Hypothesis strategies, and programs by number for campaigns (extra: ``modelcontext[fuzz]``)."""

from __future__ import annotations

from modelcontext.program.generators.numbered import numbered_program
from modelcontext.program.generators.programs import programs
from modelcontext.program.generators.values import values

__all__ = ["numbered_program", "programs", "values"]
