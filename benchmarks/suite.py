"""The conformance suite in Chromium: this harness beside a bare loop, in turn, over the same files, in the same build.

The bare loop is the simplest runner: one browser, one page, and for each file ``goto`` and a wait until testharness.js has
reported. It isolates nothing, and of all failures it survives a crashed page only, which it replaces. The harness is compared
with as many bare loops at a time as there are processors, each with its share of the files.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from modelcontext.judging.wpt.discovery import Test, find_tests
from modelcontext.judging.wpt.expectations import find
from modelcontext.judging.wpt.runner import run_tests
from modelcontext.judging.wpt.server.hosts import NAMES
from modelcontext.judging.wpt.server.server import TestServer
from modelcontext.judging.wpt.suite import SUITES, known_results
from modelcontext.judging.wpt.tree import checkout_tree
from modelcontext.running.products import Target, make_target
from modelcontext.running.products.engine import start_playwright

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 5
# Seconds after which the bare loop continues without a result.
PATIENCE = 15.0

T = TypeVar("T")


def quickest(target: Target) -> Path | None:
    """Return the program that the harness runs for most tests."""
    binary = target.find_binary()
    return binary and (target.engine.find_shell(target.binary, binary) or binary)


async def bare_loop(tests: Sequence[Test], server: TestServer, target: Target) -> int:
    """Run the bare loop, and return the number of files that have reported."""
    playwright = await start_playwright()
    try:
        browser = await target.engine.launch(playwright, quickest(target), NAMES, for_tests=True)
        try:
            context = await browser.new_context(ignore_https_errors=True)
            ended: asyncio.Future[bool]
            page: Any = None

            def end(report: Any) -> None:
                if not ended.done():
                    ended.set_result(report is not None)

            async def fresh_page() -> Any:
                fresh = await context.new_page()
                await fresh.expose_binding("modelcontextReport", report)
                fresh.on("crash", lambda _: end(None))
                return fresh

            def report(source: Any, data: Any) -> None:
                if source["frame"] == source["page"].main_frame:
                    end(data)

            reported = 0
            for test in tests:
                page = page or await fresh_page()
                ended = asyncio.get_running_loop().create_future()
                going = asyncio.ensure_future(page.goto(server.url(test.path, secure=test.secure)))
                try:
                    has_reported = await asyncio.wait_for(ended, PATIENCE)
                except TimeoutError:
                    has_reported = False
                await asyncio.gather(going, return_exceptions=True)
                reported += has_reported
                if not has_reported:
                    page = None
            return reported
        finally:
            await browser.close()
    finally:
        await playwright.stop()


async def bare_loops(count: int, tests: Sequence[Test], server: TestServer, target: Target) -> int:
    """Run ``count`` bare loops at a time, and return the number of files that have reported."""
    return sum(await asyncio.gather(*(bare_loop(tests[first::count], server, target) for first in range(count))))


def main() -> None:
    """Measure, and print the ratios and the peak memory of this process."""
    target = make_target("chromium")
    tree = checkout_tree(ROOT)
    tests = find_tests(tree.root, [SUITES[target.revision]])
    known = known_results(ROOT / f"wpt_tests/expectations/wpt-{target.name}.toml", target)
    processors = os.cpu_count() or 1
    ratios: list[float] = []
    with TestServer(tree) as server:
        for _ in range(ROUNDS):
            results, ours = timed(lambda: run_tests(tests, server, target))
            reported, bare = timed(lambda: asyncio.run(bare_loops(processors, tests, server, target)))
            ratios.append(ours / bare)
            ours_reported = sum(bool(result.subtests) for result in results)
            print(
                f"{len(tests)} files: this harness {ours:.1f} s ({ours_reported} reported), "
                f"{processors} bare loops {bare:.1f} s ({reported} reported), ratio {ratios[-1]:.2f}",
                flush=True,
            )
            for finding in find(results, known):
                # A test that has timed out explains a round that took a minute more.
                print(f"  unexpected: {finding}", flush=True)
    # Kilobytes on Linux, bytes on macOS.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    print(f"median ratio {statistics.median(ratios):.2f} on {processors} processors (aim 1.05)")
    print(f"peak memory of this process {peak:.0f} MB (ceiling 300 MB)")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return the result of the work, and the seconds that it took."""
    start = time.perf_counter()
    return work(), time.perf_counter() - start


if __name__ == "__main__":
    main()
