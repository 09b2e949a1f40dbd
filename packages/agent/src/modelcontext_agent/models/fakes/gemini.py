"""The streaming format of Gemini's ``streamGenerateContent?alt=sse``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from modelcontext_agent.models.fakes.wire import Asked, RequestError, Said, SaidCall, Wire, event, runs

if TYPE_CHECKING:
    from modelcontext_agent.models.canned_answers import CannedFailure

_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


class GeminiWire(Wire):
    """Contents: ``functionCall`` parts, each whole."""

    kind = "google"
    path = r"/v1beta/models/[^/:]+:(?:streamGenerateContent|generateContent)"

    def asked(self, body: Mapping[str, Any], path: str) -> Asked:
        """Return what a request asks; as many results must follow an answer as it has calls."""
        contents = body["contents"]
        calls = 0
        outputs: list[str] = []
        for content in contents:
            parts = content.get("parts", [])
            if content["role"] == "model":
                calls = sum("functionCall" in part for part in parts)
                continue
            results = [part["functionResponse"] for part in parts if "functionResponse" in part]
            if len(results) != calls:
                raise RequestError(
                    "Please ensure that the number of function response parts is equal to the number of function call parts"
                )
            calls = 0
            outputs = [_output(result["response"]) for result in results]
        declared = [tool.get("functionDeclarations", []) for tool in body.get("tools", [])]
        return Asked(
            position=runs(content["role"] == "model" for content in contents),
            offered=tuple(function["name"] for functions in declared for function in functions),
            outputs=tuple(outputs),
            stream="streamGenerateContent" in path,
        )

    def streamed(self, said: Said, body: Mapping[str, Any]) -> Iterator[str]:
        """Yield an answer as server-sent events."""
        for piece in said.pieces:
            yield event(_chunk([{"text": piece}]))
        if not said.complete:
            return
        calls, reason = _calls(said.calls)
        for call in calls:
            yield event(_chunk([call]))
        yield event(_chunk([{"text": ""}], reason))

    def whole(self, said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer as one JSON object."""
        calls, reason = _calls(said.calls)
        texts: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
        return _chunk([*texts, *calls], reason)

    def refusal(self, status: int, code: str | None, message: str, retry_after: float | None) -> dict[str, Any]:
        """Return the body of a response with an error status."""
        error: dict[str, Any] = {
            "code": status,
            "message": message,
            "status": code or _STATUSES.get(status, "INTERNAL"),
        }
        if retry_after is not None:
            info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{retry_after:g}s"}
            error["details"] = [info]
        return {"error": error}

    def break_off(self, failure: CannedFailure) -> str:
        """Return the event of an error within a stream."""
        return event(self.refusal(failure.status or 500, failure.code, failure.message, None))


def _chunk(parts: list[dict[str, Any]], reason: str | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 20, "totalTokenCount": 30}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "fake", "responseId": "fake"}


def _calls(calls: tuple[SaidCall, ...]) -> tuple[list[dict[str, Any]], str]:
    """Return the parts of the calls and the reason to finish. Gemini sends no call whose arguments are not JSON."""
    if any(call.members is None for call in calls):
        return [], "MALFORMED_FUNCTION_CALL"
    return [{"functionCall": {"id": call.id, "name": call.name, "args": call.members}} for call in calls], "STOP"


def _output(response: Any) -> str:
    if isinstance(response, Mapping) and len(response) == 1:
        value = next(iter(response.values()))
        return value if isinstance(value, str) else json.dumps(value)
    return json.dumps(response)
