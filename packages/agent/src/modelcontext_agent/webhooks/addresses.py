"""The addresses that webhooks are sent to: of other machines on the internet, unless private ones are permitted.

A chat's server stands in a network that the internet does not see. Whoever may name a URL must not reach that network by it,
neither by an address nor by a name that means one: names are looked up once, and the address that was checked is the one
that is connected to.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

import httpx2

#: Looks up a host and a port, and returns addresses.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class AddressError(ValueError):
    """A URL is not one that a webhook may be sent to."""


def read_url(text: str, *, allow_private: bool) -> httpx2.URL:
    """Return the URL of a webhook.

    Args:
        text: the URL.
        allow_private: True to permit this machine and its network.

    Raises:
        AddressError: if it is no absolute http(s) URL, has a user or a fragment, or names a private address.
    """
    try:
        url = httpx2.URL(text)
    except (httpx2.InvalidURL, UnicodeError, TypeError) as error:
        raise AddressError(f"“{text}” is not a URL: {error}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise AddressError(f"“{text}” is not an absolute URL of http or https")
    if not 0 < _port(url) < 2**16:
        raise AddressError(f"“{text}” has the port {_port(url)}, but ports are numbers up to 65535")
    if url.userinfo or url.fragment:
        raise AddressError(f"the URL of the host “{url.host}” has a user or a fragment; leave it out")
    name = url.host.rstrip(".").lower()
    private = name == "localhost" or name.endswith(".localhost") or (_is_address(url.host) and not is_public(url.host))
    if private and not allow_private:
        raise AddressError(
            f"“{url.host}” is on this machine or its network; allow it with --private-webhooks, or use another host"
        )
    return url


async def address_of(url: httpx2.URL, *, allow_private: bool, resolve: Resolve) -> str:
    """Return the address to connect to for a URL.

    Raises:
        AddressError: if one of the host's addresses is private, and private ones are not permitted.
        OSError: if the host is not found.
    """
    found = [url.host] if _is_address(url.host) else await resolve(url.host, _port(url))
    if not found:
        raise OSError(f"“{url.host}” has no address")
    private = [address for address in found if not is_public(address)]
    if private and not allow_private:
        raise AddressError(f"“{url.host}” resolves to {private[0]}, which is on this machine or its network")
    return found[0]


async def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as the system knows them.

    Raises:
        OSError: if the host is not found.
    """
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def is_public(address: str) -> bool:
    """Return whether an address is on the internet. An IPv6 address that stands for an IPv4 address counts as that one."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)))
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _port(url: httpx2.URL) -> int:
    return (443 if url.scheme == "https" else 80) if url.port is None else url.port
