"""The change of an Issue in words, for an editor who has the published text alone."""

from __future__ import annotations

import re

from modelcontext_filing.issues.proposal import change_in_words

REGISTER = "[registerTool()](https://webmachinelearning.github.io/webmcp/#dom-modelcontext-registertool)"


def words(patch: str, *, is_undone: bool = False) -> str:
    return re.sub(r"\n+", "\n", "\n".join(change_in_words(patch, is_undone=is_undone))).strip()


def test_new_step_is_inserted_after_a_step_of_the_published_text() -> None:
    patch = """
  dom-modelcontext-registertool
  2. Let tool owner be global's associated Document.
+ 3. If |tool owner|'s [=Document/associated ModelContext=] is not [=this=], then return.
"""
    assert words(patch) == (
        f"* In {REGISTER}, after step 2, insert:\n"
        "    1. If tool owner's associated ModelContext is not this, then return."
    )


def test_steps_that_are_not_beside_each_other_are_changed_apart() -> None:
    patch = """
  dom-modelcontext-registertool
- 17. If signal is not null, then add the following abort steps to signal:
- 17.1. Unregister a tool given this and tool name.
- 17.2. Reject promise with signal's abort reason.
- 22. Set tool map[tool name] to a new tool definition whose …
+ 19. Let |tool definition| be a new [=tool definition=].
"""
    removed, replaced, step = words(patch).splitlines()
    assert re.fullmatch(rf"\* In {re.escape(REGISTER)}, remove step [\d.]+\.", removed)
    assert re.fullmatch(rf"\* In {re.escape(REGISTER)}, replace step \d+ with:", replaced)
    assert step == "    1. Let tool definition be a new tool definition."


def test_change_undoes_a_patch_that_brings_the_published_text_back() -> None:
    patch = """
  unregister-a-tool
+ 1. [=Assert=]: these steps are running on |model context|'s [=relevant agent=]'s [=agent/event loop=].
  1. Let tool map be …
  notify-documents-of-a-tool-change
  2. Let owner navigable be tool owner's node navigable.
- 3. If owner navigable is null, then …
"""
    removed, inserted, step = words(patch, is_undone=True).splitlines()
    assert removed.endswith(
        "/#model-context-unregister-a-tool), as the first step, remove “Assert: these steps are running on model"
        " context's relevant agent's event loop”."
    )
    assert inserted.endswith("after step 2, insert:")
    # The patch abbreviates it.
    assert step == "    1. If owner navigable is null, then return."


def test_definition_is_changed_by_its_name() -> None:
    patch = """
  tool definition
+ id: a [=string=]
"""
    assert words(patch) == "* In the definition of tool definition, add “id: a string”."


def test_introduction_whose_links_alone_change_is_no_change() -> None:
    patch = """
  perform-an-observation
- To perform an observation, given a top-level traversable traversable:
+ To <dfn id=perform-an-observation>perform an observation</dfn>, given a [=top-level traversable=] |traversable|:
"""
    assert words(patch) == ""
