"""The lint: static analysis of the algorithms of a specification, ours or another one in the same format."""

from __future__ import annotations

from modelcontext.lint.findings import LintFinding
from modelcontext.lint.lint import Report, lint, lint_text
from modelcontext.lint.rules import RULES

__all__ = ["RULES", "LintFinding", "Report", "lint", "lint_text"]
