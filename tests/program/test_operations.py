"""The operations of the program language: the same in the notation, the model, the page and the documentation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from modelcontext.platform.webidl.conversions import snake_case
from modelcontext.programs.program.element_operations import ElementOperations
from modelcontext.programs.program.notation import ELEMENT_OPERATIONS, METHODS, OPERATIONS
from modelcontext.programs.program.operations import Script

ROOT = Path(__file__).resolve().parents[2]
#: The operations of a ModelContext that are also about an element if a step has the key ``element``.
ON_BOTH = {"get", "listen"}


def documented() -> dict[str, set[str]]:
    """Return the keys of each operation in the table of the documentation."""
    text = (ROOT / "docs/program-language.md").read_text(encoding="utf-8")
    rows = text.partition("| `do` | keys | meaning |\n|---|---|---|\n")[2].partition("\n\n")[0]
    keys: dict[str, set[str]] = {}
    for row in rows.splitlines():
        _, names, of_names, _ = row.split("|", 3)
        for name in re.findall(r"`(\w+)`", names):
            assert name not in keys, f"{name} has two rows"
            keys[name] = set(re.findall(r"`([a-z]\w*)`", of_names))
    return keys


def test_operations_of_the_model_are_those_of_the_notation() -> None:
    methods = [
        name
        for owner in (Script, ElementOperations)
        for name, function in inspect.getmembers(owner, inspect.isfunction)
        if not name.startswith("_") and "step" in inspect.signature(function).parameters
    ]
    assert set(methods) | {snake_case(name) for name in METHODS} == {snake_case(name) for name in OPERATIONS}


def test_operations_of_the_page_are_those_of_the_notation() -> None:
    folder = ROOT / "src/modelcontext/programs/program/runtime"
    script = (folder / "steps.js").read_text(encoding="utf-8")
    table = script.partition("\nconst operations = {\n")[2].partition("\n};\n")[0]
    in_the_page = re.findall(r"^  (\w+)(?=[(:])", table, re.MULTILINE)
    assert sorted(in_the_page) == sorted(set(OPERATIONS) - ELEMENT_OPERATIONS)
    script = (folder / "elements.js").read_text(encoding="utf-8")
    table = script.partition("\nexport function elementOperations(")[2].partition("\n  return {\n")[2]
    on_elements = re.findall(r"^    (\w+)(?=[(:])", table, re.MULTILINE)
    assert sorted(on_elements) == sorted({*ELEMENT_OPERATIONS, *ON_BOTH})


def test_operations_with_an_element_are_those_on_elements() -> None:
    with_element = {
        name for name, signature in OPERATIONS.items() if "element" in {**signature.required, **signature.optional}
    }
    assert with_element == (ELEMENT_OPERATIONS - {"preventDefault", "respondWith"}) | ON_BOTH


def test_operations_of_the_documentation_are_those_of_the_notation() -> None:
    assert set(documented()) == set(OPERATIONS)


def test_documented_keys_of_operations_are_those_of_the_notation() -> None:
    for name, keys in documented().items():
        signature = OPERATIONS[name]
        assert set(signature.required) <= keys <= {*signature.required, *signature.optional}, name
