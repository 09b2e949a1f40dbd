"""The endpoints of the advisor's configuration and of the metrics: routes for the server's application, behind its guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from modelcontext_agent.advisor.config import AdvisorConfig, store_config, stored_config
from modelcontext_agent.server.bodies import read_body

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine
    from starlette.requests import Request

    from modelcontext_agent.metrics import ToolMetrics


def advisor_routes(engine: AsyncEngine, metrics: ToolMetrics) -> list[Route]:
    """Return the routes: ``GET`` and ``PUT /chats/config/advisor``, and ``GET /metrics``.

    Args:
        engine: the database of the chats.
        metrics: the metrics of the process.
    """

    async def send_config(_request: Request) -> Response:
        return JSONResponse(await stored_config(engine))

    async def take_config(request: Request) -> Response:
        body = await read_body(request, AdvisorConfig.__slots__)
        return JSONResponse(await store_config(engine, body))

    async def send_metrics(_request: Request) -> Response:
        body, content_type = metrics.exposition()
        # Starlette appends a charset of its own to a type of text; the type has one.
        return Response(body, headers={"content-type": content_type})

    config = "/chats/config/advisor"
    return [
        Route(config, send_config, methods=["GET"]),
        Route(config, take_config, methods=["PUT"]),
        Route("/metrics", send_metrics, methods=["GET"]),
    ]
