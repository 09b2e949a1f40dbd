"""The time to find all allowed outcomes of a program, and to decide whether one outcome is allowed.

    python -m benchmarks.exploration [--actions 4]

Each program has two documents, on one event loop or on two, with racing actions: the documents take turns in making calls,
and do not wait for the results. ``register``: each registers tools while both listen for toolchange. ``execute``: both call
one tool. ``mixed``: the frame calls a tool, aborts the call and lists the tools while the page registers a tool and calls
the first one. Prints tables. Times are processor times of this process; ``schedules`` is the number of different runs that
the graph of states represents. Nothing passes or fails.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from modelcontext.program.explore import allowed_outcomes, judge, run_once
from modelcontext.program.interpreter import Run
from modelcontext.program.reading import from_data
from modelcontext.schedule.choose import Seeded

if TYPE_CHECKING:
    from modelcontext.program.language import Program

Step = dict[str, Any]

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


def explorations(most_actions: int) -> Table:
    """Measure the exploration of complete allowed sets."""
    table = Table(
        *("program", "event loops", "actions", "seconds", "aim", "outcomes", "schedules", "states"),
        *("transitions", "runs", "blocked (ceiling)", "schedules a second (aim)"),
        title="A complete allowed set",
    )
    targets = {3: "1", 4: "5", 5: "60"}
    for actions in range(2, most_actions + 1):
        for kind in KINDS:
            for event_loops in (1, 2):
                started = time.process_time()
                found = allowed_outcomes(program(kind, actions, event_loops))
                seconds = time.process_time() - started
                table.add_row(
                    kind,
                    str(event_loops),
                    str(actions),
                    f"{seconds:.1f}",
                    targets.get(actions, ""),
                    f"{len(found.outcomes):,}" + ("" if found.complete else " (cut off)"),
                    f"{found.covered:.1e}",
                    f"{found.states:,}",
                    f"{found.transitions:,}",
                    f"{found.runs:,}",
                    f"{found.blocked / found.runs:.0%} (50 %)",
                    f"{found.covered / seconds:.1e} (5e+03)",
                )
    return table


def memberships() -> Table:
    """Measure the judgement of one allowed outcome of 6 racing actions."""
    table = Table(
        "program", "event loops", "seconds", "aim", "runs", "verdict", title="One outcome of 6 racing actions"
    )
    for kind in KINDS:
        for event_loops in (1, 2):
            racing = program(kind, 6, event_loops)
            observed = Run(racing, Seeded(1)).run()
            started = time.process_time()
            verdict = judge(racing, observed)
            seconds = time.process_time() - started
            table.add_row(kind, str(event_loops), f"{seconds:.2f}", "1", f"{verdict.runs:,}", verdict.kind)
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
    arguments = parser.parse_args()
    console = Console(width=160)
    console.print(replays())
    console.print(memberships())
    console.print(explorations(arguments.actions))


if __name__ == "__main__":
    main()
