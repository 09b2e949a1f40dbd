"""The names and ports under which tests are served; the names are those of web-platform-tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

HOST = "web-platform.test"
ALTERNATE_HOST = "not-web-platform.test"
SUBDOMAINS = ("", "www", "www1", "www2", "www.www", "www.www1", "www1.www", "天気の良い日", "élève")


#: The ports of the server, by scheme: two for each, so that tests can vary the port alone.
Ports = Mapping[str, Sequence[int]]


def domains(host: str) -> dict[str, str]:
    """Return the names of a host, by their labels: ``""`` is the host itself."""
    return {label: (f"{label}.{host}" if label else host).encode("idna").decode() for label in SUBDOMAINS}


#: Every host name of the server.
NAMES = (*domains(HOST).values(), *domains(ALTERNATE_HOST).values())
