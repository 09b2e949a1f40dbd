"""The time to find all allowed outcomes of a program, and to decide whether one outcome is allowed.

    python -m benchmarks.exploration [--actions 4] [--digests] [--cluster tcp://127.0.0.1:8786] [--beside CHECKOUT]

Each program has two documents, on one event loop or on two, with racing actions: the documents take turns in making calls,
and do not wait for the results. ``register``: each registers tools while both listen for toolchange. ``execute``: both call
one tool. ``mixed``: the frame calls a tool, aborts the call and lists the tools while the page registers a tool and calls
the first one. Prints tables. Times are processor times of this process, and so is the memory, which is the most so far;
``schedules`` is the number of different runs that the graph of states represents. Nothing passes or fails.

With ``--cluster`` the complete allowed sets are explored on a Dask cluster, one program at a time on each of its workers.
Times are wall times of the workers then, and the memory is that of the process that collects the sets. With ``--digests``
each set has a digest, by which the sets of one process and of a cluster can be compared.

With ``--beside`` the sets of that many actions are explored in turn by this checkout and by another one, each in a process of
its own. Both sets of a program hold the outcomes of all its schedules, so the ratio of the times is that of the schedules
that are judged in a second.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table

from modelcontext.ground.schedule.choose import Seeded
from modelcontext.judging.conformance.pools import cluster_pool
from modelcontext.judging.litmus.many_tests import explore
from modelcontext.programs.program.exploration import BOUND, Exploration, allowed_outcomes, run_once
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Executor

    from modelcontext.programs.program.language import Program

Step = dict[str, Any]

#: The number of outcomes that are judged for each program of 6 racing actions.
OUTCOMES = 100

#: Every document may see every tool.
EVERYWHERE = {"exposedTo": ["{A}", "{B}"]}
LISTEN: Step = {"do": "listen", "type": "toolchange"}


def register(name: str, *, wait: bool = False) -> Step:
    """Return a step that registers a tool."""
    tool = {"name": name, "description": "d"}
    return {"do": "registerTool", "tool": tool, "options": EVERYWHERE, "wait": wait}


def execute(**options: Any) -> Step:
    """Return a step that calls the page's tool."""
    return {"do": "executeTool", "tool": {"$tool": "t", "in": "top"}, "wait": False, **options}


def registrations(actions: int) -> dict[str, list[Step]]:
    """Return the scripts of ``register``."""
    script = {"top": [LISTEN], "frame": [LISTEN]}
    for number in range(actions):
        script["top" if number % 2 == 0 else "frame"].append(register(f"t{number}"))
    return script


def _after_a_registration(actions: list[tuple[str, Step]]) -> dict[str, list[Step]]:
    script: dict[str, list[Step]] = {
        "top": [register("t", wait=True), {"do": "tell", "to": "frame", "message": "go"}],
        "frame": [{"do": "waitFor", "message": "go"}],
    }
    for document, action in actions:
        script[document].append(action)
    return script


def executions(actions: int) -> dict[str, list[Step]]:
    """Return the scripts of ``execute``."""
    return _after_a_registration([(("frame", "top")[number % 2], execute()) for number in range(actions)])


def mixed(actions: int) -> dict[str, list[Step]]:
    """Return the scripts of ``mixed``, which has six actions at most."""
    steps: list[tuple[str, Step]] = [
        ("frame", execute(options={"signal": {"$signal": "c"}})),
        ("top", register("u")),
        ("frame", {"do": "abort", "controller": "c"}),
        ("top", execute()),
        ("frame", {"do": "getTools", "options": {"fromOrigins": ["{A}"]}, "wait": False}),
        ("frame", register("v")),
    ]
    return _after_a_registration(steps[:actions])


KINDS = {"register": registrations, "execute": executions, "mixed": mixed}


def program(kind: str, actions: int, event_loops: int) -> Program:
    """Return a program of a kind with that many racing actions, on one event loop or on two."""
    frame = {"parent": "top", "origin": "A" if event_loops == 1 else "B", "allow": "tools"}
    data = {"title": f"{actions} racing actions", "documents": {"top": {}, "frame": frame}}
    return from_data({**data, "script": KINDS[kind](actions)})


def digest(outcomes: Iterable[str]) -> str:
    """Return a digest of a set of outcomes, whatever their order."""
    parts = (blake2b(text.encode(), digest_size=8).digest() for text in outcomes)
    return f"{sum(int.from_bytes(part, 'big') for part in parts) % 2**64:016x}"


def explored(racing: Program) -> Exploration:
    """Return the exploration of a program, with its processor time for the time."""
    started = time.process_time()
    found = allowed_outcomes(racing)
    return replace(found, seconds=time.process_time() - started)


def explorations(most_actions: int, pool: Executor | None, *, digests: bool) -> Table:
    """Measure the exploration of complete allowed sets."""
    table = Table(
        *("program", "event loops", "actions", "seconds", "aim", "MB", "outcomes", "schedules", "states"),
        *("transitions", "runs", "blocked (ceiling)", "schedules a second (aim)", *(["digest"] if digests else [])),
        title="A complete allowed set",
    )
    targets = {3: "1", 4: "5", 5: "60"}
    cases = [
        (kind, event_loops, actions)
        for actions in range(2, most_actions + 1)
        for kind in KINDS
        for event_loops in (1, 2)
    ]
    programs = [program(kind, actions, event_loops) for kind, event_loops, actions in cases]
    found_in_turn = map(explored, programs) if pool is None else pool.map(partial(explore, bound=BOUND), programs)
    for (kind, event_loops, actions), found in zip(cases, found_in_turn, strict=True):
        table.add_row(
            kind,
            str(event_loops),
            str(actions),
            f"{found.seconds:.1f}",
            targets.get(actions, ""),
            f"{getrusage(RUSAGE_SELF).ru_maxrss // 1024:,}",
            f"{len(found.outcomes):,}" + ("" if found.complete else " (cut off)"),
            f"{found.covered:.1e}",
            f"{found.states:,}",
            f"{found.transitions:,}",
            f"{found.runs:,}",
            f"{found.blocked / found.runs:.0%} (50 %)",
            f"{found.covered / found.seconds:.1e} (5e+03)",
            *([digest(found.outcomes)] if digests else []),
        )
    return table


#: Explores the program on standard input by the package that it finds; prints seconds, and the texts of the outcomes.
_EXPLORE: Final = """
import json, sys, time
from modelcontext.programs.program.exploration import allowed_outcomes
try:
    from modelcontext.programs.program.reading import from_data
except ImportError:  # Before November 2026.
    from modelcontext.programs.program.language import from_data
program = from_data(json.load(sys.stdin))
started = time.process_time()
found = allowed_outcomes(program)
seconds = time.process_time() - started
assert found.complete
json.dump([seconds, list(found.outcomes)], sys.stdout)
"""


def explored_by(checkout: Path, racing: Program) -> tuple[float, str]:
    """Return the processor time in which a checkout explores a program, and the digest of the outcomes."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, "-c", _EXPLORE]
    text = json.dumps(racing.to_data())
    ended = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True)
    seconds, outcomes = json.loads(ended.stdout)
    return seconds, digest(outcomes)


def beside(other: Path, actions: int) -> Table:
    """Measure the exploration of complete sets by this checkout and by another one, in turn."""
    table = Table(
        *("program", "event loops", "seconds", "seconds of the other", "ratio", "outcomes"),
        title=f"Complete allowed sets of {actions} actions beside {other}",
    )
    own = Path(__file__).resolve().parents[1]
    totals = [0.0, 0.0]
    for kind in KINDS:
        for event_loops in (1, 2):
            racing = program(kind, actions, event_loops)
            (ours, digest_of_ours), (theirs, digest_of_theirs) = (explored_by(one, racing) for one in (own, other))
            totals = [totals[0] + ours, totals[1] + theirs]
            same = "the same" if digest_of_ours == digest_of_theirs else "differ"
            table.add_row(kind, str(event_loops), f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.1f}", same)
    table.add_row("all", "", f"{totals[0]:.2f}", f"{totals[1]:.2f}", f"{totals[1] / totals[0]:.1f}", "")
    return table


def memberships() -> Table:
    """Measure the judgements of allowed outcomes of 6 racing actions: those of runs with random schedules."""
    table = Table(
        *("program", "event loops", "outcomes", "median seconds", "slowest", "aim", "within it", "allowed"),
        title="One outcome of 6 racing actions",
    )
    for kind in KINDS:
        for event_loops in (1, 2):
            racing = program(kind, 6, event_loops)
            seconds, verdicts = [], []
            for seed in range(OUTCOMES):
                observed = Run(racing, Seeded(seed)).run()
                started = time.process_time()
                verdicts.append(judge(racing, observed).kind)
                seconds.append(time.process_time() - started)
            table.add_row(
                kind,
                str(event_loops),
                str(OUTCOMES),
                f"{median(seconds):.2f}",
                f"{max(seconds):.2f}",
                "1",
                str(sum(one <= 1 for one in seconds)),
                str(verdicts.count("allowed")),
            )
    return table


def replays() -> Table:
    """Measure whole runs under one schedule."""
    racing = program("mixed", 4, 2)
    started = time.process_time()
    for _ in range(300):
        run_once(racing)
    seconds = time.process_time() - started
    table = Table("measured", "a second", title="Single runs")
    table.add_row("runs of one schedule, mixed, 4 actions", f"{300 / seconds:,.0f}")
    return table


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, default=3, help="the most racing actions to explore completely")
    parser.add_argument("--digests", action="store_true", help="print a digest of each complete set")
    parser.add_argument("--cluster", metavar="ADDRESS", help="explore on the Dask cluster with this scheduler")
    parser.add_argument(
        "--beside", metavar="CHECKOUT", type=Path, help="compare with another checkout, and do nothing else"
    )
    arguments = parser.parse_args()
    console = Console(width=200)
    if arguments.beside is not None:
        if not (arguments.beside / "src" / "modelcontext").is_dir():
            parser.error(f"{arguments.beside} is no checkout: it has no src/modelcontext")
        console.print(beside(arguments.beside, arguments.actions))
        return
    with nullcontext() if arguments.cluster is None else cluster_pool(arguments.cluster) as pool:
        if pool is None:
            console.print(replays())
            console.print(memberships())
        console.print(explorations(arguments.actions, pool, digests=arguments.digests))


if __name__ == "__main__":
    main()
