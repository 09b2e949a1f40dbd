"""Origins (https://html.spec.whatwg.org/#origin)."""

from __future__ import annotations

import ipaddress
from typing import NamedTuple, TypeAlias


class TupleOrigin(NamedTuple):
    """A tuple origin without a domain; ``port`` is None for the scheme's default port."""

    scheme: str
    host: str
    port: int | None

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}" + ("" if self.port is None else f":{self.port}")


class OpaqueOrigin:
    """An opaque origin, equal only to itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "null"


Origin: TypeAlias = TupleOrigin | OpaqueOrigin


def is_opaque(origin: Origin) -> bool:
    """Return whether an origin is opaque."""
    return isinstance(origin, OpaqueOrigin)


def same_origin(a: Origin, b: Origin) -> bool:
    """https://html.spec.whatwg.org/#same-origin"""
    return a is b or (isinstance(a, TupleOrigin) and a == b)


def serialization(origin: Origin) -> str:
    """https://html.spec.whatwg.org/#ascii-serialisation-of-an-origin"""
    return str(origin)


def is_origin_potentially_trustworthy(origin: Origin) -> bool:
    """https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy"""
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
