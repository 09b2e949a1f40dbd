"""Programs that play a counterexample without the client, for ``modelcontext trace``, browsers and the playground.

In one counterexample a client does one thing after the other, so that a script can do it: list, pause, perhaps list again, and
call. A popup of the origin of the calling document holds the script, which calls that document's ModelContext. The script is
the same for every schedule. So the program is a race of its own, and a schedule of it shows the same tools run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.schedule.choose import Wandering
from modelcontext.ground.schedule.shorter import shorter
from modelcontext.judging.clients.client_run import GO
from modelcontext.judging.clients.known import ToolWords, definition_of
from modelcontext.judging.clients.properties import PROPERTIES, runs_of
from modelcontext.judging.clients.standpoints import FrameScripts, PageScript
from modelcontext.programs.program.exploration import run_once
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.judging.clients.catalogue import ClientProfile
    from modelcontext.judging.clients.counterexamples import Counterexample
    from modelcontext.judging.clients.known import Registration
    from modelcontext.programs.program.outcome import Outcome

#: The number of random schedules to try.
MOST_TRIES: Final = 2_000
_LETTERS: Final = tuple(f"{{{letter}}}" for letter in "ABCD")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The outcome that shows a counterexample: the first list has the tool that is meant, and these tools run."""

    meant: Registration
    runs: Sequence[tuple[str, int]]

    def is_shown_by(self, outcome: Outcome) -> bool:
        """Return whether an outcome shows the counterexample."""
        entries = [entry for log in outcome.logs.values() for entry in log if entry.get("promise") == "list"]
        lists = (_of_any_realm(entry.get("fulfilled", []), "$array") for entry in entries)
        listed = [self._definition(tool) for found in lists for tool in found]
        return self.meant.definition in listed and runs_in(outcome) == self.runs

    @staticmethod
    def _definition(tool: Mapping[str, Any]) -> ToolWords:
        members = dict(_of_any_realm(tool, "$object"))
        schema, annotations = (_plain(members.get(member)) for member in ("inputSchema", "annotations"))
        return definition_of(members["name"], members["description"], schema, annotations)


@dataclass(frozen=True, slots=True)
class Playable:
    """A program that plays a counterexample under a schedule, and the outcomes that count."""

    program: Program
    schedule: tuple[int, ...]
    wanted: Wanted

    @property
    def text(self) -> str:
        """The schedule as ``modelcontext trace --schedule`` takes it."""
        return ",".join(map(str, self.schedule))

    def command(self, path: str) -> str:
        """Return the command that plays the program of a file; first in, first out needs no schedule."""
        return f"modelcontext trace {path}" + (f" --schedule {self.text}" if self.text else "")


def playable(profile: ClientProfile, counterexample: Counterexample) -> Playable | None:
    """Return a program that plays a counterexample, or None if no script can stand for the client."""
    trace = counterexample.trace
    if not issubclass(profile.standpoint, PageScript | FrameScripts):
        return None
    if not PROPERTIES[counterexample.property].is_about_runs:
        return None
    calls = list(trace.events("sent"))
    if len(calls) != 1 or calls[0]["caller"] is None:
        return None
    try:
        program = _program(counterexample, calls[0]["caller"], is_listed_again=calls[0]["listed"] != "none")
    except ProgramError:
        return None
    meant = trace.tool(trace.label_of("meant", 1))
    assert meant is not None
    wanted = Wanted(meant, [(run.label, run.call) for run in trace.runs])
    schedule = _schedule(program, wanted)
    return Playable(program, tuple(schedule), wanted) if schedule is not None else None


def _program(counterexample: Counterexample, caller: str, *, is_listed_again: bool) -> Program:
    data = counterexample.program.to_data()
    meant = counterexample.trace.tool(counterexample.trace.label_of("meant", 1))
    assert meant is not None
    origin = counterexample.program.documents[caller].origin
    scripts, waits = {}, []
    for id_, steps in data["script"].items():
        if counterexample.program.documents[id_].later:
            scripts[id_] = steps
            continue
        ready = {"do": "tell", "to": "client", "message": f"{id_} is ready"}
        first = next((n for n, step in enumerate(steps) if step["do"] in ("tell", "waitFor")), len(steps))
        scripts[id_] = [*steps[:first], ready, *steps[first:]]
        waits.append({"do": "waitFor", "message": f"{id_} is ready"})
    listed = {"do": "getTools", "on": caller, "options": {"fromOrigins": list(_LETTERS)}}
    pause = [{"do": "tell", "to": "client", "message": GO}, {"do": "waitFor", "message": GO}]
    lists = [{**listed, "as": "list"}, *pause]
    source = "list"
    if is_listed_again:
        source = "list again"
        lists.append({**listed, "as": source})
    tool = {"$listed": meant.definition.name, "from": source}
    call = {"do": "executeTool", "as": "call 1", "on": caller, "tool": tool, "input": {"call": 1}}
    return from_data(
        {
            "title": f"{counterexample.client} breaks {counterexample.property}",
            "documents": {**data["documents"], "client": {"opener": "top", "origin": origin}},
            "script": {**scripts, "client": [*waits, *lists, call]},
        }
    )


def _of_any_realm(written: Any, notation: str) -> Any:
    """Return the items of an array, or the members of an object, however its realm makes it be written."""
    return written[notation] if isinstance(written, Mapping) and notation in written else written


def _plain(written: Any) -> Any:
    if isinstance(written, Mapping):
        members = dict(_of_any_realm(written, "$object"))
        return {key: _plain(member) for key, member in members.items()}
    return written


def _schedule(program: Program, wanted: Wanted) -> Sequence[int] | None:
    """Return a schedule of the program under which exactly the wanted tools run, found at random and made shorter."""
    for seed in range(MOST_TRIES):
        chooser = Wandering(seed)
        try:
            outcome = Run(program, chooser).run()
        except ProgramError:
            continue
        if wanted.is_shown_by(outcome):
            return shorter(chooser.schedule, lambda candidate: _shows(program, candidate, wanted))
    return None


def _shows(program: Program, schedule: Sequence[int], wanted: Wanted) -> bool:
    try:
        return wanted.is_shown_by(run_once(program, schedule).outcome)
    except (ProgramError, ValueError):
        return False


def runs_in(outcome: Outcome) -> list[tuple[str, int]]:
    """Return the tools that ran in an outcome: the label of each, and the number of the call in its input."""
    streams = {name: [entry for entry in log if "function" in entry] for name, log in outcome.logs.items()}
    return [(run.label, run.call) for run in runs_of(streams)]


def noted(play: Playable, path: str) -> Program:
    """Return the program of a playable counterexample with a note that says how to play it."""
    return replace(play.program, note=play.command(path))
