"""A worker in a process of its own, which kills itself with SIGKILL at a numbered moment.

The program imports everything once. It then rehearses a turn in memory, with the tool that its argument has as JSON. Each
child has what libraries make at their first use. For each line of JSON on its input the program forks a child, which works
until the chats are idle, and prints a line: the moments that the child came by, and whether it was killed. A moment is a
statement that is about to be sent to the database or was answered, a commit that is about to be made or was made, a piece
of the model's answer, and the beginning and the end of a built-in tool. So a child dies between any two effects, and no
test waits for time to pass.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from modelcontext_agent.chat.config import ChatConfig
from modelcontext_agent.chat.database import create_tables, open_database
from modelcontext_agent.chat.runner import Runner
from modelcontext_agent.chat.service import ChatService

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from modelcontext_agent.chat.hooks import StepContext

#: The calls of the model's answers, in call order; those of the page begin with p. Then it ends with the results as text.
STEPS = (("p1", "b1", "p2", "b2"), ("b3",), ("b4", "p3"))


class Moments:
    """The moments of a child, counted."""

    def __init__(self, last: int | None, report: int) -> None:
        self.count = 0
        self._last = last
        self._report = report

    def come_by(self, *_: Any) -> None:
        """Count a moment. It is the last one of a child that is to die there."""
        self.count += 1
        if self.count == self._last:
            os.write(self._report, str(self.count).encode())
            os.kill(os.getpid(), signal.SIGKILL)


async def rehearse(tool: Any) -> None:
    """Work until a chat pauses, without a moment that is the last one."""
    engine = open_database("sqlite://")
    await create_tables(engine)
    await ChatService(engine).create_chat(model="m", dynamic_tools=[tool], message="go")
    await work(engine, datetime.now(UTC), Moments(None, -1))
    await engine.dispose()


async def work_on(url: str, now: str, moments: Moments) -> None:
    """Work on a database until no chat is pending."""
    engine = open_database(url)
    await work(engine, datetime.fromisoformat(now), moments)
    await engine.dispose()


async def work(engine: AsyncEngine, now: datetime, moments: Moments) -> None:
    """Work until no chat is pending."""
    for name in ("before_cursor_execute", "after_cursor_execute", "commit"):
        sa.event.listen(engine.sync_engine, name, moments.come_by)
    for name in ("checkout", "checkin"):
        sa.event.listen(engine.sync_engine.pool, name, moments.come_by)
    builtin: FunctionToolset[StepContext] = FunctionToolset()

    @builtin.tool_plain
    async def weigh(call: str) -> str:
        moments.come_by()
        # No two runs give the same result.
        result = f"{call} by {os.getpid()} at {moments.count}"
        moments.come_by()
        return result

    async def stream(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        moments.come_by()
        step = sum(isinstance(message, ModelResponse) for message in messages)
        if step == len(STEPS):
            parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
            returns = [part for part in parts if isinstance(part, ToolReturnPart)]
            yield json.dumps([[part.tool_call_id, part.content] for part in returns])
            return
        yield "thinking "
        moments.come_by()
        yield "aloud"
        for index, call in enumerate(STEPS[step]):
            name, args = ("weigh", {"call": call}) if call.startswith("b") else ("search", {})
            moments.come_by()
            yield {index: DeltaToolCall(name, json.dumps(args), tool_call_id=call)}

    config = ChatConfig(toolsets=[builtin], builtin_names=frozenset({"weigh"}))
    service = ChatService(engine, now=lambda: now, config=config)
    await Runner(service, lambda _: FunctionModel(stream_function=stream)).run_until_idle()


def main() -> None:
    """Fork a child for each line of the input."""
    asyncio.run(rehearse(json.loads(sys.argv[1])))
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            moments = Moments(order["last"], write)
            asyncio.run(work_on(order["url"], order["now"], moments))
            os.write(write, str(moments.count).encode())
            os._exit(0)
        os.close(write)
        _, status = os.waitpid(child, 0)
        count = os.read(read, 20).decode()
        os.close(read)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(json.dumps({"killed": killed, "ok": status == 0, "moments": int(count or 0)}), flush=True)


if __name__ == "__main__":
    main()
