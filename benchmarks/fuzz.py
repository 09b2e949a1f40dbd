"""Programs per second in Chromium: many in frames of a page that stays, against a fresh page for each.

    python -m benchmarks.fuzz

The programs are the first of the campaign with seed 1 that fit into a frame. Both ways run in turn, so that a change of the
machine's speed meets both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import in_turn
from modelcontext.fuzz.batching import fits_into_a_frame
from modelcontext.fuzz.runners import BatchingChromium
from modelcontext.program.generators import numbered_program
from modelcontext.program.language import Program

NUMBERS = range(160)
#: Fresh pages take so long that fewer are enough.
ALONE = 10


def in_frames(chromium: BatchingChromium, programs: Sequence[Program]) -> Callable[[], int]:
    """Run all programs in batches."""
    return lambda: len(chromium.run_many(programs))


def in_fresh_pages(chromium: BatchingChromium, programs: Sequence[Program]) -> Callable[[], int]:
    """Run some of the programs, each in a fresh page."""

    def run() -> int:
        for program in programs[:ALONE]:
            chromium.run_in_a_fresh_page(program)
        return len(programs[:ALONE])

    return run


def main() -> None:
    """Print the table."""
    drawn = [program for number in NUMBERS if fits_into_a_frame(program := numbered_program(1, number))]
    table = Table("programs", "fresh page", "in frames", "ratio", "aim")
    with BatchingChromium() as chromium:
        for name, programs in (
            ("as they come", drawn),
            ("one document", [program for program in drawn if len(program.documents) == 1]),
            ("with frames", [program for program in drawn if len(program.documents) > 1]),
        ):
            alone, batched = in_turn([in_fresh_pages(chromium, programs), in_frames(chromium, programs)], rounds=2)
            table.add_row(
                f"{name} ({len(programs)})",
                f"{1 / alone.median:.1f} a second",
                f"{1 / batched.median:.1f} a second",
                f"{alone.median / batched.median:.1f}",
                "20 (floor 8)",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
