"""The spaces of clients: the same with and without each saving, and complete for this project's own host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.schedule.search import every_schedule
from modelcontext.judging.clients import client_run
from modelcontext.judging.clients.adversaries import SAYS, adversaries
from modelcontext.judging.clients.catalogue import CLIENTS
from modelcontext.judging.clients.checking import check_all, check_space, graph_of
from modelcontext.judging.clients.client_run import ClientRun
from modelcontext.judging.clients.properties import PROPERTIES, Gap
from modelcontext.judging.clients.session import canonical

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.ground.schedule.graph import StateGraph

    Streams = frozenset[tuple[str, tuple[str, ...]]]


def test_words_are_of_the_adversaries_that_there_are() -> None:
    assert sorted(SAYS) == sorted(adversaries())
    assert len(set(SAYS.values())) == len(SAYS)


def streams_of(graph: StateGraph) -> set[Streams]:
    return {
        frozenset((name, tuple(map(str, entries))) for name, entries in streams.items())
        for _, streams, _ in graph.results()
    }


class Observed(ClientRun):
    """A run whose result is all that was observed."""

    def result(self) -> Any:
        streams = defaultdict(list)
        for name, entry in self.observations:
            streams[name].append(canonical(entry))
        return frozenset((name, tuple(entries)) for name, entries in streams.items())


PAIRS = [("stagehand", "redescribes"), ("browsers-agent", "unregisters"), ("naive-page-script", "unregisters")]


@pytest.mark.parametrize(("client", "adversary"), PAIRS)
def test_states_give_the_traces_that_all_schedules_give(client: str, adversary: str) -> None:
    profile, page = CLIENTS[client], adversaries()[adversary]
    found: set[Streams] = set()

    def make(chooser: Chooser) -> Observed:
        return Observed(page.program, partial(profile.begin, page.calls), chooser)

    def take(result: Streams, schedule: Sequence[int]) -> None:
        found.add(result)

    assert every_schedule(make, take, 20_000).complete
    assert streams_of(graph_of(profile, page.program, page.calls, 1_000)) == found


def test_steps_that_nobody_hears_of_make_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    profile, page = CLIENTS["stagehand"], adversaries()["redescribes"]
    without = graph_of(profile, page.program, page.calls, 1_000)
    monkeypatch.setattr(client_run, "UNHEARD", ())
    whole = graph_of(profile, page.program, page.calls, 1_000)
    assert whole.is_complete
    assert without.states < whole.states
    assert streams_of(without) == streams_of(whole)


def test_space_that_hits_the_bound_is_not_complete() -> None:
    assert not check_space(CLIENTS["stagehand"], adversaries()["redescribes"], bound=2).complete


def test_clients_properties_and_spaces_are_many() -> None:
    assert len(CLIENTS) >= 7
    assert len(PROPERTIES) >= 10
    assert len(CLIENTS) * len(adversaries()) >= 200


@pytest.mark.parametrize("adversary", ["frame-hides", "becomes-consequential", "frame-twin-stays", "unregisters"])
def test_own_host_breaks_nothing(adversary: str) -> None:
    [space] = check_all([CLIENTS["agent-host"]], [adversaries()[adversary]])
    assert space.complete
    assert {name for name, finding in space.findings.items() if finding.broken} == set()


def test_breaches_that_no_client_can_exclude_are_counted_by_name() -> None:
    space = check_space(CLIENTS["agent-host"], adversaries()["redescribes"])
    assert space.findings["runs-what-was-shown"].gaps == {Gap.BY_NAME: 1, Gap.OLD_LIST: 1}


def test_tool_can_run_that_was_never_exposed_to_its_caller() -> None:
    space = check_space(CLIENTS["naive-page-script"], adversaries()["frame-hides"])
    assert space.findings["is-exposed-when-it-runs"].gaps == {Gap.BY_NAME: 1}
