"""The lint on trial: mutations of a text, and the rules that notice each."""

from __future__ import annotations

from modelcontext.lint.trial.trial import Noticed, judge, tally

__all__ = ["Noticed", "judge", "tally"]
