"""Traces of runs: the steps of the specification that a run takes, and the state after each of them.

This package needs no browser, command line or network, so that it also runs in a page.
"""

from __future__ import annotations

from modelcontext.programs.tracing.items import (
    Choice,
    Entry,
    Frame,
    ScriptLine,
    ScriptStep,
    Shown,
    StepReached,
    Trace,
    Turn,
)
from modelcontext.programs.tracing.recorder import trace

__all__ = ["Choice", "Entry", "Frame", "ScriptLine", "ScriptStep", "Shown", "StepReached", "Trace", "Turn", "trace"]
