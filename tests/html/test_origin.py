"""URLs, their origins, and the trustworthiness of origins."""

from __future__ import annotations

import pytest

from modelcontext.platform.html.origin import is_opaque, is_origin_potentially_trustworthy, same_origin, serialization
from modelcontext.platform.html.url import url_origin, url_parser


@pytest.mark.parametrize(
    ("string", "origin", "trustworthy"),
    [
        ("https://a.test", "https://a.test", True),
        ("https://user:pass@A.test:443/path?query#fragment", "https://a.test", True),
        ("https://a.test:8443/", "https://a.test:8443", True),
        ("wss://a.test/", "wss://a.test", True),
        ("http://a.test/", "http://a.test", False),
        ("http://a.test:80/", "http://a.test", False),
        ("ws://a.test/", "ws://a.test", False),
        ("ftp://a.test/", "ftp://a.test", False),
        ("http://localhost:8000/", "http://localhost:8000", True),
        ("http://LOCALHOST./", "http://localhost.", True),
        ("http://x.localhost/", "http://x.localhost", True),
        ("http://localhost.a.test/", "http://localhost.a.test", False),
        ("http://notlocalhost/", "http://notlocalhost", False),
        ("http://127.0.0.1/", "http://127.0.0.1", True),
        ("http://127.8.9.10/", "http://127.8.9.10", True),
        ("http://0x7f.1/", "http://127.0.0.1", True),
        ("http://128.0.0.1/", "http://128.0.0.1", False),
        ("http://[::1]/", "http://[::1]", True),
        ("http://[::2]/", "http://[::2]", False),
        ("https://b\u00fccher.test/", "https://xn--bcher-kva.test", True),
        ("blob:https://a.test/1234", "https://a.test", True),
        ("blob:http://a.test/1234", "http://a.test", False),
        (" https://a.test\n", "https://a.test", True),
    ],
)
def test_url_has_a_tuple_origin(string: str, origin: str, trustworthy: bool) -> None:
    url = url_parser(string)
    assert url is not None
    assert serialization(url_origin(url)) == origin
    assert is_origin_potentially_trustworthy(url_origin(url)) is trustworthy


@pytest.mark.parametrize(
    "string", ["data:text/html,x", "about:blank", "javascript:1", "mailto:a@b", "blob:x", "foo://a"]
)
def test_url_has_an_opaque_origin(string: str) -> None:
    url = url_parser(string)
    assert url is not None
    first, second = url_origin(url), url_origin(url)
    assert is_opaque(first)
    assert serialization(first) == "null"
    assert not is_origin_potentially_trustworthy(first)
    assert same_origin(first, first)
    assert not same_origin(first, second)


@pytest.mark.parametrize(
    "string",
    ["", "null", "a.test", "/path", "//a.test", "https://", "https://a b/", "http://[", "https://a:99999", "*"],
)
def test_string_is_not_a_url(string: str) -> None:
    assert url_parser(string) is None


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("https://a.test", "https://a.test:443/x", True),
        ("https://a.test", "http://a.test", False),
        ("https://a.test", "https://b.test", False),
        ("https://a.test", "https://a.test:444", False),
        ("https://a.test", "https://sub.a.test", False),
    ],
)
def test_same_origin_compares_two_urls(left: str, right: str, same: bool) -> None:
    urls = [url_parser(left), url_parser(right)]
    assert urls[0] is not None
    assert urls[1] is not None
    assert same_origin(url_origin(urls[0]), url_origin(urls[1])) is same
