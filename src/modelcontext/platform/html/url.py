"""URLs and their origins (https://url.spec.whatwg.org/), parsed by ada, or in a page by the page's URL class."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any, NamedTuple

from modelcontext.platform.html.origin import OpaqueOrigin, Origin, TupleOrigin

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}

_tuple_origin = lru_cache(maxsize=4096)(TupleOrigin)

if sys.platform == "emscripten":
    from js import URL
    from pyodide.ffi import JsException

    def url_object(string: str, base: str | None = None) -> Any:
        """Return a URL with the attributes of the interface URL, or None if it cannot be parsed."""
        try:
            return URL.new(string) if base is None else URL.new(string, base)
        except JsException:
            return None
else:
    import ada_url

    def url_object(string: str, base: str | None = None) -> Any:
        """Return a URL with the attributes of the interface URL, or None if it cannot be parsed."""
        try:
            return ada_url.URL(string, base=base)
        except ValueError:
            return None


class URLRecord(NamedTuple):
    """The required parts of a URL record."""

    href: str
    scheme: str
    host: str
    port: int | None
    path: str


@lru_cache(maxsize=4096)
def url_parser(string: str) -> URLRecord | None:
    """Run the URL parser on a scalar value string, without a base URL; None is failure."""
    url = url_object(string)
    if url is None:
        return None
    return URLRecord(
        url.href, url.protocol.removesuffix(":"), url.hostname, int(url.port) if url.port else None, url.pathname
    )


def url_scheme(url: URLRecord) -> str:
    """https://url.spec.whatwg.org/#concept-url-scheme"""
    return url.scheme


def url_origin(url: URLRecord) -> Origin:
    """https://url.spec.whatwg.org/#concept-url-origin"""
    if url.scheme == "blob":
        inner = url_parser(url.path)
        if inner is not None and inner.scheme in ("http", "https", "file"):
            return url_origin(inner)
        return OpaqueOrigin()
    if url.scheme in _DEFAULT_PORTS:
        return _tuple_origin(url.scheme, url.host, url.port)
    return OpaqueOrigin()
