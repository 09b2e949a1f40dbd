"""Bodies of requests: JSON objects of a bounded size, with the members that the endpoint knows."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from modelcontext_agent import guard
from modelcontext_agent.chat.chat_errors import BadRequestError, TooLargeError
from modelcontext_agent.strict_json import depth

if TYPE_CHECKING:
    from starlette.requests import Request

#: The bytes of the largest body with results or tools, and of any other.
LARGEST = 24_000_000
LARGEST_SMALL = 1_000_000
#: The deepest nesting of arrays and objects.
DEEPEST = 100


async def read_body(
    request: Request, members: Collection[str], *, required: Collection[str] = (), largest: int = LARGEST_SMALL
) -> dict[str, Any]:
    """Return the JSON object of a request; an empty body is an empty object.

    Args:
        request: the request.
        members: the members that the endpoint knows.
        required: those of them that must be there.
        largest: the bytes of the largest body. No more are read.

    Raises:
        BadRequestError: if the body is no JSON object, or has other members, or lacks one.
        TooLargeError: if the body is too large.
    """
    try:
        body = await guard.read_body(request, largest)
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and media_type != "application/json":
            raise BadRequestError("the body is not declared as JSON; send “Content-Type: application/json”")
        value = guard.json_object(body) if body else {}
    except guard.BodyError as error:
        raise (TooLargeError if error.status == 413 else BadRequestError)(str(error)) from error
    if depth(value) > DEEPEST:
        raise BadRequestError(f"the body is nested too deeply; the limit is {DEEPEST} levels")
    unknown = sorted(value.keys() - set(members))
    if unknown:
        known = ", ".join(f"“{member}”" for member in members) or "none"
        raise BadRequestError(f"the body has the unknown member “{unknown[0][:100]}”; known here: {known}")
    for member in required:
        if member not in value:
            raise BadRequestError(f"the body lacks “{member}”")
    return value


def string(body: dict[str, Any], member: str, default: str | None = None) -> str:
    """Return a member that is a string.

    Raises:
        BadRequestError: if it is none.
    """
    value = body.get(member, default)
    if not isinstance(value, str):
        raise BadRequestError(f"“{member}” is not a string")
    return value
