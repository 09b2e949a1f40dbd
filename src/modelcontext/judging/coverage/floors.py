"""The floors: the least that each kind of tests must reach. They are committed, and only rise."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.ground.files import write_whole
from modelcontext.spec.specification.text.algorithms import SpecificationError

if TYPE_CHECKING:
    from modelcontext.judging.coverage.coverage import Coverage

_HEAD = """\
# How many steps and sides of conditions each kind of tests reaches. These numbers only ever rise:
# `modelcontext spec coverage --raise` raises them, and `--check` fails where less is reached.
"""


def read_floors(path: Path) -> dict[str, dict[str, int]]:
    """Return the floors by kind of tests, none without a file.

    Raises:
        SpecificationError: if the file cannot be read, or does not have the form of floors.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SpecificationError(f"the file cannot be read: {error}", path) from None
    for kind, floor in content.items():
        if not isinstance(floor, dict) or set(floor) != {"steps", "sides"}:
            raise SpecificationError(f"the table {kind} must have exactly two numbers: steps and sides", path)
    return content


def check_floors(coverage: Coverage, floors: dict[str, dict[str, int]]) -> list[str]:
    """Return a message for each kind of tests that reaches less than its floor."""
    return [
        f"{kind} reach {reached} {what}, but the floor is {floors[kind][what]}: find what no test reaches any more"
        for kind in coverage.kinds
        for what, reached in _reached(coverage, kind).items()
        if kind in floors and reached < floors[kind][what]
    ]


def low_floors(coverage: Coverage, floors: dict[str, dict[str, int]]) -> list[str]:
    """Return the kinds of tests that reach more than their floors."""
    return [
        kind
        for kind in coverage.kinds
        if any(reached > floors.get(kind, {}).get(what, 0) for what, reached in _reached(coverage, kind).items())
    ]


def raise_floors(coverage: Coverage, path: Path) -> bool:
    """Raise the floors to the reached numbers; return whether any has changed. No floor falls."""
    floors = read_floors(path)
    raised = dict(floors)
    for kind in coverage.kinds:
        known = floors.get(kind, {})
        raised[kind] = {what: max(count, known.get(what, 0)) for what, count in _reached(coverage, kind).items()}
    if raised == floors:
        return False
    tables = [
        f"\n[{kind}]\n" + "".join(f"{what} = {count}\n" for what, count in floor.items())
        for kind, floor in raised.items()
    ]
    write_whole(path, _HEAD + "".join(tables))
    return True


def _reached(coverage: Coverage, kind: str) -> dict[str, int]:
    tally = coverage.tally(kind)
    return {"steps": tally.steps, "sides": tally.sides}
