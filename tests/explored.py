"""The exploration of the whole corpus, made once for all tests and kept for the runs that follow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.conformance.explored import Explorations, KeptExploration
from modelcontext.spec.revisions.registry import CURRENT


def explored_corpus(root: Path) -> Mapping[str, KeptExploration]:
    """Return the exploration of each program of the corpus, by name."""
    explorations = Explorations(root)
    found = {case.name: explorations.explored(case.program) for case in read_corpus(root / CURRENT.programs)}
    explorations.keep()
    return found
