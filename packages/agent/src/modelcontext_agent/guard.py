"""The guard of all that serves: who may ask, whose token a request carries, and how large its body may be.

What serves speaks for pages and for a person, so it answers only this machine, and only who has its token. A page of
somebody's browser is on this machine too: it is kept out by its ``Origin``, and by ``Host`` where it has pointed a name of its
own at this machine.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from starlette.datastructures import Headers

from modelcontext_agent.strict_json import json_value

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Scope

#: The names under which this machine is asked.
HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})


class BodyError(Exception):
    """A body is too large, or no JSON object; ``status`` is that of the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def refusal(scope: Scope, allowed_origins: Collection[str]) -> str | None:
    """Return why a request may not be answered, or None if it may.

    Args:
        scope: the request.
        allowed_origins: the serialized origins, beside the server's own, whose documents may ask.
    """
    headers = Headers(scope=scope)
    client = scope.get("client")
    if client is None or not _is_loopback(client[0]):
        return "only this machine may ask"
    hosts = headers.getlist("host")
    if len(hosts) != 1 or _name_of(hosts[0]) not in HOSTS:
        return "ask this server as 127.0.0.1 or localhost"
    origin = headers.get("origin")
    if origin is not None and origin != f"{scope['scheme']}://{hosts[0]}" and origin not in allowed_origins:
        return f"documents of {origin} may not ask this server"
    return None


def bearer(scope: Scope) -> str | None:
    """Return the token of the header ``Authorization: Bearer TOKEN``, or None if there is no such header."""
    scheme, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def is_token(given: str | None, token: str | None) -> bool:
    """Return whether a given token is the right one, in a time that tells nothing. None is never right."""
    return given is not None and token is not None and hmac.compare_digest(given.encode(), token.encode())


async def read_body(request: Request, largest: int) -> bytes:
    """Return the body of a request. No more than ``largest`` bytes are read.

    Raises:
        BodyError: if it has more.
    """
    too_large = BodyError(413, f"the body has more than {largest} bytes; send less")
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:20]) > largest:
        raise too_large
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > largest:
            raise too_large
        chunks.append(chunk)
    return b"".join(chunks)


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises:
        BodyError: if there is none.
    """
    try:
        value = json_value(body.decode())
    except UnicodeDecodeError as error:
        raise BodyError(400, f"the body is not UTF-8: {error.reason} at byte {error.start}") from error
    except ValueError as error:
        raise BodyError(400, f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise BodyError(400, "the body is not a JSON object; put the values into an object")
    return value


def _name_of(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
