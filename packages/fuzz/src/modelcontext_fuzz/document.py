"""The committed findings of a checkout, and the quirks that explain them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.running.products.base import Ending, Observation
from modelcontext_fuzz.findings import Finding, load_findings

if TYPE_CHECKING:
    from modelcontext.judging.profiles import Profile

#: The folder of the findings in a checkout; each product has a folder in it.
FOLDER = Path("wpt_tests/findings")


def explanation(profile: Profile, finding: Finding) -> tuple[str, ...]:
    """Return the quirks that predict the outcome of a finding."""
    return profile.explanation(finding.program, observation_of_finding(finding))


def observation_of_finding(finding: Finding) -> Observation:
    """Return the observation that a finding records."""
    return Observation(Ending(finding.ending), finding.outcome, finding.observed)


def committed_findings(root: Path) -> dict[str, list[Finding]]:
    """Return the findings of a checkout, by product."""
    loaded = {folder.name: load_findings(folder) for folder in sorted((root / FOLDER).glob("*")) if folder.is_dir()}
    return {product: findings for product, findings in loaded.items() if findings}
