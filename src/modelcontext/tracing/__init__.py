"""Looking inside a run: which steps of the specification it goes through, and what state each of them leaves behind.

Nothing here needs a browser, a command line or a network, so that it runs in a page as well.
"""

from __future__ import annotations

from modelcontext.tracing.items import Choice, Entry, Frame, ScriptStep, StepReached, Trace, Turn
from modelcontext.tracing.recorder import trace

__all__ = ["Choice", "Entry", "Frame", "ScriptStep", "StepReached", "Trace", "Turn", "trace"]
