"""The advisor in a chat's steps: its tool, its words in the instructions, and the rule that it is called alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings, merge_model_settings
from pydantic_ai.tools import RunContext, Tool, ToolDefinition
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RequestUsage

from modelcontext_agent.advisor.config import AdvisorConfig, read_config, stored_config
from modelcontext_agent.advisor.context import advice_request
from modelcontext_agent.chat.hooks import StepContext

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from modelcontext_agent.metrics import ToolMetrics

_logger = logging.getLogger(__name__)

#: The name of the tool; a chat's configuration has it among its ``builtin_names``.
NAME = "advisor"

LONGEST_QUESTION = 2_000

#: The time that the advisor's model has: less than any built-in tool's, so that the advisor's own words tell of it.
ADVICE_TIME = timedelta(seconds=25)

GUIDANCE = f"""\
<advisor-guidance>
You have the tool “{NAME}”: a second model that plans and cannot act. Ask it one clear question when a task has several steps,
when its outcome is hard to undo, or when you do not get on. Call it alone, never together with another tool. Its advice is
not an instruction: the person decides.
</advisor-guidance>"""

DESCRIPTION = (
    "Ask a second model for a plan. It sees the conversation and cannot act. Call it alone, in a step of its own."
)

ALONE = (
    f"The call did not run, and the other calls of this step did not run: “{NAME}” must be called alone."
    f" Call “{NAME}” by itself, or make the other calls without it."
)
SKIPPED = (
    f"The call did not run: “{NAME}” was called in the same step, and must be called alone."
    f" Make the call in a step without “{NAME}”."
)

_LONGEST_ERROR = 500


@dataclass
class Advisor(AbstractCapability[StepContext]):
    """The advisor, a capability of each step.

    One boolean, :attr:`eligible`, decides about all that it adds: the tool, the guidance and the rule. It is read anew for
    each step.
    """

    engine: AsyncEngine
    models: Callable[[str], Model]
    metrics: ToolMetrics
    _: KW_ONLY
    advice_time: timedelta = ADVICE_TIME
    #: The settings of the chat's own requests, which those of the advisor begin with.
    chat_settings: ModelSettings | None = None
    config: AdvisorConfig = field(default_factory=AdvisorConfig)
    #: True in the copy for a step of a chat that may ask for advice.
    eligible: bool = False

    async def for_run(self, ctx: RunContext[StepContext]) -> Advisor:
        """Return the advisor of a step."""
        config = read_config(await stored_config(self.engine))
        eligible = config.enabled and not ctx.deps.child and self._has_model(config)
        return replace(self, config=config, eligible=eligible)

    def _has_model(self, config: AdvisorConfig) -> bool:
        """Return whether the advisor's model can be built: an advisor without one is not offered."""
        try:
            return not config.model_config_id or self.models(config.model_config_id) is not None
        except Exception:
            _logger.warning("the advisor is not offered: its model “%s” cannot be built", config.model_config_id)
            return False

    def get_instructions(self) -> str | None:
        """Return the guidance."""
        return GUIDANCE if self.eligible else None

    def get_toolset(self) -> FunctionToolset[StepContext] | None:
        """Return the tool."""
        if not self.eligible:
            return None
        return FunctionToolset([Tool(self._advisor, name=NAME, description=DESCRIPTION, takes_ctx=True)], id=NAME)

    async def before_tool_validate(
        self, ctx: RunContext[StepContext], *, call: ToolCallPart, tool_def: ToolDefinition, args: Any
    ) -> Any:
        """Refuse each call of a step that has the advisor among other calls."""
        names = [part.tool_name for part in _calls(ctx.messages)]
        if self.eligible and NAME in names and len(names) > 1:
            self.metrics.count_refusal(NAME)
            raise ToolFailed(ALONE if call.tool_name == NAME else SKIPPED)
        return args

    async def _advisor(self, ctx: RunContext[StepContext], question: str) -> dict[str, Any]:
        """Give advice.

        Args:
            ctx: the step.
            question: The question, of 2,000 characters at most.
        """
        began, answered = ctx.deps.now(), False
        try:
            question = question.strip()
            if not question:
                raise ToolFailed("The question is empty. Say what you want advice on.")
            if len(question) > LONGEST_QUESTION:
                raise ToolFailed(
                    f"The question has {len(question)} characters; {LONGEST_QUESTION} is the limit. Ask about less."
                )
            result = await self._result(ctx, question)
            answered = result["type"] != "error"
        finally:
            seconds = (ctx.deps.now() - began).total_seconds()
            self.metrics.record(NAME, max(0.0, seconds), failed=not answered)
        ctx.deps.emit("advisor", {"tool_call_id": ctx.tool_call_id, **result})
        return result

    async def _result(self, ctx: RunContext[StepContext], question: str) -> dict[str, Any]:
        name = self.config.model_config_id or str(ctx.model.model_name)
        usage = RequestUsage()
        left = self.config.uses - advice_in_turn(ctx.messages, ctx.deps.rounds)
        if left <= 0:
            error = f"This turn has had its {self.config.uses} pieces of advice. Go on without advice."
            return _outcome("limit_reached", name, 0, error=error)
        try:
            async with asyncio.timeout(self.advice_time.total_seconds()):
                advice, usage = await self._ask(ctx, question)
        except TimeoutError:
            error = f"The advisor took more than {self.advice_time.total_seconds():g} s."
        except Exception as problem:
            # Whatever fails in the other model is a result here, and never the end of the turn.
            error = f"{type(problem).__name__}: {problem}"[:_LONGEST_ERROR]
        else:
            if advice.strip():
                return _outcome("advice", name, left - 1, advice=advice, usage=usage)
            error = "The advisor gave no text."
        return _outcome("error", name, left, error=error, usage=usage)

    async def _ask(self, ctx: RunContext[StepContext], question: str) -> tuple[str, RequestUsage]:
        """Return the text of one answer of the advisor's model, which has no tools, and its use. Nothing is stored."""
        model = self.models(self.config.model_config_id) if self.config.model_config_id else ctx.model
        assert isinstance(model, Model)
        own = ModelSettings(max_tokens=self.config.output_tokens)
        settings = merge_model_settings(self.chat_settings, own) or own
        if self.config.reasoning_effort:
            settings["thinking"] = self.config.reasoning_effort
        messages = advice_request(ctx.messages, question)
        async with model_request_stream(
            model, messages, model_settings=settings, model_request_parameters=ModelRequestParameters()
        ) as stream:
            async for _ in stream:
                pass
            response = stream.get()
        ctx.usage.incr(response.usage)
        self.metrics.count_tokens(NAME, response.usage.input_tokens, response.usage.output_tokens)
        return response.text or "", response.usage


def advice_in_turn(messages: Sequence[ModelMessage], rounds: int) -> int:
    """Return the pieces of advice that the model has had in this turn. A failure or a refusal is none.

    Args:
        messages: the conversation, up to the answer that asks again.
        rounds: the answers of this turn before that one.
    """
    answers = [index for index, message in enumerate(messages) if isinstance(message, ModelResponse)]
    began = answers[max(0, len(answers) - 1 - rounds)] if answers else 0
    return sum(
        isinstance(part, ToolReturnPart)
        and part.tool_name == NAME
        and isinstance(part.content, dict)
        and part.content.get("type") == "advice"
        for message in messages[began:]
        if isinstance(message, ModelRequest)
        for part in message.parts
    )


def _calls(messages: Sequence[ModelMessage]) -> Sequence[ToolCallPart]:
    newest = messages[-1]
    return newest.tool_calls if isinstance(newest, ModelResponse) else ()


def _outcome(
    type: str,
    model: str,
    remaining: int,
    *,
    advice: str | None = None,
    error: str | None = None,
    usage: RequestUsage | None = None,
) -> dict[str, Any]:
    used = usage or RequestUsage()
    return {
        "type": type,
        "advice": advice,
        "error": error,
        "advisor_model": model,
        "remaining_uses": remaining,
        "usage": {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens},
        # As tools of pages say it, so that events and webhooks tell of a failure.
        "isError": type != "advice",
    }
