"""Substitution of ``{{...}}`` in served files, as by the ``sub`` pipe of web-platform-tests."""

from __future__ import annotations

import html
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from modelcontext.wpt.server.hosts import ALTERNATE_HOST, HOST, Ports, domains

_PLACE = re.compile(r"\{\{([^{}]*)\}\}")
_REFERENCE = re.compile(r"(?P<name>[A-Za-z_]+)(?P<keys>(?:\[[^\[\]]*\])*)(?P<call>\(\))?")
_KEY = re.compile(r"\[([^\[\]]*)\]")


class SubstitutionError(ValueError):
    """A ``{{...}}`` has no value; the message says which."""


@dataclass(frozen=True)
class Asked:
    """The parts of a request that a file can have substituted."""

    scheme: str
    hostname: str
    port: int
    path: str
    query: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]


def substitute(text: str, asked: Asked, ports: Ports, *, markup: bool) -> str:
    """Replace every ``{{...}}``, escaping values in markup. Raises :class:`SubstitutionError`."""

    def replacement(match: re.Match[str]) -> str:
        value = _value(match[1].strip(), asked, ports)
        return html.escape(value) if markup else value

    return _PLACE.sub(replacement, text)


def _value(reference: str, asked: Asked, ports: Ports) -> str:
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise SubstitutionError(f"{{{{{reference}}}}} cannot be read; write a name with keys in brackets")
    name, keys = match["name"], _KEY.findall(match["keys"])
    try:
        if match["call"]:
            if name == "uuid" and not keys:
                return str(uuid.uuid4())
        elif name == "host" and not keys:
            return HOST
        elif name == "domains":
            (label,) = keys
            return domains(HOST)[label]
        elif name == "hosts":
            group, label = keys
            return domains({"": HOST, "alt": ALTERNATE_HOST}[group])[label]
        elif name == "ports":
            scheme, number = keys
            return str(ports[scheme][int(number)])
        elif name == "GET":
            (key,) = keys
            return asked.parameters[key]
        elif name == "headers":
            (key,) = keys
            return asked.headers[key.lower()]
        elif name == "location":
            (key,) = keys
            return _location(asked)[key]
    except (KeyError, IndexError, ValueError):
        raise SubstitutionError(f"{{{{{reference}}}}} has no value here") from None
    raise SubstitutionError(f"{{{{{reference}}}}} is not known")


def _location(asked: Asked) -> Mapping[str, str]:
    host = f"{asked.hostname}:{asked.port}"
    return {
        "scheme": asked.scheme,
        "hostname": asked.hostname,
        "port": str(asked.port),
        "host": host,
        "server": f"{asked.scheme}://{host}",
        "pathname": asked.path,
        "path": asked.path + (f"?{asked.query}" if asked.query else ""),
        "query": f"?{asked.query}",
    }
