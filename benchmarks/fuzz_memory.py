"""Memory over a long campaign: of its main process, and of its workers and the browser.

For the main process this is the resident set. For the other processes it is the proportional share: a page that several
processes share, as a browser's processes do with most pages, counts in part for each.

    python -m benchmarks.fuzz_memory [--product chromium] [--examples 20000] [--every 2000]

The programs are those of seed 1, the campaign's folder is temporary; the product ``model:2026-03`` needs no browser.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console

from modelcontext.conformance.pools import local_pool
from modelcontext.fuzz.campaign import Campaign, CampaignReport, Plan
from modelcontext.products import make_runner, runners
from modelcontext.profiles import PROFILES, load_profile

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(pid: int) -> int:
    """Return the resident set of a process in bytes; 0 if the process has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except OSError:
        return 0


def share(pid: int) -> int:
    """Return the proportional share of a process in resident memory, in bytes; 0 if the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, directly or not."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
                )
            except OSError:
                continue
    found = [pid]
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found[1:]


def printing(console: Console, every: int) -> Callable[[CampaignReport], None]:
    """Return a function that prints the figures after every ``every`` programs."""
    begun = time.perf_counter()
    due = every

    def progress(report: CampaignReport) -> None:
        nonlocal due
        if report.programs >= due:
            due += every
            own, others = resident(os.getpid()), sum(map(share, descendants(os.getpid())))
            seconds = time.perf_counter() - begun
            figures = f"{own / 2**20:6.0f} MiB here, {others / 2**20:6.0f} MiB in other processes"
            console.print(f"{report.programs:6} programs after {seconds:5.0f} s: {figures}")

    return progress


def main() -> None:
    """Run the campaign, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--product", choices=runners(), default="chromium")
    parser.add_argument("--examples", type=int, default=20_000)
    parser.add_argument("--every", type=int, default=2_000)
    chosen = parser.parse_args()
    profiles = [load_profile(name) for name, product in PROFILES.items() if product == chosen.product]
    with tempfile.TemporaryDirectory() as folder, make_runner(chosen.product) as runner:
        progress = printing(Console(), chosen.every)
        profile = profiles[0] if profiles else None
        pool = partial(local_pool, os.cpu_count() or 1)
        report = Campaign(runner, Plan(1, chosen.examples), Path(folder), profile, pool=pool, progress=progress).run()
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(report.kinds.items()))
    print(f"{kinds}; {len(report.findings)} findings, {len(report.unsteady)} unsteady")


if __name__ == "__main__":
    main()
