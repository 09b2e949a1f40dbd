"""All that the site tells: the steps, and the tests, deviations, builds and Issues that are about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.judging.coverage import read_reasons
from modelcontext.judging.issues.dossier import Dossier, read_dossiers
from modelcontext.judging.issues.text import read_issues
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import CURRENT, FILES, REVISIONS
from modelcontext.spec.specification import load_algorithms
from modelcontext_builds.record import BuildRecord, read_record
from modelcontext_site.known_deviations import KnownDeviations, read_deviations
from modelcontext_site.named_steps import NamedStep, named_steps

if TYPE_CHECKING:
    from modelcontext.judging.issues.text import Issue
    from modelcontext_site.known_tests import KnownTests


@dataclass(frozen=True)
class KnownIssue:
    """An Issue of the text, with its dossier, and the steps that it is about."""

    issue: Issue
    dossier: Dossier | None
    steps: Sequence[str]

    @property
    def number(self) -> int:
        """Its number, which never changes."""
        return self.issue.number

    @property
    def title(self) -> str:
        """Its title, or its first words."""
        return self.dossier.title if self.dossier is not None else f"{self.issue.words[:80]}…"

    @property
    def page(self) -> str:
        """The path of its page."""
        return f"issues/{self.number}.html"


class SiteKnowledge:
    """All that is known about the current text."""

    def __init__(self, root: Path, tests: KnownTests) -> None:
        self.root = root
        self.tests = tests
        self.steps: Mapping[str, NamedStep] = named_steps(load_algorithms(root=root))
        self.builds: BuildRecord = read_record(root)
        self.deviations = KnownDeviations(read_deviations(root))
        self.issues = _issues(root)
        self.reasons = read_reasons(root, FILES[CURRENT.name], inventory(REVISIONS[CURRENT.name].package))
        self._issues_at: dict[str, list[KnownIssue]] = {}
        for issue in self.issues:
            for step in issue.steps:
                self._issues_at.setdefault(step, []).append(issue)

    def issues_at(self, step: str) -> Sequence[KnownIssue]:
        """Return the Issues about a step."""
        return self._issues_at.get(step, ())


def _issues(root: Path) -> list[KnownIssue]:
    files = FILES[CURRENT.name]
    dossiers = read_dossiers(root, files)
    found = []
    for issue in sorted(read_issues(root, files), key=lambda issue: issue.number):
        dossier = dossiers.get(issue.number)
        steps = dict.fromkeys((*issue.steps, *(dossier.steps if dossier is not None else ())))
        found.append(KnownIssue(issue, dossier, tuple(steps)))
    return found
