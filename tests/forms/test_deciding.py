"""The decisions about forms and controls: the reason in words, and the step that it follows from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.people.forms.check import Source, check_page
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from tests.forms.conftest import Check

#: Controls that are no parameters, by the step that decides it; then a part of its text, and the reason in words.
LEFT_OUT = [
    ("<input name=a disabled>", "determine-the-parameter-kind 1", "is disabled", "it is disabled"),
    (
        "<fieldset disabled><select name=a><option>b</select></fieldset>",
        "determine-the-parameter-kind 1",
        "is disabled",
        "it is disabled by a fieldset around it",
    ),
    ("<textarea name=a readonly></textarea>", "determine-the-parameter-kind 3", "readonly", "it is readonly"),
    ("<button name=a>b</button>", "determine-the-parameter-kind 5", "not an input", "it submits the form"),
    ("<button type=reset>b</button>", "determine-the-parameter-kind 5", "not an input", "it resets the form"),
    (
        "<output name=a></output>",
        "determine-the-parameter-kind 5",
        "not an input",
        "output elements are never parameters",
    ),
    ("<x-y name=a></x-y>", "determine-the-parameter-kind 5", "not an input", "a custom element is never a parameter"),
    (
        "<input type=hidden name=a>",
        "determine-the-parameter-kind 7.1",
        "toolparamdescription",
        "hidden inputs are left out unless they have a toolparamdescription",
    ),
    (
        "<input type=hidden name=_charset_ toolparamdescription=d>",
        "determine-the-parameter-kind 7.2",
        "_charset_",
        "the browser fills in _charset_",
    ),
    ("<input type=file name=a>", "determine-the-parameter-kind 8", '"file"', "an agent cannot choose files"),
    ("<input type=image name=a>", "determine-the-parameter-kind 8", '"image"', "it submits the form"),
    (
        "<input name=a><input type=checkbox name=a>",
        "synthesize-a-parameter-schema 3.1",
        "neither",
        "several controls have this name, and are not all checkboxes or all radio buttons",
    ),
    (
        "<input type=radio name=a><input type=checkbox name=a>",
        "synthesize-a-parameter-schema 3.2",
        "is not kind",
        "several controls have this name, and they are not all of one kind",
    ),
    (
        "<select name=a><option disabled>b</select>",
        "synthesize-a-parameter-schema 4.2",
        "choices is empty",
        "it has no option that can be chosen",
    ),
]

#: Forms that are no tools, in the same way.
NO_TOOLS = [
    (
        "<template><form toolname=a tooldescription=d></form></template>",
        "offers-a-tool 1",
        "not connected",
        "it is in a template, and a script must copy it into the page",
    ),
    ("<form toolname=a>", "offers-a-tool 4", "no tooldescription", "it has no attribute tooldescription"),
    ("<form tooldescription=a>", "offers-a-tool 4", "no toolname", "it has no attribute toolname"),
    ("<form toolname='' tooldescription=d>", "offers-a-tool 5", "valid tool name", "its toolname is empty"),
    (
        f"<form toolname={'a' * 129} tooldescription=d>",
        "offers-a-tool 5",
        "valid tool name",
        "its toolname has 129 characters, and 128 are allowed",
    ),
    (
        "<form toolname='Find a ü\u200b' tooldescription=d>",
        "offers-a-tool 5",
        "valid tool name",
        'its toolname "Find a ü\\u{200b}" has a space, "ü", U+200B; only ASCII letters, digits, _, - and . are allowed',
    ),
]

#: Documents in frames that may offer no tools: the attributes of the frame.
FRAMES = [
    ("", "", "offers-a-tool 2", "scripts are off in its frame, whose sandbox attribute has no allow-scripts"),
    ("", "allow-scripts", "offers-a-tool 3", 'its document is not allowed to use the feature "tools"'),
    ("tools 'none'", None, "offers-a-tool 3", 'its document is not allowed to use the feature "tools"'),
]


@pytest.mark.parametrize(("html", "step", "text", "reason"), LEFT_OUT)
def test_control_that_is_no_parameter_has_reason_and_step(
    check: Check, html: str, step: str, text: str, reason: str
) -> None:
    (form,) = check(f"<form toolname=t tooldescription=d>{html}</form>").forms
    assert not form.parameters
    assert {control.reason for control in form.left_out} == {reason}
    assert {str(control.step) for control in form.left_out} == {step}
    assert all(text in control.step.text for control in form.left_out)


@pytest.mark.parametrize(("html", "step", "text", "reason"), NO_TOOLS)
def test_form_that_is_no_tool_has_reason_and_step(check: Check, html: str, step: str, text: str, reason: str) -> None:
    (form,) = check(html).forms
    assert form.tool is None
    assert form.reason == reason
    assert form.step is not None
    assert str(form.step) == step
    assert text in form.step.text


@pytest.mark.parametrize(("allow", "sandbox", "step", "reason"), FRAMES)
def test_form_in_a_frame_that_forbids_tools_is_no_tool(allow: str, sandbox: str | None, step: str, reason: str) -> None:
    frame = Source(
        name="frame-1",
        html="<form toolname=t tooldescription=d toolautosubmit>",
        url="https://a.test/frame",
        parent=0,
        allow=allow,
        sandbox=sandbox,
    )
    page = check_page([Source(name="page", html="", url="https://a.test/"), frame])
    (form,) = page.documents[1].forms
    assert (form.tool, str(form.step), form.reason) == (None, step, reason)


def test_words_cover_every_step_that_leaves_something_out() -> None:
    decided = ("offers-a-tool", "determine-the-parameter-kind", "synthesize-a-parameter-schema")
    steps = {
        str(step)
        for step, text in inventory(REVISION.package).texts.items()
        if step.algorithm in decided and ("return null" in text or "return false" in text or "otherwise false" in text)
    }
    assert steps == {step for _, step, *_ in [*LEFT_OUT, *NO_TOOLS]} | {step for _, _, step, _ in FRAMES}


def test_second_form_of_a_name_is_no_tool_by_the_step_that_finds_the_name_taken(check: Check) -> None:
    first, second = check("<form toolname=a tooldescription=d></form>" * 2).forms
    assert first.tool is not None
    assert second.tool is None
    assert second.reason == 'another form of the document has the name "a" (line 1, <form toolname=a>)'
    assert second.step is not None
    assert second.step.algorithm == "update-the-tool-of-a-form"
    assert second.step.text == "If tool map[name] exists, then return."


def test_form_that_is_no_tool_does_not_take_a_name(check: Check) -> None:
    first, second = check("<form toolname=a></form><form toolname=a tooldescription=d></form>").forms
    assert first.tool is None
    assert second.tool is not None
