"""Tests of the endpoints: what each one does, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from packages.agent.tests.chat.helpers import Call, Clock, World, page_tool, world
from packages.agent.tests.server.helpers import ADMIN, TOKEN, app_of, client_of, message_of, paused

if TYPE_CHECKING:
    import httpx2
    from sqlalchemy.ext.asyncio import AsyncEngine

pytestmark = pytest.mark.anyio

DOCS = (Path(__file__).resolve().parents[4] / "docs/agent.md").read_text(encoding="utf-8")


@pytest.fixture
def shop(engine: AsyncEngine, clock: Clock) -> World:
    return world(engine, clock, [Call("search", {"q": 1}, "c1")], ["Found it."], ["Again."])


@pytest.fixture
async def http(shop: World) -> AsyncIterator[httpx2.AsyncClient]:
    async with client_of(app_of(shop)) as client:
        yield client


async def test_chat_is_created_paused_answered_and_read_over_http(shop: World, http: httpx2.AsyncClient) -> None:
    tool = page_tool()
    made = await http.post("/chats", json={"dynamic_tools": [tool.to_json()], "message": "hello"})
    assert made.status_code == 201
    path = made.headers["location"]
    assert path == f"/chats/{made.json()['id']}"
    await shop.runner.run_until_idle()
    chat = (await http.get(path)).json()
    assert chat["state"] == "requires_action"
    [waits_for] = chat["waits_for"]
    [call] = waits_for["tool_calls"]
    assert (waits_for["type"], call["tool_name"], call["args"]) == ("action_required", "search", '{"q":1}')
    begun = await http.post(f"{path}/begun-calls", json={"tool_call_ids": ["c1"]})
    assert begun.json() == {"may_run": ["c1"]}
    answered = await http.post(f"{path}/tool-results", json={"results": [{"tool_call_id": "c1", "output": [1]}]})
    assert (answered.status_code, answered.content) == (204, b"")
    await shop.runner.run_until_idle()
    chat = (await http.get(path)).json()
    assert chat["state"] == "waiting"
    sentence = DOCS.partition("The answer of `GET /chats/{id}` has")[2].partition("An item of the transcript")[0]
    assert set(chat) <= set(re.findall(r"`(\w+)`", sentence))
    assert [item["text"] for item in chat["transcript"]] == ["hello", "", "Found it."]
    assert (await http.post(f"{path}/messages", json={"text": "more"})).json() == {"state": "pending"}
    stopped = await http.post(f"{path}/interrupt")
    assert (stopped.status_code, stopped.json()) == (200, {"state": "waiting"})


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        ([], "there are no results"),
        ([{"tool_call_id": "c1", "output": 1}, {"tool_call_id": "c1", "output": 1}], "two results"),
        ([{"tool_call_id": "c2", "output": 1}], "no call waits"),
        ([{"tool_call_id": "c1"}], "no “output”"),
        ([{"tool_call_id": "c1", "output": 1, "is_error": 1}], "is_error"),
        ({"tool_call_id": "c1", "output": 1}, "not a list"),
        ([{"output": 1}], "tool_call_id"),
        ([{"tool_call_id": "c1", "output": 1, "binding": {"document": "d"}}], "a binding needs"),
    ],
)
async def test_bad_results_are_refused_with_400_and_the_chat_waits_on(
    shop: World, http: httpx2.AsyncClient, results: Any, problem: str
) -> None:
    chat_id = await paused(shop, page_tool())
    refused = await http.post(f"/chats/{chat_id}/tool-results", json={"results": results})
    assert refused.status_code == 400
    assert problem in message_of(refused)
    assert await shop.state(chat_id) == "requires_action"


async def test_missing_result_is_refused_with_400(engine: AsyncEngine, clock: Clock) -> None:
    shop = world(engine, clock, [Call("search", {}, "c1"), Call("search", {}, "c2")])
    chat_id = await paused(shop, page_tool())
    async with client_of(app_of(shop)) as http:
        body = {"results": [{"tool_call_id": "c1", "output": 1}]}
        refused = await http.post(f"/chats/{chat_id}/tool-results", json=body)
    assert refused.status_code == 400
    assert "c2 are missing" in message_of(refused)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
async def test_output_that_is_no_json_is_refused_with_400(shop: World, http: httpx2.AsyncClient, number: str) -> None:
    chat_id = await paused(shop, page_tool())
    content = f'{{"results": [{{"tool_call_id": "c1", "output": {number}}}]}}'
    headers = {"Content-Type": "application/json"}
    refused = await http.post(f"/chats/{chat_id}/tool-results", content=content, headers=headers)
    assert refused.status_code == 400
    assert "not JSON" in message_of(refused)


async def test_results_are_refused_with_409_unless_the_chat_waits_for_them(
    shop: World, http: httpx2.AsyncClient
) -> None:
    chat_id = await paused(shop, page_tool())
    body = {"results": [{"tool_call_id": "c1", "output": 1}]}
    assert (await http.post(f"/chats/{chat_id}/tool-results", json=body)).status_code == 204
    again = await http.post(f"/chats/{chat_id}/tool-results", json=body)
    assert again.status_code == 409
    assert "waits for no results" in message_of(again)


async def test_results_after_a_change_of_tools_need_the_whole_set(shop: World, http: httpx2.AsyncClient) -> None:
    chat_id = await paused(shop, page_tool())
    body = {"results": [{"tool_call_id": "c1", "output": 1}], "tools_digest": "sha256:other"}
    refused = await http.post(f"/chats/{chat_id}/tool-results", json=body)
    assert (refused.status_code, refused.json()["error"]["kind"]) == (409, "tools_needed")
    assert "send them as “tools”" in message_of(refused)
    tools = [page_tool(), page_tool("buy")]
    whole = {"results": body["results"], "tools": [tool.to_json() for tool in tools]}
    assert (await http.post(f"/chats/{chat_id}/tool-results", json=whole)).status_code == 204
    await shop.runner.run_until_idle()
    assert shop.script.offered[-1] == ["search", "buy"]


async def test_body_that_is_too_large_is_refused_with_413_before_it_is_read(
    shop: World, http: httpx2.AsyncClient
) -> None:
    chat_id = await paused(shop, page_tool())
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1_000_000
            yield b" " * 1_000_000

    headers = {"Content-Type": "application/json"}
    refused = await http.post(f"/chats/{chat_id}/tool-results", content=endless(), headers=headers)
    assert refused.status_code == 413
    assert "send less" in message_of(refused)
    assert read < 30_000_000
    # A length that is declared is enough to know.
    declared = {**headers, "Content-Length": "99999999999"}
    refused = await http.post(f"/chats/{chat_id}/messages", content=b"{}", headers=declared)
    assert refused.status_code == 413
    long = await http.post(f"/chats/{chat_id}/messages", json={"text": "x" * 200_001})
    assert (long.status_code, "200000 is the limit" in message_of(long)) == (413, True)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"dynamic_tools": [page_tool(f"t{n}").to_json() for n in range(251)]}, "251 tools are too many"),
        ({"dynamic_tools": [page_tool("").to_json()]}, "empty name"),
        ({"dynamic_tools": [page_tool().to_json()] * 2}, "are named “search”"),
        ({"dynamic_tools": [page_tool("weigh").to_json()]}, "belongs to a built-in tool"),
        ({"model": "unknown"}, "choose one of: scripted, other"),
        ({"model": 1}, "“model” is not a string"),
        ({"instructions": []}, "“instructions” is not a string"),
        ({"message": " "}, "the message is empty"),
        ({"tools": []}, "unknown member “tools”"),
    ],
)
async def test_chat_with_a_bad_declaration_is_refused_with_400(
    engine: AsyncEngine, clock: Clock, body: Any, problem: str
) -> None:
    shop = world(engine, clock, builtin_names=frozenset({"weigh"}))
    async with client_of(app_of(shop)) as http:
        refused = await http.post("/chats", json=body)
    assert refused.status_code == 400
    assert problem in message_of(refused)


async def test_message_while_the_chat_waits_for_the_page_is_queued_or_interrupts(
    shop: World, http: httpx2.AsyncClient
) -> None:
    chat_id = await paused(shop, page_tool())
    queued = await http.post(f"/chats/{chat_id}/messages", json={"text": "and then?"})
    assert (queued.status_code, queued.json()) == (202, {"state": "requires_action"})
    assert (await http.get(f"/chats/{chat_id}")).json()["queue"] == ["and then?"]
    now = await http.post(f"/chats/{chat_id}/messages", json={"text": "stop", "busy_behavior": "interrupt"})
    assert now.json() == {"state": "pending"}
    bad = await http.post(f"/chats/{chat_id}/messages", json={"text": "stop", "busy_behavior": "later"})
    assert (bad.status_code, "use queue or interrupt" in message_of(bad)) == (400, True)


async def test_call_runs_after_a_person_has_approved_it(shop: World, http: httpx2.AsyncClient) -> None:
    chat_id = await paused(shop, page_tool(consequential=True))
    path = f"/chats/{chat_id}"
    [waits_for] = (await http.get(path)).json()["waits_for"]
    assert waits_for["type"] == "approval_required"
    assert waits_for["tool_calls"][0]["tool"]["origin"] == "https://shop.example"
    early = await http.post(f"{path}/tool-results", json={"results": [{"tool_call_id": "c1", "output": 1}]})
    assert (early.status_code, "a person has to approve" in message_of(early)) == (409, True)
    for decision, status in (("perhaps", 400), ("approve", 204), ("approve", 409)):
        answer = await http.post(f"{path}/approvals", json={"tool_call_id": "c1", "decision": decision})
        assert answer.status_code == status
    [waits_for] = (await http.get(path)).json()["waits_for"]
    assert waits_for["type"] == "action_required"


async def test_chats_and_paths_that_do_not_exist_are_404_and_wrong_methods_405(http: httpx2.AsyncClient) -> None:
    for method, path, status in (
        ("GET", "/chats/none", 404),
        ("GET", "/chats/none/events", 404),
        ("GET", "/chats/%00", 404),
        ("GET", "/chats/ü", 404),
        ("GET", "/nothing", 404),
        ("GET", "/page/../app.py", 404),
        ("GET", "/page/%2e%2e/app.py", 404),
        ("DELETE", "/chats/none", 405),
        ("DELETE", "/chats", 405),
    ):
        answer = await http.request(method, path)
        assert (path, answer.status_code) == (path, status)
        message_of(answer)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}é"}, 401),
        ({"Authorization": f"bearer {TOKEN}"}, 404),
        ({"Authorization": f"Bearer {ADMIN}"}, 404),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "http://127.0.0.1:8000"}, 404),
        ({"Origin": "https://friend.example"}, 404),
        ({"Host": "evil.example:8000"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": ""}, 403),
        ({"Host": "localhost:8000"}, 404),
        ({"Host": "[::1]:8000"}, 404),
    ],
)
async def test_token_origin_and_host_decide_who_may_ask(shop: World, headers: dict[str, str], status: int) -> None:
    given = {"Authorization": f"Bearer {TOKEN}", **headers}
    async with client_of(app_of(shop, allowed_origins=["https://friend.example"]), None) as http:
        encoded = {name.encode(): value.encode("latin-1") for name, value in given.items()}
        answer = await http.get("/chats/none", headers=encoded)
    assert answer.status_code == status
    message_of(answer)


async def test_request_of_another_machine_is_refused(shop: World) -> None:
    import httpx2

    transport = httpx2.ASGITransport(app_of(shop), client=("192.0.2.7", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http:
        answer = await http.get("/", headers={"Authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, message_of(answer)) == (403, "only this machine may ask")


async def test_configuration_needs_the_token_of_the_administrator(shop: World) -> None:
    for token, status in ((None, 401), (TOKEN, 403), (ADMIN, 404)):
        async with client_of(app_of(shop), token) as http:
            assert (await http.put("/chats/config/nothing")).status_code == status


async def test_chat_page_needs_no_token_and_may_run_and_reach_only_what_is_the_servers(shop: World) -> None:
    async with client_of(app_of(shop), None) as http:
        page = await http.get("/")
        script = await http.get("/page/main.js")
    assert (page.status_code, script.status_code) == (200, 200)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "javascript" in script.headers["content-type"]


async def test_page_of_the_chat_is_in_no_frame_but_of_the_origins_that_were_given(shop: World) -> None:
    async with client_of(app_of(shop)) as client:
        headers = (await client.get("/")).headers
        assert headers["Content-Security-Policy"].endswith("; frame-ancestors 'none'")
        assert headers["X-Frame-Options"] == "DENY"
    async with client_of(app_of(shop, frame_origins=["https://shop.example", "http://localhost:8000"])) as client:
        headers = (await client.get("/")).headers
        policy = headers["Content-Security-Policy"]
        assert policy.endswith("; frame-ancestors https://shop.example http://localhost:8000")
        assert "X-Frame-Options" not in headers
