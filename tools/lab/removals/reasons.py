"""The reasons why nothing can notice some removals: the table of this folder, and that of steps that no program can reach."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from modelcontext.ground.files import read_toml
from modelcontext.ground.tables import TableReader
from modelcontext.judging.coverage import read_reasons
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import CURRENT

#: The table of removals that nothing notices.
UNNOTICED: Final = Path(__file__).parent / "unnoticed.toml"
_KEYS: Final = ("algorithm", "step", "reason")


def read_unnoticed(path: Path, places: Collection[str]) -> dict[str, str]:
    """Return the reasons of a table, by the places of removals.

    Args:
        path: the file, an array of tables ``unnoticed`` with an algorithm, a step and a reason each.
        places: the places of all removals.

    Raises:
        ReadError: if the file cannot be read.
        TableError: if an entry has another form, or is not about a removal, or about one that has an entry already.
    """
    reader = TableReader(path.name)
    found: dict[str, str] = {}
    for index, entry in enumerate(reader.array(read_toml(path).get("unnoticed", []), "unnoticed")):
        at = f"unnoticed[{index}]"
        reader.keys(reader.table(entry, at, "an entry"), _KEYS, at)
        algorithm, step, reason = (reader.text(entry.get(key), f"{at}.{key}") for key in _KEYS)
        place = f"{algorithm} {step}"
        if place not in places:
            reader.fail(at, f"the text has no step {place}: correct the entry, or remove it")
        if place in found:
            reader.fail(at, f"{place} has a reason already: remove one of the two")
        found[place] = reason
    return found


def read_unreachable(root: Path) -> Mapping[str, str]:
    """Return the reasons why no program of a checkout can reach some steps, by the places of their removals.

    A step whose condition never holds is one of them.
    """
    reasons = read_reasons(root, CURRENT, inventory(CURRENT.module))
    return {key.removesuffix(" 1 yes"): reason for key, reason in reasons.items()}
