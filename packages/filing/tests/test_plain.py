"""Programs as plain JavaScript: the script, its lines, and what one file cannot have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data, load
from modelcontext_filing.plain.plain_page import OutcomeGroup, plain_page, plain_scripts
from modelcontext_filing.plain.view import PlainError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

ROOT = Path(__file__).resolve().parents[3]
TOOL = {"name": "t", "description": "d"}


def program(*steps: Mapping[str, Any], **documents: Mapping[str, Any]) -> Program:
    return from_data({"title": "t", "documents": documents, "script": {"top": list(steps)}})


def script_of(one: Program, *outcomes: Outcome) -> str:
    """Return the script of a page without the two statements of every page."""
    text = plain_page(one, [OutcomeGroup("allowed", outcomes or [run_once(one).outcome])]).text
    script = text.split('<script type="module">\n')[-1].split("\n</script>")[0]
    return "\n".join(script.splitlines()[2:])


def test_script_is_straight_code() -> None:
    one = program(
        {"do": "registerTool", "tool": TOOL, "callback": {"returns": "a"}},
        {"do": "executeTool", "tool": {"$tool": "t"}, "input": {"k": 1}},
    )
    assert script_of(one) == (
        "await document.modelContext.registerTool(\n"
        '  { name: "t", description: "d", execute: (input) =>'
        ' { show(`t called with ${JSON.stringify(input)}`); return "a"; } },\n'
        ");\n"
        "await document.modelContext.executeTool("
        '{ name: "t", description: "", origin, window }, { k: 1 }).then(\n'
        "  (value) => show(`executeTool: fulfilled with ${JSON.stringify(value)}`),\n"
        "  (error) => show(`executeTool: rejected with ${error.name}`),\n"
        ");"
    )


def test_page_has_the_lines_of_each_group() -> None:
    one = load(ROOT / "wpt_tests/programs/results/string.toml")
    right = run_once(one).outcome
    wrong = Outcome({"top": [*right.logs["top"][:-1], {**right.logs["top"][-1], "fulfilled": "a"}]})
    page = plain_page(one, [OutcomeGroup("The text", [right]), OutcomeGroup("A browser", [wrong])])
    assert page.shown[0] != page.shown[1]
    assert "<h2>A browser</h2>\n<pre>" in page.text


def test_lines_tell_inputs_only_if_one_is_not_empty() -> None:
    tool = {"do": "registerTool", "tool": TOOL, "callback": {"returns": "a"}}
    calls = program(tool, {"do": "executeTool", "tool": {"$tool": "t"}})
    assert 'execute: () => { show("t called"); return "a"; }' in script_of(calls)
    assert "t called\n" in plain_page(calls, [OutcomeGroup("a", [run_once(calls).outcome])]).text


def test_lines_tell_no_more_than_tells_groups_apart() -> None:
    one = program({"do": "registerTool", "tool": TOOL}, {"do": "getTools"})
    outcome = run_once(one).outcome
    assert 'getTools: fulfilled with ["t"]' in plain_page(one, [OutcomeGroup("a", [outcome])]).text
    tools = {**outcome.logs["top"][-1]["fulfilled"][0], "title": "other"}
    other = Outcome({"top": [*outcome.logs["top"][:-1], {**outcome.logs["top"][-1], "fulfilled": [tools]}]})
    told = plain_page(one, [OutcomeGroup("a", [outcome]), OutcomeGroup("b", [other])]).text
    assert '[{"name":"t","title":"other"}]' in told
    assert '"origin"' not in told


def test_groups_that_lines_do_not_tell_apart_are_an_error() -> None:
    one = program({"do": "log", "value": {"$symbol": "s"}})
    groups = [OutcomeGroup(name, [Outcome({"top": [{"in": "top", "log": {"$symbol": name}}]})]) for name in "ab"]
    with pytest.raises(PlainError, match="its lines do not distinguish the outcomes"):
        plain_page(one, groups)


def test_frame_of_another_origin_loads_the_same_file() -> None:
    one = from_data(
        {
            "title": "t",
            "documents": {"child": {"parent": "top", "origin": "B", "allow": "tools"}},
            "script": {"child": [{"do": "getTools"}]},
        }
    )
    text = script_of(one)
    assert 'src="${location.href.replace("localhost", "127.0.0.1")}#child"' in text
    assert "data.line && show(data.line)" in text


def test_scripts_of_a_program_for_several_windows_say_which_document_they_are_of() -> None:
    one = load(ROOT / "wpt_tests/programs/execution/popup.toml")
    scripts = plain_scripts(one, [OutcomeGroup("allowed", [run_once(one).outcome])]).text.splitlines()
    assert [line for line in scripts if line.startswith("//")] == [
        "// The page",
        "// popup: a window that the page has opened. This is its name in the page's script",
    ]
    assert scripts[-1] == 'opener.postMessage("registered", "*");'


@pytest.mark.parametrize(
    ("documents", "needed"),
    [
        ({"top": {"permissions-policy": "tools=()"}}, "the header Permissions-Policy: tools=()"),
        ({"child": {"parent": "top", "origin": "D"}}, "a server with four origins"),
        ({"child": {"opener": "top"}}, "a second window"),
    ],
)
def test_program_that_one_file_cannot_have_says_what_it_needs(documents: Mapping[str, Any], needed: str) -> None:
    with pytest.raises(PlainError, match=needed):
        script_of(program({"do": "getTools"}, **documents), Outcome())


def test_document_without_steps_has_no_empty_script() -> None:
    one = from_data({"title": "t", "documents": {"popup": {"opener": "top"}}, "script": {"top": [{"do": "getTools"}]}})
    lines = plain_scripts(one, [OutcomeGroup("allowed", [run_once(one).outcome])]).text.splitlines()
    assert lines[-1].startswith("// popup: ")


def test_text_of_a_program_never_ends_the_script() -> None:
    one = program({"do": "log", "value": "</script>"})
    assert plain_page(one, [OutcomeGroup("a", [run_once(one).outcome])]).text.count("</script>") == 1


def test_script_of_a_page_that_leaves_goes_on_when_the_page_is_back() -> None:
    one = load(ROOT / "wpt_tests/litmus/back-forward-cache/called-by-a-frame.toml")
    text = plain_scripts(one, [OutcomeGroup("allowed", [run_once(one).outcome])]).text
    left = 'location.href = "away.html";\nawait new Promise((go) => addEventListener("pageshow", go, { once: true }));'
    assert f"{left}\np.resolve(1);" in text


def test_white_space_that_no_reader_sees_is_escaped_in_a_script() -> None:
    one = program({"do": "log", "value": "a\u3000b\u00a0"})
    assert 'show("a\\u3000b\\u00a0");' in script_of(one)
