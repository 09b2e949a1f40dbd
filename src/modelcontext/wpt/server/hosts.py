"""The names and ports under which tests are served; the names are those of web-platform-tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HOST = "web-platform.test"
ALTERNATE_HOST = "not-web-platform.test"
SUBDOMAINS = ("", "www", "www1", "www2", "www.www", "www.www1", "www1.www", "天気の良い日", "élève")


@dataclass(frozen=True)
class Ports:
    """The ports that the server listens on, by scheme; two for each, so that tests can vary the port alone."""

    http: Sequence[int]
    https: Sequence[int]

    def by_scheme(self) -> Mapping[str, Sequence[int]]:
        """The ports under the names of the schemes."""
        return {"http": self.http, "https": self.https}


def domains(host: str) -> dict[str, str]:
    """The names of a host, by their labels: ``""`` is the host itself."""
    return {label: (f"{label}.{host}" if label else host).encode("idna").decode() for label in SUBDOMAINS}


#: Every name that a test can be asked under.
NAMES = (*domains(HOST).values(), *domains(ALTERNATE_HOST).values())
