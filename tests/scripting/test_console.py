"""The console of the simulated browser: the lines of each of its methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from modelcontext.hosts.scripting.resources import Answer, Request
from modelcontext.hosts.scripting.scripted_browser import ScriptedBrowser
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.process import EngineProcess


@pytest.fixture(scope="module")
def process(starts_a_browser: None) -> Iterator[EngineProcess]:
    with start_process(REVISION) as running:
        yield running


def console(process: EngineProcess, script: str) -> list[tuple[str, str]]:
    """Run a script in a page; return the level and the text of each line of its console."""
    page = f"<!DOCTYPE html><body><script>{script}</script>".encode()

    def serve(request: Request) -> Answer:
        return Answer(200, (("content-type", "text/html"),), page)

    observed = ScriptedBrowser(process, REVISION, serve, seconds=5.0).run("https://a.test/")
    assert observed.errors == []
    assert observed.ended is None
    return observed.console


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("log()", ("log", "")),
        ("log('a', 1, [2])", ("log", "a 1 [2]")),
        ("info('%s is %d', 'one', '1.5')", ("info", "one is 1")),
        ("warn('%i %f', 2.5, '2.5')", ("warn", "2 2.5")),
        ("error('%o %O', {a: 1}, [2], 'more')", ("error", '{"a":1} [2] more')),
        ("log('%cstyled', 'color: red')", ("log", "styled")),
        ("log('%s %s %%', 'one')", ("log", "one %s %")),
        ("log('100%')", ("log", "100%")),
        ("log('%d', Symbol('s'))", ("log", "NaN")),
        ("log(1, '%s', 2)", ("log", "1 %s 2")),
        ("debug('d')", ("debug", "d")),
        ("dir({a: 1}, 'no more')", ("log", '{"a":1}')),
        ("dirxml('a', 'b')", ("log", "a b")),
        ("assert(false)", ("error", "Assertion failed")),
        ("assert(false, 'at %d', 3)", ("error", "Assertion failed: at 3")),
        ("assert(0, {a: 1})", ("error", 'Assertion failed {"a":1}')),
        ("table(3)", ("log", "3")),
        ("countReset()", ("warn", "Count for 'default' does not exist")),
        ("timeEnd('t')", ("warn", "Timer 't' does not exist")),
    ],
)
def test_call_is_one_line(call: str, line: tuple[str, str], process: EngineProcess) -> None:
    assert console(process, f"console.{call};") == [line]


def test_true_condition_is_no_line(process: EngineProcess) -> None:
    assert console(process, "console.assert(true, 'a');") == []


def test_groups_are_indented_until_they_end_or_everything_is_cleared(process: EngineProcess) -> None:
    script = """
        console.group("one"); console.log("a\\nb"); console.groupCollapsed(); console.warn("c"); console.groupEnd();
        console.log("d"); console.groupEnd(); console.groupEnd(); console.log("e");
        console.group(); console.clear(); console.log("f");
    """
    texts = ["one", "  a\n  b", "    c", "  d", "e", "f"]
    assert [text for _, text in console(process, script)] == texts


def test_calls_are_counted_by_label(process: EngineProcess) -> None:
    script = "console.count(); console.count('a'); console.count(); console.countReset(); console.count();"
    assert console(process, script) == [("info", text) for text in ("default: 1", "a: 1", "default: 2", "default: 1")]


def test_timers_show_virtual_time(process: EngineProcess) -> None:
    script = """
        console.time("t"); console.time("t");
        setTimeout(() => { console.timeLog("t", {a: 1}); console.timeEnd("t"); console.timeLog("t"); }, 50);
    """
    assert console(process, script) == [
        ("warn", "Timer 't' already exists"),
        ("log", 't: 50 ms {"a":1}'),
        ("info", "t: 50 ms"),
        ("warn", "Timer 't' does not exist"),
    ]


def test_table_has_a_row_for_each_item_and_a_column_for_each_member(process: EngineProcess) -> None:
    script = """
        console.table([{a: 1, b: "two"}, {b: true}, 3]);
        console.table({x: {a: 1, b: 2}}, ["b"]);
        console.table(new Map([["k", {a: 1}]]));
    """
    assert [text for _, text in console(process, script)] == [
        "(index) | a | b    | Values\n0       | 1 | two  |\n1       |   | true |\n2       |   |      | 3",
        "(index) | b\nx       | 2",
        "(index) | a\nk       | 1",
    ]


def test_exception_of_a_tool_is_shown_with_its_place(process: EngineProcess) -> None:
    script = """
      document.modelContext.registerTool({name: "t", description: "d", execute() {
        null.tea; } });
      (async () => {
        const [tool] = await document.modelContext.getTools();
        await document.modelContext.executeTool(tool, {}).catch((error) => console.log(error.name));
      })()"""
    [(level, text), caught] = console(process, script)
    assert level == "warn"
    assert text == "a tool failed: TypeError: Cannot read properties of null (reading 'tea') (https://a.test/:3)"
    assert caught == ("log", "UnknownError")
