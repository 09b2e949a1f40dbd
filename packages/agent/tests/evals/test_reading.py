"""Evaluations, tools and answers are read strictly: each wrong file has an error with its place, and none a traceback."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from modelcontext_agent.cli.agent_eval import command
from modelcontext_agent.evals.answers import read_answers
from modelcontext_agent.evals.eval_files import DEEPEST, EvalError, MessageType, read_evals, read_tools
from modelcontext_agent.evals.matching import CallGroup, ExpectedCall, Order
from modelcontext_agent.models.canned_answers import CannedAnswersError

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples" / "evals"
EVALS, TOOLS, ANSWERS = (EXAMPLES / name for name in ("tea.json", "tea-tools.json", "tea-answers.toml"))

USER = {"role": "user", "type": "message", "content": "hello"}
CALL = {"role": "model", "type": "functioncall", "name": "t", "arguments": {}}
RESPONSE = {"role": "user", "type": "functionresponse", "name": "t", "response": 1}


def written(folder: Path, content: Any) -> Path:
    path = folder / "file.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def one(**members: Any) -> list[dict[str, Any]]:
    return [{"messages": [USER], "expectedCall": None, **members}]


def expecting(**members: Any) -> list[dict[str, Any]]:
    return one(expectedCall=[{"functionName": "t", **members}])


def test_examples_are_read_with_all_their_members() -> None:
    evals = read_evals(EVALS)
    assert [test.name for test in evals] == [
        "searches by kind",
        "fills a basket with a tool that comes later",
        "answers without a tool",
    ]
    assert [message.type for message in evals[1].messages] == [
        MessageType.MESSAGE,
        MessageType.CALL,
        MessageType.RESPONSE,
        MessageType.MESSAGE,
        MessageType.MESSAGE,
    ]
    expected = evals[1].expected
    assert isinstance(expected, CallGroup)
    assert expected.children[0] == ExpectedCall("open_basket")
    inner = expected.children[1]
    assert isinstance(inner, CallGroup)
    assert inner.order is Order.UNORDERED
    assert inner.children[2] == ExpectedCall("search_teas", optional=True)
    assert evals[2].expected == CallGroup(Order.ORDERED, ())
    assert [tool.name for tool in read_tools(TOOLS)] == ["search_teas", "open_basket", "add_to_basket"]
    assert [len(script.answers) for script in read_answers(ANSWERS, evals)] == [2, 3, 1]


def test_evaluation_without_a_name_is_known_by_its_number(tmp_path: Path) -> None:
    assert [test.name for test in read_evals(written(tmp_path, one() + one()))] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "line 1, column 1: is not JSON: Expecting value"),
        ("[1,", "line 1, column 4: is not JSON"),
        ("[NaN]", "is not JSON: NaN is not JSON"),
        ("[1e999]", "is not JSON: 1e999 is too large"),
        ("[" * 100_000, "is not JSON: the JSON text is nested too deeply"),
        ("[" * 100 + "]" * 100, f"has more than {DEEPEST} levels of arrays or objects"),
        ("[]", "there are no evaluations in the array"),
        ({}, "an array is needed here, not a table"),
        ([1], "[0]: an evaluation must be a table, not a number"),
        ([{}], "[0].expectedCall: is missing"),
        (one(expectedcall=[]), '[0]: unknown key "expectedcall" (did you mean "expectedCall"?)'),
        (one(name=1), "[0].name: a string is needed here, not a number"),
        (one(name="\ud800"), "[0].name: this string has a lone surrogate"),
        ([{"expectedCall": None}], "[0].messages: an array is needed here, not null"),
        (one(messages=[]), "[0].messages: the last message must be the user's"),
        (one(messages=[{**USER, "role": "model"}]), "[0].messages: the last message must be the user's"),
        (one(messages=[{**USER, "role": "system"}]), '[0].messages[0].role: unknown role of a message "system"'),
        (one(messages=[{**USER, "type": "text"}]), '[0].messages[0].type: unknown type of messages "text"'),
        (one(messages=[{**USER, "content": 1}]), "[0].messages[0].content: a string is needed here"),
        (one(messages=[USER, CALL]), "[0].messages: the call of “t” has no functionresponse"),
        (one(messages=[CALL, USER]), "[0].messages[1]: the call of “t” needs its functionresponse before this message"),
        (one(messages=[RESPONSE]), "[0].messages[0]: no call of “t” waits for this response"),
        (
            one(messages=[{**CALL, "arguments": []}, RESPONSE]),
            "[0].messages[0].arguments: it must be a table, not an array",
        ),
        (one(expectedCall={}), "[0].expectedCall: an array is needed here"),
        (one(expectedCall=0), "[0].expectedCall: an array is needed here"),
        (one(expectedCall=[{"ordered": [], "unordered": []}]), '[0].expectedCall[0]: unknown key "unordered"'),
        (one(expectedCall=[{"ordered": [{}]}]), "[0].expectedCall[0].ordered[0].functionName: a string is needed"),
        (one(expectedCall=[{"unordered": [{"functionName": "t"}] * 201}]), "there are more than 200 calls"),
        (expecting(optional=1), "[0].expectedCall[0].optional: a boolean is needed here"),
        (expecting(arguments={"a": {"$pattern": "("}}), "[0].expectedCall[0].arguments.a.$pattern: is not a regular"),
        (expecting(arguments={"a": {"$pattern": 1}}), "[0].expectedCall[0].arguments.a.$pattern: a string is needed"),
        (expecting(arguments=[{"$type": "int"}]), '[0].expectedCall[0].arguments[0].$type: unknown type "int"'),
        (expecting(arguments={"a": {"$gt": "1"}}), "[0].expectedCall[0].arguments.a.$gt: a number is needed here"),
        (expecting(arguments={"a": {"$contains": {"$lt": True}}}), "$contains.$lt: a number is needed here"),
    ],
)
def test_wrong_evaluations_are_refused_with_the_place(tmp_path: Path, content: Any, words: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(EvalError) as error:
        read_evals(path)
    assert str(error.value).startswith(f"{path}: ")
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "a list of tools must be a table, not an array"),
        ({"tool": []}, 'unknown key "tool"'),
        ({"tools": [{}]}, "tools[0].name: a string is needed here"),
        ({"tools": [{"name": "t"}, {"name": "t"}]}, "tools[1].name: there are two tools “t”"),
        ({"tools": [{"name": "t", "execute": 1}]}, 'tools[0]: unknown key "execute"'),
    ],
)
def test_wrong_tools_are_refused_with_the_place(tmp_path: Path, content: Any, words: str) -> None:
    with pytest.raises(EvalError) as error:
        read_tools(written(tmp_path, content))
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("tests = 1", "tests: an array is needed here"),
        ("tests = []", "tests: the answers have 0 tests, but there are 1 evaluations"),
        ("[[tests]]\nname = 'b'", "tests[0].name: the evaluation at this place is “1”, not “b”"),
        ("[[tests]]\n[[tests.answers]]", "tests[0]: answers[0]: is empty"),
        ("[[tests]]\nanswer = 1", 'tests[0]: unknown key "answer"'),
        ("tests = [", "is not TOML"),
        ("repeat = true", "answers: at least one answer is needed"),
    ],
)
def test_wrong_answers_are_refused_with_the_place(tmp_path: Path, content: str, words: str) -> None:
    evals = read_evals(written(tmp_path, one()))
    path = tmp_path / "answers.toml"
    path.write_text(content)
    with pytest.raises((EvalError, CannedAnswersError)) as error:
        read_answers(path, evals)
    assert str(error.value).startswith(str(path))
    assert words in str(error.value)


VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e300,
    "",
    "x",
    "\ud83d",
    [],
    {},
    [[]],
    {"$gt": "1"},
    {"$pattern": "(("},
    {"ordered": 1},
)


def mutated_text(text: str, source: random.Random) -> str:
    """Return the text with some of it cut, doubled, or replaced."""
    start = source.randrange(len(text))
    end = min(len(text), start + source.choice((1, 3, 20, 200)))
    middle = source.choice(("", text[start:end] * 2, source.choice('{}[]",:\\\0é9-'), "[" * 70, "\ufeff"))
    return text[:start] + middle + text[end:]


def mutated_value(value: Any, source: random.Random) -> Any:
    """Return a JSON value of which some part is another value, is missing, or has another key."""
    if not isinstance(value, dict | list) or not value or source.random() < 0.15:
        return source.choice(VALUES)
    place = source.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copied: Any = value.copy()
    way = source.random()
    if way < 0.1:
        del copied[place]
    elif way < 0.2 and isinstance(copied, dict):
        copied[source.choice(("ordered", "optional", "$any", "name", "\udfff"))] = copied.pop(place)
    else:
        copied[place] = mutated_value(copied[place], source)
    return copied


def test_two_hundred_mutated_files_end_with_a_clear_error_or_a_result(tmp_path: Path) -> None:
    source = random.Random(20260)
    codes = []
    for number in range(200):
        files = {"evals": EVALS, "tools": TOOLS, "answers": ANSWERS}
        victim = source.choice(("evals", "evals", "tools", "answers"))
        text = files[victim].read_text(encoding="utf-8")
        if victim == "answers" or number % 2:
            changed = mutated_text(text, source)
        else:
            changed = json.dumps(mutated_value(json.loads(text), source))
        files[victim] = tmp_path / f"{number}{files[victim].suffix}"
        files[victim].write_text(changed, encoding="utf-8")
        arguments = [str(files["evals"]), "--tools", str(files["tools"]), "--model", f"scripted:{files['answers']}"]
        result = CliRunner().invoke(command, arguments)
        assert isinstance(result.exception, SystemExit | None), (number, changed, result.exception)
        codes.append(result.exit_code)
        if result.exit_code == 2:
            assert result.stdout == ""
            [line] = result.stderr.splitlines()
            # The names in the answers are held against those in the evaluations.
            assert line.startswith((f"modelcontext: {files[victim]}: ", f"modelcontext: {ANSWERS}: tests")), line
        else:
            assert "evaluations: " in result.stdout
    assert set(codes) == {0, 1, 2}
    assert codes.count(2) > 100
