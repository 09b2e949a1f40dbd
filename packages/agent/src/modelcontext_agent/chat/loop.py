"""One step of a chat: one answer of the model, with the results of the calls that run in the worker.

The loop and the providers are pydantic-ai's; a step is one turn of its loop, driven by ``Agent.iter`` and stopped after the
calls. What a step gives is stored whole by :mod:`modelcontext_agent.chat.work`, and the next step begins with what is stored.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import CallDeferred, ModelHTTPError, SkipToolExecution, ToolFailed
from pydantic_ai.messages import (
    FunctionToolResultEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.tools import DeferredToolRequests, RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_ai.usage import RunUsage
from pydantic_core import SchemaValidator, core_schema

from modelcontext_agent.chat.hooks import StepContext
from modelcontext_agent.exposure.formats import ExposedTool, expose
from modelcontext_agent.exposure.framing import FRAMES, reports_error
from modelcontext_agent.exposure.images import has_images, with_sendable_images
from modelcontext_agent.exposure.providers import Provider
from modelcontext_agent.models.model_names import refuse_native_tools
from modelcontext_agent.models.stored_answers import check_whole, repaired
from modelcontext_agent.strict_json import json_value

if TYPE_CHECKING:
    from datetime import datetime

    from pydantic_ai.models import Model, ModelRequestContext
    from pydantic_ai.result import AgentStream

    from modelcontext_agent.chat.config import ChatConfig

#: More than a step can need: a step never ends because of a call that the model got wrong; the model is told instead.
_RETRIES = 1000

#: By the beginning of pydantic-ai's name of the provider.
_PROVIDERS = {"anthropic": Provider.ANTHROPIC, "openai": Provider.OPENAI, "google": Provider.GEMINI}

#: The answers to a request that the provider does not take as it is, and words about tools in them.
_REFUSED = (400, 413, 415, 422)
_ABOUT_TOOLS = re.compile(r"schema|tool|function|parameter", re.IGNORECASE)

_ARGUMENTS = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))

NO_APPROVAL = "The call did not run: the tool needs an approval, and no person is here to give it."
TOO_MANY_ROUNDS = "The call did not run: the turn has had its {} rounds of tool calls."


@dataclass(frozen=True, slots=True)
class StepInput:
    """The stored state that a step begins with."""

    history: Sequence[ModelMessage]
    instructions: str
    model: str
    context: StepContext


@dataclass(slots=True)
class StepCall:
    """A call of a step, with its result if it ran in the worker."""

    part: ToolCallPart
    created_at: datetime
    #: The arguments in the page's own words, as JSON text.
    args: str
    result: ToolReturnPart | None = None
    result_at: datetime | None = None


@dataclass(slots=True)
class StepOutput:
    """The outcome of a step so far: of a whole one, or of one that was interrupted.

    ``request`` is the message that answers the calls that ran in the worker, and any other words to the model. ``calls``
    are all calls that the model completed, in call order.
    """

    context: StepContext
    response: ModelResponse | None = None
    #: The last message of the history as the model was sent it, with the time and ids that a run writes on it.
    sent: ModelRequest | None = None
    request: ModelRequest | None = None
    calls: list[StepCall] = field(default_factory=list)
    usage: RunUsage = field(default_factory=RunUsage)
    #: The turn has had its rounds, and the model has not come to an answer. No call ran.
    too_many_rounds: bool = False

    @property
    def text(self) -> str:
        """The text of the model's answer."""
        parts = self.response.parts if self.response is not None else ()
        return "".join(part.content for part in parts if isinstance(part, TextPart))

    @property
    def open_calls(self) -> list[StepCall]:
        """The calls without a result: those of the page."""
        return [call for call in self.calls if call.result is None]


class ChatStep:
    """A step under way. ``output`` holds what it has so far, also when :meth:`run` is cancelled."""

    def __init__(self, given: StepInput, config: ChatConfig) -> None:
        self._given = given
        # True to send no images and no schemas of the page.
        self._plain = False
        self._config = config
        self._context = given.context
        self._calls: dict[str, StepCall] = {}
        # The times at which the calls of the answer began, by the index of the part, and the number of those that ended.
        self._begun: dict[int, datetime] = {}
        self._ended = 0
        self._by_alias: dict[str, ExposedTool] = {}
        self.output = StepOutput(given.context)

    async def run(self, model: Model) -> StepOutput:
        """Run the step, and return what it gave.

        A request that the provider refuses is sent once more without the page's images and schemas: otherwise what a page
        has returned once would end every later turn of the chat.

        Raises:
            Exception: what the model, its provider or a capability raised; nothing of the step is to be stored then.
        """
        try:
            return await self._run(model)
        except ModelHTTPError as error:
            if self._plain or not self._may_be_plainer(error):
                raise
        self._plain = True
        return await self._run(model)

    def _may_be_plainer(self, error: ModelHTTPError) -> bool:
        if error.status_code not in _REFUSED:
            return False
        about_tools = _ABOUT_TOOLS.search(str(error)) is not None
        has_schemas = any(tool.input_schema is not None for tool in self._context.tools.values())
        return has_images(self._given.history) or (about_tools and has_schemas)

    async def _run(self, model: Model) -> StepOutput:
        agent: Agent[StepContext, Any] = Agent(
            model,
            deps_type=StepContext,
            output_type=[str, DeferredToolRequests],
            instructions=self._instructions(),
            model_settings=self._config.model_settings,
            toolsets=[*self._config.toolsets, PageToolset(self._exposed(model))],
            capabilities=[
                ErrorsAsResults(self._config),
                *self._config.capabilities,
                NativeToolsRefused(),
                WholeAnswers(self._given.history),
                SendableImages(self._plain),
            ],
            retries=_RETRIES,
        )
        async with agent.iter(
            message_history=list(self._given.history), deps=self._context, conversation_id=self._context.chat_id
        ) as run:
            first: Any = run.next_node
            node: Any = await run.next(first)
            while Agent.is_model_request_node(node) and self.output.response is None:
                request: Any = node
                async with request.stream(run.ctx) as stream:
                    await self._read_answer(stream)
                node = await run.next(node)
            if Agent.is_call_tools_node(node):
                # The capabilities may have changed the answer.
                self.output.response = node.model_response
            if self.output.response is not None:
                self.output.sent = self._sent(run.all_messages())
                for part in self.output.response.tool_calls:
                    self._take_call(part)
            self.output.usage = run.usage
            self.output.too_many_rounds = bool(self._calls) and self._context.rounds >= self._config.max_rounds
            if self.output.too_many_rounds:
                return self.output
            if Agent.is_call_tools_node(node):
                async with node.stream(run.ctx) as events:
                    await self._read_results(events)
                node = await run.next(node)
            self.output.usage = run.usage
            if Agent.is_model_request_node(node):
                self.output.request = node.request
                # The model gave neither text nor calls, and is told so.
                self.output.too_many_rounds = not self._calls and self._context.rounds >= self._config.max_rounds
            elif isinstance(last := run.all_messages()[-1], ModelRequest):
                self.output.request = last
        if self.output.request is not None:
            self.output.request = replace(
                self.output.request, parts=[_judged(part) for part in self.output.request.parts]
            )
        self._refuse_approvals()
        return self.output

    def _instructions(self) -> str | None:
        # Without a page there is nothing that a frame has to be told from.
        said = (FRAMES if self._context.tools else "", self._config.instructions, self._given.instructions)
        return "\n\n".join(text for text in said if text) or None

    def _exposed(self, model: Model) -> list[ExposedTool]:
        exposed = expose(self._context.tools.values(), provider_of(model))
        exposed = [tool.without_schema for tool in exposed] if self._plain else exposed
        self._by_alias = {tool.alias: tool for tool in exposed}
        return exposed

    def _args_of(self, part: ToolCallPart) -> str:
        exposed = self._by_alias.get(part.tool_name)
        text = part.args_as_json_str()
        if exposed is None or not exposed.own_words:
            return text
        try:
            return json.dumps(exposed.arguments(json_value(text)), ensure_ascii=False)
        except ValueError:
            return text

    def _sent(self, messages: Sequence[ModelMessage]) -> ModelRequest | None:
        place = len(self._given.history) - 1
        if len(messages) <= place + 1 or not isinstance(messages[place + 1], ModelResponse):
            return None
        last = messages[place]
        return last if isinstance(last, ModelRequest) else None

    def _refuse_approvals(self) -> None:
        """Give an error result to each open call that is not the page's: a built-in tool that asks for approval."""
        for call in self.output.open_calls:
            if call.part.tool_name not in self._context.tools:
                part = ToolReturnPart(call.part.tool_name, NO_APPROVAL, call.part.tool_call_id, outcome="failed")
                call.result, call.result_at = part, max(self._context.now(), call.created_at)
                parts = self.output.request.parts if self.output.request is not None else ()
                self.output.request = ModelRequest(parts=[*parts, part])

    async def _read_answer(self, stream: AgentStream[StepContext, Any]) -> None:
        try:
            async for event in stream:
                if isinstance(event, PartStartEvent):
                    if isinstance(event.part, TextPart):
                        self._tell_text(event.part.content)
                    elif isinstance(event.part, ToolCallPart):
                        self._begun[event.index] = self._context.now()
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    self._tell_text(event.delta.content_delta)
                elif isinstance(event, PartEndEvent) and isinstance(event.part, ToolCallPart):
                    self._ended += 1
        except asyncio.CancelledError:
            self.output.response = repaired(self._partial(stream.response), self._given.history)
            for part in self.output.response.tool_calls:
                self._take_call(part)
            raise
        self.output.response = stream.response

    async def _read_results(self, events: AsyncIterator[Any]) -> None:
        async for event in events:
            if isinstance(event, FunctionToolResultEvent):
                call = self._calls[event.part.tool_call_id]
                call.result, call.result_at = _judged(event.part), max(self._context.now(), call.created_at)

    def _partial(self, response: ModelResponse) -> ModelResponse:
        """Return an answer that was cut off without what no provider takes back: calls and thoughts that are incomplete."""
        whole = response.tool_calls[: self._ended]
        parts = [
            part
            for index, part in enumerate(response.parts)
            if isinstance(part, TextPart)
            or (isinstance(part, ToolCallPart) and any(part is one for one in whole))
            or (not isinstance(part, ToolCallPart) and index < len(response.parts) - 1)
        ]
        return replace(response, parts=parts)

    def _tell_text(self, text: str) -> None:
        if text:
            self._context.emit("text_delta", {"text": text, "step": self._context.step})

    def _take_call(self, part: ToolCallPart) -> None:
        """Note a complete call once, and tell of it."""
        if part.tool_call_id in self._calls:
            return
        begun = [at for _, at in sorted(self._begun.items())]
        at = begun[len(self._calls)] if len(self._calls) < len(begun) else self._context.now()
        call = StepCall(part, at, self._args_of(part))
        self._calls[part.tool_call_id] = call
        self.output.calls.append(call)
        tool = self._context.tools.get(part.tool_name)
        self._context.emit(
            "tool_call",
            {
                "tool_call_id": part.tool_call_id,
                "tool_name": tool.name if tool is not None else part.tool_name,
                "alias": part.tool_name,
                "args": call.args,
                "origin": tool.origin if tool is not None else None,
                "frame": tool.frame if tool is not None else None,
                "created_at": at.isoformat(),
                "step": self._context.step,
            },
        )


def _judged(part: Any) -> Any:
    """Return the result of a built-in tool as a failure if it says of itself that it is one."""
    if isinstance(part, ToolReturnPart) and part.outcome == "success" and reports_error(part.content):
        return replace(part, outcome="failed")
    return part


class PageToolset(AbstractToolset[StepContext]):
    """The page's tools: a call of one ends the step, and the page runs it. Its arguments must be a JSON object."""

    def __init__(self, tools: Sequence[ExposedTool]) -> None:
        self._tools = tools

    @property
    def id(self) -> str:
        """The id of the toolset."""
        return "page"

    async def get_tools(self, ctx: RunContext[StepContext]) -> dict[str, ToolsetTool[StepContext]]:
        """Return the tools by alias."""
        return {
            exposed.alias: ToolsetTool(
                toolset=self,
                tool_def=replace(exposed.definition, kind="external"),
                max_retries=_RETRIES,
                args_validator=_ARGUMENTS,
            )
            for exposed in self._tools
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[StepContext], tool: ToolsetTool[StepContext]
    ) -> Any:
        """Defer the call: the page runs it."""
        raise CallDeferred


def provider_of(model: Model) -> Provider:
    """Return the provider whose dialect of JSON Schema a model takes; MCP's, which takes all, for one that is unknown."""
    for prefix, provider in _PROVIDERS.items():
        if model.system.startswith(prefix):
            return provider
    return Provider.MCP


@dataclass
class ErrorsAsResults(AbstractCapability[StepContext]):
    """A built-in tool that throws, or takes too long, gives an error result; the turn goes on."""

    config: ChatConfig

    async def wrap_tool_execute(
        self, ctx: RunContext[StepContext], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, handler: Any
    ) -> Any:
        """Run the tool with a limit of time."""
        limit = asyncio.timeout(self.config.tool_timeout.total_seconds())
        try:
            async with limit:
                return await handler(args)
        except TimeoutError as error:
            if limit.expired():
                seconds = self.config.tool_timeout.total_seconds()
                raise ToolFailed(f"The tool took more than {seconds:g} s, and was stopped.") from error
            raise

    async def on_tool_execute_error(
        self, ctx: RunContext[StepContext], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any, error: Exception
    ) -> Any:
        """Turn an exception into an error result."""
        if isinstance(error, SkipToolExecution):
            raise error
        raise ToolFailed(f"The tool failed: {type(error).__name__}: {error}") from error


@dataclass
class WholeAnswers(AbstractCapability[StepContext]):
    """An answer is taken only whole, and its calls have ids and arguments that every provider takes back."""

    history: Sequence[ModelMessage]

    async def after_model_request(
        self, ctx: RunContext[StepContext], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """Repair an answer, or refuse it, which fails the attempt."""
        # Only these say how an answer ended.
        if provider_of(request_context.model) is not Provider.MCP:
            check_whole(response)
        return repaired(response, self.history)


@dataclass
class NativeToolsRefused(AbstractCapability[StepContext]):
    """A request with a page's tools has no tools that the provider runs itself."""

    async def before_model_request(
        self, ctx: RunContext[StepContext], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Refuse a request with tools of both sorts, which fails the turn."""
        refuse_native_tools(request_context.model_request_parameters.native_tools, list(ctx.deps.tools))
        return request_context


@dataclass
class SendableImages(AbstractCapability[StepContext]):
    """A request has no image that its provider does not take: it would be refused, and so would each later one."""

    #: True to send none at all, after the provider has refused the request.
    none: bool

    async def before_model_request(
        self, ctx: RunContext[StepContext], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put words for the images that are not sent. What is stored keeps them."""
        provider = provider_of(request_context.model)
        messages = with_sendable_images(request_context.messages, provider, none=self.none)
        return replace(request_context, messages=messages)
