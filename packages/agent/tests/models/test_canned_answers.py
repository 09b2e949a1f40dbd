"""Canned answers: their strict reader, and the models that give them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError
from pydantic_ai.messages import ModelResponse, ToolCallPart

from modelcontext_agent.models import canned_answers
from modelcontext_agent.models.canned_answers import (
    CannedAnswersError,
    CannedFailure,
    canned_answers_of,
    name_among,
    read_canned_answers,
)
from modelcontext_agent.models.canned_model import canned_model
from modelcontext_agent.models.model_names import ModelNameError, build_model

GOOD = """
repeat = false
delay = 0

[[answers]]
text = "I look at the menu."
calls = [{ tool = "menu.read", arguments = { size = 3, names = ["Ünal", "b"] }, id = "call_menu" }]

[[answers]]
failures = [{ status = 529, times = 2, retry_after = 3 }, { stall = true }, { status = 500, after = "The " }]
text = "The menu says: {outputs}"
"""


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "script.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_script_is_read_with_all_its_keys(tmp_path: Path) -> None:
    script = read_canned_answers(written(tmp_path, GOOD))
    assert [answer.text for answer in script.answers] == ["I look at the menu.", "The menu says: {outputs}"]
    assert script.answers[0].calls[0].arguments == '{"size": 3, "names": ["Ünal", "b"]}'
    failures = [script.answers[1].failure(attempt) for attempt in range(5)]
    assert failures[0] == failures[1] == CannedFailure(status=529, times=2, retry_after=3.0)
    assert failures[2] == CannedFailure(stall=True)
    assert failures[3] == CannedFailure(status=500, after="The ")
    assert failures[4] is None


def test_example_in_the_documentation_is_a_script(tmp_path: Path) -> None:
    documentation = canned_answers.__doc__ or ""
    example = documentation.split("```toml\n")[1].split("```")[0]
    script = read_canned_answers(written(tmp_path, example))
    assert (script.repeat, script.delay, len(script.answers)) == (True, 0.05, 2)
    assert [failure.times for failure in script.answers[1].failures] == [2, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("content", "place", "problem"),
    [
        ("", "answers", "at least one answer is needed"),
        ("answers = 3", "answers", "an array is needed here, not a number"),
        ("answers = [3]", "answers[0]", "an answer must be a table, not a number"),
        ("answer = []", "", 'unknown key "answer" (did you mean "answers"?); allowed: "answers", "repeat", "delay"'),
        ("[[answers]]", "answers[0]", "is empty"),
        ("[[answers]]\ntext = 3", "answers[0].text", "a string is needed here, not a number"),
        ("[[answers]]\ncalls = [{}]", "answers[0].calls[0].tool", "is missing"),
        ("[[answers]]\ncalls = [{ tool = 't', arguments = [] }]", "answers[0].calls[0].arguments", "not an array"),
        (
            "[[answers]]\ncalls = [{ tool = 't', arguments = { d = 2020-01-01 } }]",
            "answers[0].calls[0].arguments.d",
            "is a date, which JSON does not have",
        ),
        (
            "[[answers]]\ncalls = [{ tool = 't', arguments = { d = [nan] } }]",
            "answers[0].calls[0].arguments.d[0]",
            "is nan, which JSON does not have",
        ),
        (
            f"[[answers]]\ncalls = [{{ tool = 't', arguments = {{ d = 0x{'f' * 5000} }} }}]",
            "answers[0].calls[0].arguments.d",
            "more than 64 bits",
        ),
        ("[[answers]]\ncalls = [{ tool = 't', raw_arguments = '', arguments = {} }]", "answers[0].calls[0]", "both"),
        ("[[answers]]\ncalls = [{ tool = 't', id = 'a' }, { tool = 't', id = 'a' }]", "answers[0].calls", "one id"),
        ("[[answers]]\ntext = 'a'\nfailures = [{}]", "answers[0].failures[0]", "needs exactly one of"),
        (
            "[[answers]]\ntext = 'a'\nfailures = [{ status = 99 }]",
            "answers[0].failures[0].status",
            "a whole number from 400 to 599 is needed here, not 99",
        ),
        (
            "[[answers]]\ntext = 'a'\nfailures = [{ stall = true, code = 'c' }]",
            "answers[0].failures[0]",
            "only a failure with a “status” has",
        ),
        ("delay = 61\n[[answers]]\ntext = 'a'", "delay", "seconds from 0 to 60 are needed here, not 61"),
        ("delay = nan\n[[answers]]\ntext = 'a'", "delay", "seconds from 0 to 60 are needed here, not nan"),
        (f"delay = 0x{'f' * 5000}\n[[answers]]\ntext = 'a'", "delay", "are needed here, not a number"),
        ("delay = \n", "", "is not TOML: Invalid value (at line 1"),
        (f"delay = {'9' * 5000}", "", "is not TOML: "),
        (f"a = {'[' * 5000}", "", "nested too deeply"),
        (b"text = '\xff'", "byte 9", "is not UTF-8"),
        (b"#" * 1_000_001, "", "cannot be read: there are more than 1,000,000 bytes"),
    ],
)
def test_bad_script_is_refused_with_the_place(tmp_path: Path, content: str | bytes, place: str, problem: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(CannedAnswersError) as caught:
        read_canned_answers(path)
    assert caught.value.place == place
    assert problem in caught.value.problem
    assert str(caught.value).startswith(f"{path}: {place}")


@pytest.mark.parametrize("name", ["absent.toml", ".", "\0"])
def test_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannedAnswersError, match=r"cannot be read|is not the name of a file"):
        build_model(f"scripted:{tmp_path / name}")


def test_mutated_scripts_give_a_script_or_an_error_that_names_the_file(tmp_path: Path) -> None:
    generator = random.Random(17)
    tokens = [
        "[",
        "]",
        "{",
        "}",
        "=",
        '"',
        "nan",
        "true",
        "[[answers]]",
        "\n",
        "3",
        "id",
        "\\u0000",
        "\x00",
        "1e999",
        "é",
    ]
    messages: list[str] = []
    for _ in range(200):
        mutated = GOOD.encode()
        for _ in range(generator.randint(1, 4)):
            start = generator.randrange(len(mutated))
            end = start + generator.choice([0, 1, 5, 40])
            insert = generator.choice([b"", generator.choice(tokens).encode(), bytes([generator.randrange(256)])])
            mutated = mutated[:start] + insert + mutated[end:]
        path = written(tmp_path, mutated)
        try:
            assert read_canned_answers(path).answers
        except CannedAnswersError as error:
            messages.append(str(error).removeprefix(f"{path}: "))
    assert len(messages) > 100
    assert all(message and "\n" not in message and str(tmp_path) not in message for message in messages)


def returning(output: str) -> Callable[[], str]:
    def tool() -> str:
        return output

    return tool


async def answer(data: dict[str, Any], *tools: str, prompt: str = "Hello", model: Any = None) -> tuple[Any, list[Any]]:
    """Run an agent with tools that return their name; return the output, and all parts of all answers."""
    agent = Agent(model or canned_model(canned_answers_of(data)))
    for tool in tools:
        agent.tool_plain(name=tool)(returning(f"the output of {tool}"))
    async with agent.run_stream_events(prompt) as stream:
        events = [event async for event in stream]
    result = events[-1].result  # type: ignore[union-attr]
    parts = [part for message in result.all_messages() if isinstance(message, ModelResponse) for part in message.parts]
    return result.output, parts


def test_scripted_model_calls_tools_by_alias_and_reads_their_outputs() -> None:
    calls = [{"tool": "menu.read"}, {"tool": "order"}]
    data = {"answers": [{"text": "I look.", "calls": calls}, {"text": "It says: {outputs}"}]}
    output, parts = asyncio.run(answer(data, "order", "menu_read_0123456789"))
    assert output == "It says: the output of menu_read_0123456789, the output of order"
    names = [(part.tool_name, part.tool_call_id) for part in parts if isinstance(part, ToolCallPart)]
    assert names == [("menu_read_0123456789", "call_1_1"), ("order", "call_1_2")]


def test_name_of_a_tool_that_is_not_offered_is_called_as_it_is() -> None:
    assert name_among("order", ["order_x", "orders", "order_012345678"]) == "order"
    assert name_among("a" * 128, ["a" * 53 + "_0123456789"]) == "a" * 53 + "_0123456789"


def test_failures_come_before_the_answer_once_for_each_try() -> None:
    failures = [{"status": 429, "retry_after": 3, "code": "rate_limit_exceeded"}, {"disconnect": True}]
    model = canned_model(canned_answers_of({"answers": [{"text": "Done.", "failures": failures}]}))
    with pytest.raises(ModelHTTPError) as caught:
        asyncio.run(answer({}, model=model))
    assert (caught.value.status_code, caught.value.retry_after) == (429, 3.0)
    with pytest.raises(ModelConnectionError):
        asyncio.run(answer({}, model=model))
    assert asyncio.run(answer({}, model=model))[0] == "Done."


def test_script_without_an_answer_left_says_so() -> None:
    data = {"answers": [{"calls": [{"tool": "order"}]}]}
    with pytest.raises(CannedAnswersError, match="asks for answer 2, and the file has 1 answer; add one, or set"):
        asyncio.run(answer(data, "order"))


def test_repeated_script_begins_again_and_has_new_call_ids() -> None:
    data = {"repeat": True, "answers": [{"calls": [{"tool": "order"}]}, {"text": "Done."}]}
    model = canned_model(canned_answers_of(data))

    async def two_turns() -> list[str]:
        agent = Agent(model)
        agent.tool_plain(name="order")(returning("ok"))
        first = await agent.run("Hello")
        second = await agent.run("Again", message_history=first.all_messages())
        parts = [part for message in second.all_messages() for part in message.parts]
        return [part.tool_call_id for part in parts if isinstance(part, ToolCallPart)]

    assert asyncio.run(two_turns()) == ["call_1_1", "call_3_1"]


@pytest.mark.parametrize("name", ["", "gpt-5", "anthropic:", "openrouter:x", "scripted:"])
def test_name_of_no_model_is_refused_with_the_names_that_are(name: str) -> None:
    with pytest.raises(ModelNameError, match=r"write anthropic:MODEL, .* or scripted:FILE"):
        build_model(name)
