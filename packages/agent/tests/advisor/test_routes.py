"""The endpoints of the advisor's configuration and of the metrics, behind the guard of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai.models.test import TestModel

from modelcontext_agent.advisor.routes import advisor_routes
from modelcontext_agent.client import ChatClient, ServerError
from modelcontext_agent.metrics import ToolMetrics
from modelcontext_agent.models.model_names import ModelNameError
from packages.agent.tests.chat.helpers import Clock, world
from packages.agent.tests.server.helpers import ADMIN, TOKEN, app_of, client_of, everything_stored, message_of

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model
    from sqlalchemy.ext.asyncio import AsyncEngine
    from starlette.applications import Starlette

pytestmark = pytest.mark.anyio

CONFIG = "/chats/config/advisor"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of a database."""
    return f"sqlite:///{tmp_path / 'chats.db'}"


@pytest.fixture
def metrics() -> ToolMetrics:
    """Return the metrics of the process."""
    return ToolMetrics()


@pytest.fixture
def app(engine: AsyncEngine, clock: Clock, metrics: ToolMetrics) -> Starlette:
    """Return the application with the routes."""
    return app_of(world(engine, clock), routes=advisor_routes(engine, metrics, model))


def model(name: str) -> Model:
    """Return the one model that there is."""
    if name != "scripted":
        raise ModelNameError(f"“{name}” means no model")
    return TestModel()


@pytest.fixture
async def admin(app: Starlette) -> AsyncIterator[httpx2.AsyncClient]:
    """Yield the client of an administrator."""
    async with client_of(app, ADMIN) as client:
        yield client


async def test_configuration_is_put_and_got(admin: httpx2.AsyncClient) -> None:
    assert set((await admin.get(CONFIG)).json().values()) == {False, ""}
    config = {
        "enabled": True,
        "max_uses_per_run": 2,
        "max_output_tokens": 0,
        "reasoning_effort": "low",
        "model_config_id": "scripted",
    }
    answer = await admin.put(CONFIG, json=config)
    assert (answer.status_code, answer.json()) == (200, config)
    assert (await admin.get(CONFIG)).json() == config


@pytest.mark.parametrize("body", [b"", b"{}"])
async def test_empty_configuration_has_zero_values(admin: httpx2.AsyncClient, body: bytes) -> None:
    answer = await admin.put(CONFIG, content=body, headers={"content-type": "application/json"})
    assert answer.json() == {
        "enabled": False,
        "max_uses_per_run": 0,
        "max_output_tokens": 0,
        "reasoning_effort": "",
        "model_config_id": "",
    }


@pytest.mark.parametrize(
    "config",
    [
        *([], {"enable": True}, {"enabled": "yes"}, {"max_uses_per_run": -1}, {"reasoning_effort": "max"}),
        {"model_config_id": "nonsense:x"},
    ],
)
async def test_unknown_or_bad_value_is_refused_and_nothing_is_stored(
    admin: httpx2.AsyncClient, url: str, config: Any
) -> None:
    before = await everything_stored(url)
    answer = await admin.put(CONFIG, json=config)
    assert answer.status_code == 400
    assert message_of(answer)
    assert await everything_stored(url) == before


@pytest.mark.parametrize(
    ("token", "read", "written"), [(None, 401, 401), ("wrong", 401, 401), (TOKEN, 200, 403), (ADMIN, 200, 200)]
)
async def test_configuration_is_for_all_to_read_and_the_administrators_to_change(
    app: Starlette, token: str | None, read: int, written: int
) -> None:
    async with client_of(app, token) as client:
        assert (await client.get(CONFIG)).status_code == read
        assert (await client.put(CONFIG, json={})).status_code == written


async def test_metrics_are_those_of_the_advisor_and_need_the_token(app: Starlette, metrics: ToolMetrics) -> None:
    metrics.record("advisor", 0.4, failed=True)
    async with client_of(app) as client:
        answer = await client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'modelcontext_agent_tool_failures_total{tool="advisor"} 1.0' in answer.text
    assert 'modelcontext_agent_tool_latency_seconds_bucket{le="0.5",tool="advisor"} 1.0' in answer.text
    async with client_of(app, None) as client:
        assert (await client.get("/metrics")).status_code == 401


async def test_client_reads_and_changes_the_configuration(app: Starlette, admin: httpx2.AsyncClient) -> None:
    changed = await ChatClient(admin).update_advisor_config({"enabled": True, "reasoning_effort": "low"})
    async with client_of(app, TOKEN) as http:
        client = ChatClient(http)
        assert await client.advisor_config() == changed
        assert (changed["enabled"], changed["reasoning_effort"], changed["max_uses_per_run"]) == (True, "low", 0)
        with pytest.raises(ServerError):
            await client.update_advisor_config({"enabled": False})
