"""Counterexamples: the smallest trace in which a client breaks a property, and the action after which nothing prevents it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.judging.clients.checking import BOUND, caller_of, checked, graph_of, traces_of
from modelcontext.judging.clients.known import Registrations
from modelcontext.judging.clients.properties import Breach, ClientTrace
from modelcontext.judging.clients.telling import story_of
from modelcontext.programs.program.language import Program, ProgramError
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.ground.schedule.graph import StateGraph
    from modelcontext.ground.schedule.node import Transition
    from modelcontext.ground.schedule.results import Suffix
    from modelcontext.judging.clients.adversaries import Adversary
    from modelcontext.judging.clients.catalogue import ClientProfile
    from modelcontext.programs.tracing.story import Moment

#: The limit of smaller programs to try for one counterexample.
MOST_SMALLER: Final = 40


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run of a client beside a program that breaks a property.

    ``decisive`` says which action made it inevitable, or "the beginning"; then no event is marked. ``before`` is the number of
    traces that were still possible before it. ``instead`` has what could have come from there on in a run that keeps the
    property, up to the first event that tells it from the story.
    """

    client: str
    property: str
    adversary: str
    program: Program
    breach: str
    story: tuple[Moment, ...]
    decisive: str
    before: int
    instead: tuple[Moment, ...]
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
    return [breach for breach in checked(trace, property_)[1] if breach.gap is None]


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


def _told(profile: ClientProfile, adversary: Adversary, property_: str, bound: int) -> Counterexample:
    """Return the smallest counterexample in the space of an adversary, with its story."""
    program = adversary.program
    graph = graph_of(profile, program, adversary.calls, bound)
    found = _smallest(graph, program, profile, property_)
    assert found is not None
    suffix, trace = found
    way = graph.way_to(suffix)
    decisive, before, kept = _decisive(graph, way, program, profile, property_)
    story = story_of(way, program, partial(profile.begin, adversary.calls))
    events = story.marked(decisive) if decisive else story.moments()
    breach = _own(trace, property_)[0].words
    action = story.actions[decisive]
    words = "; ".join([f"{action.who}: {action.words}" if decisive else action.words, *story.choices_at(decisive)])
    instead = story_of([*way[:decisive], *kept], program, partial(profile.begin, adversary.calls)) if kept else None
    return Counterexample(
        profile.name,
        property_,
        adversary.name,
        program,
        breach,
        events,
        words,
        before,
        instead.unlike(story, decisive) if instead is not None else (),
        trace,
    )


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
