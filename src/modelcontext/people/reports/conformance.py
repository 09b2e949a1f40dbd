"""A conformance run: the programs of corpora and the tests of suites, on products; and clients in the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext.ground.problems import UnavailableError
    from modelcontext.judging.clients.survey import Survey
    from modelcontext.judging.conformance.run import CorpusReport
    from modelcontext.judging.wpt.suite import SuiteRun


@dataclass(frozen=True)
class Conformance:
    """All results. ``products`` are the columns, in order; some do not take part in everything.

    ``corpora`` are the runs of programs, each with several products; ``runs`` are those of tests, each on one product.
    ``survey`` says what clients of page tools may rely on, by the text; None if they were not checked. ``missing`` says what
    an interrupt has left out.
    """

    products: Sequence[str]
    corpora: Sequence[CorpusReport]
    runs: Sequence[SuiteRun]
    survey: Survey | None = None
    missing: str | None = None

    @property
    def versions(self) -> Mapping[str, str | None]:
        """The version of each product; ``None`` where it could not run."""
        versions = dict.fromkeys(self.products)
        for report in self.corpora:
            versions |= report.versions
        return versions | {run.target.name: run.version for run in self.runs if run.version is not None}

    @property
    def unavailable(self) -> list[tuple[str, UnavailableError]]:
        """The products that could not run everything, with each reason once."""
        found: dict[tuple[str, str], UnavailableError] = {}
        for report in self.corpora:
            found |= {(name, error.reason): error for name, error in report.unavailable.items()}
        for run in self.runs:
            if run.unavailable is not None:
                found[run.target.name, run.unavailable.reason] = run.unavailable
        return [(product, error) for (product, _), error in found.items()]

    @property
    def is_sound(self) -> bool:
        """True if everything ran and could be judged."""
        return not self.unavailable and not any(report.unsound for report in self.corpora)

    @property
    def exit_code(self) -> int:
        """0 if everything is sound and as expected, 1 for surprises, 2 if something did not run or could not be judged."""
        if not self.is_sound:
            return 2
        is_surprising = any(report.surprises for report in self.corpora) or any(run.findings for run in self.runs)
        return 1 if is_surprising else 0
