"""Mutated requests: each one is wrong in one way, and is refused with one clear line, and nothing is stored."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from packages.agent.tests.chat.helpers import Call, Clock, page_tool, world
from packages.agent.tests.server.helpers import TOKEN, app_of, client_of, everything_stored, message_of, paused

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

TIMES = 200

NOT_STRING: Sequence[Any] = (None, 0, True, 1.5, [], {}, ["a"], {"a": 1}, 10**40, -1)
NOT_LIST: Sequence[Any] = (None, 0, "", "[]", {}, {"0": 1}, True, 1.5)
BAD_TOOLS: Sequence[Any] = (
    0,
    "x",
    {},
    [0],
    [None],
    [[]],
    [{}],
    [{"name": 1}],
    [{"name": ""}],
    [{"name": "t", "description": 1}],
    [{"name": "t", "annotations": "x"}],
    [{"name": "t", "frame": 1}],
    [{"name": "t", "document": {}}],
    [{"name": "t"}] * 2,
    [{"name": f"t{n}"} for n in range(251)],
)
BAD_RESULTS: Sequence[Any] = (
    *NOT_LIST,
    [],
    [0],
    [None],
    ["c1"],
    [{}],
    [{"tool_call_id": 1, "output": 1}],
    [{"tool_call_id": "c1"}],
    [{"tool_call_id": "other", "output": 1}],
    [{"tool_call_id": "c1", "output": 1}, {"tool_call_id": "other", "output": 1}],
    [{"tool_call_id": "c1", "output": 1}] * 2,
    [{"tool_call_id": "c1", "output": 1, "is_error": "yes"}],
    [{"tool_call_id": "c1", "output": 1, "is_error": None}],
    [{"tool_call_id": "c1", "output": 1, "binding": 1}],
    [{"tool_call_id": "c1", "output": 1, "binding": {"document": "d", "origin": 1, "frame": "f", "digest": ""}}],
)


@dataclass(frozen=True)
class Endpoint:
    """An endpoint: a request that is right, and values that are wrong for each member of its body."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
    wrong: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    required: Sequence[str] = ()


ENDPOINTS = {
    "create": Endpoint(
        "POST",
        "/chats",
        {"model": "scripted", "dynamic_tools": [], "message": "m", "instructions": "i"},
        {
            "model": (*NOT_STRING, "", "unknown", "\0"),
            "dynamic_tools": BAD_TOOLS,
            "message": (*NOT_STRING[1:], "", " \n"),
            "instructions": NOT_STRING,
        },
    ),
    "show": Endpoint("GET", "/chats/ID"),
    "message": Endpoint(
        "POST",
        "/chats/ID/messages",
        {"text": "t", "busy_behavior": "queue"},
        {"text": (*NOT_STRING, "", "\t"), "busy_behavior": (*NOT_STRING, "", "later", "QUEUE")},
        ["text"],
    ),
    "tools": Endpoint("PUT", "/chats/ID/tools", {"tools": []}, {"tools": BAD_TOOLS}, ["tools"]),
    "begin": Endpoint(
        "POST",
        "/chats/ID/begun-calls",
        {"tool_call_ids": ["c1"]},
        {"tool_call_ids": (*NOT_LIST, [1], [None], ["other"], ["c1", "c1"], ["c1", "other"])},
        ["tool_call_ids"],
    ),
    "results": Endpoint(
        "POST",
        "/chats/ID/tool-results",
        {"results": [{"tool_call_id": "c1", "output": 1}]},
        {
            "results": BAD_RESULTS,
            "tools": BAD_TOOLS,
            "tools_digest": (*NOT_STRING[1:], "sha256:other", ""),
        },
        ["results"],
    ),
    "approve": Endpoint(
        "POST",
        "/chats/ID/approvals",
        {"tool_call_id": "c1", "decision": "approve"},
        {
            "tool_call_id": (*NOT_STRING, "", "other", "\0"),
            "decision": (*NOT_STRING, "", "yes", "Approve"),
            "message": NOT_STRING,
        },
        ["tool_call_id", "decision"],
    ),
    "markdown": Endpoint("POST", "/markdown", {"text": "t"}, {"text": (*NOT_STRING, "x" * 20_001)}, ["text"]),
    "interrupt": Endpoint("POST", "/chats/ID/interrupt", {}),
    "events": Endpoint("GET", "/chats/ID/events"),
}

IDS = ("none", "%00", "..%2f", "%ff%fe", "ü", "0" * 4000, "'; DROP TABLE chats; --", "{id}")
BROKEN_BODIES: Sequence[bytes] = (
    b"{",
    b"[]",
    b"null",
    b"1",
    b'"text"',
    b"{'text': 1}",
    b'{"text": NaN}',
    b'{"text": 1e999}',
    b'{"text": "\xff"}',
    b"\x00",
    b"\xef\xbb\xbf{}",
    b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    b"[" * 200_000,
    b'{"a":' * 150 + b"1" + b"}" * 150,
    b'{"text": ' + b"9" * 5000 + b"}",
    b"text=1&busy_behavior=queue",
)


def mutated(endpoint: Endpoint, chat_id: str, choose: random.Random) -> dict[str, Any]:
    """Return a request with one thing wrong."""
    path = endpoint.path.replace("ID", chat_id)
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    body = None if endpoint.body is None else dict(endpoint.body)
    content: bytes | None = None
    kinds = ["header", *(["path"] if "ID" in endpoint.path else []), *(["last"] if path.endswith("events") else [])]
    if body is not None:
        kinds += [
            "broken",
            "unknown",
            "type",
            *["member"] * 5 * bool(endpoint.wrong),
            *["missing"] * bool(endpoint.required),
        ]
    match choose.choice(kinds):
        case "header":
            name, values = choose.choice(
                [
                    ("Authorization", ["", "Bearer", "Bearer x", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "\xff"]),
                    ("Host", ["", "evil.example", "127.0.0.1.evil.example:80", "[::2]", "\xff"]),
                    ("Origin", ["null", "https://evil.example", "http://localhost:1", "\xff", ""]),
                ]
            )
            headers[name] = choose.choice(values)
        case "path":
            path = endpoint.path.replace("ID", choose.choice(IDS))
        case "last":
            headers["Last-Event-ID"] = choose.choice(["x", "-1", "1.5", "1" * 40, "\xb2", " 1 1", "0x1"])
        case "broken":
            content = choose.choice(BROKEN_BODIES)
            if choose.random() < 0.3 and body:
                # A body that was cut off.
                whole = json.dumps(body).encode()
                content = whole[: choose.randrange(1, len(whole))]
        case "unknown":
            assert body is not None
            body[choose.choice(["", "Text", "__proto__", "\0", "x" * 5000, "ü"])] = choose.choice([None, 1, {}])
        case "type":
            headers["Content-Type"] = choose.choice(["", "text/plain", "application/x-www-form-urlencoded", "\xff"])
        case "member":
            assert body is not None
            member = choose.choice(sorted(endpoint.wrong))
            body[member] = choose.choice(endpoint.wrong[member])
        case "missing":
            assert body is not None
            del body[choose.choice(endpoint.required)]
    if content is None and body is not None:
        content = json.dumps(body).encode()
    encoded = {name: value.encode("latin-1") for name, value in headers.items()}
    return {"method": endpoint.method, "url": path, "headers": encoded, "content": content}


@pytest.mark.parametrize("name", ENDPOINTS)
async def test_mutated_requests_are_refused_and_nothing_is_stored(
    name: str, engine: AsyncEngine, clock: Clock, url: str
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")])
    chat_id = await paused(shop, page_tool(consequential=name == "approve"))
    before = await everything_stored(url)
    choose = random.Random(f"requests to {name}")
    async with client_of(app_of(shop), None) as http:
        for _ in range(TIMES):
            request = mutated(ENDPOINTS[name], chat_id, choose)
            answer = await http.request(**request)
            assert 400 <= answer.status_code < 500, (request, answer.text)
            assert len(message_of(answer)) < 400, request
    assert await everything_stored(url) == before


@pytest.mark.parametrize("name", [name for name in ENDPOINTS if name != "events"])
async def test_requests_that_are_mutated_are_right_without_a_mutation(
    name: str, engine: AsyncEngine, clock: Clock
) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1")])
    chat_id = await paused(shop, page_tool(consequential=name == "approve"))
    endpoint = ENDPOINTS[name]
    async with client_of(app_of(shop)) as http:
        answer = await http.request(endpoint.method, endpoint.path.replace("ID", chat_id), json=endpoint.body)
    assert answer.is_success
