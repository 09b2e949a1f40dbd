"""A program as a test in the format of web-platform-tests: the test itself, and the page for its documents.

The test opens the program's top document in a window, waits for its outcome, and asserts that the specification allows it.
It does not need this package.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from modelcontext.judging.wpt.tree import DOCUMENT_OF_FINDINGS
from modelcontext.programs.program.language import Program, substituted
from modelcontext.programs.program.render import common_configuration, documents, own_configuration, runtime, step_data

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Outcome

TEST = "reproducer.https.sub.html"
HELP = "https://webmachinelearning.github.io/webmcp/"

#: The origins of a program, as texts for the test server to substitute.
ORIGINS = {
    "A": "https://{{host}}:{{ports[https][0]}}",
    "B": "https://{{hosts[][www]}}:{{ports[https][0]}}",
    "C": "https://{{hosts[][www1]}}:{{ports[https][0]}}",
    "D": "https://{{hosts[][www2]}}:{{ports[https][0]}}",
    "insecure": "http://{{host}}:{{ports[http][0]}}",
}

_TEST = Path(__file__).with_name("reproducer-test.html").read_text(encoding="utf-8")
_IN_ARRAY = 'assert_in_array(outcome, outcomes.map(canonical), "the outcome is one that the specification allows");'
_NOT_IN_ARRAY = (
    'for (const other of outcomes) assert_not_equals(outcome, canonical(other), "the specification rules this out");'
)

_DOCUMENT = Path(__file__).with_name("reproducer-document.html").read_text(encoding="utf-8")


def reproducer_document() -> str:
    """Return the page for every document of every test; it stands two folders above each test."""
    return _DOCUMENT.replace("RUNTIME", runtime())


def reproducer(program: Program, outcomes: Sequence[Outcome], complete: bool, observed: Outcome | None = None) -> str:
    """Return the test for a program.

    If the allowed ``outcomes`` are not ``complete``, the test can only assert that the outcome is not the ``observed`` one,
    which the specification rules out.
    """
    compared = [outcome.to_data() for outcome in (outcomes if complete else [observed] if observed else [])]
    links = "\n".join(f'<link rel="help" href="{HELP}#{html.escape(id_)}">' for id_ in program.algorithms or ("api",))
    return _TEST.format(
        title=html.escape(program.title),
        links=links,
        program=program.dumps_toml().strip().replace("--", "- -"),
        payload=_script_text(_payload(program)),
        outcomes=_script_text(compared),
        document=DOCUMENT_OF_FINDINGS,
        assertion=_IN_ARRAY if complete else _NOT_IN_ARRAY,
        name=_script_text(program.title, parsed=False),
    )


def _payload(program: Program) -> dict[str, Any]:
    """Return the configurations of all documents: the common part, and that of each document."""
    return {
        "common": common_configuration(program, ORIGINS, report="reproducer"),
        "own": {id_: own_configuration(program, id_) for id_ in program.documents},
        "documents": [
            {**document, "base": ORIGINS[spec.origin], "query": _query(spec.id, spec.permissions_policy)}
            for document, spec in zip(documents(program, ORIGINS), program.documents.values(), strict=True)
        ],
    }


def _query(id_: str, policy: str | None) -> str:
    """Return the query that tells documents apart, and makes the test server send a header.

    A frame stays empty if its URL, without the fragment, is that of a document around it.
    """
    query = f"?document={quote(id_)}"
    if policy is None:
        return query
    escaped = "".join(
        f"\\{character}" if character in "\\,()" else character for character in substituted(policy, ORIGINS)
    )
    return f"{query}&pipe=header(Permissions-Policy,{escaped})"


def _script_text(value: Any, *, parsed: bool = True) -> str:
    """Return a string literal for a script element: the JSON text of a value to parse, or a string itself."""
    return json.dumps(json.dumps(value, default=step_data) if parsed else value).replace("<", "\\u003c")
