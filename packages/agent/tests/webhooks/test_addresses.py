"""URLs and addresses: those of the internet are taken, those of this machine and its network only when permitted."""

from __future__ import annotations

import pytest

from modelcontext_agent.webhooks.addresses import AddressError, address_of, is_public, read_url

PRIVATE = [
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "::1",
    "fe80::1%eth0",
    "fd00::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_address_of_this_machine_or_its_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111", "::ffff:93.184.216.34", "64:ff9b::5db8:d822"])
def test_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hook",
        "/hook",
        "ftp://a.test/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https:///hook",
        "https://user:password@a.test/",
        "https://a.test/#part",
        "https://a.test:99999/",
        "http://[::1",
    ],
)
def test_other_than_an_absolute_http_url_is_refused(text: str) -> None:
    with pytest.raises(AddressError):
        read_url(text, allow_private=True)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254"]
)
def test_url_of_a_private_host_is_taken_only_when_permitted(host: str) -> None:
    assert read_url(f"http://{host}:8080/hook", allow_private=True).port == 8080
    with pytest.raises(AddressError, match="allow it"):
        read_url(f"http://{host}:8080/hook", allow_private=False)


async def look_up(*addresses: str, allow_private: bool = False) -> str:
    async def resolve(host: str, port: int) -> list[str]:
        assert (host, port) == ("a.test", 443)
        return list(addresses)

    url = read_url("https://a.test/hook", allow_private=allow_private)
    return await address_of(url, allow_private=allow_private, resolve=resolve)


@pytest.mark.anyio
async def test_address_that_was_checked_is_the_one_to_connect_to() -> None:
    assert await look_up("93.184.216.34", "93.184.216.35") == "93.184.216.34"


@pytest.mark.anyio
async def test_name_that_means_a_private_address_among_others_is_refused() -> None:
    with pytest.raises(AddressError, match=r"127\.0\.0\.1"):
        await look_up("93.184.216.34", "127.0.0.1")
    assert await look_up("127.0.0.1", allow_private=True) == "127.0.0.1"


@pytest.mark.anyio
async def test_name_without_an_address_is_not_found() -> None:
    with pytest.raises(OSError, match=r"a\.test"):
        await look_up()
