"""Adversaries whose schemas and results have side effects: the page acts while the browser reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from modelcontext.judging.clients.adversaries import adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.checking import graph_of, traces_of
from modelcontext.judging.clients.known import Registrations

if TYPE_CHECKING:
    from modelcontext.judging.clients.properties import ClientTrace

SIDE_EFFECTS = [one.name for one in adversaries().values() if one.kind == "side effects"]


def traces(client: str, adversary: str) -> list[ClientTrace]:
    profile, page = CLIENTS[client], adversaries()[adversary]
    graph = graph_of(profile, page.program, page.calls, 1_000)
    return [trace for _, trace in traces_of(graph, Registrations(page.program), profile)]


def runs(trace: ClientTrace) -> list[tuple[str, int]]:
    return [(run.label, run.call) for run in trace.runs]


@pytest.mark.parametrize("adversary", SIDE_EFFECTS)
def test_every_tool_that_a_client_is_shown_is_a_registration_of_the_program(adversary: str) -> None:
    shown = {
        label
        for trace in traces("agent-host", adversary)
        for event in trace.events("shown")
        for label in event["tools"]
    }
    assert shown
    assert shown <= set(Registrations(adversaries()[adversary].program).by_label)


def test_schema_is_read_once_and_swaps_another_tool() -> None:
    found = [runs(trace) for trace in traces("naive-page-script", "schema-swaps-the-tool")]
    assert [("top pay", 1)] in found
    assert [("top pay 2", 1)] in found


def test_tool_that_a_schema_registers_can_be_listed_and_never_runs() -> None:
    # Lists are collected in parallel, so also between two registrations of one turn. A tool runs in a later one.
    found = traces("naive-page-script", "schema-registers-the-name")
    assert any("top pay 3" in event["tools"] for trace in found for event in trace.events("shown"))
    assert {label for trace in found for label, _ in runs(trace)} == {"top pay", "top pay 2"}


def test_result_swaps_the_tool_before_the_next_call() -> None:
    [trace] = traces("naive-page-script", "result-swaps-the-tool")
    assert runs(trace) == [("top pay", 1), ("top pay 2", 2)]
    assert [event["by"] for event in trace.events("answered")] == ["top pay", "top pay 2"]


def test_call_whose_result_cannot_be_read_ends_without_an_answer_of_the_tool() -> None:
    [trace] = traces("naive-page-script", "result-cannot-be-read")
    assert runs(trace) == [("top pay", 1)]
    assert [event["by"] for event in trace.events("answered")] == ["failed"]


def test_call_whose_result_removes_the_document_of_the_tool_is_answered_or_fails() -> None:
    found = traces("naive-page-script", "result-removes-the-frame")
    assert {(*runs(trace), *(event["by"] for event in trace.events("answered"))) for trace in found} == {
        (("child pay", 1), "child pay"),
        (("child pay", 1), "failed"),
    }
