"""The check of clients: for each client and adversary the complete space of runs, and for each property what holds in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule.graph import StateGraph
from modelcontext.judging.clients.client_run import ClientRun
from modelcontext.judging.clients.known import Registrations
from modelcontext.judging.clients.properties import PROPERTIES, Breach, ClientTrace
from modelcontext.judging.clients.session import canonical
from modelcontext.judging.clients.standpoints import BrowsersAgent, PageScript
from modelcontext.platform.infra.errors import NoMeaningError
from modelcontext.programs.program.stage import ORIGINS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.ground.schedule.results import Suffix
    from modelcontext.judging.clients.adversaries import Adversary
    from modelcontext.judging.clients.catalogue import ClientProfile
    from modelcontext.programs.program.language import Program

#: The default limit of runs for one space.
BOUND: Final = 5_000


@dataclass(frozen=True, slots=True)
class PropertyTally:
    """The sum of what one property came to in one space.

    ``kept`` counts the traces that touch on the property and keep it, ``broken`` those in which the client breaks it, and
    ``gaps`` those that break it only where no client can help it, by the name of the gap. ``smallest`` has the size of the
    smallest trace in which the client breaks it, and says where.
    """

    kept: int = 0
    broken: int = 0
    gaps: Mapping[str, int] = field(default_factory=dict)
    smallest: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """The space of one client and one adversary.

    ``complete`` is false if it decides nothing: the bound was hit, or a run reached a step without a meaning, which ``lost``
    names.
    """

    client: str
    adversary: str
    complete: bool
    runs: int
    states: int
    traces: int
    findings: Mapping[str, PropertyTally] = field(default_factory=dict)
    lost: str | None = None


def graph_of(
    profile: ClientProfile, program: Program, calls: int, bound: int, readings: tuple[str, ...] = ()
) -> StateGraph:
    """Return the explored graph of all runs of a client beside a program."""
    graph = StateGraph(make_runs(profile, program, calls, readings), canonical, bound)
    graph.explore()
    return graph


def make_runs(
    profile: ClientProfile, program: Program, calls: int, readings: tuple[str, ...]
) -> Callable[[Chooser], ClientRun]:
    """Return a function that makes a run for a chooser."""
    return partial(ClientRun, program, partial(profile.begin, calls), readings=readings)


def caller_of(profile: ClientProfile) -> str | None:
    """Return the origin on whose behalf a client calls; None where each tool is called from its own document."""
    return ORIGINS["A"] if profile.standpoint in (PageScript, BrowsersAgent) else None


def traces_of(
    graph: StateGraph, registrations: Registrations, profile: ClientProfile
) -> Iterator[tuple[Suffix, ClientTrace]]:
    """Yield the traces of a graph, each with the key of its result."""
    for suffix, streams, _ in graph.results():
        entries = {name: [json.loads(str(text)) for text in stream] for name, stream in streams.items()}
        yield suffix, ClientTrace(entries, registrations, caller_of(profile))


def checked(trace: ClientTrace, name: str) -> tuple[bool, list[Breach]]:
    """Return whether a trace touches on a property, and where it breaks it."""
    checks = list(PROPERTIES[name].check(trace))
    return bool(checks), [breach for breach in checks if breach is not None]


def check_space(
    profile: ClientProfile,
    adversary: Adversary,
    properties: Sequence[str] = (),
    *,
    bound: int = BOUND,
    readings: tuple[str, ...] = (),
) -> Space:
    """Explore the space of a client and an adversary, and check all properties, or some, in it.

    Args:
        profile: the client.
        adversary: the adversary.
        properties: the names of the properties to check; all if it is empty.
        bound: the limit of runs.
        readings: patches of the text; the space is that of the text as they change it.
    """
    findings = dict.fromkeys(properties or PROPERTIES, PropertyTally())
    try:
        graph = graph_of(profile, adversary.program, adversary.calls, bound, readings)
    except NoMeaningError as error:
        return Space(profile.name, adversary.name, False, 0, 0, 0, findings, str(error))
    registrations = Registrations(adversary.program)
    traces = 0
    for _, trace in traces_of(graph, registrations, profile):
        traces += 1
        for name, finding in findings.items():
            findings[name] = _with(finding, trace, name)
    return Space(profile.name, adversary.name, graph.is_complete, graph.runs, graph.states, traces, findings)


def _with(finding: PropertyTally, trace: ClientTrace, name: str) -> PropertyTally:
    touches, breaches = checked(trace, name)
    if not touches:
        return finding
    if not breaches:
        return replace(finding, kept=finding.kept + 1)
    own = [breach for breach in breaches if breach.gap is None]
    if not own:
        gap = str(breaches[0].gap)
        return replace(finding, gaps={**finding.gaps, gap: finding.gaps.get(gap, 0) + 1})
    found = (trace.size, own[0].words)
    smallest = min(found, finding.smallest) if finding.smallest is not None else found
    return replace(finding, broken=finding.broken + 1, smallest=smallest)


def check_all(
    profiles: Iterable[ClientProfile],
    adversaries: Iterable[Adversary],
    properties: Sequence[str] = (),
    *,
    bound: int = BOUND,
    readings: tuple[str, ...] = (),
    pool: Executor | None = None,
) -> Iterator[Space]:
    """Yield the space of each client and each adversary, in order; computed by the pool if there is one."""
    adversaries = tuple(adversaries)
    if pool is None:
        for profile in profiles:
            for adversary in adversaries:
                yield check_space(profile, adversary, properties, bound=bound, readings=readings)
        return
    # One task for each client: a worker of a pool takes few tasks.
    work = partial(_spaces_of, adversaries=adversaries, properties=properties, bound=bound, readings=readings)
    for spaces in pool.map(work, profiles):
        yield from spaces


def _spaces_of(
    profile: ClientProfile,
    adversaries: Sequence[Adversary],
    properties: Sequence[str],
    bound: int,
    readings: tuple[str, ...],
) -> list[Space]:
    return [check_space(profile, adversary, properties, bound=bound, readings=readings) for adversary in adversaries]
