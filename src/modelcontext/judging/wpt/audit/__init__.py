"""The audit: tests on trial against the text, by what they do in the simulated browser, in a page and in browsers."""

from __future__ import annotations

from modelcontext.judging.wpt.audit.evidence import Evidence, Gathered, IssueReading, Seen
from modelcontext.judging.wpt.audit.gathering import gather
from modelcontext.judging.wpt.audit.judging import Auditor, Judgment, Ruling

__all__ = ["Auditor", "Evidence", "Gathered", "IssueReading", "Judgment", "Ruling", "Seen", "gather"]
