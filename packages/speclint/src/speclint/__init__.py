"""The lint of specifications: static analysis of the algorithms of a text that is written with Bikeshed.

``text`` reads a source, ``flow`` draws the graphs of its algorithms, and ``rules`` look for defects in them.
"""

from __future__ import annotations

from speclint.finding import LintFinding
from speclint.linting import Report, lint, lint_text
from speclint.rules import RULES
from speclint.text.text_error import TextError

__all__ = ["RULES", "LintFinding", "Report", "TextError", "lint", "lint_text"]
