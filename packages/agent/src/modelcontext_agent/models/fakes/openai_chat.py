"""The streaming format of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from modelcontext_agent.models.fakes.wire import Asked, RequestError, Said, Wire, event, require_model, runs, text_of

if TYPE_CHECKING:
    from modelcontext_agent.models.canned_answers import CannedFailure

_USAGE = {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}
_TYPES = {429: "rate_limit_exceeded", 401: "invalid_request_error", 400: "invalid_request_error"}


class OpenAIChatWire(Wire):
    """Chat completions: ``tool_calls`` with an index each, and arguments in pieces."""

    kind = "openai"
    path = r"/v1/chat/completions"
    base = "/v1"

    def asked(self, body: Mapping[str, Any], path: str) -> Asked:
        """Return what a request asks; each call in it must have its result before the next answer."""
        require_model(body)
        messages = body["messages"]
        open_calls: set[str] = set()
        outputs: list[str] = []
        for message in messages:
            if message["role"] == "tool":
                open_calls.discard(message["tool_call_id"])
                outputs.append(text_of(message["content"]))
                continue
            if open_calls:
                missing = ", ".join(sorted(open_calls))
                raise RequestError(f"tool_call_ids did not have response messages: {missing}")
            if message["role"] == "assistant":
                open_calls = {call["id"] for call in message.get("tool_calls") or []}
                outputs = []
        if open_calls:
            raise RequestError(f"tool_call_ids did not have response messages: {', '.join(sorted(open_calls))}")
        return Asked(
            position=runs(message["role"] == "assistant" for message in messages),
            offered=tuple(tool["function"]["name"] for tool in body.get("tools", [])),
            outputs=tuple(outputs),
            stream=bool(body.get("stream")),
        )

    def streamed(self, said: Said, body: Mapping[str, Any]) -> Iterator[str]:
        """Yield an answer as server-sent events."""

        def send(delta: dict[str, Any], reason: str | None = None) -> str:
            return event({**_chunk(body), "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

        yield send({"role": "assistant", "content": "" if said.pieces else None})
        for piece in said.pieces:
            yield send({"content": piece})
        if not said.complete:
            return
        for index, call in enumerate(said.calls):
            function = {"name": call.name, "arguments": ""}
            yield send({"tool_calls": [{"index": index, "id": call.id, "type": "function", "function": function}]})
            for piece in call.pieces:
                yield send({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield send({}, "tool_calls" if said.calls else "stop")
        if (body.get("stream_options") or {}).get("include_usage"):
            yield event({**_chunk(body), "choices": [], "usage": _USAGE})
        yield "data: [DONE]\n\n"

    def whole(self, said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer as one JSON object."""
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in said.calls
            ]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if said.calls else "stop"}
        return {**_chunk(body), "object": "chat.completion", "choices": [choice], "usage": _USAGE}

    def refusal(self, status: int, code: str | None, message: str, retry_after: float | None) -> dict[str, Any]:
        """Return the body of a response with an error status."""
        return {"error": {"message": message, "type": _TYPES.get(status, "server_error"), "param": None, "code": code}}

    def break_off(self, failure: CannedFailure) -> str:
        """Return the event of an error within a stream."""
        return event(self.refusal(failure.status or 500, failure.code, failure.message, None))


def _chunk(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "chatcmpl-fake", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": body["model"]}
