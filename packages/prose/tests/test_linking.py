"""Revisions that are compiled from a text: they allow what the written ones allow, and their lines have steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.judging.conformance.corpus import read_corpus
from modelcontext.judging.litmus.check import problems_of_promoted
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load
from modelcontext.spec.revisions.registry import CURRENT, FILES
from modelcontext.spec.specification.code.steps import StepIndex
from modelcontext_prose.compiler import read_marks
from modelcontext_prose.linking import LinkedText, link_text
from tests.explored import PROGRAMS, explored_corpus

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def linked() -> LinkedText:
    """Link the current text."""
    return link_text(TEXT, CURRENT.text, read_marks(ROOT / CURRENT.marks))


@pytest.mark.usefixtures("takes_long")
def test_programs_have_the_outcomes_of_the_written_revision(linked: LinkedText) -> None:
    for name, explored in explored_corpus(ROOT).items():
        found = allowed_outcomes(load(ROOT / PROGRAMS / f"{name}.toml"), revision=linked.revision)
        assert (name, found.complete, frozenset(found.outcomes)) == (name, explored.is_complete, explored.outcomes)


@pytest.mark.usefixtures("takes_long")
def test_litmus_tests_have_their_promoted_outcomes(linked: LinkedText) -> None:
    for litmus in read_catalogue(ROOT / CATALOGUE):
        found = allowed_outcomes(litmus.program, revision=linked.revision)
        assert found.complete
        assert list(problems_of_promoted(litmus, list(found.outcomes.values()))) == [], litmus.name


def test_programs_of_2026_03_have_the_outcomes_of_the_written_revision() -> None:
    files = FILES["2026-03"]
    text = (ROOT / files.text).read_text(encoding="utf-8")
    revision = link_text(text, files.text, read_marks(ROOT / files.marks)).revision
    for case in read_corpus(ROOT / files.programs):
        found, written = allowed_outcomes(case.program, revision=revision), allowed_outcomes(case.program)
        assert (case.name, found.complete, set(found.outcomes)) == (case.name, written.complete, set(written.outcomes))


def test_line_of_a_linked_function_has_its_step(linked: LinkedText) -> None:
    function = linked.revision.algorithms["valid-tool-name"]
    code = function.__code__
    step = StepIndex(linked.sources).locate(code.co_filename, code.co_firstlineno + 4)
    assert step is not None
    assert (step.algorithm, step.number) == ("valid-tool-name", "1")


def test_step_without_a_meaning_raises_only_when_it_is_reached() -> None:
    text = TEXT.replace(
        "1. If |name|'s [=string/length=] is greater than 128, then return false.", "1. Frobnicate |name|."
    )
    assert text != TEXT
    valid_tool_name = link_text(text, CURRENT.text).revision.algorithms["valid-tool-name"]
    assert valid_tool_name("") is False
    with pytest.raises(SpecAssertionError, match="valid-tool-name 2 has no meaning"):
        valid_tool_name("search")


def test_changed_text_changes_what_its_revision_does() -> None:
    text = TEXT.replace("[=string/length=] is greater than 128", "[=string/length=] is greater than 3")
    assert link_text(text, CURRENT.text).revision.algorithms["valid-tool-name"]("search") is False
