"""Origins (https://html.spec.whatwg.org/#origin)."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple, TypeAlias


class TupleOrigin(NamedTuple):
    """A tuple origin; ``port`` is None for the scheme's default port. (The domain plays no part here.)"""

    scheme: str
    host: str
    port: int | None

    def __str__(self) -> str:
        return serialize_an_origin(self)


class OpaqueOrigin:
    """An opaque origin: the same only as itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "null"


Origin: TypeAlias = TupleOrigin | OpaqueOrigin


def new_opaque_origin() -> OpaqueOrigin:
    """Return a new opaque origin."""
    return OpaqueOrigin()


def is_opaque(origin: Origin) -> bool:
    """Return whether an origin is opaque."""
    return isinstance(origin, OpaqueOrigin)


def same_origin(a: Origin, b: Origin) -> bool:
    """https://html.spec.whatwg.org/#same-origin"""
    return a is b or (isinstance(a, TupleOrigin) and a == b)


def serialize_an_origin(origin: Origin) -> str:
    """https://html.spec.whatwg.org/#ascii-serialisation-of-an-origin"""
    if isinstance(origin, OpaqueOrigin):
        return "null"
    port = "" if origin.port is None else f":{origin.port}"
    return f"{origin.scheme}://{origin.host}{port}"


def is_potentially_trustworthy(origin: Origin) -> bool:
    """Return whether an origin is potentially trustworthy (https://w3c.github.io/webappsec-secure-contexts/)."""
    if isinstance(origin, OpaqueOrigin):
        return False
    if origin.scheme in ("https", "wss", "file"):
        return True
    host = origin.host.removesuffix(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
