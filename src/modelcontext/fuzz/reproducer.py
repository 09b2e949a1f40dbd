"""A program as a test in the format of web-platform-tests: the test itself, and the page that its documents are.

The test opens the program's top document in a window, waits for its outcome, and asserts that the outcome is one of those
that the specification allows. It needs nothing of this package.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from modelcontext.program.language import Program, substituted
from modelcontext.program.outcome import Outcome
from modelcontext.program.render import configurations, runtime

TEST = "reproducer.https.sub.html"
DOCUMENT = "reproducer-document.html"
HELP = "https://webmachinelearning.github.io/webmcp/"

#: The origins of a program, by what the test server substitutes.
ORIGINS = {
    "A": "https://{{host}}:{{ports[https][0]}}",
    "B": "https://{{hosts[][www]}}:{{ports[https][0]}}",
    "C": "https://{{hosts[][www1]}}:{{ports[https][0]}}",
    "D": "https://{{hosts[][www2]}}:{{ports[https][0]}}",
    "insecure": "http://{{host}}:{{ports[http][0]}}",
}

_TEST = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
{links}
<script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script>
<body>
<!--
{program}
-->
<script>
"use strict";
// What the documents do, for the interpreter in {document}: the program above.
const program = JSON.parse({payload});
// The outcomes to compare with: what each event loop logs, in order, and the promises that never settle.
const outcomes = JSON.parse({outcomes});

// The order of an entry's own keys does not count, that of the members inside values does.
const sorted = (object, change) => Object.keys(object).sort().map((key) => [key, change(object[key])]);
const canonical = ({{ logs, pending }}) =>
  JSON.stringify([sorted(logs, (log) => log.map((entry) => sorted(entry, (value) => value))), pending]);

promise_test(async (test) => {{
  const finished = new Promise((resolve) =>
    addEventListener("message", ({{ data }}) => data?.report === "reproducer" && resolve(data.result)));
  const page = new URL("../../{document}", location);
  page.search = program.documents[0].query;
  page.hash = "top/" + encodeURIComponent(JSON.stringify(program));
  const top = open(page);
  test.add_cleanup(() => top.close());
  const result = await finished;
  assert_own_property(result, "outcome", JSON.stringify(result));
  const outcome = canonical(JSON.parse(result.outcome));
  {assertion}
}}, {name});
</script>
"""
_IN_ARRAY = 'assert_in_array(outcome, outcomes.map(canonical), "the outcome is one that the specification allows");'
_NOT_IN_ARRAY = (
    'for (const other of outcomes) assert_not_equals(outcome, canonical(other), "the specification rules this out");'
)

_DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>A document of a program</title>
<link rel="icon" href="data:,">
<body>
<script>
"use strict";
(() => {
  const slash = location.hash.indexOf("/");
  const text = location.hash.slice(slash + 1);
  const program = JSON.parse(decodeURIComponent(text));
  const id = location.hash.slice(1, slash);
  const documents = program.documents.map((document) => ({
    ...document,
    url: document.base + location.pathname + document.query + "#" + document.id + "/" + text,
  }));
  interpret({ ...program.common, ...program.own[id], id, documents });
})();

function interpret(config) {
RUNTIME(config);
}
</script>
"""


def reproducer_document() -> str:
    """The page that every document of every test is; it stands two folders above each test."""
    return _DOCUMENT.replace("RUNTIME", runtime().strip())


def reproducer(program: Program, outcomes: Sequence[Outcome], complete: bool, observed: Outcome | None = None) -> str:
    """The test.

    ``outcomes`` are the allowed ones; if they are not ``complete``, the test can only assert that the outcome is not the
    ``observed`` one, which the specification rules out.
    """
    compared = [outcome.to_data() for outcome in (outcomes if complete else [observed] if observed else [])]
    links = "\n".join(f'<link rel="help" href="{HELP}#{html.escape(id_)}">' for id_ in program.algorithms or ("api",))
    return _TEST.format(
        title=html.escape(program.title),
        links=links,
        program=program.dumps_toml().strip().replace("--", "- -"),
        payload=_script_text(_payload(program)),
        outcomes=_script_text(compared),
        document=DOCUMENT,
        assertion=_IN_ARRAY if complete else _NOT_IN_ARRAY,
        name=_script_text(program.title, parsed=False),
    )


def _payload(program: Program) -> dict[str, Any]:
    """The configurations of all documents: what they have in common, and what each has of its own."""
    configs = configurations(program, ORIGINS, lambda id_: "", report="reproducer")
    own = {id_: {key: config[key] for key in ("log", "script", "climbs")} for id_, config in configs.items()}
    common = {
        key: value for key, value in configs["top"].items() if key not in ("id", "log", "script", "climbs", "documents")
    }
    documents = [
        {
            **{key: value for key, value in document.items() if key != "url"},
            "base": ORIGINS[program.documents[document["id"]].origin],
            "query": _query(document["id"], program.documents[document["id"]].permissions_policy),
        }
        for document in configs["top"]["documents"]
    ]
    return {"common": common, "own": own, "documents": documents}


def _query(id_: str, policy: str | None) -> str:
    """The query that tells documents apart, and makes the test server send a header.

    A frame whose URL is that of a document around it, whatever the fragments are, shows nothing.
    """
    query = f"?document={quote(id_)}"
    if policy is None:
        return query
    escaped = "".join(
        f"\\{character}" if character in "\\,()" else character for character in substituted(policy, ORIGINS)
    )
    return f"{query}&pipe=header(Permissions-Policy,{escaped})"


def _script_text(value: Any, *, parsed: bool = True) -> str:
    """A string literal for a script element: of the JSON text of a value, or of a string itself."""
    return json.dumps(json.dumps(value) if parsed else value).replace("<", "\\u003c")
