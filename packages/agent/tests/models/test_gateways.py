"""Streams that are not put together as the provider's own: calls are told apart, and an answer without an end is none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall
from pydantic_ai import Agent, DeferredToolRequests, ExternalToolset
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart

from modelcontext_agent.chat.loop import WholeAnswers
from modelcontext_agent.models.gateways import JoinedCalls
from modelcontext_agent.models.provider_errors import classify
from modelcontext_agent.models.retries import RetryPolicy
from modelcontext_agent.models.stored_answers import BrokenAnswerError, check_whole, repaired
from packages.agent.tests.models.chats import KINDS, ORDER, chat_with

A, B = '{"title":"a"}', '{"title":"b"}'


def piece(index: Any, id: str | None, name: str | None, arguments: Any) -> ChoiceDeltaToolCall:
    """Return a piece as the SDK reads it: it checks nothing."""
    function = {"name": name, "arguments": arguments}
    return ChoiceDeltaToolCall.construct(None, index=index, id=id, function=function, type="function")


def joined(*pieces: tuple[Any, Any, Any, Any]) -> list[tuple[str, str, str]]:
    """Return the calls that a library makes of the pieces: by index, with the id and the name of the first piece."""
    calls = JoinedCalls({"add", "add_task", "list", "ping", "pingping"})
    found: dict[int, tuple[str, str, str]] = {}
    passed = [one for given in pieces for one in calls.take(piece(*given))]
    for one in [*passed, *calls.finish()]:
        assert one.function is not None
        id_, name, arguments = found.get(one.index, (one.id or "", one.function.name or "", ""))
        assert one.index in found or (one.id and one.function.name)
        found[one.index] = (id_, name, arguments + (one.function.arguments or ""))
    return [found[index] for index in sorted(found)]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([(0, "x", "add", A), (1, "y", "add", B)], id="as OpenAI does it"),
        pytest.param([(0, "x", "add", A), (0, "y", "add", B)], id="index 0 for each"),
        pytest.param(
            [(0, "x", "add", ""), (0, None, None, A), (0, "y", "add", ""), (0, None, None, B)], id="in pieces"
        ),
        pytest.param([(None, "x", "add", A), (None, "y", "add", B)], id="no index"),
        pytest.param(
            [(0, "x", "add", A[:4]), (1, "y", "add", B[:4]), (0, "x", None, A[4:]), (1, "y", None, B[4:])], id="mixed"
        ),
        pytest.param(
            [(0, "x", "add", A[:4]), (0, "y", "add", B[:4]), (0, "x", "add", A[4:]), (0, "y", "add", B[4:])],
            id="mixed, index 0, all repeated",
        ),
        pytest.param([(0, "x", "add", {"title": "a"}), (1, "y", "add", {"title": "b"})], id="objects"),
        pytest.param(
            [(0, "x", "add", "{}"), (0, None, None, A), (1, "y", "add", "{}"), (1, None, None, B)], id="{} first"
        ),
    ],
)
def test_two_calls_are_told_apart_with_their_ids(pieces: list[tuple[Any, Any, Any, Any]]) -> None:
    calls = joined(*pieces)
    assert [(id_, name, json.loads(arguments)) for id_, name, arguments in calls] == [
        ("x", "add", {"title": "a"}),
        ("y", "add", {"title": "b"}),
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([(0, "x", "add", A), (1, "x", "add", B)], id="one id"),
        pytest.param([(0, "x", "add", A), (0, "x", "add", B)], id="one id, index 0"),
        pytest.param(
            [(0, "x", "add", ""), (0, "x", None, A), (1, "x", "add", ""), (1, None, None, B)], id="one id, in pieces"
        ),
        pytest.param([(0, "", "add", A), (1, "", "add", B)], id="empty ids"),
        pytest.param([(0, None, "add", A), (0, None, "add", B)], id="no ids, index 0"),
        pytest.param([(None, None, "add", A), (None, None, "add", B)], id="neither ids nor indexes"),
    ],
)
def test_calls_without_ids_of_their_own_get_some(pieces: list[tuple[Any, Any, Any, Any]]) -> None:
    calls = joined(*pieces)
    assert [(name, arguments) for _, name, arguments in calls] == [("add", A), ("add", B)]
    assert len({id_ for id_, _, _ in calls} - {""}) == 2


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([(0, "x", "add_task", A)], id="whole"),
        pytest.param([(0, "x", "add_", ""), (0, None, "task", A)], id="name in pieces"),
        pytest.param(
            [(0, "x", "add", ""), (0, None, "_task", ""), (0, None, None, A)], id="name in pieces, a tool's first"
        ),
        pytest.param([(0, "x", "add", ""), (0, None, "add_task", A)], id="name that grows"),
        pytest.param([(0, "x", "add_task", A[:5]), (0, "x", "add_task", A[5:])], id="name repeated"),
        pytest.param(
            [(0, "x", "add_task", ""), (1, "x", "add_task", A[:5]), (2, "x", "add_task", A[5:])], id="index rises"
        ),
        pytest.param([(0, "x", "add_task", A[:5]), (1, None, None, A[5:])], id="index rises, no id"),
        pytest.param([(0, "x", "add_task", A[:5]), (0, "y", None, A[5:])], id="another id for each piece"),
        pytest.param([(0, "x", "add_task", A), (0, "x", "add_task", A)], id="said twice"),
        pytest.param([(0, "x", "add_task", A), (0, "x", "add_task", "")], id="closed with its name"),
        pytest.param([(0, "x", "add_task", A), (1, "x", "add_task", "")], id="closed at another index"),
        pytest.param(
            [(0, "x", "add_task", A[:5]), (0, None, None, A[5:]), (0, None, None, A)], id="summed up in the end"
        ),
        pytest.param([(0, "x", None, ""), (0, None, "add_task", ""), (0, None, None, A)], id="late name"),
    ],
)
def test_one_call_stays_one(pieces: list[tuple[Any, Any, Any, Any]]) -> None:
    assert joined(*pieces) == [("x", "add_task", A)]


def test_late_id_does_not_begin_another_call() -> None:
    [(_, name, arguments)] = joined((0, None, "add", A[:3]), (0, "x", None, A[3:]))
    assert (name, arguments) == ("add", A)


@pytest.mark.parametrize("arguments", ["", None, "{}", {}])
def test_call_without_arguments_is_passed_on_at_the_end(arguments: Any) -> None:
    assert joined((0, "x", "list", arguments)) == [("x", "list", "")]


def test_name_that_is_a_tool_twice_is_joined() -> None:
    assert joined((0, "x", "ping", ""), (0, None, "ping", "{}")) == [("x", "pingping", "")]


def call(id: str, arguments: Any = None) -> ToolCallPart:
    return ToolCallPart("add", arguments, id)


def test_ids_are_unique_in_the_whole_chat() -> None:
    history: list[ModelMessage] = [ModelRequest.user_text_prompt("hi"), ModelResponse(parts=[call("x"), call("x_2")])]
    answer = ModelResponse(parts=[TextPart("so"), call("x"), call("y"), call("y")], provider_response_id="r")
    after = repaired(answer, history)
    assert [part.tool_call_id for part in after.tool_calls] == ["x_3", "y", "y_2"]
    # A stored answer knows only the ids that it was given.
    assert after.provider_response_id is None
    made = repaired(ModelResponse(parts=[ToolCallPart("add")], provider_response_id="r"), history)
    assert made.provider_response_id is None
    kept = repaired(ModelResponse(parts=[call("z")], provider_response_id="r"), history)
    assert (kept.tool_calls[0].tool_call_id, kept.provider_response_id) == ("z", "r")


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (json.dumps(A), A.replace(":", ": ")),
        (A, A),
        ("", ""),
        ("[]", "[]"),
        ('"text"', '"text"'),
        ("{ no", "{ no"),
        (None, None),
        ({"title": "a"}, {"title": "a"}),
    ],
)
def test_arguments_that_are_encoded_twice_are_decoded_once(given: Any, taken: Any) -> None:
    assert repaired(ModelResponse(parts=[call("x", given)]), []).tool_calls[0].args == taken


def test_answer_that_ends_with_an_error_is_not_whole() -> None:
    check_whole(ModelResponse(parts=[call("x")], finish_reason="tool_call"))
    check_whole(ModelResponse(parts=[call("x")], finish_reason="stop"))
    check_whole(ModelResponse(parts=[TextPart("so")]))
    for reason in (None, "error"):
        with pytest.raises(BrokenAnswerError):
            check_whole(ModelResponse(parts=[call("x")], finish_reason=reason))


def test_answer_that_breaks_off_is_tried_three_times() -> None:
    failure = classify(BrokenAnswerError("m"), provider="openai")
    assert failure.message.startswith("OpenAI broke off its answer before the end. None of its calls ran.")
    assert [RetryPolicy().delay(failure, attempt) for attempt in range(3)] == [1, 2, None]


ENDS = ('"stop_reason":"tool_use"', '"finish_reason":"tool_calls"', '"type":"response.completed"', '"finishReason"')


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_of_an_answer_without_its_end_is_taken(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> Any:
        async with chat_with(kind, [{"calls": [{"tool": "order", "arguments": {"size": 30}}]}]) as (fake, model):
            streamed = fake.wire.streamed

            def cut(said: Any, body: Mapping[str, Any]) -> Iterator[str]:
                for event in streamed(said, body):
                    if any(end in event for end in ENDS):
                        return
                    yield event

            monkeypatch.setattr(fake.wire, "streamed", cut)
            agent = Agent(
                model,
                output_type=[str, DeferredToolRequests],
                toolsets=[ExternalToolset([ORDER])],
                capabilities=[WholeAnswers([])],
            )
            async with agent.iter("A pizza, please") as run:
                first: Any = run.next_node
                node: Any = await run.next(first)
                async with node.stream(run.ctx) as stream:
                    async for _ in stream:
                        pass
                await run.next(node)

    with pytest.raises(BrokenAnswerError):
        asyncio.run(run())
