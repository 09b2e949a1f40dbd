"""Helpers of the tests of chats: tools, scripted models, a clock."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from modelcontext.judging.clients.page_tools import Hints, PageTool
from modelcontext_agent.chat.config import ChatConfig
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.chat.service import ChatService

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def page_tool(name: str = "search", **members: Any) -> PageTool:
    """Return a tool of a page; ``read_only`` and the other hints are members too."""
    hints = {hint: members.pop(hint) for hint in list(members) if hint in Hints.__slots__}
    place = {"document": "d1", "origin": "https://shop.example", "description": f"Does {name}."}
    return PageTool(name=name, hints=Hints(**hints), **{**place, **members})


@dataclass(frozen=True)
class Call:
    """A call in a scripted answer."""

    name: str
    arguments: Any = field(default_factory=dict)
    id: str = ""


#: One answer: text and calls, an exception to raise, or a coroutine function to await in the middle of the answer.
Answer = Sequence[str | Call | Exception | Callable[[], Any]]


class Script:
    """A model that gives the answers of a script, one after the other, and notes what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[list[ModelMessage]] = []
        self.offered: list[list[str]] = []

    def model(self, _name: str = "") -> FunctionModel:
        return FunctionModel(stream_function=self._stream)

    async def _stream(
        self, messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        self.asked.append(list(messages))
        self.offered.append([tool.name for tool in info.function_tools])
        number = len(self.asked)
        for index, item in enumerate(self.answers[number - 1]):
            if isinstance(item, str):
                yield item
            elif isinstance(item, Call):
                text = item.arguments if isinstance(item.arguments, str) else json.dumps(item.arguments)
                # In two pieces, as providers stream it.
                identity = item.id or f"call-{number}-{index}"
                yield {index: DeltaToolCall(item.name, text[:2], tool_call_id=identity)}
                yield {index: DeltaToolCall(json_args=text[2:])}
            elif isinstance(item, Exception):
                raise item
            else:
                await item()

    @property
    def results(self) -> list[tuple[str, Any, str]]:
        """The results in the last request: id, content without the frame of a page's text, outcome, as the model sees them."""
        last = self.asked[-1][-1]
        assert isinstance(last, ModelRequest)
        parts = [part for part in last.parts if isinstance(part, ToolReturnPart)]
        return [(part.tool_call_id, unframed(part.content), part.outcome) for part in parts]


@dataclass
class World:
    """A service, a worker with a scripted model, and a clock."""

    service: ChatService
    runner: Runner
    script: Script
    clock: Clock

    async def start(self, *tools: PageTool, message: str = "hello") -> str:
        """Make a chat with tools, and work until it is idle."""
        chat_id = await self.service.create_chat(
            model="m", dynamic_tools=[tool.to_json() for tool in tools], message=message
        )
        await self.runner.run_until_idle()
        return chat_id

    async def state(self, chat_id: str) -> str:
        return str((await self.service.chat(chat_id))["state"])

    async def events(self, chat_id: str, *types: str) -> list[Any]:
        """Return the data of the events of these types."""
        return [event.data for event in await self.service.events_after(chat_id) if event.type in types]

    async def answer(self, chat_id: str, **outputs: Any) -> None:
        """Post results by call id (with ``_`` for ``-``), and work until the chat is idle."""
        results = [{"tool_call_id": name.replace("_", "-"), "output": output} for name, output in outputs.items()]
        await self.service.submit_tool_results(chat_id, results)
        await self.runner.run_until_idle()


def world(engine: AsyncEngine, clock: Clock, *answers: Answer, **config: Any) -> World:
    """Return a world whose model gives ``answers``."""
    service = ChatService(engine, now=clock, config=ChatConfig(**config))
    script = Script(*answers)
    return World(service, Runner(service, script.model), script, clock)


def unframed(content: Any) -> Any:
    """Return the words of a page without their frame."""
    found = (
        re.fullmatch(
            r"(?:The call of “[^”]*” failed\.\n)?<page_output [^>]*>\n?(.*?)\n?</page_output>", content, re.DOTALL
        )
        if isinstance(content, str)
        else None
    )
    return content if found is None else found[1]


def texts(response: ModelMessage) -> list[str]:
    """Return the texts of an answer."""
    assert isinstance(response, ModelResponse)
    return [part.content for part in response.parts if part.part_kind == "text"]
