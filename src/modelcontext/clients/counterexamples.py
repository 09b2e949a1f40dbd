"""Counterexamples: the smallest trace in which a client breaks a property, and the action after which nothing prevents it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

from modelcontext.clients.checking import BOUND, caller_of, graph_of, judged, traces_of
from modelcontext.clients.known import Registrations
from modelcontext.clients.properties import Breach, ClientTrace
from modelcontext.clients.running import ClientRun
from modelcontext.clients.session import CLIENT
from modelcontext.program.language import Program, ProgramError
from modelcontext.program.outcome import describe_entry
from modelcontext.program.reading import from_data
from modelcontext.schedule import footprint
from modelcontext.specification.code.steps import StepIndex

if TYPE_CHECKING:
    from modelcontext.clients.adversaries import Adversary
    from modelcontext.clients.catalogue import ClientProfile
    from modelcontext.program.language import ProgramStep
    from modelcontext.schedule.choose import Process
    from modelcontext.schedule.graph import StateGraph
    from modelcontext.schedule.node import Transition
    from modelcontext.schedule.results import Suffix

#: The limit of smaller programs to try for one counterexample.
MOST_SMALLER: Final = 40


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened, in words. ``is_decisive`` marks the first after which the breach was inevitable."""

    who: str
    words: str
    is_decisive: bool = False


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run of a client beside a program that breaks a property.

    ``decisive`` says which action made it inevitable, or "the beginning"; then no event is marked. ``before`` is the number of
    traces that were still possible before it. ``instead`` has an event that could have come in the place of one of the story,
    by its index there, in a run that keeps the property; None if there is no such event.
    """

    client: str
    property: str
    adversary: str
    program: Program
    breach: str
    story: tuple[Moment, ...]
    decisive: str
    before: int
    instead: tuple[int, Moment] | None
    trace: ClientTrace


def find_counterexample(
    profile: ClientProfile,
    adversaries: Iterable[Adversary],
    property_: str,
    *,
    bound: int = BOUND,
    most: int = MOST_SMALLER,
) -> Counterexample | None:
    """Return the smallest counterexample found, or None.

    Args:
        profile: the client.
        adversaries: the adversaries to try, in order; the first with a breach counts.
        property_: the name of the property.
        bound: the limit of runs for one space.
        most: the limit of smaller programs to try.
    """
    for adversary in adversaries:
        graph = graph_of(profile, adversary.program, adversary.calls, bound)
        if _smallest(graph, adversary.program, profile, property_) is None:
            continue
        small = _shrunk(profile, adversary, property_, bound, most)
        return _told(profile, small, property_, bound)
    return None


def _own(trace: ClientTrace, property_: str) -> list[Breach]:
    """Return the breaches of a trace that are the client's."""
    return [breach for breach in judged(trace, property_)[1] if breach.gap is None]


def _smallest(
    graph: StateGraph, program: Program, profile: ClientProfile, property_: str
) -> tuple[Suffix, ClientTrace] | None:
    """Return the smallest trace of a graph in which the client breaks a property."""
    found = [
        (trace.size, str(suffix), suffix, trace)
        for suffix, trace in traces_of(graph, Registrations(program), profile)
        if _own(trace, property_)
    ]
    return min(found, key=lambda one: one[:2])[2:] if found else None


# Smaller programs


def _shrunk(profile: ClientProfile, adversary: Adversary, property_: str, bound: int, most: int) -> Adversary:
    """Return the adversary with all steps and documents removed that the breach does not need."""
    tried = 0
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(adversary.program):
            tried += 1
            if tried > most:
                return adversary
            graph = graph_of(profile, smaller, adversary.calls, bound)
            if _smallest(graph, smaller, profile, property_) is not None:
                adversary = replace(adversary, program=smaller)
                changed = True
                break
    return adversary


def _smaller(program: Program) -> Iterator[Program]:
    data = program.to_data()
    documents, scripts = data["documents"], data["script"]
    candidates = [
        {
            **data,
            "documents": {id_: spec for id_, spec in documents.items() if id_ != gone},
            "script": {id_: steps for id_, steps in scripts.items() if id_ != gone},
        }
        for gone in documents
        if gone != "top"
    ]
    candidates += [
        {**data, "script": {**scripts, id_: [*steps[:index], *steps[index + 1 :]]}}
        for id_, steps in scripts.items()
        for index in reversed(range(len(steps)))
    ]
    for candidate in candidates:
        try:
            yield from_data(candidate)
        except ProgramError:
            continue


# The decisive action


class _Guide:
    """A chooser that leads a run along transitions."""

    def __init__(self, transitions: Sequence[Transition], story: _Story) -> None:
        self._transitions = transitions
        self._story = story
        self._answers = iter(transitions[0].answers)
        self.run: ClientRun | None = None

    def pick(self, options: Sequence[Process]) -> int:
        assert self.run is not None
        self._story.position += 1
        transition = self._transitions[self._story.position]
        self._answers = iter(transition.answers)
        acting = self.run.state().processes[transition.acting]
        index = next(index for index, option in enumerate(options) if option is acting)
        self._story.actions.append(_process_in_words(options[index]))
        return index

    def choose(self, label: str, count: int) -> int:
        answer = next(self._answers)
        self._story.choices.append((self._story.position, f"{label}: option {answer + 1} of {count}"))
        return answer


class _Story:
    """A watcher that writes down what happens, each with the number of the action in which it does."""

    def __init__(self) -> None:
        self.position = 0
        self.actions = ["the beginning"]
        self.choices: list[tuple[int, str]] = []
        self.events: list[tuple[int, Moment]] = []

    def performs(self, id_: str, step: ProgramStep) -> None:
        """Write down a step of a script."""
        words = _step_in_words(step)
        if words:
            self.events.append((self.position, Moment(id_, words)))

    def observes(self, stream: str, entry: Mapping[str, Any]) -> None:
        """Write down an entry."""
        if stream == CLIENT:
            self.events.append((self.position, Moment("client", event_in_words(entry))))
        elif "function" in entry:
            self.events.append((self.position, Moment(entry["in"], f"the callback of “{entry['function']}” runs")))
        elif "pageTransition" in entry:
            self.events.append((self.position, Moment(entry["in"], describe_entry(entry))))


def _told(profile: ClientProfile, adversary: Adversary, property_: str, bound: int) -> Counterexample:
    """Return the smallest counterexample in the space of an adversary, with its story."""
    program = adversary.program
    graph = graph_of(profile, program, adversary.calls, bound)
    found = _smallest(graph, program, profile, property_)
    assert found is not None
    suffix, trace = found
    way = graph.way_to(suffix)
    decisive, before, kept = _decisive(graph, way, program, profile, property_)
    story = _story_of(way, adversary, profile)
    action = story.actions[decisive]
    choices = [words for position, words in story.choices if position == decisive]
    first = next((n for n, (position, _) in enumerate(story.events) if position >= decisive), len(story.events) - 1)
    marked = first if decisive else -1
    events = tuple(replace(event, is_decisive=n == marked) for n, (_, event) in enumerate(story.events))
    breach = _own(trace, property_)[0].words
    words = "; ".join([action, *choices])
    instead = _instead(story, _story_of([*way[:decisive], *kept], adversary, profile)) if kept else None
    return Counterexample(
        profile.name, property_, adversary.name, program, breach, events, words, before, instead, trace
    )


def _story_of(way: Sequence[Transition], adversary: Adversary, profile: ClientProfile) -> _Story:
    story = _Story()
    guide = _Guide(way, story)
    guide.run = ClientRun(adversary.program, partial(profile.begin, adversary.calls), guide, story)
    footprint.start_naming()
    guide.run.run()
    return story


def _instead(story: _Story, kept: _Story) -> tuple[int, Moment] | None:
    """Return the first event of a run that keeps the property where the story has another one, with its index."""
    pairs = zip(story.events, kept.events, strict=False)
    return next(((n, other) for n, ((_, event), (_, other)) in enumerate(pairs) if event != other), None)


def _decisive(
    graph: StateGraph, way: Sequence[Transition], program: Program, profile: ClientProfile, property_: str
) -> tuple[int, int, Sequence[Transition]]:
    """Return the index of the transition after which every trace breaks the property.

    Also returns the number of traces before it, and a way on from there that keeps the property, the one with the smallest
    trace; it is empty if there was none from the beginning.
    """
    registrations = Registrations(program)
    seen: dict[str, list[Hashable]] = {}
    possible = len(graph.result_set())
    kept_way: Sequence[Transition] = ()
    for index, transition in enumerate(way):
        for stream, item in transition.observed:
            seen.setdefault(stream, []).append(item)
        traces, kept = 0, []
        for suffix, streams, _ in graph.results(transition.target):
            whole = {name: [*seen.get(name, ()), *streams.get(name, ())] for name in {**seen, **streams}}
            entries = {name: [json.loads(str(text)) for text in stream] for name, stream in whole.items()}
            trace = ClientTrace(entries, registrations, caller_of(profile))
            traces += 1
            if not _own(trace, property_):
                kept.append((trace.size, str(suffix), suffix))
        if not kept:
            return index, possible, kept_way
        possible = traces
        kept_way = graph.way_to(min(kept, key=lambda one: one[:2])[2], transition.target)
    raise AssertionError("the last state of a counterexample has one trace, which breaks the property")


# Words

_steps = StepIndex()


def _process_in_words(process: Process) -> str:
    place = process.place
    code = place[0] if isinstance(place, tuple) else place
    if not isinstance(code, CodeType):
        return "a task"
    last = place[1] if isinstance(place, tuple) else 0
    line = next((line for start, end, line in code.co_lines() if start <= max(last, 0) < end and line), None)
    found = _steps.locate(code.co_filename, line or code.co_firstlineno)
    if found is not None:
        return str(found)
    module = code.co_filename.replace("\\", "/").rpartition("/modelcontext/")[2]
    if module.startswith("clients/"):
        return "a turn of the client"
    return "a turn of a script" if module.startswith("program/") else "a document comes or goes"


def _step_in_words(step: ProgramStep) -> str:
    given = step.arguments
    match step.do:
        case "registerTool":
            tool = given["tool"]
            hints = [hint for hint, value in tool.get("annotations", {}).items() if value]
            exposed = given.get("options", {}).get("exposedTo", ())
            facts = [f"“{tool['description']}”", *hints, *(f"exposed to {origin}" for origin in exposed)]
            return f"registers “{tool['name']}” with the callback “{step.label}”: {', '.join(facts)}"
        case "abort":
            return f"unregisters the tool of “{given['controller']}”"
        case "navigate":
            return f"navigates the frame of {given['document']} to {given['to']}"
        case "removeFrame" | "addFrame" | "leave" | "open" | "close":
            return f"{step.do} {given['document']}"
        case "goBack":
            return "goes back"
    return ""


def event_in_words(event: Mapping[str, Any]) -> str:
    """Return something that a client did or learned in words."""
    match event["event"]:
        case "shown":
            pairs = [f"{name} (“{tool}”)" for name, tool in zip(event["names"], event["tools"], strict=True)]
            return (
                f"shows the model {', '.join(pairs) or 'no tool'}; it tells of each its {', '.join(event['members'])}"
            )
        case "meant":
            return f"the model makes call {event['call']} of the tool of “{event['tool']}”"
        case "asked":
            return f"asks the person about call {event['call']}, showing the tool of “{event['tool']}”"
        case "approved" | "denied" as answer:
            return f"the person {'approves' if answer == 'approved' else 'denies'} call {event['call']}"
        case "marked":
            return f"marks call {event['call']} with words of {', '.join(event['origins']) or 'nobody else'}"
        case "sent":
            now = "no tool" if event["tool"] == "none" else f"“{event['tool']}”"
            again = "" if event["listed"] == "none" else f"lists the tools again, and finds “{event['listed']}”; "
            return f"{again}call {event['call']} leaves the client; the name stands for {now} now"
        case "answered":
            return f"call {event['call']} ends: {event['by']}"
        case "refused":
            return f"says that call {event['call']} did not run: {event['why']}"
    return str(event["event"])
