"""Remote pages: who may connect, what is refused, and tabs that connect again."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette

from modelcontext.agent.pages.contract import CallEnd
from modelcontext.agent.pages.remote import LARGEST_BODY, RemotePages
from tests.agent.pages.stages import TOKEN, ChromiumStage, remote_stage, tool

if TYPE_CHECKING:
    from modelcontext.serving.http import Server
    from tests.agent.pages.conftest import InBrowser

ORIGIN = "http://shop.example"


def post(path: str, body: object = None, *, host: str = "127.0.0.1", **headers: str) -> httpx.Response:
    """Post a message to an application that has no connection yet."""
    pages = RemotePages(token=TOKEN, allowed_origins=[ORIGIN])
    transport = httpx.ASGITransport(app=Starlette(routes=pages.routes()), client=(host, 1))

    async def send() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent = {"origin": ORIGIN, "authorization": f"Bearer {TOKEN}", **headers}
            return await client.post(f"/pages/{path}", content=content, headers=sent)

    return asyncio.run(send())


def test_page_with_the_token_and_an_allowed_origin_may_connect() -> None:
    response = post("connect", {"tab": "t"})
    assert response.status_code == 200
    assert len(response.json()["connection"]) > 30
    assert response.headers["access-control-allow-origin"] == ORIGIN


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"authorization": "Bearer other"}, 401, "the token is not the server's"),
        ({"authorization": ""}, 401, "the token is not the server's"),
        ({"origin": "http://other.example"}, 403, "documents of http://other.example may not connect"),
        ({"origin": "null"}, 403, "documents of null may not connect"),
        ({"host": "10.0.0.7"}, 200, "connection"),
    ],
)
def test_page_without_the_token_or_of_another_origin_is_refused(
    headers: dict[str, str], status: int, words: str
) -> None:
    sent = {name: value for name, value in headers.items() if name != "host"}
    response = post("connect", {"tab": "t"}, **sent)
    assert (response.status_code, words in response.text) == (status, True)


def test_request_of_another_machine_is_refused() -> None:
    response = post("connect", {"tab": "t"}, host="10.0.0.7")
    assert (response.status_code, response.text) == (403, "only this machine may connect")


@pytest.mark.parametrize("path", ["tickets", "answers"])
def test_message_without_a_connection_is_refused(path: str) -> None:
    response = post(path, {"frame": "frame-1", "origin": ORIGIN})
    assert (response.status_code, response.text) == (403, "the connection is over; connect anew")


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "the message is no JSON"),
        (b"\xff", 400, "the message is no JSON"),
        (b'{"tab": NaN}', 400, "NaN is no JSON"),
        (b"[" * 100_000, 400, "the message is no JSON"),
        (b"[]", 400, "the message is no JSON object"),
        (b"{}", 400, "“tab” is to be a word of at most 64 characters"),
        (b" " * (LARGEST_BODY + 1), 413, "a message may have"),
    ],
    ids=["no JSON", "no UTF-8", "NaN", "deep", "no object", "no tab", "large"],
)
def test_message_that_cannot_be_read_is_refused_with_the_reason(body: bytes, status: int, words: str) -> None:
    response = post("connect", body)
    assert (response.status_code, words in response.text) == (status, True), response.text


def test_tab_that_copies_the_name_of_another_is_another_page(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with remote_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.register("top", "echo")
            found = await tool(stage.page, "top", "echo")
            changes: asyncio.Queue[None] = asyncio.Queue()
            stage.page.on_change(lambda: changes.put_nowait(None))
            async with stage.tab.context.expect_page() as opening:
                await stage.tab.evaluate("window.open(location.href, '_blank') && null")
            other = await opening.value
            await other.wait_for_load_state()
            # The new tab takes the page over, since it may be a reload; the old one then connects as another page.
            while (await stage.page.call("echo", found.binding, {})).end is not CallEnd.DOCUMENT_GONE:
                await changes.get()

    in_browser(steps)


def test_result_that_is_too_large_fails(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with remote_stage(browser, server) as stage:
            assert isinstance(stage, ChromiumStage)
            await stage.tab.evaluate(
                "document.modelContext.registerTool("
                "{ name: 'large', description: 'd', execute: ({ length, text }) => text.repeat(length) })"
            )
            found = await tool(stage.page, "top", "large")
            many = await stage.page.call("large", found.binding, {"length": 2**23, "text": "ab"})
            assert many.end is CallEnd.FAILED
            assert "at most 8388608 are taken" in many.output
            # Each of these becomes many bytes on the way.
            wide = await stage.page.call("large", found.binding, {"length": 10**6, "text": "\x01"})
            assert wide.end is CallEnd.DONE

    in_browser(steps)
