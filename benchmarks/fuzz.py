"""Programs per second in Chromium: in frames of pages that stay open, as in a campaign, and in a fresh page for each.

    python -m benchmarks.fuzz

The programs are the first ones of the campaign with seed 1. A campaign has its frames in the headless shell; a fresh page is
one of Chromium itself, as in ``modelcontext run``. Two more columns show fresh pages in the shell, and frames in Chromium
itself. All variants run in turn, so that a change of the machine's speed affects each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from benchmarks.measuring import in_turn
from modelcontext.running.products import make_target
from modelcontext.running.products.chromium import ChromiumEngine
from modelcontext.running.products.frames import FramesProduct
from modelcontext_fuzz.generators import numbered_program

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

NUMBERS = range(160)
#: Fresh pages are slow, so they run every fourth program: these have as many documents, steps and popups as all.
EVERY = 4
ROUNDS = 3


def in_a_campaign(chromium: FramesProduct, programs: Sequence[Program]) -> Callable[[], int]:
    """Return a function that runs all programs in batches."""
    return lambda: len(chromium.run_many(programs))


def in_fresh_pages(chromium: FramesProduct, programs: Sequence[Program]) -> Callable[[], int]:
    """Return a function that runs every fourth program in a fresh page."""
    alone = programs[::EVERY]

    def run() -> int:
        for program in alone:
            chromium.run_in_a_fresh_page(program)
        return len(alone)

    return run


def main() -> None:
    """Measure, and print the table."""
    engine = ChromiumEngine()
    binary = engine.find_binary()
    shell = engine.find_shell(None, binary) if binary is not None else None
    if shell is None:
        raise SystemExit("there is no headless shell of the same version to compare; run `modelcontext setup chromium`")
    drawn = [program for number in NUMBERS if not (program := numbered_program(1, number)).leaves]
    with_popups = [program for program in drawn if any(spec.opener for spec in program.documents.values())]
    others = [program for program in drawn if program not in with_popups]
    table = Table("programs", "fresh page", "campaign", "ratio", "aim", "fresh page in the shell", "frames in Chromium")
    with (
        FramesProduct(make_target("chromium")) as chromium,
        FramesProduct(make_target("chromium", binary=str(shell))) as in_shell,
        FramesProduct(make_target("chromium", binary=str(binary))) as without_shell,
    ):
        for name, programs in (
            ("as they come", drawn),
            ("one document", [program for program in others if len(program.documents) == 1]),
            ("with frames", [program for program in others if len(program.documents) > 1]),
            ("with popups", with_popups),
        ):
            ways = [
                in_fresh_pages(chromium, programs),
                in_a_campaign(chromium, programs),
                in_fresh_pages(in_shell, programs),
                in_a_campaign(without_shell, programs),
            ]
            seconds = [measured.median for measured in in_turn(ways, ROUNDS)]
            alone, campaign, alone_in_shell, framed_in_chromium = (f"{1 / each:.1f} a second" for each in seconds)
            ratio = f"{seconds[0] / seconds[1]:.1f}"
            figures = [alone, campaign, ratio, "20 (floor 8)", alone_in_shell, framed_in_chromium]
            table.add_row(f"{name} ({len(programs)})", *figures)
    Console().print(table)


if __name__ == "__main__":
    main()
