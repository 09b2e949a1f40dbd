"""JavaScript in the simulated browser: the suite beside Chromium, schedules a second, and complete sets by replay.

Figures are of processor time, of Python and of the engine together; the suite is measured as a person waits for it, on both
products in turn.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from modelcontext.ground.checkout import project_root
from modelcontext.hosts.scripting.outcomes import outcomes, pages_of
from modelcontext.hosts.scripting.page_schedules import Explorer, ScriptSearch
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import canonical_entry
from modelcontext.programs.program.staged import StagedRun
from modelcontext.running.products import SIMULATED
from modelcontext.running.products.simulated import start_process
from modelcontext.spec.revisions.current import REVISION

#: A script of one document with a race.
SCRIPT = """
document.modelContext.registerTool({ name: "t", description: "d", async execute() {} }).then(() => console.log("in"));
document.modelContext.getTools().then(() => console.log("listed"));
"""
SCHEDULES = 400
#: The most runs of a litmus test; what needs more is counted as undecided.
BOUND = 300


class NativeRun(StagedRun):
    """A run of a program by the engine, with our API."""

    has_broken_off = False


def processor_seconds() -> float:
    """Return the processor time so far, with that of processes that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


def spent(work: Callable[[], object]) -> float:
    """Return the processor seconds of some work."""
    before = processor_seconds()
    work()
    return processor_seconds() - before


def schedules_a_second(page: Path) -> None:
    """Print the schedules a second of a one-document script: sampled, and explored."""

    def sampled(count: int) -> Callable[[], None]:
        def work() -> None:
            with pages_of(page, lambda: start_process(REVISION), REVISION, 10.0) as pages:
                outcomes(pages, [None, *range(1, count)])

        return work

    seconds = spent(sampled(SCHEDULES)) - spent(sampled(1))
    print(f"sampled schedules: {(SCHEDULES - 1) / seconds:.0f} a second of processor time (floor 100, aim 500)")
    found = []

    def explore() -> None:
        with pages_of(page, lambda: start_process(REVISION), REVISION, 10.0) as pages:
            found.append(Explorer(pages).explore())

    seconds = spent(explore)
    [explored] = found
    words = "complete" if explored.complete else "undecided"
    print(f"every schedule of it: {explored.runs} runs, {explored.schedules} schedules, {words}, {seconds:.2f} s")


def two_action_litmus_tests() -> None:
    """Print which litmus tests of one document have their complete sets by replay, and whether they are the model's."""
    with start_process(REVISION) as process:
        complete = equal = 0
        tests = [
            litmus
            for litmus in read_catalogue(project_root() / CATALOGUE)
            if len(litmus.program.documents) == 1 and litmus.program.revision == REVISION.name
        ]
        begun = processor_seconds()
        for litmus in tests:
            program = litmus.program
            search: ScriptSearch[NativeRun] = ScriptSearch(
                lambda chooser, program=program: NativeRun(process, program, chooser),  # type: ignore[misc]
                canonical_entry,
                BOUND,
                1_000,
                lambda: None,
            )
            found = {run.result().canonical for run, _ in search.found()}
            complete += search.is_complete
            equal += search.is_complete and found == set(allowed_outcomes(program).outcomes)
    seconds = processor_seconds() - begun
    print(
        f"litmus tests of one document: {complete} of {len(tests)} complete within {BOUND} runs, {equal} of these equal to"
        f" the model's sets; {seconds:.1f} s"
    )


def suite(product: str) -> float:
    """Return the seconds of the suite on a product."""
    begun = time.perf_counter()
    command = [str(Path(sys.executable).with_name("modelcontext")), "test", "--product", product, "webmcp/imperative"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.js"
        page.write_text(SCRIPT)
        schedules_a_second(page)
    two_action_litmus_tests()
    simulated, chromium = suite(SIMULATED), suite("chromium")
    print(f"imperative suite: simulated {simulated:.1f} s, Chromium {chromium:.1f} s, {simulated / chromium:.2f} times")


if __name__ == "__main__":
    main()
