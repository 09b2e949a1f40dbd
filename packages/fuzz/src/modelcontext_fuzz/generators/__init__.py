"""Generated programs: Hypothesis strategies, and programs by number for campaigns (extra: ``modelcontext[fuzz]``)."""

from __future__ import annotations

from modelcontext_fuzz.generators.numbered import numbered_program
from modelcontext_fuzz.generators.programs import programs
from modelcontext_fuzz.generators.tool_values import values

__all__ = ["numbered_program", "programs", "values"]
