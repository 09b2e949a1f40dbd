"""Revisions of patched texts: patches compose, and algorithms can do without what they do in parallel."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.judging.issues.dossier import read_dossiers
from modelcontext.judging.issues.readings import revision_with
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.program.reading import from_data, load
from modelcontext.spec.revisions.current import REVISION
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification import SpecificationError
from modelcontext_filing.issues.markdown import program_path

ROOT = Path(__file__).resolve().parents[4]
DOSSIERS = read_dossiers(ROOT, CURRENT)
INSERTED = (
    '  dom-modelcontext-registertool\n+ 1. Let |name| be |tool|["{{ModelContextTool/name}}"].\n  1. Let global be …\n'
)
NO_LIMIT = "  valid-tool-name\n- 2. If name's length is greater than 128, then return false.\n"
UNHEARD = ("dom-modelcontext-registertool",)
LONG = from_data(
    {
        "title": "A name of 129 code units",
        "documents": {"top": {}},
        "script": {"top": [{"do": "registerTool", "tool": {"name": "t" * 129, "description": "d"}, "wait": False}]},
    }
)


def outcomes(*patches: str, without: tuple[str, ...] = ()) -> list[str]:
    found = allowed_outcomes(LONG, revision=revision_with(*patches, without=without)).outcomes.values()
    return sorted(str(one.to_data()) for one in found)


def test_no_patch_and_nothing_left_out_is_the_revision_itself() -> None:
    assert revision_with() is REVISION


@pytest.mark.usefixtures("takes_long")
def test_parallel_steps_are_left_out_of_a_patched_text() -> None:
    assert "fulfilled" in outcomes(INSERTED, NO_LIMIT)[0]
    for patches in ((NO_LIMIT,), (INSERTED, NO_LIMIT)):
        [only] = outcomes(*patches, without=UNHEARD)
        assert "top: registerTool" in only


def test_patches_compose_in_any_order() -> None:
    assert outcomes(INSERTED, NO_LIMIT) == outcomes(NO_LIMIT, INSERTED) != outcomes(INSERTED)


@pytest.mark.usefixtures("takes_long")
def test_changes_of_issues_15_and_58_together_lose_no_cancellation_and_neither_does_alone() -> None:
    program = load(program_path(ROOT, DOSSIERS[15].test))
    early, at_the_target = DOSSIERS[15].proposed, DOSSIERS[58].proposed

    def loses_one(*patches: str) -> bool:
        found = allowed_outcomes(program, revision=revision_with(*patches)).outcomes.values()
        said = [" ".join(describe(outcome)) for outcome in found]
        return any("callback" in one and "aborted" not in one for one in said)

    lost = [loses_one(*patches) for patches in ((), (early,), (at_the_target,), (early, at_the_target))]
    assert lost == [True, True, True, False]


def test_two_patches_of_one_step_exclude_each_other() -> None:
    with pytest.raises(
        SpecificationError, match="valid-tool-name 2 is removed twice, in this patch or also in another patch"
    ):
        revision_with(NO_LIMIT, NO_LIMIT)
