"""The answers of the server: files, with their headers, substitutions and pipes, and the responses of handlers."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.responses import Response

from modelcontext.judging.wpt.server.handlers import HandlerError, Stash, answer_of_handler
from modelcontext.judging.wpt.server.substitution import SubstitutionError, substitute
from modelcontext.judging.wpt.server.trickle import trickled
from modelcontext.judging.wpt.wrappers import wrapped_script, wrapper

if TYPE_CHECKING:
    from starlette.requests import Request

    from modelcontext.judging.wpt.server.hosts import Ports
    from modelcontext.judging.wpt.tree import Tree

_MARKUP = {".html", ".htm", ".xht", ".xhtml", ".xml", ".svg"}
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".idl": "text/plain", ".any": "text/plain"}
_PIPE = re.compile(r"(?P<name>\w+)(?:\((?P<arguments>(?:\\.|[^\\)])*)\))?")
# An argument, and the comma after it; a backslash escapes the character after it.
_ARGUMENT = re.compile(r"((?:\\.|[^\\,])*),")


class PipeError(ValueError):
    """The query's ``pipe`` parameter cannot be read, or names a pipe that is not known."""


def answer(request: Request, body: bytes, tree: Tree, ports: Ports, stash: Stash) -> Response:
    """Return the response to a request with that body; handlers share the stash."""
    path = unquote(request.url.path)
    try:
        file = tree.find(path)
        if file is not None and file.suffix == ".py":
            return answer_of_handler(file, request, body, stash)
        if request.method not in ("GET", "HEAD", "POST"):
            return Response(f"{path}: only a handler answers {request.method}", 405, media_type="text/plain")
        return _answer(request, path, tree, ports)
    except (SubstitutionError, PipeError, HandlerError, UnicodeDecodeError) as error:
        return Response(f"{path}: {error}", 500, media_type="text/plain")


def _answer(request: Request, path: str, tree: Tree, ports: Ports) -> Response:
    # The first value of a name counts.
    pipes = list(parse_pipes(next(iter(request.query_params.getlist("pipe")), "")))
    file = tree.find(path)
    if file is None:
        script = wrapped_script(path)
        source = tree.find(script) if script is not None else None
        if script is None or source is None:
            return Response(f"{path}: there is no such file", 404, media_type="text/plain")
        page = wrapper(script, request.url.query, source.read_text(encoding="utf-8", errors="replace"))
        response = Response(page.encode(), media_type="text/html")
        _add_headers(response, source, request, ports)
        return response
    body = file.read_bytes()
    if ".sub." in file.name or any(name == "sub" for name, _ in pipes):
        text = substitute(body.decode(), request, ports, markup=file.suffix.lower() in _MARKUP)
        body = text.encode()
    kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    response = Response(body, media_type=kind)
    _add_headers(response, file, request, ports)
    for name, arguments in pipes:
        response = _apply(response, name, arguments)
    return response


def _add_headers(response: Response, file: Path, request: Request, ports: Ports) -> None:
    for beside in (file.parent / "__dir__", file):
        for ending, is_template in ((".headers", False), (".sub.headers", True)):
            source = beside.with_name(beside.name + ending)
            if not source.is_file():
                continue
            text = source.read_text(encoding="utf-8")
            if is_template:
                text = substitute(text, request, ports, markup=False)
            lines = [line.partition(":") for line in text.splitlines() if ":" in line]
            # They replace earlier headers of their names.
            for name, _, _ in lines:
                del response.headers[name]
            for name, _, value in lines:
                response.headers.append(name, value.strip())


def parse_pipes(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of the pipes in a ``pipe`` parameter, with their arguments. Raises :class:`PipeError`."""
    position = 0
    while position < len(text):
        match = _PIPE.match(text, position)
        if match is None or text[match.end() : match.end() + 1] not in ("", "|"):
            raise PipeError(f"the pipe {text[position:]} cannot be read")
        raw = match["arguments"]
        parts = [] if raw is None else _ARGUMENT.findall(f"{raw},")
        arguments = [re.sub(r"\\(.)", r"\1", part) for part in parts]
        yield match["name"], arguments
        position = match.end() + 1


def _apply(response: Response, name: str, arguments: list[str]) -> Response:
    match name, arguments:
        case "sub", _:
            pass  # the body was substituted when it was read
        case "header", [header, value]:
            response.headers[header] = value
        case "header", [header, value, append] if append.strip().lower() in ("true", "1"):
            response.headers.append(header, value)
        case "status", [code] if code.isdecimal():
            response.status_code = int(code)
        case "slice", [start, end] if _is_place(start) and _is_place(end):
            response.body = bytes(response.body)[_place(start) : _place(end)]
            response.headers["Content-Length"] = str(len(response.body))
        case "trickle", [commands]:
            try:
                return trickled(response, commands)
            except ValueError as error:
                raise PipeError(f"the pipe trickle cannot be read: {error}") from None
        case _:
            known = "sub, header, status, slice and trickle"
            raise PipeError(f"the pipe {name}({','.join(arguments)}) is unknown; the known pipes are {known}")
    return response


def _is_place(text: str) -> bool:
    return text == "null" or text.removeprefix("-").isdecimal()


def _place(text: str) -> int | None:
    return None if text == "null" else int(text)
