"""The texts of the checkout, compiled once for all tests of a process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.spec.prose.compiler import compile_revision
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from modelcontext.spec.prose.compiler import Compiled

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def current() -> Compiled:
    """Compile the current text."""
    return compile_revision(ROOT, CURRENT)
