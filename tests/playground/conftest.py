"""The examples of the playground, read once for all tests of a process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from modelcontext.people.playground.build import examples

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def examples_by_name() -> Mapping[str, dict[str, Any]]:
    """Return each example by its name."""
    return {example["name"]: example for example in examples(ROOT)}
