"""The advisor's configuration: one JSON object in the settings of the installation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from modelcontext_agent.chat.chat_errors import BadRequestError
from modelcontext_agent.chat.database import readers
from modelcontext_agent.chat.tables import settings

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

KEY = "agents_advisor_config"

#: The values for a zero.
DEFAULT_USES = 3
DEFAULT_OUTPUT_TOKENS = 4_096

_MOST = 1_000_000
_LONGEST_ID = 200

_EFFORTS = ("", "low", "medium", "high")

_INSERT: Mapping[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


@dataclass(frozen=True, slots=True)
class AdvisorConfig:
    """The advisor's configuration. Each value that is zero or empty leaves the choice to the program."""

    enabled: bool = False
    max_uses_per_run: int = 0
    max_output_tokens: int = 0
    reasoning_effort: Literal["", "low", "medium", "high"] = ""
    #: The name of the advisor's model; it is the chat's own where this is empty.
    model_config_id: str = ""

    @property
    def uses(self) -> int:
        """The pieces of advice that a turn may have."""
        return self.max_uses_per_run or DEFAULT_USES

    @property
    def output_tokens(self) -> int:
        """The tokens that a piece of advice may have."""
        return self.max_output_tokens or DEFAULT_OUTPUT_TOKENS


def read_config(data: Any) -> AdvisorConfig:
    """Return the configuration that a JSON object holds; what it leaves out is zero.

    Raises:
        BadRequestError: if a member is unknown, or has a value that is none of its own.
    """
    if not isinstance(data, Mapping):
        raise BadRequestError("the advisor's configuration is not an object")
    members = AdvisorConfig.__slots__
    if unknown := sorted(map(str, data.keys() - set(members))):
        raise BadRequestError(f"“{unknown[0]}” is unknown; the members are {', '.join(members)}")
    enabled = data.get("enabled", False)
    if not isinstance(enabled, bool):
        raise BadRequestError("“enabled” must be true or false")
    effort = data.get("reasoning_effort", "")
    if not isinstance(effort, str) or effort not in _EFFORTS:
        raise BadRequestError("“reasoning_effort” must be low, medium, high or empty")
    model = data.get("model_config_id", "")
    if not isinstance(model, str) or len(model) > _LONGEST_ID or not model.isprintable():
        raise BadRequestError(
            f"“model_config_id” must be empty or the name of a model, with {_LONGEST_ID} characters at most"
        )
    return AdvisorConfig(
        enabled=enabled,
        max_uses_per_run=_count(data, "max_uses_per_run"),
        max_output_tokens=_count(data, "max_output_tokens"),
        reasoning_effort=cast("Any", effort),
        model_config_id=model,
    )


def _count(data: Mapping[str, Any], member: str) -> int:
    value = data.get(member, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise BadRequestError(f"“{member}” must be a whole number from 0 to {_MOST}")
    return value


async def stored_config(engine: AsyncEngine) -> dict[str, Any]:
    """Return the JSON object that is stored, or an empty one."""
    async with readers(engine).begin() as connection:
        return await connection.scalar(sa.select(settings.c.value).where(settings.c.key == KEY)) or {}


async def store_config(engine: AsyncEngine, data: Any) -> dict[str, Any]:
    """Store a configuration in place of the one before, and return it with all its members. The next step follows it.

    Raises:
        BadRequestError: if a member is unknown, or has a value that is none of its own. Nothing is stored then.
    """
    value = asdict(read_config(data))
    insert = _INSERT[engine.dialect.name](settings).values(key=KEY, value=value)
    async with engine.begin() as connection:
        await connection.execute(insert.on_conflict_do_update(index_elements=[settings.c.key], set_={"value": value}))
    return value
