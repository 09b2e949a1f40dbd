"""Substitution of ``{{...}}`` in served files, as by the ``sub`` pipe of web-platform-tests."""

from __future__ import annotations

import html
import re
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from modelcontext.judging.wpt.server.hosts import ALTERNATE_HOST, HOST, Ports, domains

if TYPE_CHECKING:
    from starlette.datastructures import URL
    from starlette.requests import Request

_PLACE = re.compile(r"\{\{([^{}]*)\}\}")
_REFERENCE = re.compile(r"(?P<name>[A-Za-z_]+)(?P<keys>(?:\[[^\[\]]*\])*)(?P<call>\(\))?")
_KEY = re.compile(r"\[([^\[\]]*)\]")


class SubstitutionError(ValueError):
    """A ``{{...}}`` has no value; the message says which."""


def substitute(text: str, request: Request, ports: Ports, *, markup: bool) -> str:
    """Replace every ``{{...}}``, escaping values in markup. Raises :class:`SubstitutionError`."""

    def replacement(match: re.Match[str]) -> str:
        value = _value(match[1].strip(), request, ports)
        return html.escape(value) if markup else value

    return _PLACE.sub(replacement, text)


def _value(reference: str, request: Request, ports: Ports) -> str:
    match = _REFERENCE.fullmatch(reference)
    if match is None:
        raise SubstitutionError(f"{{{{{reference}}}}} cannot be read: write a name and its keys, such as domains[www]")
    try:
        match match["name"] + (match["call"] or ""), _KEY.findall(match["keys"]):
            case "uuid()", []:
                return str(uuid.uuid4())
            case "host", []:
                return HOST
            case "domains", [label]:
                return domains(HOST)[label]
            case "hosts", [group, label]:
                return domains({"": HOST, "alt": ALTERNATE_HOST}[group])[label]
            case "ports", [scheme, number]:
                return str(ports[scheme][int(number)])
            case "GET", [key]:
                return request.query_params.getlist(key)[0]
            case "headers", [key]:
                return request.headers.getlist(key)[-1]
            case "location", [key]:
                return _location(request.url)[key]
            case (("domains" | "hosts" | "ports" | "GET" | "headers" | "location"), _):
                raise KeyError(reference)
    except (KeyError, IndexError, ValueError):
        raise SubstitutionError(f"{{{{{reference}}}}} has no value here") from None
    raise SubstitutionError(f"{{{{{reference}}}}} is not known")


def _location(url: URL) -> Mapping[str, str]:
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    host = f"{url.hostname or ''}:{port}"
    path = unquote(url.path)
    return {
        "scheme": url.scheme,
        "hostname": url.hostname or "",
        "port": str(port),
        "host": host,
        "server": f"{url.scheme}://{host}",
        "pathname": path,
        "path": path + (f"?{url.query}" if url.query else ""),
        "query": f"?{url.query}",
    }
