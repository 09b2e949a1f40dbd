"""The builder makes the same programs as files do, with the same checks."""

from __future__ import annotations

import pytest

from modelcontext.program.builder import (
    JS_UNDEFINED,
    ProgramBuilder,
    Steps,
    function,
    let,
    listed,
    signal,
    the,
    tool,
)
from modelcontext.program.language import ProgramError, loads_toml


def test_builds_what_a_file_says() -> None:
    built = (
        ProgramBuilder("All at once", algorithms=["dom-modelcontext-executetool"], note="why")
        .document("child", parent="top", origin="B", allow="tools", permissions_policy="tools=*")
        .document("late", parent="top", later=True)
        .script("top")
        .register_tool(
            let("tool", {"name": "t", "description": "d"}),
            options={"signal": signal("c")},
            callback=function(resolves=JS_UNDEFINED, steps=Steps().log(None)),
        )
        .get_tools(label="list")
        .execute_tool(listed("t", by="list"), {"a": 1}, wait=False)
        .listen("toolchange", Steps().timer(Steps().abort("c", reason="why")))
        .microtask()
        .call("executeTool", [the("tool", "name")], label="exact")
        .tell("child", "go")
        .add_frame("late")
        .remove_frame("late")
        .script("child")
        .wait_for(message="go")
        .execute_tool(tool("t", of="top"), on="child")
        .build()
    )
    assert built == loads_toml(
        """
        title = "All at once"
        algorithms = ["dom-modelcontext-executetool"]
        note = "why"
        documents.child = { parent = "top", origin = "B", allow = "tools", permissions-policy = "tools=*" }
        documents.late = { parent = "top", start = "later" }

        [[script.top]]
        do = "registerTool"
        tool = { "$let" = "tool", be = { name = "t", description = "d" } }
        options = { signal = { "$signal" = "c" } }
        callback = { resolves = { "$js" = "undefined" }, steps = [{ do = "log", value = { "$js" = "null" } }] }
        [[script.top]]
        do = "getTools"
        as = "list"
        [[script.top]]
        do = "executeTool"
        wait = false
        tool = { "$listed" = "t", from = "list" }
        input = { a = 1 }
        [[script.top]]
        do = "listen"
        type = "toolchange"
        steps = [{ do = "timer", steps = [{ do = "abort", controller = "c", reason = "why" }] }]
        [[script.top]]
        do = "microtask"
        [[script.top]]
        do = "executeTool"
        as = "exact"
        arguments = [{ "$the" = "tool", path = ["name"] }]
        [[script.top]]
        do = "tell"
        to = "child"
        message = "go"
        [[script.top]]
        do = "addFrame"
        document = "late"
        [[script.top]]
        do = "removeFrame"
        document = "late"
        [[script.child]]
        do = "waitFor"
        message = "go"
        [[script.child]]
        do = "executeTool"
        on = "child"
        tool = { "$tool" = "t", in = "top" }
        """
    )
    assert loads_toml(built.dumps_toml()) == built


def test_mistakes_are_program_errors() -> None:
    with pytest.raises(ProgramError, match='no result with the label "cal"'):
        ProgramBuilder("t").script().wait_for(result="cal").build()


def test_a_page_that_leaves_and_comes_back() -> None:
    built = (
        ProgramBuilder("t")
        .document("away", tab="top", later=True)
        .script("top")
        .page_transition("pagehide", Steps().abort("c"), label="hide")
        .leave("away")
        .script("away")
        .go_back()
        .build()
    )
    assert built.leaves
    assert built == loads_toml(
        """
        title = "t"
        documents.away = { tab = "top", start = "later" }
        [[script.top]]
        do = "pageTransition"
        as = "hide"
        type = "pagehide"
        steps = [{ do = "abort", controller = "c" }]
        [[script.top]]
        do = "leave"
        document = "away"
        [[script.away]]
        do = "goBack"
        """
    )
    assert loads_toml(built.dumps_toml()) == built
