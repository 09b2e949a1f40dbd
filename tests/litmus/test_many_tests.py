"""Enumeration in other processes and on a cluster gives the same as in one process."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.ground.checkout import project_root
from modelcontext.judging.conformance.pools import cluster_pool
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.judging.litmus.many_tests import explore_all
from modelcontext.people.cli.litmus import command
from modelcontext.programs.program.exploration import BOUND

NAMES = ("register-notify", "cancel-complete/abort-before-the-callback")


def litmus(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def enumerated(*arguments: object) -> dict[str, Any]:
    result = litmus("enumerate", *NAMES, "--json", *arguments)
    assert result.exit_code == 0, result.output
    return without_times(json.loads(result.output))


def without_times(whole: dict[str, Any]) -> dict[str, Any]:
    for test in whole["tests"]:
        del test["seconds"], test["effort"]
    return whole


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return enumerated()


@pytest.mark.usefixtures("takes_long")
def test_processes_enumerate_the_same_outcomes(whole: dict[str, Any]) -> None:
    assert enumerated("--workers", 2) == whole


@pytest.mark.usefixtures("takes_long")
def test_cluster_enumerates_the_same_outcomes(whole: dict[str, Any]) -> None:
    from distributed import LocalCluster

    # A worker with two threads: the model must still run in one at a time.
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster:  # type: ignore[no-untyped-call]
        assert enumerated("--cluster", cluster.scheduler_address) == whole


@pytest.mark.usefixtures("takes_long")
def test_two_workers_of_a_cluster_find_the_sets_of_one_process() -> None:
    from distributed import LocalCluster

    tests = read_catalogue(project_root() / CATALOGUE, NAMES)
    here = [found for _, found in explore_all(tests, BOUND)]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,  # type: ignore[no-untyped-call]
        cluster_pool(cluster.scheduler_address) as pool,
    ):
        there = [found for _, found in explore_all(tests, BOUND, pool)]
    assert len(here) > len(NAMES)  # One of the names is a family.
    for one, other in zip(here, there, strict=True):
        assert one.complete
        assert other.complete
        assert dict(other.outcomes) == dict(one.outcomes)
        assert (other.states, other.transitions, other.runs) == (one.states, one.transitions, one.runs)


def test_unreachable_cluster_is_an_error() -> None:
    result = litmus("enumerate", *NAMES, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    assert "no scheduler of a Dask cluster answers" in result.output
