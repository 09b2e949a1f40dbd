"""The streaming format of OpenAI's Responses API, with stored answers that later requests continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from modelcontext_agent.models.fakes.openai_chat import OpenAIChatWire
from modelcontext_agent.models.fakes.wire import Asked, RequestError, Said, Wire, event, require_model, runs, text_of

if TYPE_CHECKING:
    from modelcontext_agent.models.canned_answers import CannedFailure

_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 30,
}


class OpenAIResponsesWire(Wire):
    """Responses: items, and arguments in ``response.function_call_arguments.delta``."""

    kind = "openai-responses"
    path = r"/v1/responses"
    base = "/v1"

    def __init__(self) -> None:
        #: The answers and the calls before each stored answer's end, by its id.
        self.stored: dict[str, tuple[int, frozenset[str]]] = {}
        self._made = 0

    def asked(self, body: Mapping[str, Any], path: str) -> Asked:
        """Return what a request asks; it may continue an answer that is stored."""
        require_model(body)
        items = body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
        before, calls = 0, frozenset[str]()
        if previous := body.get("previous_response_id"):
            if previous not in self.stored:
                message = f"Previous response with id '{previous}' not found."
                raise RequestError(message, "previous_response_not_found")
            before, calls = self.stored[previous]
        mine = [item.get("type") == "function_call" or item.get("role") == "assistant" for item in items]
        open_calls = set(calls) | {item["call_id"] for item in items if item.get("type") == "function_call"}
        outputs: list[str] = []
        for item, is_answer in zip(items, mine, strict=True):
            if is_answer:
                outputs = []
            if item.get("type") == "function_call_output":
                if item["call_id"] not in open_calls:
                    raise RequestError(f"No tool call found for function call output with call_id {item['call_id']}.")
                open_calls.discard(item["call_id"])
                outputs.append(text_of(item["output"]))
        if open_calls:
            raise RequestError(f"No tool output found for function call {', '.join(sorted(open_calls))}.")
        return Asked(
            position=before + runs(mine),
            offered=tuple(tool["name"] for tool in body.get("tools", []) if tool["type"] == "function"),
            outputs=tuple(outputs),
            stream=bool(body.get("stream")),
        )

    def streamed(self, said: Said, body: Mapping[str, Any]) -> Iterator[str]:
        """Yield an answer as server-sent events."""
        number = -1

        def send(type_: str, **members: Any) -> str:
            nonlocal number
            number += 1
            return event({"type": type_, "sequence_number": number, **members}, type_)

        response = self._response(body)
        yield send("response.created", response=response)
        yield send("response.in_progress", response=response)
        output = _items(said)
        if said.pieces:
            message = output[0]
            place = {"item_id": message["id"], "output_index": 0}
            part = message["content"][0]
            yield send(
                "response.output_item.added", output_index=0, item={**message, "status": "in_progress", "content": []}
            )
            yield send("response.content_part.added", **place, content_index=0, part={**part, "text": ""})
            for piece in said.pieces:
                yield send("response.output_text.delta", **place, content_index=0, delta=piece, logprobs=[])
            if not said.complete:
                return
            yield send("response.output_text.done", **place, content_index=0, text=said.text, logprobs=[])
            yield send("response.content_part.done", **place, content_index=0, part=part)
            yield send("response.output_item.done", output_index=0, item=message)
        if not said.complete:
            return
        for index, call in enumerate(said.calls, start=len(output) - len(said.calls)):
            item = output[index]
            place = {"item_id": item["id"], "output_index": index}
            opened = {**item, "status": "in_progress", "arguments": ""}
            yield send("response.output_item.added", output_index=index, item=opened)
            for piece in call.pieces:
                yield send("response.function_call_arguments.delta", **place, delta=piece)
            yield send("response.function_call_arguments.done", **place, name=call.name, arguments=call.arguments)
            yield send("response.output_item.done", output_index=index, item=item)
        yield send("response.completed", response=self._finish(response, said, body))

    def whole(self, said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer as one JSON object."""
        return self._finish(self._response(body), said, body)

    def refusal(self, status: int, code: str | None, message: str, retry_after: float | None) -> dict[str, Any]:
        """Return the body of a response with an error status."""
        return OpenAIChatWire().refusal(status, code, message, retry_after)

    def break_off(self, failure: CannedFailure) -> str:
        """Return the event of an error within a stream."""
        code = failure.code or ("rate_limit_exceeded" if failure.status == 429 else "server_error")
        members = {"code": code, "message": failure.message, "param": None, "sequence_number": 99}
        return event({"type": "error", **members}, "error")

    def _response(self, body: Mapping[str, Any]) -> dict[str, Any]:
        self._made += 1
        return {
            "id": f"resp_fake{self._made}",
            "object": "response",
            "created_at": 1_760_000_000,
            "status": "in_progress",
            "error": None,
            "incomplete_details": None,
            "instructions": body.get("instructions"),
            "model": body["model"],
            "output": [],
            "parallel_tool_calls": True,
            "previous_response_id": body.get("previous_response_id"),
            "store": body.get("store", True),
            "tool_choice": "auto",
            "tools": body.get("tools", []),
            "metadata": {},
        }

    def _finish(self, response: dict[str, Any], said: Said, body: Mapping[str, Any]) -> dict[str, Any]:
        if response["store"] is not False:
            position = self.asked(body, "").position + 1
            self.stored[response["id"]] = (position, frozenset(call.id for call in said.calls))
        return {**response, "status": "completed", "output": _items(said), "usage": _USAGE}


def _items(said: Said) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if said.pieces:
        part = {"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}
        items.append(
            {"id": "msg_fake", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        )
    for call in said.calls:
        item = {"id": f"fc_{call.id}", "type": "function_call", "status": "completed", "call_id": call.id}
        items.append({**item, "name": call.name, "arguments": call.arguments})
    return items
