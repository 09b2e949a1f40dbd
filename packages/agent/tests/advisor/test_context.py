"""The request to the advisor's model: its order, its limits, and what is left out."""

from __future__ import annotations

from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from modelcontext_agent.advisor.context import EARLIER, MOST_BYTES, PROMPT, advice_request, newest


def test_advisor_is_told_to_name_tradeoffs_and_to_claim_no_act() -> None:
    [request, *_] = advice_request([asks("Plan.")], "A or B?")
    *_, last = [part.content for part in request.parts if isinstance(part, SystemPromptPart)]
    told = " ".join(last.split())
    for words in ("Give it a plan", "tradeoffs", "cannot act", "never say that something was done", "brief"):
        assert words in told


def asks(text: str, **members: Any) -> ModelMessage:
    return ModelRequest(parts=[UserPromptPart(text)], **members)


def says(text: str) -> ModelMessage:
    return ModelResponse(parts=[TextPart(text)])


def calls(*ids: str) -> ModelMessage:
    return ModelResponse(parts=[ToolCallPart("search", {"id": name}, name) for name in ids])


def returns(*ids: str) -> ModelMessage:
    return ModelRequest(parts=[ToolReturnPart("search", f"result of {name}", name) for name in ids])


def shown(messages: list[ModelMessage]) -> list[str]:
    """Return what the messages say, in short."""
    found = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                found.append(f"calls {part.tool_call_id}")
            elif isinstance(part, ToolReturnPart):
                found.append(f"returns {part.tool_call_id}")
            elif isinstance(part, SystemPromptPart):
                found.append(f"system {part.content}")
            elif isinstance(part, (TextPart, UserPromptPart, ThinkingPart)):
                found.append(str(part.content))
    return found


ADVISOR = f"system {PROMPT}"


def test_system_messages_come_first_the_advisors_last_among_them_and_the_question_last() -> None:
    history: list[ModelMessage] = [
        ModelRequest(parts=[SystemPromptPart("Be kind."), UserPromptPart("Hello")], instructions="Old rules."),
        says("Hi."),
        asks("Buy milk.", instructions="New rules."),
    ]
    found = shown(advice_request(history, "How?"))
    assert found == ["system New rules.", "system Be kind.", ADVISOR, "Hello", "Hi.", "Buy milk.", "How?"]


def test_system_messages_are_seen_even_where_their_message_is_too_old() -> None:
    history: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart("Be kind."), UserPromptPart("Hello")])]
    for number in range(15):
        history += [says(f"answer {number}"), asks(f"message {number}")]
    found = shown(advice_request(history, "How?"))
    assert found[:3] == ["system Be kind.", ADVISOR, EARLIER]
    assert "Hello" not in found


def test_only_the_newest_twenty_messages_are_seen() -> None:
    history: list[ModelMessage] = []
    for number in range(15):
        history += [asks(f"message {number}"), says(f"answer {number}")]
    found = shown(advice_request(history, "How?"))
    assert found[1:-1] == [text for number in range(5, 15) for text in (f"message {number}", f"answer {number}")]


def test_only_the_newest_12000_bytes_of_json_are_seen() -> None:
    history: list[ModelMessage] = []
    for number in range(6):
        history += [asks(f"message {number} " + "é" * 500), says(f"answer {number} " + "é" * 500)]
    seen = newest(history)
    size = sum(len(ModelMessagesTypeAdapter.dump_json([message])) for message in seen)
    one_more = ModelMessagesTypeAdapter.dump_json(newest([history[-len(seen) - 1]]))
    assert size <= MOST_BYTES < size + len(one_more)
    assert shown(seen) == shown(history[-len(seen) :])


def test_message_that_alone_is_too_large_leaves_the_question() -> None:
    found = shown(advice_request([asks("Hello"), asks("x" * MOST_BYTES)], "How?"))
    assert found == [ADVISOR, "How?"]


def test_result_whose_call_is_too_old_is_dropped() -> None:
    history = [calls("old"), returns("old"), *(asks(f"message {number}") for number in range(19))]
    found = shown(advice_request(history, "How?"))
    assert found[1:-1] == [f"message {number}" for number in range(19)]


def test_call_without_a_result_is_dropped() -> None:
    found = shown(advice_request([asks("Hello"), calls("c1", "c2"), returns("c2"), calls("c3")], "How?"))
    assert found == [ADVISOR, "Hello", "calls c2", "returns c2", "How?"]


def test_id_that_is_used_again_belongs_to_the_newest_answer() -> None:
    history = [asks("Hello"), calls("c1"), returns("c1"), calls("c1"), returns("c1", "c2")]
    found = shown(advice_request(history, "How?"))
    assert found == [ADVISOR, "Hello", "calls c1", "returns c1", "calls c1", "returns c1", "How?"]


def test_ids_of_a_provider_are_left_out() -> None:
    answer = ModelResponse(
        parts=[TextPart("Hi.", id="msg_1"), ToolCallPart("search", {}, "c1", id="fc_1")],
        provider_response_id="resp_1",
        provider_name="openai",
    )
    [seen] = newest([answer])
    assert isinstance(seen, ModelResponse)
    assert (seen.provider_response_id, seen.provider_name) == (None, None)
    assert seen.parts == [TextPart("Hi."), ToolCallPart("search", {}, "c1")]


def test_thoughts_of_the_parent_are_left_out() -> None:
    history = [asks("Hello"), ModelResponse(parts=[ThinkingPart("Hm.", signature="s"), TextPart("Hi.")])]
    assert shown(advice_request(history, "How?")) == [ADVISOR, "Hello", "Hi.", "How?"]
