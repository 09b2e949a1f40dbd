"""The advisor's configuration: one object in the database, checked whole before it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from modelcontext_agent.advisor.config import AdvisorConfig, read_config, store_config, stored_config
from modelcontext_agent.chat.chat_errors import BadRequestError
from modelcontext_agent.chat.tables import settings

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

FULL = {
    "enabled": True,
    "max_uses_per_run": 2,
    "max_output_tokens": 900,
    "reasoning_effort": "high",
    "model_config_id": "anthropic:claude-opus-4-5",
}

ZERO = {
    "enabled": False,
    "max_uses_per_run": 0,
    "max_output_tokens": 0,
    "reasoning_effort": "",
    "model_config_id": "",
}


@pytest.mark.anyio
async def test_configuration_is_an_empty_object_until_one_is_stored(engine: AsyncEngine) -> None:
    assert await stored_config(engine) == {}


@pytest.mark.anyio
async def test_stored_configuration_is_read_again_and_replaced_whole(engine: AsyncEngine) -> None:
    assert await store_config(engine, FULL) == FULL
    assert await stored_config(engine) == FULL
    assert await store_config(engine, {"enabled": True}) == {**ZERO, "enabled": True}
    assert await stored_config(engine) == {**ZERO, "enabled": True}
    async with engine.begin() as connection:
        assert list(await connection.scalars(sa.select(settings.c.key))) == ["agents_advisor_config"]


@pytest.mark.anyio
async def test_empty_object_stores_zero_values(engine: AsyncEngine) -> None:
    assert await store_config(engine, {}) == ZERO


@pytest.mark.anyio
async def test_refused_configuration_stores_nothing(engine: AsyncEngine) -> None:
    await store_config(engine, FULL)
    with pytest.raises(BadRequestError):
        await store_config(engine, {**FULL, "max_uses_per_run": -1})
    assert await stored_config(engine) == FULL


def test_zero_leaves_the_choice_to_the_program() -> None:
    assert (AdvisorConfig().uses, AdvisorConfig().output_tokens) == (3, 4096)


@pytest.mark.parametrize("effort", ["", "low", "medium", "high"])
def test_each_effort_is_taken(effort: str) -> None:
    assert read_config({"reasoning_effort": effort}).reasoning_effort == effort


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ("{}", "not an object"),
        ({"enable": True}, "“enable” is unknown; the members are enabled, max_uses_per_run"),
        ({"enabled": 1}, "“enabled” must be true or false"),
        ({"enabled": None}, "“enabled”"),
        ({"max_uses_per_run": -1}, "“max_uses_per_run” must be a whole number"),
        ({"max_uses_per_run": 1.5}, "“max_uses_per_run”"),
        ({"max_uses_per_run": True}, "“max_uses_per_run”"),
        ({"max_uses_per_run": "3"}, "“max_uses_per_run”"),
        ({"max_output_tokens": 10**12}, "“max_output_tokens”"),
        ({"reasoning_effort": "max"}, "“reasoning_effort” must be low, medium, high"),
        ({"reasoning_effort": ["low"]}, "“reasoning_effort”"),
        ({"model_config_id": 7}, "“model_config_id”"),
        ({"model_config_id": "m" * 201}, "“model_config_id”"),
        ({"model_config_id": "a\0b"}, "“model_config_id”"),
        ({"model_config_id": "\ud800"}, "“model_config_id”"),
    ],
)
def test_unknown_or_bad_value_is_refused(data: Any, message: str) -> None:
    with pytest.raises(BadRequestError, match=message):
        read_config(data)
