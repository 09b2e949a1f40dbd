"""Texts as revisions in memory: they run, and their lines have steps."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.reading import load, loads_toml
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext.spec.specification.code.steps import StepIndex
from modelcontext_prose.compiler import read_marks
from modelcontext_prose.linking import LinkedText, link, link_text

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / CURRENT.text).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def linked() -> LinkedText:
    """Link the current text."""
    return link_text(TEXT, CURRENT.text, read_marks(ROOT / CURRENT.marks))


@pytest.mark.parametrize("name", ["races/abort-before-notification", "declarative/answered-and-aborted"])
def test_program_has_the_same_outcomes_in_the_linked_text_and_in_the_generated_files(
    linked: LinkedText, name: str
) -> None:
    program = load(ROOT / CURRENT.programs / f"{name}.toml")
    found, committed = (
        allowed_outcomes(program, revision=revision) for revision in (linked.revision, REVISIONS["current"])
    )
    assert found.complete
    assert set(found.outcomes) == set(committed.outcomes)


def test_line_of_a_linked_function_has_its_step(linked: LinkedText) -> None:
    function = linked.revision.algorithms["valid-tool-name"]
    code = function.__code__
    step = StepIndex().locate(code.co_filename, code.co_firstlineno + 4)
    assert step is not None
    assert (step.algorithm, step.number) == ("valid-tool-name", "1")


def test_step_without_a_meaning_raises_only_when_it_is_reached() -> None:
    text = TEXT.replace(
        "1. If |name|'s [=string/length=] is greater than 128, then return false.", "1. Frobnicate |name|."
    )
    assert text != TEXT
    valid_tool_name = link_text(text, CURRENT.text).revision.algorithms["valid-tool-name"]
    assert valid_tool_name("") is False
    with pytest.raises(NoMeaningError, match=r"index\.bs:\d+:4: valid-tool-name 2 has no meaning"):
        valid_tool_name("search")


def test_changed_text_changes_what_its_revision_does() -> None:
    text = TEXT.replace("[=string/length=] is greater than 128", "[=string/length=] is greater than 3")
    assert link_text(text, CURRENT.text).revision.algorithms["valid-tool-name"]("search") is False


def test_entry_that_does_not_exist_names_the_step_that_looks_it_up() -> None:
    removed = "1. [=map/Remove=] |tool map|[|name|].\n"
    step = "1. Let |exposed origins| be |tool map|[|name|]'s [=tool definition/exposed origins=].\n"
    text = TEXT.replace(step + removed, removed + step)
    assert text != TEXT
    revision = link_text(text, CURRENT.text).revision
    program = loads_toml("""
        title = "A tool is unregistered by its signal."
        [[script.top]]
        do = "registerTool"
        tool = { name = "search", description = "Searches." }
        options = { signal = { "$signal" = "controller" } }
        [[script.top]]
        do = "abort"
        controller = "controller"
    """)
    line = text[: text.index(step)].count("\n") + 1
    with pytest.raises(NoMeaningError, match=rf"index\.bs:{line}:4: unregister-a-tool 5 looks up an entry"):
        run_once(program, revision=revision)


def test_abort_steps_that_only_reject_call_the_verb_and_not_themselves() -> None:
    text = TEXT.replace(
        "    1. [=Unregister a tool=] given [=this=] and |tool name|.\n    1. [=Reject=]", "    1. [=Reject=]"
    )
    assert text != TEXT
    outcome = run_once(
        load(ROOT / CURRENT.programs / "signals/abort-unregisters.toml"),
        revision=link_text(text, CURRENT.text).revision,
    )
    assert outcome.outcome.logs


def test_text_that_is_linked_again_has_the_same_functions(linked: LinkedText) -> None:
    again = link_text(TEXT, CURRENT.text).revision
    assert again.algorithms == linked.revision.algorithms


def test_modules_whose_algorithms_run_each_other_are_imported(linked: LinkedText) -> None:
    package = f"{linked.compiled.package}_in_a_circle"
    texts = {name: text.replace(linked.compiled.package, package) for name, text in linked.compiled.files.items()}
    first, second = f"from {package}.executions import ", f"from {package}.dictionaries import "
    assert first not in texts["tools"]
    texts["tools"] = texts["tools"].replace(second, f"{first}find_a_tool_to_execute\n{second}", 1)
    revision = link(replace(linked.compiled, package=package, files=texts)).revision
    tools = sys.modules[f"{package}.tools"]
    assert vars(tools)["find_a_tool_to_execute"] is revision.algorithms["find-a-tool-to-execute"]
