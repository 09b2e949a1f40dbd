"""What one test reaches: measured where a program runs in the model, read where it was recorded elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.program.interpreter import Run
from modelcontext.revisions.registry import REVISIONS
from modelcontext.schedule.choose import Chooser, FirstInFirstOut, Seeded
from modelcontext.tracing.collector import Collector
from modelcontext.tracing.probes import inventory

if TYPE_CHECKING:
    from modelcontext.program.language import Program

#: Under how many pseudo-random schedules each program runs; more of them reach nothing new.
SCHEDULES: Final = 40

#: The kinds of tests, in the order in which they are told.
KINDS: Final = ("programs", "litmus", "wpt")


class ReachError(ValueError):
    """A file is no recording of what tests reached; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What one test reached: steps as ``algorithm number``, sides of conditions as ``algorithm number place yes``."""

    kind: str
    name: str
    keys: frozenset[str]


def measure(kind: str, name: str, program: Program) -> Reach:
    """Run a program first in, first out, and under :data:`SCHEDULES` other schedules; return what it reached.

    Raises:
        RunawayError: for a program that schedules itself for ever.
    """
    collector = Collector(REVISIONS[program.revision])
    choosers: list[Chooser] = [FirstInFirstOut(), *(Seeded(seed) for seed in range(SCHEDULES))]
    for chooser in choosers:
        run = Run(program, chooser, revision=collector.revision)
        run.start()
        run.finish()
    return Reach(kind, name, collector.keys)


def read_recorded(path: Path, revision: str) -> Iterator[Reach]:
    """Read what was recorded while tests ran somewhere else.

    The file is a JSON object with ``revision`` and ``tests``, an object that has for each test by its path the list of
    what it reached.

    Raises:
        ReachError: if the file cannot be read, is something else, or was recorded with another text.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        recorded = content["revision"]
        tests = {str(name): frozenset(map(str, keys)) for name, keys in content["tests"].items()}
    except OSError as error:
        raise ReachError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReachError(
            f"{path} is no recording of what tests reached ({error!r}): make it anew with `modelcontext spec coverage"
            " --suite --record FILE`"
        ) from None
    if recorded != revision:
        raise ReachError(f"{path} was recorded with the revision {recorded}, and this is about {revision}")
    found = inventory(REVISIONS[revision].package)
    known = {*map(str, found.steps), *found.sides}
    for name, keys in tests.items():
        if keys - known:
            raise ReachError(
                f"{path} was recorded with another text, in which {name} reached {min(keys - known)!r}: record it anew"
            )
        yield Reach("wpt", name, keys)
