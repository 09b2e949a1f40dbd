"""The advisor in chats: alone in its step, capped for each turn, and never the end of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.toolsets import FunctionToolset

from modelcontext_agent.advisor.capability import ALONE, GUIDANCE, SKIPPED, Advisor
from modelcontext_agent.advisor.config import store_config
from modelcontext_agent.chat.chat_errors import BadRequestError, NotFoundError
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.metrics import ToolMetrics
from packages.agent.tests.chat.helpers import Answer, Call, Clock, Script, World, page_tool, world

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a database. All that the advisor asks of it is its configuration, which has its own tests."""
    return f"sqlite:///{tmp_path / 'chats.db'}"


ON = {"enabled": True, "model_config_id": "planner"}

ASK = Call("advisor", {"question": " What next? "}, "a1")

ADVICE = {
    "type": "advice",
    "advice": "Look first.",
    "error": None,
    "advisor_model": "planner",
    "remaining_uses": 2,
    "usage": {"input_tokens": 50, "output_tokens": 3},
    "isError": False,
}


class Table:
    """A chat with an advisor, whose model has a script of its own."""

    def __init__(
        self, engine: AsyncEngine, clock: Clock, *answers: Answer, advice: Callable[[], Script], **given: Any
    ) -> None:
        self.planner = advice()
        self.metrics = ToolMetrics()
        self.ran: list[str] = []
        tools: FunctionToolset[Any] = FunctionToolset()

        @tools.tool_plain
        def look() -> str:
            self.ran.append("look")
            return "seen"

        def models(name: str) -> FunctionModel:
            if name != "planner":
                raise LookupError(f"there is no model “{name}”")
            return self.planner.model()

        advisor = Advisor(engine, models, self.metrics, **given)
        self.chat: World = world(
            engine,
            clock,
            *answers,
            toolsets=[tools],
            builtin_names=frozenset({"look", "advisor"}),
            capabilities=[advisor],
        )

    def metric(self, name: str) -> float:
        return self.metrics.value(f"modelcontext_agent_tool_{name}", tool="advisor")


def plan(*answers: Answer) -> Callable[[], Script]:
    """Return a maker of the advisor's model."""
    return lambda: Script(*answers)


async def test_advice_reaches_the_model_and_the_chat_goes_on(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, [ASK], ["Done."], advice=plan(["Look ", "first."]))
    chat_id = await table.chat.start(page_tool())
    assert await table.chat.state(chat_id) == "waiting"
    assert table.chat.script.results == [("a1", ADVICE, "success")]
    assert await table.chat.events(chat_id, "advisor") == [{"tool_call_id": "a1", **ADVICE}]
    assert len(await table.chat.events(chat_id, "tool:succeeded")) == 1


async def test_nested_call_has_no_tools_and_leaves_nothing_in_the_conversation(
    engine: AsyncEngine, clock: Clock
) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, ["Hm.", ASK], ["Done."], advice=plan(["Look first."]))
    chat_id = await table.chat.start(page_tool())
    assert table.planner.offered == [[]]
    assert len(table.planner.asked) == 1
    transcript = await table.chat.service.transcript(chat_id)
    assert [item["text"] for item in transcript] == ["hello", "Hm.", "Done."]


async def test_advisor_sees_the_conversation_and_the_trimmed_question_last(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, [ASK], ["Done."], advice=plan(["Look first."]))
    await table.chat.service.create_chat(model="m", instructions="Be kind.", message="Buy milk.")
    await table.chat.runner.run_until_idle()
    parts = [part for message in table.planner.asked[0] for part in message.parts]
    system = [str(part.content) for part in parts if isinstance(part, SystemPromptPart)]
    assert system[0].startswith("Be kind.")
    assert system[-1].startswith("You are the advisor of another model")
    assert [part.content for part in parts if isinstance(part, UserPromptPart)] == ["Buy milk.", "What next?"]


@pytest.mark.parametrize(
    ("question", "words"),
    [("", "is empty"), (" \n\t", "is empty"), ("x" * 2_001, "2001 characters; 2000 is the limit")],
)
async def test_bad_question_is_a_tool_error_and_no_use(
    engine: AsyncEngine, clock: Clock, question: str, words: str
) -> None:
    await store_config(engine, {**ON, "max_uses_per_run": 1})
    bad = Call("advisor", {"question": question}, "a0")
    table = Table(engine, clock, [bad], [ASK], ["Done."], advice=plan(["Look first."]))
    await table.chat.start()
    first = table.chat.script.asked[1][-1].parts[0]
    assert first.part_kind == "tool-return"
    assert first.outcome == "failed"
    assert words in str(first.content)
    assert len(table.planner.asked) == 1


async def test_question_of_2000_characters_is_asked(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    ask = Call("advisor", {"question": " " + "x" * 2_000 + " "}, "a1")
    table = Table(engine, clock, [ask], ["Done."], advice=plan(["Look first."]))
    await table.chat.start()
    assert table.chat.script.results == [("a1", ADVICE, "success")]


async def test_used_up_advisor_answers_limit_reached_with_zero_and_asks_nobody(
    engine: AsyncEngine, clock: Clock
) -> None:
    await store_config(engine, {**ON, "max_uses_per_run": 2})
    asks = [[Call("advisor", {"question": "What?"}, f"a{number}")] for number in range(3)]
    table = Table(engine, clock, *asks, ["Done."], advice=plan(["One."], ["Two."]))
    chat_id = await table.chat.start()
    found = await table.chat.events(chat_id, "advisor")
    assert [(each["type"], each["remaining_uses"]) for each in found] == [
        ("advice", 1),
        ("advice", 0),
        ("limit_reached", 0),
    ]
    assert found[2]["advice"] is None
    assert "2 pieces of advice" in found[2]["error"]
    assert len(table.planner.asked) == 2


async def test_next_turn_has_its_own_uses(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, {**ON, "max_uses_per_run": 1})
    table = Table(engine, clock, [ASK], ["Done."], [ASK], ["Done again."], advice=plan(["One."], ["Two."]))
    chat_id = await table.chat.start()
    await table.chat.service.add_message(chat_id, "Again.")
    await table.chat.runner.run_until_idle()
    found = await table.chat.events(chat_id, "advisor")
    assert [(each["advice"], each["remaining_uses"]) for each in found] == [("One.", 0), ("Two.", 0)]


@pytest.mark.parametrize(
    "failing", [[ModelHTTPError(529, "planner", "Overloaded")], ["Lo", RuntimeError("cut")], [" "]]
)
async def test_failure_of_the_advisors_model_gives_the_use_back(
    engine: AsyncEngine, clock: Clock, failing: Answer
) -> None:
    await store_config(engine, {**ON, "max_uses_per_run": 1})
    table = Table(engine, clock, [ASK], [ASK], ["Done."], advice=plan(failing, ["Look first."]))
    chat_id = await table.chat.start()
    assert await table.chat.state(chat_id) == "waiting"
    first, second = await table.chat.events(chat_id, "advisor")
    assert (first["type"], first["advice"], first["remaining_uses"]) == ("error", None, 1)
    assert first["error"]
    assert (second["type"], second["remaining_uses"]) == ("advice", 0)


async def test_advisor_that_takes_too_long_is_an_error_in_its_own_words(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    stalls = plan(["Lo", asyncio.Event().wait])
    table = Table(engine, clock, [ASK], ["Done."], advice=stalls, advice_time=timedelta())
    chat_id = await table.chat.start()
    [found] = await table.chat.events(chat_id, "advisor")
    assert (found["type"], found["remaining_uses"]) == ("error", 3)
    assert "took more than 0 s" in found["error"]


async def test_advisor_whose_model_cannot_be_built_is_not_offered(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, {**ON, "model_config_id": "nobody"})
    table = Table(engine, clock, ["Done."], advice=plan())
    await table.chat.start()
    assert "advisor" not in table.chat.script.offered[0]
    assert GUIDANCE not in instructions(table.chat.script.asked[0])


async def test_advisor_sees_the_words_of_the_step_that_asks_it(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, ["I weigh A against B; B is risky.", ASK], ["Done."], advice=plan(["Look first."]))
    await table.chat.start()
    seen = [part.content for message in table.planner.asked[0] for part in message.parts if hasattr(part, "content")]
    assert "I weigh A against B; B is risky." in seen
    assert seen[-1] == "What next?"


async def test_advice_that_failed_is_told_as_a_failure(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, {**ON, "max_uses_per_run": 1})
    table = Table(engine, clock, [ASK], [ASK], ["Done."], advice=plan(["Look first."]))
    chat_id = await table.chat.start()
    assert [result["is_error"] for result in await table.chat.events(chat_id, "tool_result")] == [False, True]
    [failed] = await table.chat.events(chat_id, "tool:failed")
    assert failed["output"]["type"] == "limit_reached"
    assert table.metrics.value("modelcontext_agent_tool_tokens_total", tool="advisor", direction="output") == 3


@pytest.mark.parametrize(
    "others",
    [
        [Call("look", id="b1")],
        [Call("search", {"q": 1}, "p1")],
        [Call("look", id="b1"), Call("search", {"q": 1}, "p1")],
        [Call("advisor", {"question": "And then?"}, "a2")],
        [Call("search", "{ no JSON", "p1")],
    ],
)
async def test_advisor_with_another_call_runs_nothing_and_the_model_tries_again(
    engine: AsyncEngine, clock: Clock, others: list[Call]
) -> None:
    await store_config(engine, ON)
    mixed = [others[0], ASK, *others[1:]]
    table = Table(engine, clock, mixed, [ASK], ["Done."], advice=plan(["Look first."]))
    chat_id = await table.chat.start(page_tool())
    assert await table.chat.state(chat_id) == "waiting"
    assert table.ran == []
    [refused, _] = [asked[-1] for asked in table.chat.script.asked[1:]]
    results = [
        (part.tool_call_id, part.content, part.outcome) for part in refused.parts if part.part_kind == "tool-return"
    ]
    assert results == [(call.id, ALONE if call.name == "advisor" else SKIPPED, "failed") for call in mixed]
    assert await table.chat.events(chat_id, "action_required") == []
    assert len(table.planner.asked) == 1
    # The refusal took no use.
    assert [each["remaining_uses"] for each in await table.chat.events(chat_id, "advisor")] == [2]
    assert len(await table.chat.events(chat_id, "tool:failed")) == len(mixed)


async def test_advisor_with_a_call_of_an_unknown_tool_does_not_run(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, [Call("nobody", id="u1"), ASK], ["Done."], advice=plan())
    chat_id = await table.chat.start()
    assert table.planner.asked == []
    unknown, refused = table.chat.script.results
    assert (unknown[0], unknown[2]) == ("u1", "retried")
    assert "Unknown tool name: 'nobody'" in str(unknown[1])
    assert refused == ("a1", ALONE, "failed")
    assert await table.chat.state(chat_id) == "waiting"


async def test_each_call_that_the_rule_refuses_is_counted(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    both = [Call("search", {}, "p1"), ASK]
    table = Table(engine, clock, both, both, [ASK], ["Done."], advice=plan(["Look first."]))
    await table.chat.start(page_tool())
    assert table.metric("refusals_total") == 4
    assert table.metric("calls_total") == 1


async def test_other_calls_together_run_as_without_an_advisor(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    calls = [Call("look", id="b1"), Call("search", {"q": 1}, "p1")]
    table = Table(engine, clock, calls, ["Done."], advice=plan())
    chat_id = await table.chat.start(page_tool())
    assert await table.chat.state(chat_id) == "requires_action"
    assert table.ran == ["look"]


def instructions(messages: list[ModelMessage]) -> str:
    newest = messages[-1]
    assert isinstance(newest, ModelRequest)
    return newest.instructions or ""


async def test_enabled_advisor_is_offered_with_its_guidance(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, ["Hi."], advice=plan())
    await table.chat.start()
    assert "advisor" in table.chat.script.offered[0]
    assert GUIDANCE in instructions(table.chat.script.asked[0])


@pytest.mark.parametrize("config", [None, {}, {"enabled": False, "model_config_id": "planner"}])
async def test_advisor_that_is_not_enabled_is_neither_offered_nor_told_of(
    engine: AsyncEngine, clock: Clock, config: Any
) -> None:
    if config is not None:
        await store_config(engine, config)
    table = Table(engine, clock, ["Hi."], advice=plan())
    await table.chat.start()
    assert table.chat.script.offered == [["look"]]
    assert instructions(table.chat.script.asked[0]) == ""


async def test_advisor_is_off_in_a_child_chat(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, ["Hi."], ["Hi, child."], advice=plan())
    parent = await table.chat.start()
    await table.chat.service.create_chat(model="m", message="hello", parent=parent)
    await table.chat.runner.run_until_idle()
    assert ["advisor" in offered for offered in table.chat.script.offered] == [True, False]
    assert [GUIDANCE in instructions(asked) for asked in table.chat.script.asked] == [True, False]


async def test_child_of_no_chat_is_not_made(engine: AsyncEngine, clock: Clock) -> None:
    table = Table(engine, clock, advice=plan())
    with pytest.raises(NotFoundError):
        await table.chat.service.create_chat(model="m", parent="nobody")


async def test_change_of_the_configuration_holds_from_the_next_step(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, ON)
    table = Table(engine, clock, ["Hi."], ["Hi again."], advice=plan())
    chat_id = await table.chat.start()
    await store_config(engine, {**ON, "enabled": False})
    await table.chat.service.add_message(chat_id, "And now?")
    await table.chat.runner.run_until_idle()
    assert ["advisor" in offered for offered in table.chat.script.offered] == [True, False]


async def test_page_tool_of_the_advisors_name_is_refused(engine: AsyncEngine, clock: Clock) -> None:
    table = Table(engine, clock, advice=plan())
    with pytest.raises(BadRequestError, match="built-in"):
        await table.chat.start(page_tool("advisor"))


async def test_calls_failures_and_latency_are_counted_for_the_advisor(engine: AsyncEngine, clock: Clock) -> None:
    await store_config(engine, {**ON, "max_uses_per_run": 1})

    async def think() -> None:
        clock.move(2)

    bad = Call("advisor", {"question": ""}, "a0")
    table = Table(
        engine, clock, [bad], [ASK], [ASK], [ASK], ["Done."], advice=plan([RuntimeError("no")], [think, "Look first."])
    )
    chat_id = await table.chat.start()
    types = [each["type"] for each in await table.chat.events(chat_id, "advisor")]
    assert types == ["error", "advice", "limit_reached"]
    assert (table.metric("calls_total"), table.metric("failures_total")) == (4, 2)
    assert (table.metric("latency_seconds_count"), table.metric("latency_seconds_sum")) == (4, 2)
    body, content_type = table.metrics.exposition()
    assert b'modelcontext_agent_tool_calls_total{tool="advisor"} 4.0' in body
    assert content_type.startswith("text/plain")


async def test_limits_of_the_configuration_reach_the_advisors_model_which_is_the_chats_own_without_a_name(
    engine: AsyncEngine, clock: Clock
) -> None:
    await store_config(engine, {"enabled": True, "max_output_tokens": 77, "reasoning_effort": "low"})
    nested: list[AgentInfo] = []

    async def stream(_messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        if not info.function_tools:
            nested.append(info)
            yield "Look first."
        elif nested:
            yield "Done."
        else:
            yield {0: DeltaToolCall("advisor", '{"question": "What?"}', tool_call_id="a1")}

    profile = ModelProfile(supports_thinking=True)
    model = FunctionModel(stream_function=stream, model_name="own", profile=profile)
    table = Table(engine, clock, advice=plan())
    chat_id = await table.chat.service.create_chat(model="m", message="hello")
    await Runner(table.chat.service, lambda _name: model).run_until_idle()
    [info] = nested
    assert info.model_settings is not None
    assert info.model_settings["max_tokens"] == 77
    assert info.model_request_parameters.thinking == "low"
    assert [each["advisor_model"] for each in await table.chat.events(chat_id, "advisor")] == ["own"]
