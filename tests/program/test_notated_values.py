"""Values as the model makes and writes them; ``values.test.js`` is the same test for the page side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.reading import from_data
from modelcontext.programs.program.stage import ORIGINS

TABLE = json.loads((Path(__file__).parent / "values.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", TABLE["values"], ids=lambda row: json.dumps(row["of"]))
def test_value_is_written_in_the_notation(row: dict[str, Any]) -> None:
    program = from_data({"title": "t", "script": {"top": [{"do": "log", "value": row["of"]}]}})
    [entry] = run_once(program).outcome.logs["top"]
    assert json.dumps(entry["log"]) == json.dumps(row["is"])


def test_origins_of_the_table_are_those_of_the_model() -> None:
    assert TABLE["origins"] == ORIGINS
