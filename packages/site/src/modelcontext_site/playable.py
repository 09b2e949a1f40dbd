"""The parts of the site that run Python in a page: the playground, and a page for each proposal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from modelcontext.people.playground.build import build_playground
from modelcontext.running.products import page
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS, from_the_compiler

PROPOSALS: Final = Path("spec/proposals")
#: The folders in the site.
PLAYGROUND: Final = "playground"
PLAY: Final = "play"
_DEMO: Final = "demo.html"


def playable_proposals(root: Path) -> Iterator[str]:
    """Yield the names of the proposals that have a page to play with."""
    for path in sorted((root / PROPOSALS).glob(f"*/{_DEMO}")):
        yield path.parent.name


def write_playable(root: Path, out: Path, pyodide: Path | None) -> Iterator[str]:
    """Write the playground, and a folder for each proposal; yield the name of each before it is written.

    Raises:
        UnavailableError: if Pyodide or another package is missing.
        SpecificationError: if a proposal is no longer a patch of the text.
        WriteError: if a file cannot be written.
    """
    yield "the playground"
    build_playground(root, out / PLAYGROUND, pyodide)
    for name in playable_proposals(root):
        yield name
        folder = out / PLAY / name
        patch = (root / PROPOSALS / name / "change.patch").read_text(encoding="utf-8")
        text = from_the_compiler("patch")(root / CURRENT.text, (patch,))
        with REVISIONS.standing_in(CURRENT.name, text):
            page.build(folder, REVISIONS[CURRENT.name], pyodide)
        shared = [path for path in sorted((root / PROPOSALS).iterdir()) if path.is_file()]
        for path in (*shared, root / PROPOSALS / name / _DEMO):
            shutil.copyfile(path, folder / path.name)
