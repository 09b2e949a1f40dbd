"""The streaming format of Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from modelcontext_agent.models.fakes.wire import (
    Asked,
    RequestError,
    Said,
    SaidCall,
    Wire,
    event,
    require_model,
    runs,
    text_of,
)

if TYPE_CHECKING:
    from modelcontext_agent.models.canned_answers import CannedFailure

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class AnthropicWire(Wire):
    """Messages: ``tool_use`` blocks whose input comes in pieces of JSON."""

    kind = "anthropic"
    path = r"/v1/messages"

    def asked(self, body: Mapping[str, Any], path: str) -> Asked:
        """Return what a request asks; each call in it must have its result in the message after it."""
        require_model(body)
        messages = body["messages"]
        open_calls: set[str] = set()
        outputs: list[str] = []
        for message in messages:
            blocks = message["content"] if isinstance(message["content"], list) else []
            if message["role"] == "assistant":
                open_calls = {block["id"] for block in blocks if block["type"] == "tool_use"}
                continue
            results = [block for block in blocks if block["type"] == "tool_result"]
            if missing := open_calls - {block["tool_use_id"] for block in results}:
                raise RequestError(
                    f"`tool_use` ids were found without `tool_result` blocks: {', '.join(sorted(missing))}"
                )
            open_calls = set()
            outputs = [text_of(block.get("content", "")) for block in results]
        return Asked(
            position=runs(message["role"] == "assistant" for message in messages),
            offered=tuple(tool["name"] for tool in body.get("tools", [])),
            outputs=tuple(outputs),
            stream=bool(body.get("stream")),
        )

    def streamed(self, said: Said, body: Mapping[str, Any]) -> Iterator[str]:
        """Yield an answer as server-sent events."""

        def send(type_: str, **members: Any) -> str:
            return event({"type": type_, **members}, type_)

        usage = {"input_tokens": 10, "output_tokens": 1}
        yield send("message_start", message={**_message(body), "content": [], "stop_reason": None, "usage": usage})
        yield send("ping")
        index = 0
        if said.pieces:
            yield send("content_block_start", index=index, content_block={"type": "text", "text": ""})
            for piece in said.pieces:
                yield send("content_block_delta", index=index, delta={"type": "text_delta", "text": piece})
            if not said.complete:
                return
            yield send("content_block_stop", index=index)
            index += 1
        if not said.complete:
            return
        for call in said.calls:
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
            yield send("content_block_start", index=index, content_block=block)
            for piece in ("", *call.pieces):
                yield send(
                    "content_block_delta", index=index, delta={"type": "input_json_delta", "partial_json": piece}
                )
            yield send("content_block_stop", index=index)
            index += 1
        delta = {"stop_reason": "tool_use" if said.calls else "end_turn", "stop_sequence": None}
        yield send("message_delta", delta=delta, usage={"output_tokens": 20})
        yield send("message_stop")

    def whole(self, said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer as one JSON object."""
        content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call)} for call in said.calls
        ]
        usage = {"input_tokens": 10, "output_tokens": 20}
        reason = "tool_use" if said.calls else "end_turn"
        return {**_message(body), "content": content, "stop_reason": reason, "usage": usage}

    def refusal(self, status: int, code: str | None, message: str, retry_after: float | None) -> dict[str, Any]:
        """Return the body of a response with an error status."""
        error = {"type": code or _TYPES.get(status, "api_error"), "message": message}
        return {"type": "error", "error": error, "request_id": "req_fake"}

    def break_off(self, failure: CannedFailure) -> str:
        """Return the event of an error within a stream."""
        return event(self.refusal(failure.status or 500, failure.code, failure.message, None), "error")


def _message(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "msg_fake", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}


def _input(call: SaidCall) -> dict[str, Any]:
    return {"INVALID_JSON": call.arguments} if call.members is None else call.members
