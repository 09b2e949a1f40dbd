"""The reasons why nothing can notice some mutants: the table of this folder, and that of steps that no program can reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from modelcontext.ground.files import read_toml
from modelcontext.ground.tables import TableReader
from modelcontext.judging.coverage import read_reasons
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import CURRENT

if TYPE_CHECKING:
    from tools.lab.mutants.making import Mutant

#: The table of mutants that nothing notices.
UNNOTICED: Final = Path(__file__).parent / "unnoticed.toml"
_KEYS: Final = ("mutants", "reason", "is_equivalent")


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason why nothing notices a mutant; ``is_equivalent`` is set if nobody can, by any program or page."""

    words: str
    is_equivalent: bool


def read_unnoticed(path: Path, mutants: Sequence[Mutant]) -> dict[str, Reason]:
    """Return the reasons of a table, by the names of mutants.

    Args:
        path: the file, an array of tables ``unnoticed`` with the names of mutants, a reason, and whether it is a proof that
            they are equivalent.
        mutants: all mutants.

    Raises:
        ReadError: if the file cannot be read.
        TableError: if an entry has another form, or is not about a mutant, or about one that has an entry already.
    """
    reader = TableReader(path.name)
    known = {one.name for one in mutants}
    found: dict[str, Reason] = {}
    for index, entry in enumerate(reader.array(read_toml(path).get("unnoticed", []), "unnoticed")):
        at = f"unnoticed[{index}]"
        reader.keys(reader.table(entry, at, "an entry"), _KEYS, at)
        reason = Reason(
            reader.text(entry.get("reason"), f"{at}.reason"),
            reader.flag(entry.get("is_equivalent", False), f"{at}.is_equivalent"),
        )
        names = reader.array(entry.get("mutants", []), f"{at}.mutants")
        for place, each in enumerate(names):
            name = reader.text(each, f"{at}.mutants[{place}]")
            if name not in known:
                reader.fail(at, f"the text has no mutant {name}: correct the name, or remove it")
            if name in found:
                reader.fail(at, f"{name} has a reason already: remove one of the two")
            found[name] = reason
    return found


def read_unreachable(root: Path, mutants: Sequence[Mutant]) -> Mapping[str, Reason]:
    """Return the reasons why no program of a checkout can reach the steps of some mutants, by the names of these.

    A removed step whose condition never holds is one of them.
    """
    return dict(_unreachable(read_reasons(root, CURRENT, inventory(CURRENT.module)), mutants))


def _unreachable(reasons: Mapping[str, str], mutants: Sequence[Mutant]) -> Iterator[tuple[str, Reason]]:
    for mutant in mutants:
        keys = (*mutant.steps, f"{mutant.steps[0]} 1 yes")
        found = [reasons[key] for key in keys if key in reasons]
        if found:
            yield mutant.name, Reason(found[0], is_equivalent=False)
