"""Fixtures of the core's tests: a small corpus with one program of each kind, a folder that all processes share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.spec.revisions.registry import FILES
from modelcontext.spec.specification.text.bikeshed import build
from tests.explored import explored_corpus
from tests.sharing import made_once

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import KeptExploration

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return a folder that all processes of this run of tests share."""
    own = tmp_path_factory.getbasetemp()
    return own if worker_id == "master" else own.parent


@pytest.fixture(scope="session")
def built_texts(shared_folder: Path, takes_long: None) -> None:
    """Build the text of each revision with Bikeshed, once for all processes; it is kept until the text changes."""

    def build_all(folder: Path) -> None:
        for revision in FILES.values():
            build(ROOT / revision.text, ROOT / revision.cache)

    made_once(shared_folder / "texts", build_all)


@pytest.fixture(scope="session")
def corpus_outcomes(shared_folder: Path, takes_long: None) -> Mapping[str, KeptExploration]:
    """Return what the model allows each program of the corpus, by name; one process of the run of tests explores."""
    made_once(shared_folder / "explored", lambda folder: explored_corpus(ROOT))
    return explored_corpus(ROOT)


AGREES = """
title = "Nothing is registered at the start"
[[script.top]]
do = "getTools"
"""

DISAGREES = """
title = "A callback that resolves with undefined makes executeTool reject with UnknownError"
[[script.top]]
do = "registerTool"
tool = { name = "t", description = "d" }
callback = { resolves = { "$js" = "undefined" } }
[[script.top]]
do = "executeTool"
tool = { "$tool" = "t" }
as = "call"
"""

KNOWN = """
[[program]]
name = "results/disagrees"
reason = "product"
step = "imperative-execute-steps 12.a.3"
observed = 'call: fulfilled with "undefined"'
note = "undefined has no JSON text"
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Make the ``wpt_tests`` of a checkout: two programs, and the expectation that one of them disagrees on Chromium."""
    folder = tmp_path / "wpt_tests"
    for name, text in (("listing/agrees", AGREES), ("results/disagrees", DISAGREES)):
        path = folder / "programs" / f"{name}.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (folder / "expectations").mkdir()
    (folder / "expectations" / "chromium.toml").write_text(KNOWN)
    return folder
