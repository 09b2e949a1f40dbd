"""The generated functions beside those written by hand: which differ as syntax trees, and why that is no difference.

Equal outcomes of the whole corpus do not prove that two functions are equal. Each difference is judged here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from modelcontext.spec.prose.generation import compile_revision
from modelcontext.spec.revisions.registry import FILES
from tests.prose.same_code import differences, functions_in, items_in

ROOT = Path(__file__).resolve().parents[2]

#: Names of generated code that hand-written code says otherwise.
_NAMES: Final = {"ToolAnnotationsStruct": "Annotations", "alike_form_tools": "alike"}
_HELPER: Final = "a helper written by hand asserts what `there` asserts, without the step"
_REASONS: Final = {
    "current": {
        "perform-an-observation": f"{_HELPER}; the map is a dict, because no other strand sees it before it is returned",
        "unloading-document-cleanup": "two comparisons, where the written code has one test of membership",
        "declarative-execute-steps": _HELPER,
        "dom-submitevent-respondwith": "the attribute of any event is read by its name",
        "process-a-submit-event": "the attribute of any event is read by its name",
        "dom-modelcontext-registertool": "the written code has a variable of its own for a result that may be failure",
        "dom-modelcontext-gettools": f"the same; {_HELPER}",
        "dom-modelcontext-executetool": (
            f"the realm that no sentence names is that of this, which the variable realm is, too; {_HELPER}; "
            "both branches yield, where the written code yields once before them"
        ),
        "valid-tool-name": "a test for each kind of code point, where the written code has sets",
        "notify-documents-of-a-tool-change": f"{_HELPER}; a function, where the written code has a lambda with a default",
        "collect-registered-tools": f"{_HELPER}; a test of one origin or any of others, where the written code joins both",
        "determine-the-parameter-kind": "the text asks for the attribute first; its value is the empty string without it",
        "synthesize-a-parameter-schema": _HELPER,
        "synthesize-a-numeric-schema": (
            "a maximum that is compared must be there, as the text says; every range control has both. The written code "
            "asks for null, which no step does"
        ),
        "determine-the-value-pattern": "patterns of prose are functions; strings are added, where the written code formats",
        "describe-a-parameter": _HELPER,
        "convert-an-argument": _HELPER,
        "convert-a-value-to-a-string": "a choice of two strings, where the written code makes them of the boolean",
        "perform-an-assignment": (
            "the first option that the sentence describes, where the written code has a verb for it; the value is cast, "
            "where the written code converts it"
        ),
    },
    "2026-03": {},
}


@pytest.mark.parametrize("name", FILES)
def test_functions_that_differ_from_the_written_ones_are_judged(name: str) -> None:
    written = [path.read_text(encoding="utf-8") for path in sorted((ROOT / FILES[name].package).glob("*.py"))]
    made = compile_revision(ROOT, FILES[name]).files.values()
    items = items_in(written)
    ours, theirs = functions_in(written), functions_in(made)
    assert ours.keys() == theirs.keys()
    found = {id_: differences(ours[id_], theirs[id_], items, _NAMES) for id_ in ours}
    assert {id_ for id_, lines in found.items() if lines} == set(_REASONS[name])
