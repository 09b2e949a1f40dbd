"""The texts of the checkout, compiled once for all tests of a process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.spec.revisions.registry import CURRENT
from modelcontext_prose.compiler import compile_revision

if TYPE_CHECKING:
    from modelcontext_prose.compiler import Compiled

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def current() -> Compiled:
    """Compile the current text."""
    return compile_revision(ROOT, CURRENT)
