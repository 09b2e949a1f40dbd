"""``modelcontext agent serve``: a process that serves chats, with a worker and a live page."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from click.testing import CliRunner

from modelcontext_agent.cli.agent import command
from modelcontext_agent.demo.site import DemoSite
from modelcontext_agent.exposure.framing import FRAMES
from modelcontext_agent.models.canned_answers import canned_answers_of
from modelcontext_agent.models.fakes import fake_provider
from packages.agent.tests.cli.sites import MortalBrowser, status_site

SCRIPT = """
[[answers]]
calls = [{ tool = "search_teas", arguments = { kind = "green" } }]
[[answers]]
text = "Found."
"""


@contextmanager
def serving(*options: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Run the verb, and give the process, its address and its token."""
    arguments = [str(Path(sys.executable).with_name("modelcontext")), "agent", "serve", *options]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = urlsplit(process.stdout.readline().split(" ")[0])
        try:
            yield process, f"{printed.scheme}://{printed.netloc}", printed.fragment.removeprefix("token=")
        finally:
            if process.poll() is None:
                process.kill()


def sent_to_the_provider(
    options: Sequence[str], body: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    """Serve a chat that begins with a body, and return the requests that the provider of its model gets."""

    def ask() -> None:
        with (
            serving(*options) as (_, address, token),
            httpx2.Client(
                base_url=address, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=30
            ) as http,
        ):
            chat = http.post("/chats", json=body).json()["id"]
            with http.sse(f"/chats/{chat}/events") as events:
                assert any(event.event == "done" for event in events)

    async def requests() -> list[dict[str, Any]]:
        provider = options[1].partition(":")[0]
        async with fake_provider(provider, canned_answers_of({"answers": [{"text": "Green."}]})) as fake:
            monkeypatch.setenv("OPENAI_BASE_URL", fake.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", "k")
            await asyncio.to_thread(ask)
            return fake.requests

    return asyncio.run(requests())


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
def test_served_chat_uses_the_page_and_outlives_the_process(tmp_path: Path) -> None:
    script, database = tmp_path / "script.toml", f"sqlite:///{tmp_path / 'chats.db'}"
    script.write_text(SCRIPT, encoding="utf-8")
    options = ("--model", f"scripted:{script}", "--database", database, "--admin-token", "admin")
    with DemoSite() as site, serving(*options, "--page", site.url) as (process, address, token):
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=address, headers=headers, trust_env=False, timeout=30) as http:
            made = http.post("/chats", json={"message": "Teas?"}).json()
            path = f"/chats/{made['id']}"
            assert {"search_teas", "open_basket"} <= {tool["name"] for tool in made["tools"]}
            with http.sse(f"{path}/events") as events:
                assert any(event.event == "done" for event in events)
            assert http.put("/chats/config/advisor", json={}).status_code == 403
            admin = {"Authorization": "Bearer admin"}
            assert http.get("/chats/config/advisor", headers=admin).json()["enabled"] is False
            assert http.get("/metrics").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 130
        assert process.stderr is not None
        assert process.stderr.read().splitlines() == [
            "modelcontext: interrupted; the server has ended; the database keeps the chats"
        ]
    with (
        serving(*options, "--token", "mine") as (process, address, token),
        httpx2.Client(base_url=address, headers={"Authorization": "Bearer mine"}, trust_env=False) as http,
    ):
        transcript = http.get(path).json()["transcript"]
    assert token == "mine"
    assert [item["text"] for item in transcript] == ["Teas?", "", "Found."]
    assert "Sencha" in json.dumps(transcript[1]["tool_calls"][0]["result"]["output"])


@pytest.mark.usefixtures("takes_long")
def test_model_is_told_of_frames_then_the_options_instructions_then_the_chats(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"message": "Teas?", "instructions": "Answer in French.", "dynamic_tools": [{"name": "search_teas"}]}
    options = ("--model", "openai:fake-1", "--database", "sqlite://", "--instructions", "Sell nothing.")
    [request] = sent_to_the_provider(options, body, monkeypatch)
    [told] = [message["content"] for message in request["messages"] if message["role"] in ("system", "developer")]
    assert FRAMES in told
    assert told.index(FRAMES) < told.index("Sell nothing.") < told.index("Answer in French.")


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(("option", "is_stored"), [("--store", True), ("--no-store", False)])
def test_option_says_whether_the_provider_keeps_answers(
    option: str, is_stored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--model", "openai-responses:fake-1", "--database", "sqlite://", option)
    [request] = sent_to_the_provider(options, {"message": "Teas?"}, monkeypatch)
    assert request.get("store", True) is is_stored


@pytest.mark.usefixtures("takes_long")
def test_turn_ends_after_the_rounds_that_were_given(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text('repeat = true\n[[answers]]\ncalls = [{ tool = "nothing" }]\n', encoding="utf-8")
    options = ("--model", f"scripted:{script}", "--database", "sqlite://", "--rounds", "2", "--token", "t")
    with (
        serving(*options) as (_, address, _),
        httpx2.Client(base_url=address, headers={"Authorization": "Bearer t"}, trust_env=False, timeout=30) as http,
    ):
        path = f"/chats/{http.post('/chats', json={'message': 'Go.'}).json()['id']}"
        with http.sse(f"{path}/events") as events:
            assert any(event.event == "done" for event in events)
        error = http.get(path).json()["error"]
    assert "no answer in 2 rounds" in error["message"]
    assert "--rounds" in error["message"]


@pytest.mark.usefixtures("starts_a_browser", "takes_long")
def test_browser_that_ends_is_told_to_the_model_and_ends_the_verb_with_1(tmp_path: Path) -> None:
    script, database = tmp_path / "script.toml", f"sqlite:///{tmp_path / 'chats.db'}"
    script.write_text('[[answers]]\ncalls = [{ tool = "never" }]\n[[answers]]\ntext = "Pity."\n', encoding="utf-8")
    options = ("--model", f"scripted:{script}", "--database", database, "--token", "t")
    browser = MortalBrowser(tmp_path)
    with (
        status_site() as site,
        serving(*options, "--binary", str(browser.binary), "--page", f"{site}/404") as (process, address, _),
        httpx2.Client(base_url=address, headers={"Authorization": "Bearer t"}, trust_env=False, timeout=30) as http,
    ):
        path = f"/chats/{http.post('/chats', json={'message': 'Go.'}).json()['id']}"
        with http.sse(f"{path}/events") as events:
            assert any(event.event == "action_required" for event in events)
        while not http.get(path).json()["waits_for"][0]["tool_calls"][0]["begun"]:
            pass
        browser.kill()
        assert process.wait(30) == 1
        assert process.stderr is not None
        lost = f"the page {site}/404 is gone: its browser has ended, or its tab was closed"
        assert process.stderr.read().splitlines() == [
            f"modelcontext: warning: {site}/404 answered 404 Not Found; chats get the tools of this page anyway",
            f"modelcontext: {lost}; the server has ended; the database keeps the chats",
        ]
    # Another process finds what the model is to read.
    with (
        serving(*options) as (_, address, _),
        httpx2.Client(base_url=address, headers={"Authorization": "Bearer t"}, trust_env=False) as http,
        http.sse(f"{path}/events") as events,
    ):
        assert any(event.event == "done" for event in events)
        transcript = http.get(path).json()["transcript"]
    result = transcript[1]["tool_calls"][0]["result"]
    assert (result["is_error"], transcript[-1]["text"]) == (True, "Pity.")
    assert result["output"].startswith(f"The tool “never” cannot be reached: {lost}. ")


def test_webhook_to_this_machine_is_refused_with_the_option_that_permits_it(tmp_path: Path) -> None:
    (script := tmp_path / "script.toml").write_text(SCRIPT, encoding="utf-8")
    hook = f'name = "a"\nurl = "http://127.0.0.1:9/"\nsecret = "whsec_{"A" * 32}"\n'
    (hooks := tmp_path / "hooks.toml").write_text(f"[[webhooks]]\n{hook}", encoding="utf-8")
    options = ["--model", f"scripted:{script}", "--database", "sqlite://", "--webhooks", str(hooks)]
    result = CliRunner().invoke(command, ["serve", *options])
    assert result.exit_code == 2
    assert "allow it with --private-webhooks" in " ".join(result.stderr.split())
    # The next problem is found behind it: nothing is served here.
    result = CliRunner().invoke(command, ["serve", *options, "--private-webhooks", "--allow-origin", "none"])
    assert "--private-webhooks" not in result.stderr
    assert "is not an origin" in result.stderr


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--model", "unknown"], "does not name a model"),
        (["--model", "scripted:/nowhere.toml"], "cannot be read"),
        (["--database", "oracle://db"], "is not supported"),
        (["--database", "sqlite:////nowhere/chats.db"], "does not exist"),
        (["--webhooks", "BAD"], "names no webhooks"),
        (["--port", "70000"], "70000"),
        (["--allow-origin", "shop.example"], "“shop.example” is not an origin"),
        (["--allow-origin", "https://shop.example/tea"], "“https://shop.example/tea” is not an origin"),
    ],
)
def test_thing_that_cannot_be_had_is_named_with_exit_code_2(tmp_path: Path, options: list[str], problem: str) -> None:
    (script := tmp_path / "script.toml").write_text(SCRIPT, encoding="utf-8")
    (bad := tmp_path / "bad.toml").write_text("[[webhooks]]\nname = 1\n", encoding="utf-8")
    given = [str(bad) if option == "BAD" else option for option in options]
    defaults = ["--model", f"scripted:{script}", "--database", "sqlite://"]
    result = CliRunner().invoke(command, ["serve", *defaults, *given])
    assert result.exit_code == 2
    assert problem in result.stderr
    assert "Traceback" not in result.output
