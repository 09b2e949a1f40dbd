"""The generated functions beside those written by hand: which differ as syntax trees, and why that is no difference.

Equal outcomes of the whole corpus do not prove that two functions are equal. ``judged.toml`` has every line that differs.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import pytest

from modelcontext.spec.revisions.registry import FILES
from modelcontext_prose.compiler import compile_revision
from packages.prose.tests.same_code import differences, functions_in, items_in

ROOT = Path(__file__).resolve().parents[3]

#: Names of generated code that hand-written code says otherwise.
_NAMES: Final = {"ToolAnnotationsStruct": "Annotations"}
#: By revision and algorithm, the lines of the difference, and the reason why it is none.
_JUDGED: Final = tomllib.loads((ROOT / "packages/prose/tests/judged.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FILES)
def test_functions_that_differ_from_the_written_ones_are_judged(name: str) -> None:
    written = [path.read_text(encoding="utf-8") for path in sorted((ROOT / FILES[name].package).glob("*.py"))]
    made = compile_revision(ROOT, FILES[name]).files.values()
    items = items_in(written)
    ours, theirs = functions_in(written), functions_in(made)
    assert ours.keys() == theirs.keys()
    found = {id_: _lines(differences(ours[id_], theirs[id_], items, _NAMES)) for id_ in ours}
    judged = {id_: judgment["lines"] for id_, judgment in _JUDGED.get(name, {}).items()}
    assert {id_: lines for id_, lines in found.items() if lines} == judged


def _lines(difference: list[str]) -> str:
    """Return the lines of a difference without those that tell its places."""
    return "".join(f"{line}\n" for line in difference if not line.startswith("@@"))
