"""Our texts as speclint reads them: the steps that Bikeshed builds, and no findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification import load_algorithms
from speclint import lint
from speclint.prose.reading import read_prose
from speclint.text.markup import readable
from speclint.text.source import read_source

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("revision", FILES)
def test_source_has_the_steps_of_the_built_text(revision: str) -> None:
    built = {algorithm.id: algorithm for algorithm in load_algorithms(revision, ROOT)}
    source = read_source(ROOT / FILES[revision].text)
    assert [algorithm.id for algorithm in source.algorithms] == list(built)
    for algorithm in source.algorithms:
        steps = [(step.number, readable(step.text)) for step in algorithm.walk()]
        assert steps == [(step.number, step.text) for step in built[algorithm.id].steps]
        declared = [one.name for one in built[algorithm.id].parameters if one.name != "this"]
        assert list(algorithm.parameters) == declared


@pytest.mark.parametrize("revision", FILES)
def test_text_of_each_revision_has_no_findings(revision: str) -> None:
    assert [str(one) for one in lint(ROOT / FILES[revision].text).findings] == []


@pytest.mark.parametrize("revision", FILES)
def test_every_step_of_each_revision_has_one_reading(revision: str) -> None:
    text = read_prose(read_source(ROOT / FILES[revision].text))
    steps = [step for algorithm in load_algorithms(revision, ROOT) for step in algorithm.steps]
    assert [(step.number, step.text) for step in text.walk()] == [(step.number, step.text) for step in steps]
    assert [(step.number, step.text, step.problem) for step in text.walk() if len(step.readings) != 1] == []
