"""Response chaining: OpenAI keeps the answers, so a request names the last one and sends only what is new.

pydantic-ai finds the last answer and what came after it, and sends the whole history where that answer has no id or the
history before it has changed. Two cases are added here: answers that are not stored, and a chain that the server has lost.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.wrapper import WrapperModel

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters, StreamedResponse
    from pydantic_ai.models.openai import OpenAIResponsesModelSettings
    from pydantic_ai.settings import ModelSettings


class ChainingModel(WrapperModel):
    """An OpenAI Responses model that continues the last stored answer, and sends everything where that is not possible."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the answer to the messages."""
        chained = self._with_chain(model_settings, chain=True)
        try:
            return await super().request(messages, chained, model_request_parameters)
        except ModelHTTPError as error:
            if not is_lost_chain(error):
                raise
        replayed = self._with_chain(model_settings, chain=False)
        return await super().request(messages, replayed, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Open the stream of the answer to the messages."""
        async with AsyncExitStack() as stack:
            chained = self._with_chain(model_settings, chain=True)
            opening = super().request_stream(messages, chained, model_request_parameters, run_context)
            try:
                stream = await stack.enter_async_context(opening)
            except ModelHTTPError as error:
                if not is_lost_chain(error):
                    raise
                replayed = self._with_chain(model_settings, chain=False)
                again = super().request_stream(messages, replayed, model_request_parameters, run_context)
                stream = await stack.enter_async_context(again)
            yield stream

    def _with_chain(self, given: ModelSettings | None, *, chain: bool) -> ModelSettings:
        settings = cast("OpenAIResponsesModelSettings", {**(given or {})})
        stored = (self.settings or {}) | settings
        settings.pop("openai_previous_response_id", None)
        if chain and stored.get("openai_store") is not False:
            settings["openai_previous_response_id"] = "auto"
        return settings


def is_lost_chain(error: ModelHTTPError) -> bool:
    """Return whether a provider says that it does not have the answer that a request continues."""
    if error.provider_error_code == "previous_response_not_found":
        return True
    words = str(error.body).lower()
    return error.status_code in (400, 404) and "previous response" in words and "not found" in words
