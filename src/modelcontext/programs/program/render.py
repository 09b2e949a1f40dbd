"""A program as web pages: for each document, one page that runs its script and records entries.

The page side, in the folder ``runtime``, interprets the program's data. This module writes its configuration.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modelcontext.ground.joining import function_of_modules
from modelcontext.programs.program.language import Program, ProgramStep, substituted
from modelcontext.programs.program.notation import METHODS, NOTATIONS

if TYPE_CHECKING:
    from modelcontext.programs.program.timetable import Timetable

# Milliseconds without news after which a run with unsettled promises counts as over, if all documents then answer.
QUIET = 300


@dataclass(frozen=True)
class HttpResponse:
    """One document's response: an HTML body, and the headers beside the content type."""

    body: str
    headers: Mapping[str, str]


@dataclass(frozen=True)
class Steering:
    """A timetable, and the path on the server at which the documents meet."""

    timetable: Timetable
    meeting: str


def runtime() -> str:
    """Return the page side: an expression for a function of a document's configuration."""
    return function_of_modules(Path(__file__).parent / "runtime" / "main.js", "config")


def shared_runtime() -> str:
    """Return the page side as a script to load, for documents that do not contain its text."""
    return f"{_SHARED} = {runtime()};\n"


_SHARED = "window[Symbol.for('modelcontext.interpret')]"


def pages(
    program: Program,
    origins: Mapping[str, str],
    url: Callable[[str], str],
    patience: float = 15,
    *,
    quiet: int = QUIET,
    report: str | None = None,
    scripts: Sequence[str] = (),
    steering: Steering | None = None,
) -> dict[str, HttpResponse]:
    """Return the pages of a program by document id.

    Args:
        program: the program.
        origins: the serialized origins, by letter and ``insecure``.
        url: returns the URL of a document's page, which must have the document's origin.
        patience: seconds after which a run that has not come to rest is given up.
        quiet: milliseconds, as :data:`QUIET`.
        report: makes ``top`` post ``{report, result}`` to its opener or parent at the end, so that it can be in a frame.
        scripts: URLs that every document loads; the last serves :func:`shared_runtime`.
        steering: the timetable that the documents keep, if any.
    """
    common = common_configuration(program, origins, patience, quiet=quiet, report=report)
    common["documents"] = [{**document, "url": url(document["id"])} for document in documents(program, origins)]
    rendered = {}
    for id_, spec in program.documents.items():
        headers = {}
        if spec.permissions_policy is not None:
            headers["Permissions-Policy"] = substituted(spec.permissions_policy, origins)
        if program.leaves:
            # Browsers do not put a page with no-store into the back/forward cache.
            headers["Cache-Control"] = "no-cache"
        own = own_configuration(program, id_)
        if steering is not None:
            own["timetable"] = {**steering.timetable.of(id_), "meeting": steering.meeting}
        page = _page(f"{program.title} ({id_})", {**common, **own}, scripts)
        rendered[id_] = HttpResponse(page, headers)
    return rendered


def common_configuration(
    program: Program, origins: Mapping[str, str], patience: float = 15, *, quiet: int = QUIET, report: str | None = None
) -> dict[str, Any]:
    """Return the part of the page side's configuration that all documents share, but for the documents themselves.

    The arguments are those of :func:`pages`.
    """
    return {
        "accessor": program.dialect.accessor,
        "promises": sorted(program.dialect.promises),
        "origins": dict(origins),
        "notations": [*NOTATIONS, "$callback"],
        "quiet": quiet,
        "patience": patience * 1000,
        "report": report,
        **({"rests": True} if any(spec.html is not None for spec in program.documents.values()) else {}),
    }


def documents(program: Program, origins: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the documents for the page side's configuration, without their URLs."""
    return [
        {
            "id": spec.id,
            "holder": program.holders.get(spec.id, spec.id),
            "parent": spec.parent,
            "opener": spec.opener,
            "tab": spec.tab,
            "allow": substituted(spec.allow, origins) if spec.allow is not None else None,
            "sandbox": spec.sandbox,
            "later": spec.later,
            "origin": "null" if program.is_opaque(spec.id) else origins[spec.origin],
        }
        for spec in program.documents.values()
    ]


def own_configuration(program: Program, document: str) -> dict[str, Any]:
    """Return the part of the page side's configuration that is a document's own."""
    return {
        "id": document,
        "log": program.log_of(document),
        "script": program.steps(document),
        "climbs": _climbs(program, document),
        **({"html": program.documents[document].html} if program.documents[document].html is not None else {}),
    }


def _climbs(program: Program, document: str) -> list[int]:
    """Return the number of parents from a document to the top of its tab; then the same for its opener, and so on."""
    climbs = [0]
    spec = program.documents[document]
    while spec.id != "top" and spec.tab is None:
        if spec.parent is not None:
            climbs[-1] += 1
        else:
            climbs.append(0)
        spec = program.documents[spec.parent or spec.opener or ""]
    return climbs


def _page(title: str, config: Mapping[str, Any], scripts: Sequence[str]) -> str:
    # JSON.parse, because a member __proto__ has another meaning in an object literal. "<" is always escaped, so that no
    # text of a program can end the script element.
    data = f"JSON.parse({json.dumps(json.dumps(config, default=step_data))})".replace("<", "\\u003c")
    loaded = "".join(f'<script src="{html.escape(url)}"></script>\n' for url in scripts)
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n'
        f'<head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        # Saves the request for an icon.
        '<link rel="icon" href="data:,"></head>\n'
        "<body>\n"
        f"{loaded}<script>\n{_SHARED if scripts else runtime()}({data});\n</script>\n"
        "</body>\n"
        "</html>\n"
    )


def step_data(step: ProgramStep) -> dict[str, Any]:
    """Return a step as plain data, but for the steps nested in it: for the argument ``default`` of :func:`json.dumps`."""
    arguments = {"arguments": step.method_arguments} if step.do in METHODS else step.arguments
    return {
        "do": step.do,
        "label": step.label,
        "wait": step.wait,
        "on": step.on,
        "place": step.place,
        "arguments": arguments,
    }
