"""The endpoints of the advisor's configuration and of the metrics: routes for the server's application, behind its guard."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from modelcontext_agent.advisor.config import AdvisorConfig, read_config, store_config, stored_config
from modelcontext_agent.chat.chat_errors import BadRequestError
from modelcontext_agent.server.bodies import read_body

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_ai.models import Model
    from sqlalchemy.ext.asyncio import AsyncEngine
    from starlette.requests import Request

    from modelcontext_agent.metrics import ToolMetrics


def advisor_routes(engine: AsyncEngine, metrics: ToolMetrics, models: Callable[[str], Model]) -> list[Route]:
    """Return the routes: ``GET`` and ``PUT /chats/config/advisor``, and ``GET /metrics``.

    Args:
        engine: the database of the chats.
        metrics: the metrics of the process.
        models: returns the model of a name, as the advisor builds it.
    """

    async def send_config(_request: Request) -> Response:
        return JSONResponse(asdict(read_config(await stored_config(engine))))

    async def take_config(request: Request) -> Response:
        body = await read_body(request, AdvisorConfig.__slots__)
        config = read_config(body)
        if config.model_config_id:
            try:
                models(config.model_config_id)
            except Exception as error:
                # Whatever fails here would fail each piece of advice.
                raise BadRequestError(
                    f"“model_config_id” does not name a model that the server can use: {error}"
                ) from None
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
