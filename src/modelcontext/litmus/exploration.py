"""Exploring many litmus tests, also in other processes and in parts; and putting the parts together again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from modelcontext.conformance.pools import ONE_AT_A_TIME
from modelcontext.html.user_agent import RunawayError
from modelcontext.infra.errors import SpecAssertionError
from modelcontext.litmus.language import Litmus
from modelcontext.program.explore import Exploration, allowed_outcomes
from modelcontext.program.language import ProgramError, from_data


class MergeError(ValueError):
    """Files that are not all the parts of one whole; the message says which and why."""


def explore(program: str, bound: int) -> Exploration:
    """Explore a program, given as JSON; runs in a worker. The schedules stay behind: only their graph can tell them."""
    with ONE_AT_A_TIME:
        return replace(allowed_outcomes(from_data(json.loads(program)), bound=bound), schedules={})


def explore_all(
    tests: Sequence[Litmus], bound: int, pool: Executor | None = None, progress: Callable[[], None] = lambda: None
) -> Iterator[tuple[Litmus, Exploration]]:
    """Yield the exploration of each test, in order; in the workers of a pool, if there is one.

    Raises :class:`ProgramError` where the model cannot say what is allowed.
    """
    futures = [pool.submit(explore, litmus.program.dumps_json(), bound) for litmus in tests] if pool else []
    for index, litmus in enumerate(tests):
        try:
            found = futures[index].result() if pool else allowed_outcomes(litmus.program, bound=bound)
        except (RunawayError, SpecAssertionError) as error:
            raise ProgramError(str(litmus.path), "", f"the model cannot say what is allowed: {error}") from None
        progress()
        yield litmus, found


def merge(paths: Sequence[Path]) -> dict[str, Any]:
    """Put together what ``litmus enumerate --json`` has printed for each part: the same as without parts.

    Raises :class:`MergeError`.
    """
    parts = {path: _read(path) for path in paths}
    first, whole = next(iter(parts.items()))
    found: dict[str, tuple[Path, dict[str, Any]]] = {}
    for path, part in parts.items():
        for key in ("catalogue", "bound"):
            if part[key] != whole[key]:
                raise MergeError(f"{path} is no part of the same whole as {first}: its {key} is another one")
        for test in part["tests"]:
            other, _ = found.setdefault(test["test"], (path, test))
            if other != path:
                raise MergeError(f"{path} and {other} both have {test['test']}")
    missing = [name for name in whole["catalogue"] if name not in found]
    if missing:
        shards = ", ".join("/".join(map(str, part["shard"])) for part in parts.values())
        raise MergeError(
            f"of {len(whole['catalogue'])} tests {len(missing)} are missing, as {missing[0]}; given: {shards}"
        )
    return {**whole, "shard": [1, 1], "tests": [found[name][1] for name in whole["catalogue"]]}


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        names = {test["test"] for test in data["tests"]}
        if names <= set(data["catalogue"]) and len(data["shard"]) == 2 and isinstance(data["bound"], int):
            return dict(data)
    except OSError as error:
        raise MergeError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise MergeError(f"{path} is not what `modelcontext litmus enumerate --json` prints")
