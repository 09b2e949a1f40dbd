"""The run of evaluations: the model answers, its calls are answered, and in the end they are held against what is expected.

Tools are read anew before each request, so they may come and go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import ModelRequestParameters

from modelcontext_agent.chat.loop import provider_of
from modelcontext_agent.evals.conversation import answers_in, messages_of
from modelcontext_agent.evals.expected_model import NoValueError
from modelcontext_agent.evals.matching import ActualCall, TooManyAlternativesError, UnknownOperatorError, mismatch
from modelcontext_agent.exposure.aliases import AliasCollisionError, by_alias
from modelcontext_agent.exposure.formats import expose
from modelcontext_agent.exposure.framing import frame_output, reports_error
from modelcontext_agent.models.retries import ModelFailedError, SystemClock, with_retries
from modelcontext_agent.pages.loss import BrokenPageError
from modelcontext_agent.strict_json import json_value

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from modelcontext.judging.clients.page_tools import PageTool
    from modelcontext_agent.evals.eval_files import Eval
    from modelcontext_agent.evals.sources import Sources, ToolSource
    from modelcontext_agent.models.retries import Clock, Retry

#: The requests of an evaluation after which a model that still calls tools has failed it.
MOST_REQUESTS = 20

#: Makes the model for the evaluation of an index, whose conversation begins with a number of answers.
Models = Callable[[int, int], "Model"]


class EvalOutcome(StrEnum):
    """The outcomes of an evaluation."""

    PASS = "pass"
    FAIL = "fail"
    #: The model, the page or the matching failed: nothing is known of the calls.
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call that the model made, and what became of it. ``origin`` is empty for a tool that does not exist."""

    call: ActualCall
    origin: str
    output: Any
    is_error: bool

    def to_json(self) -> dict[str, Any]:
        """Return the call as a JSON object."""
        call = {"functionName": self.call.name, "arguments": self.call.arguments}
        return {**call, "origin": self.origin, "output": self.output, "isError": self.is_error}


@dataclass(frozen=True, slots=True)
class EvalResult:
    """The result of an evaluation. ``reason`` is empty for one that passed."""

    test: Eval
    outcome: EvalOutcome
    reason: str
    calls: Sequence[MadeCall]
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return {
            "name": self.test.name,
            "test": self.test.source,
            "outcome": self.outcome.value,
            "reason": self.reason,
            "calls": [call.to_json() for call in self.calls],
            "text": self.text,
        }


def exit_data(results: Sequence[EvalResult]) -> dict[str, Any]:
    """Return the results as the public evaluations give them: ``results``, and the counts."""
    counts = {f"{outcome}Count": sum(result.outcome is outcome for result in results) for outcome in EvalOutcome}
    return {"results": [result.to_json() for result in results], "testCount": len(results), **counts}


async def run_evals(
    evals: Iterable[Eval],
    models: Models,
    sources: Sources,
    *,
    clock: Clock | None = None,
    on_result: Callable[[EvalResult], None] = lambda result: None,
    on_retry: Callable[[Retry], None] = lambda retry: None,
) -> list[EvalResult]:
    """Run evaluations one after the other, each on a source and with a model of its own.

    ``on_result`` is called with each result, and ``on_retry`` before each pause after which a model is asked again.

    Raises:
        UnavailableError: if a page cannot be opened.
    """
    results = []
    for index, one in enumerate(evals):
        try:
            async with sources(one) as source:
                result = await run_eval(one, partial(models, index), source, clock=clock, on_retry=on_retry)
        except BrokenPageError as error:
            result = EvalResult(one, EvalOutcome.ERROR, str(error), (), "")
        results.append(result)
        on_result(result)
    return results


async def run_eval(
    one: Eval,
    make_model: Callable[[int], Model],
    source: ToolSource,
    *,
    clock: Clock | None = None,
    on_retry: Callable[[Retry], None] = lambda retry: None,
) -> EvalResult:
    """Run one evaluation; what goes wrong is in the result. ``on_retry`` is called before each pause of a retry."""
    run = _Run(source, clock or SystemClock(), on_retry)
    try:
        await run.to_end(one, make_model)
        reason = mismatch(one.expected, [made.call for made in run.calls])
        outcome = EvalOutcome.PASS if reason is None else EvalOutcome.FAIL
    except ModelFailedError as error:
        outcome, reason = EvalOutcome.ERROR, f"{error} {error.failure.detail}"
    except _UNJUDGED as error:
        outcome, reason = EvalOutcome.ERROR, str(error)
    return EvalResult(one, outcome, reason or "", tuple(run.calls), run.text)


class _NoEndError(Exception):
    """Raised for a model that calls tools forever."""


_UNJUDGED = (
    TooManyAlternativesError,
    UnknownOperatorError,
    NoValueError,
    AliasCollisionError,
    BrokenPageError,
    _NoEndError,
)


@dataclass
class _Run:
    source: ToolSource
    clock: Clock
    on_retry: Callable[[Retry], None]
    calls: list[MadeCall] = field(default_factory=list)
    text: str = ""

    async def to_end(self, one: Eval, make_model: Callable[[int], Model]) -> None:
        """Ask the model until it calls no more tools."""
        tools = by_alias(await self.source.tools())
        messages = messages_of(one.messages, tools)
        async with AsyncExitStack() as stack:
            model = await stack.enter_async_context(make_model(answers_in(messages)))
            for _ in range(MOST_REQUESTS):
                response = await self._ask(model, messages, tools.values())
                self.text = response.text or self.text
                messages.append(response)
                if not response.tool_calls:
                    return
                parts = [await self._answer(part, tools, model) for part in response.tool_calls]
                messages.append(ModelRequest(parts=parts))
                tools = by_alias(await self.source.tools())
        raise _NoEndError(f"the model still calls tools after {MOST_REQUESTS} requests")

    async def _ask(self, model: Model, messages: Sequence[ModelMessage], tools: Iterable[PageTool]) -> ModelResponse:
        exposed = expose(tools, provider_of(model))
        parameters = ModelRequestParameters(function_tools=[tool.definition for tool in exposed])

        async def ask() -> ModelResponse:
            return await model_request(model, messages, model_request_parameters=parameters)

        async def on_retry(retry: Retry) -> None:
            # Nothing has been shown that a retry takes back.
            self.on_retry(retry)

        return await with_retries(ask, clock=self.clock, on_retry=on_retry, provider=model.system)

    async def _answer(self, part: ToolCallPart, tools: dict[str, PageTool], model: Model) -> ToolReturnPart:
        tool = tools.get(part.tool_name)
        arguments, is_object = _read(part.args)
        if tool is not None:
            [exposed] = expose([tool], provider_of(model))
            arguments = exposed.arguments(arguments)
        outcome: Literal["success", "failed"] = "failed"
        absence = ""
        content: Any = None
        if tool is None:
            output: Any = f"There is no tool “{part.tool_name}”. Nothing ran."
            names = ", ".join(tools) or "none"
            absence = f"{output} The tools that the page has: {names}."
        elif not is_object:
            output = f"The arguments of “{tool.name}” are not a JSON object. Nothing ran."
        else:
            result = await self.source.call(tool, arguments)
            failed = result.is_error or reports_error(result.output)
            output, outcome = result.output, "failed" if failed else "success"
            if result.is_by_page:
                content = frame_output(tool, output, is_error=failed, note=result.note)
            absence = "" if result.began else result.output
        name, origin = (part.tool_name, "") if tool is None else (tool.name, tool.origin)
        self.calls.append(MadeCall(ActualCall(name, arguments, absence), origin, output, outcome == "failed"))
        # What is not the page's are our own words.
        return ToolReturnPart(
            part.tool_name, output if content is None else content, part.tool_call_id, outcome=outcome
        )


def _read(given: str | dict[str, Any] | None) -> tuple[Any, bool]:
    """Return the arguments of a call, as text if they are no JSON, and whether they are an object."""
    if not isinstance(given, str):
        return given or {}, True
    try:
        value = json_value(given or "{}")
    except ValueError:
        return given, False
    return value, isinstance(value, dict)
