"""What no page can reach, and why: ``spec/<revision>/unreachable.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.specification.text.algorithms import SpecificationError

if TYPE_CHECKING:
    from modelcontext.revisions.registry import RevisionFiles
    from modelcontext.tracing.probes import Inventory

_KEYS = {"algorithm", "step", "side", "reason"}


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reason for each step, and each side of a condition, that no page can reach."""

    by_key: Mapping[str, str]

    def __contains__(self, key: str) -> bool:
        return key in self.by_key

    def __getitem__(self, key: str) -> str:
        return self.by_key[key]


def read_reasons(root: Path, files: RevisionFiles, inventory: Inventory) -> Reasons:
    """Read the file of a revision: an array of tables ``unreachable``.

    ``step = "*"`` is a whole algorithm. With ``side = "1 yes"`` it is that side of the step's first condition only;
    without, it is the step and all its sides.

    Without that file nothing has a reason.

    Raises SpecificationError if it cannot be read, or names what the text does not have.
    """
    path = root / files.unreachable
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("unreachable", [])
    except FileNotFoundError:
        entries = []
    except OSError as error:
        raise SpecificationError(f"the file cannot be read: {error.strerror}", path) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecificationError(f"the file is no valid TOML: {error}", path) from None
    by_key: dict[str, str] = {}
    for entry in entries:
        if not {"algorithm", "step", "reason"} <= set(entry) <= _KEYS or len(entry["reason"]) < 20:
            raise SpecificationError(
                f"an entry has an algorithm, a step, a reason of some words, and perhaps a side; not {entry}", path
            )
        keys = _keys(entry, inventory)
        if not keys:
            raise SpecificationError(f"the text has nothing of this kind: {entry}", path)
        by_key |= dict.fromkeys(keys, entry["reason"])
    return Reasons(by_key)


def _keys(entry: Mapping[str, str], inventory: Inventory) -> list[str]:
    steps = [
        step for step in inventory.steps if step.algorithm == entry["algorithm"] and entry["step"] in ("*", step.number)
    ]
    sides = [
        condition.side(side)
        for condition in inventory.conditions
        for side in (True, False)
        if condition.step in steps
        and entry.get("side") in (None, condition.side(side).removeprefix(f"{condition.step} "))
    ]
    return sides if "side" in entry else [*map(str, steps), *sides]
