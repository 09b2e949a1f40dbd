"""The checkout: the folder that holds the text, the programs and the tests."""

from __future__ import annotations

from pathlib import Path

#: Where the corpus stands in a checkout.
PROGRAMS = Path("wpt_tests/programs")


def find_checkout(start: Path | None = None) -> Path | None:
    """The nearest folder with a corpus, from the given one (the working directory) upwards; else this package's own."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents, Path(__file__).resolve().parents[2]):
        if (folder / PROGRAMS).is_dir():
            return folder
    return None
