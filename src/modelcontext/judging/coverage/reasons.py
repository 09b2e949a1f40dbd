"""The reasons why no program can reach some steps: ``spec/<revision>/unreachable.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.spec.specification.text.algorithms import SpecificationError

if TYPE_CHECKING:
    from modelcontext.programs.tracing.probes import Inventory
    from modelcontext.spec.revisions.registry import RevisionFiles

_KEYS = {"algorithm", "step", "side", "reason"}


def read_reasons(root: Path, files: RevisionFiles, inventory: Inventory) -> dict[str, str]:
    """Return the reason for each step, and each side of a condition, that no program can reach.

    The file of a revision is an array of tables ``unreachable``; without a file there are no reasons. ``step = "*"`` is a
    whole algorithm. With ``side = "1 yes"`` an entry is for that side of the step's first condition, otherwise for the step
    and all its sides.

    Raises:
        SpecificationError: if the file cannot be read, or names something that the text does not have.
    """
    path = root / files.unreachable
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("unreachable", [])
    except FileNotFoundError:
        entries = []
    except OSError as error:
        raise SpecificationError(f"the file cannot be read: {error.strerror}", path) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"the file is not valid TOML: {error}", path) from None
    by_key: dict[str, str] = {}
    for entry in entries:
        if not {"algorithm", "step", "reason"} <= set(entry) <= _KEYS or len(entry["reason"]) < 20:
            raise SpecificationError(
                f"an entry needs an algorithm, a step and a reason, and may have a side: correct {entry}",
                path,
            )
        keys = _keys(entry, inventory)
        if not keys:
            raise SpecificationError(f"the text has no such step or side: correct {entry}", path)
        by_key |= dict.fromkeys(keys, entry["reason"])
    return by_key


def _keys(entry: Mapping[str, str], inventory: Inventory) -> list[str]:
    steps = [
        step for step in inventory.steps if step.algorithm == entry["algorithm"] and entry["step"] in ("*", step.number)
    ]
    sides = [
        side
        for condition in inventory.conditions
        for side in condition.sides
        if condition.step in steps and entry.get("side") in (None, side.removeprefix(f"{condition.step} "))
    ]
    return sides if "side" in entry else [*map(str, steps), *sides]
