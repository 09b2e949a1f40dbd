"""An enumeration in parts, in other processes and on a cluster finds what it finds in one go."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from modelcontext.cli.litmus import command
from modelcontext.files import write_whole

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


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Path]:
    folder = tmp_path_factory.mktemp("parts")
    paths = []
    for number in (1, 2, 3):
        result = litmus("enumerate", *NAMES, "--json", "--shard", f"{number}/3")
        paths.append(folder / f"{number}.json")
        write_whole(paths[-1], result.output)
    return paths


def test_parts_have_every_test_once(parts: Sequence[Path], whole: dict[str, Any]) -> None:
    names = [test["test"] for path in parts for test in json.loads(path.read_text(encoding="utf-8"))["tests"]]
    assert len(names) == len(set(names))
    assert set(names) == {test["test"] for test in whole["tests"]}
    merged = litmus("merge", *reversed(parts), "--json")
    assert merged.exit_code == 0
    assert without_times(json.loads(merged.output)) == whole


def test_a_merge_says_what_the_whole_would_say(parts: Sequence[Path], tmp_path: Path) -> None:
    assert "register-notify/two-registrations: Two registrations" in litmus("merge", *parts).output
    data = json.loads(parts[0].read_text(encoding="utf-8"))
    data["tests"][0]["problems"] = ["something is wrong"]
    write_whole(tmp_path / "wrong.json", json.dumps(data))
    result = litmus("merge", tmp_path / "wrong.json", *parts[1:])
    assert result.exit_code == 1
    assert "WRONG something is wrong" in result.output
    data["tests"][0]["complete"] = False
    write_whole(tmp_path / "wrong.json", json.dumps(data))
    assert litmus("merge", tmp_path / "wrong.json", *parts[1:]).exit_code == 2


def test_parts_that_are_no_whole(parts: Sequence[Path], tmp_path: Path) -> None:
    for files, problem in (
        (parts[:2], "are missing"),
        ((*parts, _copy(parts[0], tmp_path)), "both have"),
        ((*parts[:2], _copy(parts[2], tmp_path, bound=7)), "its bound is another one"),
        ((tmp_path / "nothing.json",), "cannot be read"),
        ((*parts, Path(__file__)), "is not what"),
    ):
        result = litmus("merge", *files)
        assert result.exit_code == 2
        assert problem in result.output


def _copy(path: Path, folder: Path, **changes: object) -> Path:
    copy = folder / path.name
    write_whole(copy, json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes))
    return copy


def test_processes_find_the_same(whole: dict[str, Any]) -> None:
    assert enumerated("--workers", 2) == whole


def test_a_cluster_finds_the_same(whole: dict[str, Any]) -> None:
    from distributed import LocalCluster

    # A worker with two threads, because the model must run on one at a time all the same.
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster:  # type: ignore[no-untyped-call]
        assert enumerated("--cluster", cluster.scheduler_address) == whole


def test_wrong_parts_and_clusters_are_said() -> None:
    assert "is no part of a whole" in litmus("enumerate", "--shard", "4/3").output
    result = litmus("enumerate", *NAMES, "--cluster", "tcp://127.0.0.1:9")
    assert result.exit_code == 2
    assert "no scheduler answers" in result.output
