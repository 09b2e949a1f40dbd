"""Hooks of linked texts: found by what the text says, or an error that says what the text lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.reading import loads_toml
from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_prose.hooks import never_run
from modelcontext_prose.linking import link_text
from packages.prose.tests.small_texts import algorithm, compiled

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
_OWN = "This specification's <dfn id=unloading-document-cleanup>unloading document cleanup</dfn> steps, given a"
_FORM = """
title = "A form is a tool."
[documents.top]
html = "<form toolname=search tooldescription=Searches></form>"
[[script.top]]
do = "log"
value = 1
"""


def test_steps_of_another_standard_are_found_by_the_link_that_names_them() -> None:
    text = TEXT.replace(_OWN, "This specification's [=unloading document cleanup steps=], given a")
    assert text != TEXT
    revision = link_text(text, CURRENT.text).revision
    assert revision.hooks == {"unloading-document-cleanup": "unloading-document-cleanup-steps"}
    assert "unloading-document-cleanup-steps" in revision.algorithms


def test_steps_of_another_standard_that_the_model_does_not_run_are_told() -> None:
    given = "This specification's [=moving steps=], given a {{Document}} |document|, are"
    text = compiled(algorithm(given, "Return.") + algorithm("To <dfn>do it</dfn>", "Return.")).program.text
    assert [one.name for one in never_run(text)] == ["moving steps"]


def test_form_that_ought_to_be_a_tool_is_an_error_in_a_text_that_makes_no_tool_of_it() -> None:
    text = TEXT.replace("id=schedule-a-tool-update>schedule a tool update<", "id=other>do something else<")
    assert text != TEXT
    revision = link_text(text, CURRENT.text).revision
    with pytest.raises(NoMeaningError, match="the text has no algorithm schedule-a-tool-update"):
        run_once(loads_toml(_FORM), revision=revision)
