"""A folder like a checkout of web-platform-tests, outside of this repository, with tests that end in every possible way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from modelcontext.judging.wpt.tree import Tree, checkout_tree

ROOT = Path(__file__).resolve().parents[2]
TESTHARNESS = ROOT / "node_modules/wpt-runner/testharness/testharness.js"


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the folder, with the npm package's testharness.js."""
    assert TESTHARNESS.is_file(), "testharness.js is missing: run `npm ci --ignore-scripts`, or `make setup`"
    root = tmp_path_factory.mktemp("foreign")
    shutil.copytree(Path(__file__).parent / "nasty", root / "nasty")
    (root / "resources").mkdir()
    shutil.copy(TESTHARNESS, root / "resources")
    # The runner has to replace this file.
    (root / "resources/testharnessreport.js").write_text("throw new Error('not replaced')\n", encoding="utf-8")
    return root


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return a tree of served files whose root is empty, with the helpers of this checkout."""
    checkout = checkout_tree(ROOT)
    return Tree(tmp_path, checkout.files, checkout.folders)
