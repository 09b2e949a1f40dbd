"""Remote pages: who may connect, what is refused, and tabs that connect again."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette

from modelcontext_agent.pages.contract import CallEnd
from modelcontext_agent.pages.remote_pages import LARGEST_BODY, RemotePage, RemotePages
from packages.agent.tests.pages.stages import TOKEN, ChromiumStage, RemoteStage, remote_stage, tool

if TYPE_CHECKING:
    from modelcontext.running.serving.http import Server
    from packages.agent.tests.pages.conftest import InBrowser

ORIGIN = "http://shop.example"


def post(
    path: str, body: object = None, *, host: str = "127.0.0.1", ticket_for: str = "", **headers: str
) -> httpx.Response:
    """Post a message to an application that has no connection yet, and one ticket for a frame of an origin."""
    pages = RemotePages(token=TOKEN, allowed_origins=[ORIGIN])
    pages._tickets["ticket"] = (RemotePage(), "frame-1", ticket_for)
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
        ({"origin": "http://other.example"}, 403, "documents of http://other.example may not ask this server"),
        ({"origin": "null"}, 403, "documents of null may not ask this server"),
        ({"Host": "shop.example"}, 403, "ask this server as 127.0.0.1 or localhost"),
    ],
)
def test_page_without_the_token_or_of_another_origin_is_refused(
    headers: dict[str, str], status: int, words: str
) -> None:
    response = post("connect", {"tab": "t"}, **headers)
    assert (response.status_code, words in response.text) == (status, True)


def test_frame_with_a_ticket_for_its_origin_may_connect_without_the_token() -> None:
    assert post("connect", {}, ticket_for=ORIGIN, authorization="Bearer ticket").status_code == 200


def test_frame_with_a_ticket_for_another_origin_is_refused() -> None:
    response = post("connect", {}, ticket_for="http://other.example", authorization="Bearer ticket")
    assert (response.status_code, response.text) == (403, "the ticket is for another origin")


def test_request_of_another_machine_is_refused() -> None:
    response = post("connect", {"tab": "t"}, host="10.0.0.7")
    assert (response.status_code, response.text) == (403, "only this machine may ask")


@pytest.mark.parametrize("path", ["tickets", "answers"])
def test_message_without_a_connection_is_refused(path: str) -> None:
    response = post(path, {"frame": "frame-1", "origin": ORIGIN})
    assert (response.status_code, response.text) == (403, "the connection is over; connect again")


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "the body is not JSON"),
        (b"\xff", 400, "the body is not UTF-8"),
        (b'{"tab": NaN}', 400, "NaN is not JSON"),
        (b"[" * 100_000, 400, "the body is not JSON"),
        (b"[]", 400, "the body is not a JSON object"),
        (b"{}", 400, "“tab” must be a word of at most 64 characters"),
        (b" " * (LARGEST_BODY + 1), 413, "the body has more than"),
    ],
    ids=["no JSON", "no UTF-8", "NaN", "deep", "no object", "no tab", "large"],
)
def test_message_that_cannot_be_read_is_refused_with_the_reason(body: bytes, status: int, words: str) -> None:
    response = post("connect", body)
    assert (response.status_code, words in response.text) == (status, True), response.text


def test_tab_that_copies_the_name_of_another_is_another_page(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with remote_stage(browser, server) as stage:
            assert isinstance(stage, RemoteStage)
            await stage.register("top", "echo")
            found = await tool(stage.page, "top", "echo")
            await stage.tab.evaluate("void window.open(location.href, '_blank')")
            # The new tab takes the page over, since it may be a reload; the old one connects as another page.
            other = await stage.came.get()
            again = await tool(other, "top", "echo")
            assert again.document == found.document
            assert (await stage.page.call("echo", found.binding, {})).end is CallEnd.DOCUMENT_GONE
            assert (await other.call("echo", again.binding, {})).end is CallEnd.DONE

    in_browser(steps)


def test_page_that_is_let_go_can_connect_again_as_another(in_browser: InBrowser) -> None:
    async def steps(browser: Any, server: Server) -> None:
        async with remote_stage(browser, server) as stage:
            assert isinstance(stage, RemoteStage)
            await stage.register("child", "echo")
            await tool(stage.page, "child", "echo")
            await stage.page.close()
            await stage.tab.reload()
            await stage.register("child", "echo")
            other = await stage.came.get()
            found = await tool(other, "child", "echo")
            assert (await other.call("echo", found.binding, {})).end is CallEnd.DONE

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
